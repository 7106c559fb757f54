// Starts the page.

function resize() {
  const fits = view.width > 0 && view.column <= fittingColumn() * 1.001;
  measure();
  measureNames();
  if (fits) fit();
  else redraw();
}

readColours();
measure();
measureNames();
select(view.answer);
draw();

window.addEventListener("resize", resize);
new ResizeObserver(() => stage.clientWidth !== view.width && resize()).observe(stage);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  readColours();
  draw();
});
matchMedia("print").addEventListener("change", (query) => print(query.matches));
window.addEventListener("beforeprint", () => print(true));
window.addEventListener("afterprint", () => print(false));

// Paper is light and has a higher resolution.
function print(on) {
  document.documentElement.classList.toggle("printing", on);
  readColours();
  draw();
}
