// The whole run in a strip, with the visible part and the cut.
function drawOverview(cut) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [overview.clientWidth, overview.clientHeight];
  if (!wide || !high) return;
  [overview.width, overview.height] = [Math.round(wide * ratio), Math.round(high * ratio)];
  const brush = overview.getContext("2d");
  brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  const column = (wide - 8) / view.end;
  const row = (high - 8) / Math.max(lanes.length, 1);
  const [x, y] = [(rank) => 4 + rank * column, (p) => 4 + (p + 0.5) * row];
  const dot = Math.max(1, Math.min(2.5, row * 0.7, column));
  brush.fillStyle = colour.past;
  brush.globalAlpha = 0.55;
  lanes.forEach((lane, p) => {
    let last = -Infinity;
    for (let at = 0; at < lane.rank.length; at++) {
      const left = x(rankAt(p, at));
      if (left - last < 0.7) continue;
      last = left;
      brush.fillRect(left - dot / 2, y(p) - dot / 2, dot, dot);
    }
  });
  brush.globalAlpha = 1;
  if (cut && cut.at.length) {
    brush.strokeStyle = colour.cut;
    brush.lineWidth = 1.5;
    brush.beginPath();
    brush.moveTo(x(cut.at[0]), 1);
    cut.at.forEach((rank, p) => brush.lineTo(x(rank), y(p)));
    brush.lineTo(x(cut.at[cut.at.length - 1]), high - 1);
    brush.stroke();
  }
  const from = Math.max(0, x(rankOfX(view.gutter)));
  const to = Math.min(wide, x(rankOfX(view.width)));
  brush.fillStyle = colour.ink;
  brush.globalAlpha = 0.1;
  brush.fillRect(0, 0, from, high);
  brush.fillRect(to, 0, wide - to, high);
  brush.globalAlpha = 0.7;
  brush.strokeStyle = colour.muted;
  brush.strokeRect(from + 0.5, 0.5, Math.max(2, to - from - 1), high - 1);
  brush.globalAlpha = 1;
}

