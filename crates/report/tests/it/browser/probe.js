// Acts on the page as a user would, and records the effects.
const page = {
  stage: document.getElementById("stage"),
  canvas: document.getElementById("canvas"),
  // What the picture shows.
  seen: () => ({ ...page.stage.dataset }),
  // The time from an action until its picture is drawn, in milliseconds. Reading a pixel waits for the picture.
  time(action) {
    const began = performance.now();
    action();
    page.canvas.getContext("2d").getImageData(0, 0, 1, 1);
    return performance.now() - began;
  },
  key: (key, options = {}) => page.stage.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options })),
  mouse(kind, x, y, options = {}) {
    const box = page.canvas.getBoundingClientRect();
    const place = { clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true, button: 0 };
    const Kind = kind === "wheel" ? WheelEvent : MouseEvent;
    page.canvas.dispatchEvent(new Kind(kind, { ...place, ...options }));
  },
  text: (selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent.replace(/\s+/g, " ").trim()),
};

async function probe(actions) {
  const report = {};
  try {
    Object.assign(report, await actions(page));
  } catch (error) {
    report.error = String(error.stack);
  }
  const shown = document.getElementById("error");
  if (!shown.hidden) report.error = shown.textContent;
  const pre = document.createElement("pre");
  pre.id = "probe";
  pre.hidden = true;
  pre.textContent = JSON.stringify(report);
  document.body.append(pre);
}
