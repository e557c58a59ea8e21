// The caption above the picture: one sentence that says what to do next. No DOM.
import { formatCount, formatInteger } from "./number_format.js";

const CAUSES = {
  perceptron: "The line moves each time it meets a point on the wrong side.",
  logistic: "Every point that is visited pulls the line a little, most of all those on the wrong side.",
};
const HINGE_CAUSE = "The line moves each time it meets a point on the wrong side, or one that is too close.";
const BATCH_CAUSE = "Every update adds up the pulls of all points.";

// What moves the line in this run.
function causeOf({ answer: { step }, isUntraced }) {
  if (isUntraced) return "This solver goes to the best line at once.";
  return step.batch ? BATCH_CAUSE : CAUSES[step.loss] ?? HINGE_CAUSE;
}

function captionAtEnd(run) {
  const { updates, mistakes, rows } = run.answer.result;
  if (updates > run.updates && !run.isUntraced) return `These are the first ${formatInteger(run.updates)} of ${formatCount(updates, "update")}. The result tells how the run ended.`;
  if (mistakes) return `The run has ended with ${formatInteger(mistakes)} of ${formatCount(rows, "point")} on the wrong side. The result says what to do about it.`;
  return "The run has ended: every point is on its own side. Drag a point and see what changes.";
}

// scene: { run, step }; run is null without a run of the present points.
export function captionOf({ run, step }, isPlaying, hasTwoClasses) {
  if (!hasTwoClasses) return "Click the picture to place points of two classes.";
  if (!run) return "";
  if (isPlaying) return causeOf(run);
  if (step >= run.updates) return captionAtEnd(run);
  if (step === 0) return `Press Play. ${causeOf(run)}`;
  return `Paused after update ${formatInteger(step)} of ${formatInteger(run.updates)}. Press Play to go on, or take single steps.`;
}
