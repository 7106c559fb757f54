// Where events stand, in ranks, and where a cut crosses the processes.
//
// Usually an event has its rank in the data: the length of the longest
// chain of events up to it. If the cut is straightened, ranks are counted from the
// cut instead: events before it by the longest chain from them to the cut, events
// after it by the longest chain from the cut to them. A consistent cut is then a
// straight line, since nothing after it causes anything before it (the rubber
// band transformation, Mattern 1989), and the events at the cut are next to the line.
// In both cases an event is to the right of its predecessor and of its causes. Chains
// through events that the page does not hold are not counted.

// All events, causes first.
const inOrder = lanes.flatMap((lane, p) => lane.number.map((_, at) => [p, at]));
inOrder.sort(([p, at], [q, to]) => lanes[p].own[at] - lanes[q].own[to]);

function place() {
  if (!view.straight || view.cut === null) {
    for (const lane of lanes) lane.rank = lane.own;
    view.end = data.ranks + 1;
    return;
  }
  for (const lane of lanes) lane.rank = new Float64Array(lane.own.length);
  let [before, after] = [0, 0];
  for (let k = inOrder.length - 1; k >= 0; k--) {
    const [p, at] = inOrder[k];
    const lane = lanes[p];
    if (!isPast(p, at)) continue;
    let chain = at + 1 < lane.rank.length && isPast(p, at + 1) ? lane.rank[at + 1] : 0;
    for (const m of lane.sent.get(at) || []) {
      const [q, to] = [messages.toLane[m], messages.toPlace[m]];
      if (isPast(q, to)) chain = Math.max(chain, lanes[q].rank[to]);
    }
    lane.rank[at] = chain + 1;
    before = Math.max(before, chain + 1);
  }
  for (const [p, at] of inOrder) {
    const lane = lanes[p];
    if (isPast(p, at)) {
      lane.rank[at] = before + 1 - lane.rank[at];
      continue;
    }
    let chain = at > 0 ? Math.max(lane.rank[at - 1], before) : before;
    for (const m of lane.received.get(at) || []) chain = Math.max(chain, lanes[messages.fromLane[m]].rank[messages.fromPlace[m]]);
    lane.rank[at] = chain + 1;
    after = Math.max(after, chain + 1);
  }
  view.end = Math.max(before, after) + 1;
}

// The ranks between which process `p` is in local state `k`.
function stateSpan(p, k) {
  const [before, after] = [placeOf(p, k), placeOf(p, k + 1)];
  return [k === 0 || before < 0 ? 0 : rankAt(p, before), after < 0 ? view.end : rankAt(p, after)];
}

// Where the cut crosses each process, in ranks: as near to one straight line as
// the events around it allow. The line is at the median of all ends, which is nearest to all spans.
function crossings(cut) {
  const spans = cut.map((k, p) => stateSpan(p, k).map((rank, end) => rank + (end ? -0.5 : 0.5)));
  const ends = spans.flat().sort((a, b) => a - b);
  const half = ends.length / 2;
  const line = half > 0 ? (ends[half - 1] + ends[half]) / 2 : 0;
  return { line, at: spans.map(([from, to]) => Math.min(Math.max(line, from), to)) };
}

function setCut() {
  view.cut = cutOf(answer(), view.step);
  place();
}

function straighten(on) {
  byId("straight").checked = view.straight = on && view.cut !== null;
  // The middle of the view stays where it is, relative to the cut.
  const middle = rankOfX((view.gutter + view.width) / 2);
  const before = view.cut && crossings(view.cut).line;
  place();
  if (view.cut) centre(middle - before + crossings(view.cut).line);
}

