// Without a window, frames are rare, so everything is done at once. Synthetic events
// have no real pointers.
window.requestAnimationFrame = (draw) => draw(performance.now());
Element.prototype.setPointerCapture = () => {};
