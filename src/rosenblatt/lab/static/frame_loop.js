// Calls a function for every frame of the screen, as long as an element is in the document.

export function runFrames(root, onFrame) {
  let wasConnected = false;
  const frame = (time) => {
    if (!root.isConnected && wasConnected) return; // a notebook has removed the page
    wasConnected ||= root.isConnected;
    onFrame(time);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
