// Shortcuts of the whole page: Ctrl+Z for undo, Ctrl+Y for redo, comma and period for single steps, p for play and pause.

const TYPING = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select";
const CONTROLS = "input, select, textarea, button, summary"; // they have keys of their own

// "undo" for Ctrl+Z, "redo" for Ctrl+Shift+Z and Ctrl+Y, null for other keys.
function changeKey({ key, ctrlKey, metaKey, shiftKey }) {
  if (!ctrlKey && !metaKey) return null;
  if (key.toLowerCase() === "z") return shiftKey ? "redo" : "undo";
  return key.toLowerCase() === "y" ? "redo" : null;
}

// actions: { canUndo(), undo(), redo(), stepBy(count), togglePlay() }
export function listenForShortcuts(root, actions) {
  const keys = { ".": () => actions.stepBy(1), ",": () => actions.stepBy(-1), p: () => actions.togglePlay() };
  root.addEventListener("keydown", (event) => {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    const change = changeKey(event);
    if (change && !event.target.closest(TYPING) && actions.canUndo()) actions[change]();
    else if (event.target.closest(CONTROLS) || hasModifier || !keys[event.key]) return;
    else keys[event.key]();
    event.preventDefault();
  });
}
