// Shows errors of the scripts on the page. It is a separate script before the others,
// so that it works when they fail.
window.addEventListener("error", (event) => {
  const box = document.getElementById("error");
  box.hidden = false;
  box.textContent = "The diagram failed: " + event.message + " (line " + event.lineno + ")";
});
