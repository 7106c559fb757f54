// Mouse, touch and keyboard.

const at = (event) => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};

// The last positions of fingers and buttons that are down.
const held = new Map();
let dragged = 0;

canvas.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  stage.focus({ preventScroll: true });
  canvas.setPointerCapture?.(event.pointerId);
  held.set(event.pointerId, at(event));
  dragged = 0;
});

canvas.addEventListener("pointermove", (event) => {
  const [x, y] = at(event);
  const before = held.get(event.pointerId);
  if (!before) {
    hover(eventAt(x, y));
    canvas.style.cursor = view.hovered ? "pointer" : "grab";
    return;
  }
  const others = [...held].filter(([id]) => id !== event.pointerId);
  if (others.length === 1) {
    // With two fingers, the point between them stays in place.
    const [u] = others[0][1];
    const factor = Math.max(Math.abs(x - u), 10) / Math.max(Math.abs(before[0] - u), 10);
    zoom(factor, (x + u) / 2);
  } else {
    dragged += Math.abs(x - before[0]) + Math.abs(y - before[1]);
    if (dragged > 4) {
      canvas.style.cursor = "grabbing";
      view.left -= x - before[0];
      view.top -= y - before[1];
      redraw();
    }
  }
  held.set(event.pointerId, [x, y]);
});

for (const kind of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(kind, (event) => {
    const down = held.delete(event.pointerId);
    canvas.style.cursor = "grab";
    if (down && kind === "pointerup" && dragged <= 4) pin(eventAt(...at(event)));
  });
}

canvas.addEventListener("pointerleave", () => hover(null));

canvas.addEventListener(
  "wheel",
  (event) => {
    // If the view is zoomed out completely, the wheel scrolls the page.
    if (event.deltaY > 0 && !event.shiftKey && view.column <= leastColumn()) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 300 : 1;
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      view.left += sideways * unit;
      redraw();
    } else {
      zoom(Math.exp(-event.deltaY * unit * 0.0018), at(event)[0]);
    }
  },
  { passive: false },
);

// Dragging in the overview moves the view.
function moveByOverview(event) {
  if (!(event.buttons & 1)) return;
  const box = overview.getBoundingClientRect();
  centre(((event.clientX - box.left - 4) / (box.width - 8)) * view.end);
}
overview.addEventListener("pointerdown", (event) => {
  overview.setPointerCapture?.(event.pointerId);
  moveByOverview(event);
});
overview.addEventListener("pointermove", moveByOverview);

// Goes to the previous or next event of the process, or to the nearest of another one.
function walk(across, along) {
  const here = view.pinned || view.hovered;
  let next = null;
  if (!here) {
    const middle = view.cut ? crossings(view.cut).line : rankOfX((view.gutter + view.width) / 2);
    const p = lanes.findIndex((lane) => lane.rank.length > 0);
    if (p >= 0) next = { p, at: nearestPlace(p, middle) };
  } else if (along) {
    const place = here.at + along;
    if (place >= 0 && place < lanes[here.p].rank.length) next = { p: here.p, at: place };
  } else {
    for (let p = here.p + across; p >= 0 && p < lanes.length && !next; p += across) {
      if (lanes[p].rank.length) next = { p, at: nearestPlace(p, rankAt(here.p, here.at)) };
    }
  }
  if (!next) return;
  pin(next);
  reveal(next.p, next.at);
}

function nearestPlace(p, rank) {
  let best = 0;
  for (let place = 0; place < lanes[p].rank.length; place++) {
    if (Math.abs(rankAt(p, place) - rank) < Math.abs(rankAt(p, best) - rank)) best = place;
  }
  return best;
}

const move = (x, y) => {
  view.left += x;
  view.top += y;
  redraw();
};
const step = (by) => byId("stepper").hidden || goToStep(view.step + by);
const KEYS = {
  "+": () => zoom(1.3),
  "=": () => zoom(1.3),
  "-": () => zoom(1 / 1.3),
  "−": () => zoom(1 / 1.3),
  _: () => zoom(1 / 1.3),
  ArrowLeft: () => move(-80, 0),
  ArrowRight: () => move(80, 0),
  ArrowUp: () => move(0, -view.row),
  ArrowDown: () => move(0, view.row),
  PageUp: () => move(-0.8 * view.width, 0),
  PageDown: () => move(0.8 * view.width, 0),
  Home: () => move(-Infinity, 0),
  End: () => move(1e9, 0),
  f: fit,
  0: fit,
  c: goToCut,
  s: () => straighten(!view.straight),
  ",": () => step(-1),
  ".": () => step(1),
  Enter: () => pin(view.hovered || view.pinned),
  Escape: () => pin(null),
};
const WALKS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

stage.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const action = event.shiftKey && WALKS[event.key] ? () => walk(...WALKS[event.key]) : KEYS[event.key] || KEYS[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
});

const onClick = (id, action) => byId(id).addEventListener("click", action);
onClick("zoom-in", () => zoom(1.5));
onClick("zoom-out", () => zoom(1 / 1.5));
onClick("fit", fit);
onClick("to-cut", goToCut);
onClick("step-back", () => step(-1));
onClick("step-on", () => step(1));
byId("straight").addEventListener("change", (event) => straighten(event.target.checked));
byId("step").addEventListener("input", (event) => goToStep(Number(event.target.value)));
for (const radio of document.querySelectorAll("input[name=answer]")) {
  radio.addEventListener("change", () => select(Number(radio.value)));
}
for (const item of document.querySelectorAll("li[data-step]")) {
  item.addEventListener("click", () => goToStep(Number(item.dataset.step)));
}

// Finds events by label, record, process or number; Enter goes from one to the next.
let sought = "";
let shown = -1;
function find(text) {
  sought = text.trim().toLowerCase();
  shown = -1;
  view.found = [];
  if (sought) {
    lanes.forEach((lane, p) => {
      lane.number.forEach((k, place) => {
        const all = lane.name + " " + k + "\n" + labelOf(p, place) + "\n" + (lane.record[place] || "");
        if (all.toLowerCase().includes(sought)) view.found.push({ p, at: place });
      });
    });
    view.found.sort((a, b) => rankAt(a.p, a.at) - rankAt(b.p, b.at));
  }
  byId("found").textContent = sought ? (view.found.length ? view.found.length + " found" : "nothing found") : "";
  redraw();
}
byId("find").addEventListener("input", (event) => find(event.target.value));
byId("find-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!view.found.length) return;
  shown = (shown + 1) % view.found.length;
  const next = view.found[shown];
  byId("found").textContent = shown + 1 + " of " + view.found.length;
  pin(next);
  reveal(next.p, next.at);
});

