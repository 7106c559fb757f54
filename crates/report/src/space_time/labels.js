// Texts shortened to a width, and the widths of texts. Both are cached.
const widths = new Map();
function widthOf(text, font) {
  const key = font + text;
  let width = widths.get(key);
  if (width === undefined) {
    pen.font = font;
    width = pen.measureText(text).width;
    if (widths.size > 50000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

const shortened = new Map();
function shorten(text, font, width) {
  if (widthOf(text, font) <= width) return text;
  const key = font + Math.floor(width / 4) + text;
  if (shortened.has(key)) return shortened.get(key);
  pen.font = font;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(text.slice(0, middle) + "…").width <= Math.floor(width / 4) * 4) low = middle;
    else high = middle - 1;
  }
  const kept = low < 3 ? "" : text.slice(0, low).trimEnd() + "…";
  if (shortened.size > 50000) shortened.clear();
  shortened.set(key, kept);
  return kept;
}

// The text on one line, with a limited number of characters.
const line = (text) => text.slice(0, 160).replace(/\s+/g, " ");

function changeOf(p, at) {
  const assigned = localState(p, lanes[p].number[at]).filter((v) => v.assigned);
  return line(assigned.map((v) => v.name + "=" + v.value).join(" "));
}

// The label above each event and its assignments below, as far as there is room:
// centred if neither neighbour is in the way, otherwise moved, otherwise shortened.
function drawLabels() {
  if (view.column < 22) return;
  const [from, to] = rowsInView();
  for (let p = from; p < to; p++) {
    drawTexts(p, -radius() - 8, FONT.label, colour.ink, (at) => line(labelOf(p, at)));
    if (view.row >= 50) drawTexts(p, radius() + 14, FONT.change, colour.muted, (at) => changeOf(p, at));
  }
}

function drawTexts(p, below, font, ink, textOf) {
  const [first, end] = inView(p);
  const count = lanes[p].rank.length;
  const y = yOf(p) + below;
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.strokeStyle = colour.card;
  // Where the previous text ends. Drawing begins a few events before the view, so that texts keep their places
  // while the view moves.
  let taken = first > 6 ? -Infinity : xOf(0) - 24;
  for (let at = Math.max(0, first - 6); at < Math.min(end + 1, count); at++) {
    const text = textOf(at);
    if (!text) continue;
    const x = xOf(rankAt(p, at));
    let limit = Infinity;
    if (at + 1 < count) {
      const next = xOf(rankAt(p, at + 1));
      limit = next - 4 - Math.min(widthOf(textOf(at + 1), font), next - x) / 2;
    }
    const start = Math.max(taken + 8, x - Math.max(limit - x, 0) - 4 * view.column);
    const shown = shorten(text, font, Math.min(limit - start, 280));
    if (!shown) continue;
    const width = widthOf(shown, font);
    const left = Math.max(Math.min(x - width / 2, limit - width), start);
    taken = left + width;
    pen.font = font;
    pen.globalAlpha = 0.85;
    pen.strokeText(shown, left, y);
    pen.globalAlpha = 1;
    pen.fillStyle = ink;
    pen.fillText(shown, left, y);
  }
}

