// The caption above the picture: what is to be seen, and what to do next unless a lesson says that. No DOM.
import { formatCount, formatInteger } from "./number_format.js";

const CAUSES = {
  perceptron: "The line moves each time it meets a point on the wrong side.",
  logistic: "Every visited point pulls the line a little, wrong points most.",
};
const HINGE_CAUSE = "The line moves at every point that is on the wrong side or too close.";
const BATCH_CAUSE = "Every update adds up the pulls of all points.";

// What moves the line in this run.
function causeOf({ answer: { step }, isUntraced }) {
  if (isUntraced) return "This solver goes to the best line at once.";
  return step.batch ? BATCH_CAUSE : CAUSES[step.loss] ?? HINGE_CAUSE;
}

function captionAtEnd(run) {
  const { updates, mistakes, rows } = run.answer.result;
  if (updates > run.updates && !run.isUntraced) return ["", `These are the first ${formatInteger(run.updates)} of ${formatCount(updates, "update")}.`, "The result tells how the run ended."];
  if (mistakes) return ["", `The run ended with ${formatInteger(mistakes)} of ${formatCount(rows, "point")} on the wrong side.`, "The result says what to do."];
  return ["", "The run has ended: every point is on its own side.", "Drag a point and see what changes."];
}

// [what to do first, what is to be seen, what to do then]
function captionParts({ run, step }) {
  if (step >= run.updates) return captionAtEnd(run);
  if (step === 0) return ["Press Play.", causeOf(run), ""];
  return ["", `After update ${formatInteger(step)} of ${formatInteger(run.updates)}.`, "Press Play to go on, or take single steps."];
}

// scene: { run, step }; run is null without a run of the present points. In a lesson the task alone says what to do.
export function captionOf(scene, isPlaying, hasTwoClasses, isLesson = false) {
  if (!hasTwoClasses) return "Click the picture to place points of two classes.";
  if (!scene.run) return "";
  if (isPlaying) return causeOf(scene.run);
  const parts = captionParts(scene);
  return isLesson ? parts[1] : parts.join(" ").trim();
}
