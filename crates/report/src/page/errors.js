// Shows what goes wrong in the scripts on the page. A script of its own, before
// the others, so that it is there when they fail.
window.addEventListener("error", (event) => {
  const box = document.getElementById("error");
  box.hidden = false;
  box.textContent = "The diagram failed: " + event.message + " (line " + event.lineno + ")";
});
