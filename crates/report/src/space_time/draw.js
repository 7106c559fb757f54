// The picture. Only what is visible is drawn. The events of a process are in
// the order of their ranks, so bisection finds the visible ones.

const pen = canvas.getContext("2d");
let colour = {};
let waiting = false;

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["card", "ink", "muted", "rule", "lane", "past", "message", "transit", "cut", "shade", "mark", "on-cut"]) {
    colour[name] = style.getPropertyValue("--" + name).trim();
  }
}

const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
const MONO = "ui-monospace, 'SFMono-Regular', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const FONT = { name: "600 13px " + SANS, label: "12px " + SANS, change: "11px " + MONO, state: "700 11px " + SANS };

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

function draw() {
  const began = performance.now();
  clampView();
  const ratio = document.documentElement.classList.contains("printing") ? 3 : window.devicePixelRatio || 1;
  const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = colour.card;
  pen.fillRect(0, 0, view.width, view.height);
  const cut = view.cut && crossings(view.cut);
  pen.save();
  pen.beginPath();
  pen.rect(view.gutter, 0, view.width - view.gutter, view.height);
  pen.clip();
  if (cut) shadePast(cut);
  drawLanes();
  if (cut) drawStates();
  const arrows = arrowsInView();
  drawLines(arrows);
  if (cut) drawCut(cut);
  const dots = drawEvents();
  drawLabels();
  drawHeads(arrows);
  if (cut) drawStateNumbers(cut);
  pen.restore();
  drawNames();
  drawScroll();
  drawOverview(cut);
  Object.assign(stage.dataset, {
    events: dots,
    messages: arrows.count,
    backward: arrows.backward,
    column: view.column.toFixed(3),
    left: view.left.toFixed(1),
    cut: view.cut ? view.cut.join(",") : "",
    cutX: cut ? cut.at.map((rank) => xOf(rank).toFixed(1)).join(",") : "",
    redraw: (performance.now() - began).toFixed(2),
  });
}

// A range of places of process `p` that contains all its events in view. The end is excluded.
function inView(p) {
  const { rank } = lanes[p];
  const [from, to] = [rankOfX(view.gutter) - 1, rankOfX(view.width) + 1];
  return [firstFrom(rank, from), firstFrom(rank, to)];
}

const rowsInView = () => {
  const from = Math.floor((view.top - EDGE) / view.row);
  const to = Math.ceil((view.top + view.height) / view.row);
  return [Math.max(0, from), Math.min(lanes.length, to)];
};

// The line of the cut from above the first process to below the last.
function traceCut(cut) {
  const points = cut.at.map((rank, p) => [xOf(rank), yOf(p)]);
  const [first, last] = [points[0], points[points.length - 1]];
  pen.moveTo(first[0], first[1] - view.row * 0.5 - EDGE / 2);
  pen.lineTo(...first);
  for (let p = 1; p < points.length; p++) {
    const [[x, y], [u, v]] = [points[p - 1], points[p]];
    const middle = (y + v) / 2;
    pen.bezierCurveTo(x, middle, u, middle, u, v);
  }
  pen.lineTo(last[0], last[1] + view.row * 0.5 + EDGE / 2);
  return [first, last];
}

function shadePast(cut) {
  if (!cut.at.length) return;
  pen.beginPath();
  const [first, last] = traceCut(cut);
  pen.lineTo(view.gutter - 1, last[1] + view.row * 0.5 + EDGE / 2);
  pen.lineTo(view.gutter - 1, first[1] - view.row * 0.5 - EDGE / 2);
  pen.fillStyle = colour.shade;
  pen.fill();
}

function drawCut(cut) {
  if (!cut.at.length) return;
  pen.beginPath();
  traceCut(cut);
  pen.strokeStyle = colour.card;
  pen.lineWidth = 5;
  pen.globalAlpha = 0.7;
  pen.stroke();
  pen.strokeStyle = colour.cut;
  pen.lineWidth = 2.2;
  pen.globalAlpha = 1;
  pen.stroke();
}

function drawLanes() {
  const [from, to] = rowsInView();
  pen.lineWidth = 1.5;
  pen.strokeStyle = colour.lane;
  for (let p = from; p < to; p++) {
    const [y, lane] = [yOf(p), lanes[p]];
    const [start, end] = [xOf(0), xOf(view.end)];
    const line = (a, b, dashes) => {
      if (b < view.gutter || a > view.width) return;
      pen.setLineDash(dashes);
      pen.beginPath();
      pen.moveTo(Math.max(a, view.gutter - 10), y);
      pen.lineTo(Math.min(b, view.width + 10), y);
      pen.stroke();
    };
    let drawn = start;
    let before = 0;
    let at = 0;
    for (const [first, last] of lane.ranges) {
      const x = xOf(rankAt(p, at));
      line(drawn, x, first > before + 1 ? [3, 5] : []);
      at += last - first;
      drawn = xOf(rankAt(p, at++));
      line(x, drawn, []);
      before = last;
    }
    line(drawn, end, before < lane.events ? [3, 5] : []);
    pen.setLineDash([]);
    pen.beginPath();
    pen.moveTo(start, y - 5);
    pen.lineTo(start, y + 5);
    pen.stroke();
  }
}

// The local states of the cut, as thick pieces of the processes' lines.
function drawStates() {
  const [from, to] = rowsInView();
  pen.strokeStyle = colour.cut;
  pen.globalAlpha = 0.45;
  pen.lineWidth = 7;
  pen.lineCap = "round";
  pen.beginPath();
  for (let p = from; p < to; p++) {
    const [a, b] = stateSpan(p, view.cut[p]).map(xOf);
    const inset = Math.min(9, (b - a) / 3);
    if (b < view.gutter - 20 || a > view.width + 20) continue;
    pen.moveTo(Math.max(a + inset, view.gutter - 20), yOf(p));
    pen.lineTo(Math.min(b - inset, view.width + 20), yOf(p));
  }
  pen.stroke();
  pen.globalAlpha = 1;
  pen.lineCap = "butt";
}

// The numbers of the local states, where the cut crosses the processes.
function drawStateNumbers(cut) {
  if (view.column < 26) return;
  const [from, to] = rowsInView();
  pen.font = FONT.state;
  pen.textAlign = "center";
  for (let p = from; p < to; p++) {
    const [x, y, text] = [xOf(cut.at[p]), yOf(p), String(view.cut[p])];
    const wide = Math.max(17, pen.measureText(text).width + 9);
    pen.fillStyle = colour.cut;
    pen.beginPath();
    pen.roundRect(x - wide / 2, y - 8, wide, 16, 8);
    pen.fill();
    pen.fillStyle = colour["on-cut"];
    pen.fillText(text, x, y + 4);
  }
  pen.textAlign = "left";
}

function drawNames() {
  const [from, to] = rowsInView();
  pen.fillStyle = colour.card;
  pen.fillRect(0, 0, view.gutter, view.height);
  pen.fillStyle = colour.rule;
  pen.fillRect(view.gutter - 1, 0, 1, view.height);
  pen.fillStyle = colour.ink;
  for (let p = from; p < to; p++) {
    pen.font = FONT.name;
    pen.fillText(shorten(lanes[p].name, FONT.name, view.gutter - 26), 14, yOf(p) + 4.5);
  }
}

// A scroll bar, if not all processes fit into the view.
function drawScroll() {
  const high = lanes.length * view.row + EDGE;
  if (high <= view.height + 1) return;
  pen.fillStyle = colour.muted;
  pen.globalAlpha = 0.5;
  pen.beginPath();
  pen.roundRect(view.width - 8, (view.top / high) * view.height + 2, 5, (view.height / high) * view.height - 4, 2.5);
  pen.fill();
  pen.globalAlpha = 1;
}

function measureNames() {
  pen.font = FONT.name;
  const widest = lanes.reduce((most, lane) => Math.max(most, pen.measureText(lane.name.slice(0, 60)).width), 20);
  view.gutter = Math.min(widest + 32, 190, view.width * 0.3);
}

