// The controls that a lesson points at.

const PLACES = {
  play: "[data-play=play]", forward: "[data-play=forward]", end: "[data-play=end]", slider: "[data-control=step]", plane: ".plane", tools: ".tools",
  lift: "[data-view=lift]", reveal: "[data-control=reveal]", novikoff: "[data-fold=novikoff]", curves: "[data-fold=curves]",
  rule: ".rule", numbers: ".numbers", neuron: ".neuron", preset: "[data-control=preset]", result: ".result",
};

// The picture is edited with the tools of the points, so their fold is opened with it.
const isUsedBy = (fold, control) => fold.contains(control) || (control.matches(".plane") && fold.dataset.fold === "points");

const placeOf = (name) => PLACES[name] ?? `[data-parameter="${name}"]`;

// Marks the named controls that are there, and returns them. Another learner brings others.
export function markControls(root, names) {
  const found = names.map((name) => root.querySelector(placeOf(name))).filter(Boolean);
  for (const control of found) control.classList.add("highlight");
  return found;
}

// Marks the named controls, opens what they are folded into, and folds away the points and the recipe otherwise.
export function highlight(root, names) {
  for (const marked of root.querySelectorAll(".highlight")) marked.classList.remove("highlight");
  const found = markControls(root, names);
  for (const fold of root.querySelectorAll(".left > .fold")) fold.open = found.some((control) => isUsedBy(fold, control));
  for (const control of found) {
    for (let fold = control.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }
}
