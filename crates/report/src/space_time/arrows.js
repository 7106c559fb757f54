// Messages as arrows. Lines are drawn first, and heads after dots and labels,
// so that no label hides where an arrow ends.

// The ends of the arrows in view, in the order in which they are drawn: all,
// those in transit at the cut, those of the hovered or pinned event.
function arrowsInView() {
  const { fromLane, fromPlace, toLane, toPlace } = messages;
  const looked = view.hovered || view.pinned;
  const of = (map) => (looked && map(lanes[looked.p]).get(looked.at)) || [];
  const near = new Set([...of((lane) => lane.received), ...of((lane) => lane.sent)]);
  const ends = [[], [], []];
  let [count, backward] = [0, 0];
  for (let m = 0; m < messages.length; m++) {
    const [p, q] = [fromLane[m], toLane[m]];
    const x = xOf(rankAt(p, fromPlace[m]));
    if (x > view.width) continue;
    const u = xOf(rankAt(q, toPlace[m]));
    if (u < view.gutter) continue;
    const [y, v] = [yOf(p), yOf(q)];
    if (Math.max(y, v) < 0 || Math.min(y, v) > view.height) continue;
    const transit = view.cut !== null && isPast(p, fromPlace[m]) && !isPast(q, toPlace[m]);
    ends[near.has(m) ? 2 : transit ? 1 : 0].push(x, y, u, v);
    count++;
    if (u <= x) backward++;
  }
  const dense = view.column < 4;
  const many = ends[1].length > 4 * 40;
  const passes = [
    { ends: ends[0], ink: colour.message, width: dense ? 0.6 : 1, alpha: dense ? 0.35 : 0.85, head: 6.5 },
    { ends: ends[1], ink: colour.transit, width: dense ? 0.8 : many ? 1.2 : 1.8, alpha: dense || many ? 0.6 : 1, head: 8 },
    { ends: ends[2], ink: colour.mark, width: 2.4, alpha: 1, head: 8 },
  ];
  return { count, backward, passes, heads: view.column >= 7 };
}

// Calls `each` with the tip and the direction of every arrow, and with its tail.
function eachArrow(ends, each) {
  const gap = radius() + 1.5;
  for (let k = 0; k < ends.length; k += 4) {
    const [x, y, u, v] = [ends[k], ends[k + 1], ends[k + 2], ends[k + 3]];
    const length = Math.hypot(u - x, v - y) || 1;
    const [dx, dy] = [(u - x) / length, (v - y) / length];
    each(u - dx * gap, v - dy * gap, dx, dy, x, y);
  }
}

function drawLines({ passes, heads }) {
  for (const { ends, ink, width, alpha, head } of passes) {
    Object.assign(pen, { strokeStyle: ink, lineWidth: width, globalAlpha: alpha });
    const short = heads ? head - 1 : 0;
    pen.beginPath();
    eachArrow(ends, (tipX, tipY, dx, dy, x, y) => {
      pen.moveTo(x, y);
      pen.lineTo(tipX - short * dx, tipY - short * dy);
    });
    pen.stroke();
  }
  if (heads) drawBeyond();
  pen.globalAlpha = 1;
}

function drawHeads({ passes, heads }) {
  if (!heads) return;
  for (const { ends, ink, alpha, head } of passes) {
    Object.assign(pen, { fillStyle: ink, globalAlpha: alpha });
    const side = head * 0.42;
    pen.beginPath();
    eachArrow(ends, (x, y, dx, dy) => {
      pen.moveTo(x, y);
      pen.lineTo(x - head * dx - side * dy, y - head * dy + side * dx);
      pen.lineTo(x - head * dx + side * dy, y - head * dy - side * dx);
    });
    pen.fill();
  }
  pen.globalAlpha = 1;
}

// Messages from events that the page does not hold come from the left, dashed.
function drawBeyond() {
  Object.assign(pen, { strokeStyle: colour.message, lineWidth: 1, globalAlpha: 1 });
  pen.setLineDash([2, 2]);
  pen.beginPath();
  lanes.forEach((lane, p) => {
    for (const [at, causes] of lane.beyond) {
      const x = xOf(rankAt(p, at));
      if (x < view.gutter || x > view.width + 20) continue;
      for (const [q] of causes) {
        pen.moveTo(x - 20, yOf(p) + Math.sign(q - p) * 16);
        pen.lineTo(x, yOf(p));
      }
    }
  });
  pen.stroke();
  pen.setLineDash([]);
}

