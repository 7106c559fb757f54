// Creates elements whose content is text, never HTML.

const byId = (id) => document.getElementById(id);

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const isolated = (text, className = "") => element("bdi", { className }, text);

// Variables as {name, value, assigned, before}. An assigned variable is marked, with
// its previous value if that was different.
function variableTable(state) {
  const rows = state.map((v) => {
    const value = element("td", {});
    if (v.assigned && v.before !== v.value && v.before !== "null") {
      value.append(isolated(v.before, "before"), element("span", { className: "arrow", ariaLabel: "becomes" }, " → "));
    }
    value.append(isolated(v.value));
    return element("tr", { className: v.assigned ? "changed" : "" }, element("th", { scope: "row" }, isolated(v.name)), value);
  });
  return element("table", { className: "values" }, element("tbody", {}, ...rows));
}

