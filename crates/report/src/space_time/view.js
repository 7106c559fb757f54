// The view: which answer, which part of the run, which scale.
//
// Horizontally everything is measured in ranks until it is drawn (see places.js).

const stage = byId("stage");
const canvas = byId("canvas");
const overview = byId("overview");

const ROW = { least: 26, wanted: 76, most: 120 };
const COLUMN = { most: 170, start: 56, readable: 30 };
const EDGE = 20;

const view = {
  answer: data.selected,
  step: 0,
  cut: null,
  straight: false,
  // The rank at which the lines of the processes end.
  end: data.ranks + 1,
  width: 0,
  height: 0,
  // Where the names of the processes end.
  gutter: 80,
  // Pixels per rank and per process.
  column: COLUMN.start,
  row: ROW.wanted,
  // The scroll position in pixels.
  left: 0,
  top: 0,
  // Events as {p, at}, or null.
  hovered: null,
  pinned: null,
  found: [],
};

const answer = () => data.answers[view.answer];
const isPast = (p, at) => view.cut === null || lanes[p].number[at] <= view.cut[p];
const rankAt = (p, at) => lanes[p].rank[at];
const xOf = (rank) => view.gutter + EDGE + rank * view.column - view.left;
const yOf = (p) => (p + 0.5) * view.row + EDGE / 2 - view.top;
const rankOfX = (x) => (x - view.gutter - EDGE + view.left) / view.column;

function clampView() {
  const wide = view.end * view.column + 2 * EDGE - (view.width - view.gutter);
  const high = lanes.length * view.row + EDGE - view.height;
  view.left = Math.min(Math.max(view.left, 0), Math.max(0, wide));
  view.top = Math.min(Math.max(view.top, 0), Math.max(0, high));
}

// Zooms around `x`.
function zoom(factor, x = view.gutter + (view.width - view.gutter) / 2) {
  const rank = rankOfX(x);
  view.column = Math.min(Math.max(view.column * factor, leastColumn()), COLUMN.most);
  view.left += xOf(rank) - x;
  redraw();
}

const fittingColumn = () => Math.min((view.width - view.gutter - 2 * EDGE) / view.end, COLUMN.most);

const leastColumn = () => Math.min(fittingColumn(), COLUMN.start);

function fit() {
  view.column = fittingColumn();
  view.left = view.top = 0;
  redraw();
}

function centre(rank) {
  view.left = EDGE + rank * view.column - (view.width - view.gutter) / 2;
  redraw();
}

// Shows the cut, at a size at which labels can be read.
function goToCut() {
  if (view.cut === null) return;
  view.column = Math.max(view.column, COLUMN.start);
  centre(crossings(view.cut).line);
}

// Shows the whole run if it is readable, otherwise the cut, otherwise the
// beginning. A cut that is too ragged to be seen at once is straightened.
function showStart() {
  if (fittingColumn() >= COLUMN.readable) return fit();
  view.column = COLUMN.start;
  view.left = view.top = 0;
  if (view.cut === null) return redraw();
  const { at } = crossings(view.cut);
  const wide = (Math.max(...at) - Math.min(...at) + 2) * view.column;
  if (wide > view.width - view.gutter) straighten(true);
  goToCut();
}

// Moves the view as little as possible to show an event.
function reveal(p, at) {
  const [x, y] = [xOf(rankAt(p, at)), yOf(p)];
  if (x < view.gutter + EDGE || x > view.width - EDGE) centre(rankAt(p, at));
  if (y < EDGE) view.top -= EDGE - y;
  if (y > view.height - EDGE) view.top += y - view.height + EDGE;
  redraw();
}

// Fits the canvas into the page. Rows share the height as long as they can be told apart.
function measure() {
  const most = Math.max(300, window.innerHeight - 300);
  const wanted = Math.min(lanes.length * ROW.wanted + EDGE, most);
  view.height = Math.max(240, wanted);
  view.row = Math.min(Math.max((view.height - EDGE) / Math.max(lanes.length, 1), ROW.least), ROW.most);
  view.width = Math.max(stage.clientWidth, 200);
  canvas.style.height = view.height + "px";
  // A run that is readable as a whole needs no overview.
  overview.hidden = fittingColumn() >= COLUMN.readable;
}

// The event nearest to a point of the canvas, if it is near enough.
function eventAt(x, y) {
  const p = Math.round((y + view.top - EDGE / 2) / view.row - 0.5);
  if (x < view.gutter || !lanes[p]) return null;
  const { rank } = lanes[p];
  let best = null;
  let nearest = 12;
  const near = firstFrom(rank, rankOfX(x));
  for (const at of [near - 1, near]) {
    if (at < 0 || at >= rank.length) continue;
    const distance = Math.hypot(xOf(rank[at]) - x, (yOf(p) - y) * 0.7);
    if (distance < nearest) [best, nearest] = [{ p, at }, distance];
  }
  return best;
}

