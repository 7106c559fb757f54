// Everything at once: without a window frames are rare, and the pointers of
// made-up events do not exist.
window.requestAnimationFrame = (draw) => draw(performance.now());
Element.prototype.setPointerCapture = () => {};
