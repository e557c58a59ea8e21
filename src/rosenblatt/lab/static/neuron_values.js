// The numbers of the neuron: inputs, weights, sums, probabilities and the prediction, for the point of an update. No DOM.
import { MARKER_SYMBOLS } from "./class_markers.js";
import { classOdds, sigmoid } from "./class_odds.js";
import { formatNumber, formatPercent } from "./number_format.js";

// A margin of at most 0 is a mistake, whatever class a score of exactly 0 predicts.
function neuronVerdict(run, step, row) {
  const margin = run.margin(step, row);
  return margin > 0 ? "right" : margin < 0 ? "wrong" : "undecided: a mistake";
}

// `plane`, `weights` and `score` are those of the plane that moved; `scores` has one sum a plane. `chances` are the
// probabilities of the classes, null if the loss is not logistic. `predicted` is the place of the class that wins.
export function neuronValues(run, step) {
  const row = Math.max(run.update(step)?.row ?? 0, 0);
  const plane = run.movedPlane(step);
  const features = Array.from(run.features[row]);
  const scores = Array.from({ length: run.planes }, (_, k) => run.score(step, k, run.features[row]));
  return {
    row, plane, features, scores, score: scores[plane], weights: Array.from(run.weights(step, plane)),
    chances: run.isLogistic ? classOdds(scores, run.isJoint).map(sigmoid) : null,
    predicted: run.predictedClass(step, run.features[row]), verdict: neuronVerdict(run, step, row),
  };
}

// The neuron in a sentence, for those who do not see it.
export function describeNeuron(run, step) {
  const { row, score, scores, chances, predicted, verdict } = neuronValues(run, step);
  const name = (k) => `class ${run.classes[k]} ${MARKER_SYMBOLS[run.classes[k]]}`;
  const sums = scores.length === 1 ? `the sum is ${formatNumber(score)}` : `the sums are ${scores.map((value, k) => `${formatNumber(value)} for ${name(k)}`).join(", ")}`;
  const chance = chances ? ` with probability ${formatPercent(chances[predicted])}` : "";
  return `The neuron for point ${row + 1}: ${sums}; it predicts ${name(predicted)}${chance}: ${verdict}.`;
}
