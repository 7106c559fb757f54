// Events, as dots with their labels.

const radius = () => Math.max(1.2, Math.min(5.5, view.column * 0.22, view.row * 0.2));

function drawEvents() {
  const [from, to] = rowsInView();
  const size = radius();
  const [past, future, holes] = [[], [], []];
  let drawn = 0;
  for (let p = from; p < to; p++) {
    const [first, end] = inView(p);
    const y = yOf(p);
    let last = -Infinity;
    for (let at = first; at < end; at++) {
      const x = xOf(rankAt(p, at));
      if (x < view.gutter - size || x > view.width + size) continue;
      drawn++;
      // Dots that would cover each other are drawn once.
      if (x - last < 0.5) continue;
      last = x;
      if (lanes[p].holes.has(lanes[p].number[at])) holes.push(x, y);
      else (isPast(p, at) ? past : future).push(x, y);
    }
  }
  const dots = (points, r) => {
    pen.beginPath();
    for (let k = 0; k < points.length; k += 2) {
      pen.moveTo(points[k] + r, points[k + 1]);
      pen.arc(points[k], points[k + 1], r, 0, 2 * Math.PI);
    }
  };
  pen.fillStyle = colour.past;
  dots(past, size);
  pen.fill();
  pen.lineWidth = Math.min(1.8, size * 0.6);
  pen.strokeStyle = colour.past;
  pen.fillStyle = colour.card;
  dots(future, Math.max(0.6, size - 0.8));
  pen.fill();
  pen.stroke();
  pen.setLineDash([2, 2]);
  dots(holes, size);
  pen.fill();
  pen.stroke();
  pen.setLineDash([]);
  pen.strokeStyle = colour.mark;
  pen.lineWidth = 1.5;
  dots(view.found.flatMap(({ p, at }) => [xOf(rankAt(p, at)), yOf(p)]), size + 3);
  pen.stroke();
  for (const [event, line] of [[view.pinned, 3], [view.hovered, 2]]) {
    if (!event) continue;
    pen.lineWidth = line;
    dots([xOf(rankAt(event.p, event.at)), yOf(event.p)], size + 4);
    pen.stroke();
  }
  return drawn;
}

