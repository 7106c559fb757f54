// The view: which counterexample, which step, which scale.

const ZOOM = { least: 0.2, most: 2.5 };

function showDetails() {
  const at = view.hovered >= 0 ? view.hovered : view.at;
  const step = violation().steps[at];
  const box = byId("details");
  stage.dataset.looked = step ? step.number : 0;
  box.replaceChildren();
  const values = valuesAfter(at);
  const table = (title) => values.length && box.append(element("h3", {}, title), variableTable(values));
  if (!step) {
    box.append(element("h2", {}, "Before the first step"));
    table("Variables");
    return;
  }
  box.append(
    element("div", { className: "head" }, element("h2", {}, isolated(step.statement))),
    element("p", { className: "where" }, "Step " + step.number + " of " + violation().total + ", ", isolated(step.process), ", ", isolated(step.place)),
  );
  if (step.effects) box.append(element("p", { className: "message" }, isolated(step.effects)));
  if (step.printed) box.append(element("h3", {}, "Prints"), element("pre", { className: "record" }, step.printed));
  table("Variables after it");
}

// Marks the source lines of the counterexample, and that of the current step.
function markSource() {
  for (const line of document.querySelectorAll(".line.hit")) line.classList.remove("hit");
  for (const step of violation().steps) byId("line-" + step.file + "-" + step.line)?.classList.add("hit");
}

function markLine() {
  document.querySelector(".line.now")?.classList.remove("now");
  const step = violation().steps[view.at];
  const line = step && byId("line-" + step.file + "-" + step.line);
  if (!line) return;
  line.classList.add("now");
  const source = byId("source");
  const top = line.offsetTop - source.offsetTop;
  if (top < source.scrollTop + 30 || top > source.scrollTop + source.clientHeight - 40) source.scrollTop = top - source.clientHeight / 2;
}

// Scrolls the chart as little as possible to show a step.
function reveal(group) {
  const [box, outer] = [group.querySelector("rect").getBoundingClientRect(), stage.getBoundingClientRect()];
  const head = 44;
  if (box.top < outer.top + head) stage.scrollTop -= outer.top + head - box.top;
  if (box.bottom > outer.bottom - 60) stage.scrollTop += box.bottom - outer.bottom + 60;
  if (box.left < outer.left + 20) stage.scrollLeft -= outer.left + 20 - box.left;
  if (box.right > outer.right - 20) stage.scrollLeft += box.right - outer.right + 20;
}

// Goes to a step; -1 is before the first one.
function go(at) {
  const { steps, total } = violation();
  view.at = Math.min(Math.max(at, -1), steps.length - 1);
  view.hovered = -1;
  const step = steps[view.at];
  for (const marked of chart().querySelectorAll(".now, .lit")) marked.classList.remove("now", "lit");
  if (step) {
    const groups = chart().querySelectorAll(`.step[data-step="${step.number - 1}"]`);
    for (const group of groups) group.classList.add("now");
    const ends = `[data-from="${step.number - 1}"], [data-to="${step.number - 1}"]`;
    for (const arrow of chart().querySelectorAll(ends)) arrow.classList.add("lit");
    if (groups.length) reveal(groups[0]);
  } else {
    stage.scrollTop = 0;
  }
  byId("step").value = view.at + 1;
  byId("step-text").textContent = step ? "Step " + step.number + " of " + total + ": " + step.process + " " + step.statement : "Before the first of " + total + " steps";
  byId("step-back").disabled = view.at < 0;
  byId("step-on").disabled = view.at >= steps.length - 1;
  stage.dataset.step = step ? step.number : 0;
  byId("spoken").textContent = step ? [step.process, step.statement, step.effects, ...step.changes.map(([name, value]) => name + " is " + value)].filter(Boolean).join(", ") : "Before the first step";
  showDetails();
  markLine();
}

function hover(at) {
  if (view.hovered === at) return;
  view.hovered = at;
  showDetails();
}

function setZoom(zoom) {
  view.zoom = Math.min(Math.max(zoom, ZOOM.least), ZOOM.most);
  for (const svg of chart().querySelectorAll("svg")) {
    const { width, height } = svg.viewBox.baseVal;
    svg.setAttribute("width", width * view.zoom);
    svg.setAttribute("height", height * view.zoom);
  }
  stage.dataset.zoom = view.zoom.toFixed(3);
}

// Fits the chart into the width, without enlarging it.
const fit = () => setZoom(Math.min(1, (stage.clientWidth - 4) / Number(chart().dataset.width)));

// Shows a counterexample at its last step.
function select(number) {
  chart().hidden = true;
  view.violation = number;
  chart().hidden = false;
  byId("step").max = violation().steps.length;
  stage.dataset.violation = number;
  markSource();
  setZoom(view.zoom);
  go(violation().steps.length - 1);
}
