// Mouse and keyboard.

function connect() {
  const stepAt = (event) => event.target.closest && event.target.closest(".step");
  const placeUnder = (event) => {
    const group = stepAt(event);
    return group ? placeOf(Number(group.dataset.step) + 1) : -1;
  };
  stage.addEventListener("pointerover", (event) => hover(placeUnder(event)));
  stage.addEventListener("pointerleave", () => hover(-1));
  stage.addEventListener("click", (event) => {
    const at = placeUnder(event);
    if (at >= 0) go(at);
  });
  stage.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      setZoom(view.zoom * Math.exp(-event.deltaY / 400));
    },
    { passive: false },
  );
  const keys = {
    ArrowDown: () => go(view.at + 1),
    ArrowUp: () => go(view.at - 1),
    ".": () => go(view.at + 1),
    ",": () => go(view.at - 1),
    PageDown: () => go(view.at + 10),
    PageUp: () => go(view.at - 10),
    Home: () => go(-1),
    End: () => go(violation().steps.length - 1),
    "+": () => setZoom(view.zoom * 1.2),
    "=": () => setZoom(view.zoom * 1.2),
    "-": () => setZoom(view.zoom / 1.2),
    f: fit,
  };
  stage.addEventListener("keydown", (event) => {
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  byId("zoom-in").addEventListener("click", () => setZoom(view.zoom * 1.2));
  byId("zoom-out").addEventListener("click", () => setZoom(view.zoom / 1.2));
  byId("fit").addEventListener("click", fit);
  byId("step-back").addEventListener("click", () => go(view.at - 1));
  byId("step-on").addEventListener("click", () => go(view.at + 1));
  byId("step").addEventListener("input", (event) => go(Number(event.target.value) - 1));
  for (const radio of document.querySelectorAll('input[name="answer"]')) {
    radio.addEventListener("change", () => select(Number(radio.value)));
  }
}

if (stage) {
  connect();
  select(0);
}
