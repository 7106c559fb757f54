// The details of the hovered or pinned event.

function eventButton(p, at) {
  const label = labelOf(p, at);
  const button = element("button", { type: "button", className: "event-link" }, isolated(lanes[p].name), " · " + lanes[p].number[at]);
  if (label) button.append(" ", isolated(label, "event"));
  button.addEventListener("click", () => {
    pin({ p, at });
    reveal(p, at);
  });
  return element("li", {}, button);
}

function eventList(title, items) {
  return items.length ? [element("h3", {}, title), element("ul", { className: "events" }, ...items)] : [];
}

function showDetails() {
  const event = view.hovered || view.pinned;
  const box = byId("details");
  byId("hint").hidden = event !== null;
  stage.dataset.looked = event ? event.p + "," + lanes[event.p].number[event.at] : "";
  stage.dataset.pinned = view.pinned ? view.pinned.p + "," + lanes[view.pinned.p].number[view.pinned.at] : "";
  box.replaceChildren();
  if (!event) return;
  const { p, at } = event;
  const [lane, k] = [lanes[p], lanes[p].number[at]];
  const label = labelOf(p, at);
  const kept = view.pinned && view.pinned.p === p && view.pinned.at === at;
  const head = element("div", { className: "head" }, element("h2", {}, isolated(label || "Event " + k)));
  if (kept) {
    const close = element("button", { type: "button", className: "close", title: "Let go (Esc)", ariaLabel: "Let go of this event" }, "×");
    close.addEventListener("click", () => pin(null));
    head.append(close);
  }
  const where = view.cut === null ? "" : isPast(p, at) ? ", before the cut" : ", after the cut";
  box.append(head, element("p", { className: "where" }, isolated(lane.name), ", event " + k + " of " + lane.events + where));
  if (lane.record[at] !== null) box.append(element("pre", { className: "record" }, lane.record[at]));
  if (lane.holes.has(k)) box.append(element("p", { className: "note" }, "The input has no record of this event; the clocks of others know of it."));
  const state = localState(p, k);
  if (state.length) box.append(element("h3", {}, "Variables after it"), variableTable(state));
  const causes = (lane.received.get(at) || []).map((m) => eventButton(messages.fromLane[m], messages.fromPlace[m]));
  for (const [q, l] of lane.beyond.get(at) || []) {
    causes.push(element("li", {}, isolated(lanes[q].name), " · " + l + " (not on this page)"));
  }
  if (at > 0 && lane.number[at - 1] === k - 1) causes.push(eventButton(p, at - 1));
  const effects = (lane.sent.get(at) || []).map((m) => eventButton(messages.toLane[m], messages.toPlace[m]));
  box.append(...eventList("Follows directly", causes), ...eventList("Received by", effects));
}

// Announces the event to screen readers.
function speak({ p, at }) {
  const assigned = localState(p, lanes[p].number[at]).filter((v) => v.assigned);
  const parts = [lanes[p].name + ", event " + lanes[p].number[at], labelOf(p, at)];
  parts.push(assigned.map((v) => v.name + " is " + v.value).join(", "));
  byId("spoken").textContent = parts.filter(Boolean).join(": ");
}

function hover(event) {
  const same = view.hovered && event && view.hovered.p === event.p && view.hovered.at === event.at;
  if (same || view.hovered === event) return;
  view.hovered = event;
  showDetails();
  redraw();
}

function pin(event) {
  view.pinned = event;
  view.hovered = null;
  showDetails();
  if (event) speak(event);
  redraw();
}

