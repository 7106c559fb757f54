// Messages, as arrows.

// Arrows in three passes, so that the ones that matter lie on top: all, those in
// transit at the cut, those of the event that is looked at.
function drawMessages() {
  const { fromLane, fromPlace, toLane, toPlace } = messages;
  const looked = view.hovered || view.pinned;
  const near = looked ? new Set([...(lanes[looked.p].received.get(looked.at) || []), ...(lanes[looked.p].sent.get(looked.at) || [])]) : new Set();
  const passes = [[], [], []];
  let drawn = 0;
  for (let m = 0; m < messages.length; m++) {
    const [p, q] = [fromLane[m], toLane[m]];
    const x = xOf(rankAt(p, fromPlace[m]));
    if (x > view.width) continue;
    const u = xOf(rankAt(q, toPlace[m]));
    if (u < view.gutter) continue;
    const [y, v] = [yOf(p), yOf(q)];
    if (Math.max(y, v) < 0 || Math.min(y, v) > view.height) continue;
    const transit = view.cut !== null && isPast(p, fromPlace[m]) && !isPast(q, toPlace[m]);
    passes[near.has(m) ? 2 : transit ? 1 : 0].push(x, y, u, v);
    drawn++;
  }
  const dense = view.column < 4;
  const heads = view.column >= 7;
  [
    [colour.message, dense ? 0.6 : 1, dense ? 0.35 : 0.9],
    [colour.transit, dense ? 0.8 : 1.8, dense ? 0.6 : 1],
    [colour.mark, 2.4, 1],
  ].forEach(([ink, line, alpha], pass) => {
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = line;
    pen.globalAlpha = alpha;
    strokeArrows(passes[pass], heads ? (pass ? 8 : 6.5) : 0);
  });
  pen.globalAlpha = 1;
  drawBeyond();
  return drawn;
}

function strokeArrows(ends, head) {
  const gap = radius() + 1;
  pen.beginPath();
  for (let k = 0; k < ends.length; k += 4) {
    const [x, y, u, v] = [ends[k], ends[k + 1], ends[k + 2], ends[k + 3]];
    const length = Math.hypot(u - x, v - y) || 1;
    const stop = (gap + (head ? head - 1 : 0)) / length;
    pen.moveTo(x, y);
    pen.lineTo(u - (u - x) * stop, v - (v - y) * stop);
  }
  pen.stroke();
  if (!head) return;
  pen.beginPath();
  for (let k = 0; k < ends.length; k += 4) {
    const [x, y, u, v] = [ends[k], ends[k + 1], ends[k + 2], ends[k + 3]];
    const length = Math.hypot(u - x, v - y) || 1;
    const [dx, dy] = [(u - x) / length, (v - y) / length];
    const [tipX, tipY] = [u - dx * gap, v - dy * gap];
    pen.moveTo(tipX, tipY);
    pen.lineTo(tipX - head * dx - head * 0.42 * dy, tipY - head * dy + head * 0.42 * dx);
    pen.lineTo(tipX - head * dx + head * 0.42 * dy, tipY - head * dy - head * 0.42 * dx);
  }
  pen.fill();
}

// Messages from events that the page does not hold come from the left, faintly.
function drawBeyond() {
  const ends = [];
  lanes.forEach((lane, p) => {
    for (const [at, causes] of lane.beyond) {
      const x = xOf(rankAt(p, at));
      if (x < view.gutter || x > view.width + 20) continue;
      for (const [q] of causes) ends.push(x - 20, yOf(p) + Math.sign(q - p) * 16, x, yOf(p));
    }
  });
  pen.strokeStyle = pen.fillStyle = colour.message;
  pen.lineWidth = 1;
  pen.setLineDash([2, 2]);
  strokeArrows(ends, 0);
  pen.setLineDash([]);
}

