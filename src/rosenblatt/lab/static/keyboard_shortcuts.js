// Shortcuts of the whole page: Ctrl+Z for undo, comma and period for single steps, p for play and pause.

const TYPING = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select";
const CONTROLS = "input, select, textarea, button, summary"; // they have keys of their own

// actions: { canUndo(), undo(), stepBy(count), togglePlay() }
export function listenForShortcuts(root, actions) {
  const keys = { ".": () => actions.stepBy(1), ",": () => actions.stepBy(-1), p: () => actions.togglePlay() };
  root.addEventListener("keydown", (event) => {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key === "z" && (event.ctrlKey || event.metaKey) && !event.target.closest(TYPING) && actions.canUndo()) actions.undo();
    else if (event.target.closest(CONTROLS) || hasModifier || !keys[event.key]) return;
    else keys[event.key]();
    event.preventDefault();
  });
}
