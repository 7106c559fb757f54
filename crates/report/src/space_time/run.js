// The run, unpacked from the embedded data for drawing.
//
// An event is identified by its process and its place among the events of that
// process that the page holds. `number` gives its number in the run.

const data = JSON.parse(byId("data").textContent);

const lanes = data.processes.map((process) => {
  const number = [];
  for (const [from, to] of process.ranges) for (let k = from; k <= to; k++) number.push(k);
  return {
    name: process.name,
    events: process.events,
    ranges: process.ranges,
    number,
    // The ranks in the data, and those by which events are drawn.
    own: Float64Array.from(process.ranks),
    rank: new Float64Array(0),
    label: process.labels,
    record: process.records,
    initial: process.initial,
    columns: process.columns,
    holes: new Set(process.holes),
    // For each event, the messages that it receives and sends.
    received: new Map(),
    sent: new Map(),
    // For each event, the causes that the page does not hold, as [process, number].
    beyond: new Map(),
  };
});

// The place of event `k` of process `p`, or -1 if the page does not hold it.
function placeOf(p, k) {
  let before = 0;
  for (const [from, to] of lanes[p].ranges) {
    if (k < from) return -1;
    if (k <= to) return before + k - from;
    before += to - from + 1;
  }
  return -1;
}

// Messages as parallel arrays: process and place of sender and receiver.
const messages = (() => {
  const all = { fromLane: [], fromPlace: [], toLane: [], toPlace: [], length: 0 };
  const put = (map, key, value) => (map.has(key) ? map.get(key).push(value) : map.set(key, [value]));
  data.processes.forEach((process, p) => {
    for (let at = 0; at < process.causes.length; at += 3) {
      const [k, q, l] = process.causes.slice(at, at + 3);
      const [to, from] = [placeOf(p, k), placeOf(q, l)];
      if (from < 0) {
        put(lanes[p].beyond, to, [q, l]);
        continue;
      }
      put(lanes[p].received, to, all.length);
      put(lanes[q].sent, from, all.length);
      all.fromLane.push(q);
      all.fromPlace.push(from);
      all.toLane.push(p);
      all.toPlace.push(to);
      all.length++;
    }
  });
  return all;
})();

// The first place whose rank is at least `rank`.
function firstFrom(ranks, rank) {
  let [low, high] = [0, ranks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranks[middle] < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The variables of process `p` in local state `k`, with their previous values
// and whether event `k` assigned them.
function localState(p, k) {
  const state = [];
  for (const [variable, column] of lanes[p].columns) {
    let [low, high] = [0, column.length / 2];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[2 * middle] <= k) low = middle + 1;
      else high = middle;
    }
    if (low === 0) continue;
    const assigned = k > 0 && column[2 * low - 2] === k;
    const before = assigned ? (low > 1 ? data.values[column[2 * low - 3]] : "null") : null;
    const value = data.values[column[2 * low - 1]];
    if (value === "null" && !assigned) continue;
    state.push({ name: data.variables[variable], value, assigned, before });
  }
  return state.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const labelOf = (p, place) => data.labels[lanes[p].label[place]];

// The cut of an answer at a step of its execution, or null if it has none.
function cutOf(answer, step) {
  if (!answer) return null;
  if (answer.cut) return answer.cut;
  if (!answer.start) return null;
  const cut = answer.start.slice();
  for (const moves of answer.steps.slice(0, step)) {
    for (let at = 0; at < moves.length; at += 2) cut[moves[at]] = moves[at + 1];
  }
  return cut;
}

