// The counterexamples, unpacked from the embedded data.
//
// A step is identified by its place among the steps of its counterexample that the page
// holds. `number` gives its number in the counterexample, from 1.

const data = JSON.parse(byId("data").textContent);
const stage = byId("stage");

const view = { violation: 0, at: -1, hovered: -1, zoom: 1 };

const violation = () => data.violations[view.violation];
const chart = () => byId("chart-" + view.violation);

// The place of the step with a number, or -1 if the page does not hold it.
const placeOf = (number) => violation().steps.findIndex((step) => step.number === number);

// The variables after a step: their values, their previous values, and whether the step
// assigned them.
function valuesAfter(at) {
  const known = new Map(data.initial.map(([name, value]) => [name, { name, value, assigned: false, before: null }]));
  violation().steps.slice(0, at + 1).forEach((step, k) => {
    for (const [name, value] of step.before) known.set(name, { name, value, assigned: false, before: null });
    for (const variable of known.values()) variable.assigned = false;
    for (const [name, value] of step.changes) {
      const before = known.has(name) ? known.get(name).value : "null";
      known.set(name, { name, value, assigned: k === at, before });
    }
  });
  return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
