// The selected answer: its cut, the table of the cut, and the steps of its execution.

function fillTable() {
  const body = document.querySelector("#cut-" + view.answer + " tbody");
  if (!body || !view.cut) return;
  body.replaceChildren(
    ...view.cut.map((k, p) => {
      const at = placeOf(p, k);
      const lane = lanes[p];
      const reached = element("td", {});
      const label = k === 0 ? "initial state" : at < 0 ? "" : labelOf(p, at);
      const record = k === 0 ? lane.initial : at < 0 ? null : lane.record[at];
      if (label) reached.append(isolated(label, "event"));
      if (record !== null) reached.append(element("pre", { className: "record" }, record));
      const variables = element("td", { className: "variables" });
      for (const v of localState(p, k)) {
        const className = v.assigned ? "variable changed" : "variable";
        variables.append(element("span", { className }, isolated(v.name), " = ", isolated(v.value)), " ");
      }
      const name = element("th", { scope: "row" }, isolated(lane.name));
      return element("tr", {}, name, element("td", { className: "number" }, String(k)), reached, variables);
    }),
  );
}

// What the step to the present cut did.
function stepText() {
  const { steps } = answer();
  const count = "Step " + view.step + " of " + steps.length;
  if (view.step === 0) return count;
  const moves = steps[view.step - 1];
  const texts = [];
  for (let m = 0; m < moves.length; m += 2) {
    const [p, k] = [moves[m], moves[m + 1]];
    const at = placeOf(p, k);
    texts.push(lanes[p].name + ", event " + k + (at >= 0 && labelOf(p, at) ? ", " + labelOf(p, at) : ""));
  }
  return count + ": " + texts.join("; ");
}

function goToStep(step) {
  const { steps } = answer();
  view.step = Math.min(Math.max(step, 0), steps.length);
  setCut();
  byId("step").value = view.step;
  byId("step-text").textContent = stepText();
  fillTable();
  for (const item of document.querySelectorAll("#cut-" + view.answer + " li[data-step]")) {
    item.classList.toggle("now", Number(item.dataset.step) === view.step);
  }
  keepCutInView();
  if (view.hovered || view.pinned) showDetails();
  redraw();
}

// Follows the cut, so that the last process that moved stays in view.
function keepCutInView() {
  const moved = view.step > 0 ? answer().steps[view.step - 1][0] : 0;
  const rank = crossings(view.cut).at[moved];
  const x = xOf(rank);
  if (x < view.gutter + 30 || x > view.width - 30) centre(rank);
}

function select(number) {
  view.answer = number;
  view.step = 0;
  view.hovered = null;
  byId("straight").checked = view.straight = false;
  setCut();
  for (const section of document.querySelectorAll("section.cut")) section.hidden = section.id !== "cut-" + number;
  const path = answer() && answer().start !== null && answer().cut === null;
  byId("stepper").hidden = !path;
  byId("to-cut").disabled = byId("straight").disabled = view.cut === null;
  if (path) {
    byId("step").max = answer().steps.length;
    goToStep(0);
  }
  showDetails();
  showStart();
}

