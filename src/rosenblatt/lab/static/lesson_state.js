// From the state that a lesson's step or solution describes to that of the page. No DOM.

import { HIDDEN_LAYERS } from "./page_state.js";

// The state of a step where the lesson does not say otherwise.
const LESSON_STATE = { learner: "Perceptron", parameters: { order: "cyclic" }, dimension: 2, view: "plane", step: 0, proof: false, hidden: HIDDEN_LAYERS };

// `isWhole`: what is left out is at its default; otherwise it stays as it is in `state`. Presets are asked for.
// Returns { changes, step, origin, hidden }: fields of the page's state, the step to show, the origin of other points or null,
// and the layers to hide, or null for those that are hidden now.
export async function lessonState(given, isWhole, state, ask) {
  const { preset = null, margin = null, seed = 0, add, step, proof = state.isProofSeen, hidden = null, ...changes } = isWhole ? { ...LESSON_STATE, ...given } : given;
  if (preset) Object.assign(changes, await ask("preset", { preset, margin, seed }));
  if (add) changes.points = [...state.points, add];
  const origin = isWhole || changes.points ? { preset, margin, seed } : null;
  return { changes: { ...structuredClone(changes), isProofSeen: proof }, step: step === "end" ? Infinity : step ?? null, origin, hidden };
}
