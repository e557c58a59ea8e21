// The controls that a lesson points at.

const PLACES = {
  play: "[data-play=play]", forward: "[data-play=forward]", end: "[data-play=end]", slider: "[data-control=step]", plane: ".plane", tools: ".tools",
  lift: "[data-view=lift]", reveal: "[data-control=reveal]", novikoff: "[data-fold=novikoff]", curves: "[data-fold=curves]",
  rule: ".rule", numbers: ".numbers", neuron: ".neuron", preset: "[data-control=preset]", result: ".result",
};

const placeOf = (name) => PLACES[name] ?? `[data-parameter="${name}"]`;

// Marks the named controls, opens what they are folded into, and folds away the points and the recipe otherwise.
export function highlight(root, names) {
  for (const marked of root.querySelectorAll(".highlight")) marked.classList.remove("highlight");
  const found = names.map((name) => root.querySelector(placeOf(name))).filter(Boolean);
  for (const fold of root.querySelectorAll(".left > .fold")) fold.open = found.some((control) => fold.contains(control));
  for (const control of found) {
    control.classList.add("highlight");
    for (let fold = control.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }
}
