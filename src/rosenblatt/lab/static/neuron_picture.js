// The picture of the neuron: inputs times weights, their sum and its sign, with the numbers of the present step.
import { drawMarker, MARKER_SHAPES } from "./class_markers.js";
import { formatNumber } from "./number_format.js";

const MAX_INPUTS = 5;
const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// x1^2 becomes x₁², x1*x2 becomes x₁x₂.
const formatTerm = (name) =>
  name.replace(/\^(\d)/g, (_, digit) => SUPERSCRIPTS[digit]).replace(/x(\d)/g, (_, digit) => `x${SUBSCRIPTS[digit]}`).replaceAll("*", "");

// Names of the coordinates that the weights belong to.
function inputNames(run) {
  if (run.lift?.names) return run.lift.names.map(formatTerm);
  return run.dimension === 1 ? ["x"] : ["x₁", "x₂"];
}

// A margin of at most 0 is a mistake, whatever class a score of exactly 0 predicts.
function neuronVerdict(run, step, row) {
  const margin = run.margin(step, row);
  return margin > 0 ? "right" : margin < 0 ? "wrong" : "undecided: a mistake";
}

// Inputs, weights, score and prediction for the point of the present update.
export function neuronValues(run, step) {
  const row = Math.max(run.update(step)?.row ?? 0, 0);
  const plane = run.movedPlane(step);
  const features = Array.from(run.features[row]);
  const weights = Array.from(run.weights(step, plane));
  const score = run.score(step, plane, run.features[row]);
  return { row, features, weights, score, own: run.points[row][2], predicted: run.classes[run.predictedClass(step, run.features[row])], verdict: neuronVerdict(run, step, row) };
}

// The indices of the inputs with the largest terms of the sum, if there are too many to draw.
function largestTerms(features, weights) {
  const indices = features.map((_, k) => k);
  if (indices.length <= MAX_INPUTS) return indices;
  const size = (k) => Math.abs(features[k] * weights[k]);
  return indices.sort((one, other) => size(other) - size(one)).slice(0, MAX_INPUTS).sort((one, other) => one - other);
}

export function drawNeuron(painter, { run, step, palette }) {
  if (!run) return;
  const { features, weights, score, predicted, verdict } = neuronValues(run, step);
  const drawn = largestTerms(features, weights);
  const names = inputNames(run);
  const inputs = [
    ...drawn.map((k) => ({ name: names[k], value: formatNumber(features[k], 3), weight: weights[k], label: formatNumber(weights[k], 3) })),
    { name: "1", value: null, weight: weights[weights.length - 1], label: `b = ${formatNumber(weights[weights.length - 1], 3)}` },
  ];
  const sum = [painter.width * 0.56, painter.height / 2];
  const gap = (painter.height - 12) / inputs.length;
  const largest = Math.max(...inputs.map(({ weight }) => Math.abs(weight)), 1e-12);
  inputs.forEach((input, i) => drawInput(painter, palette, input, 6 + gap * (i + 0.5), gap, sum, largest));
  drawOutput(painter, palette, sum, score, predicted, verdict);
}

function drawInput(painter, palette, { name, value, weight, label }, y, gap, [sumX, sumY], largest) {
  const left = 34;
  const radius = Math.min(19, gap * 0.48);
  const isRoomy = radius > 15;
  const strength = Math.abs(weight) / largest;
  const lineStyle = { stroke: weight < 0 ? palette.bad : palette.accent, width: 0.8 + 3.4 * strength, alpha: 0.35 + 0.55 * strength, dash: weight < 0 ? [6, 4] : [] };
  painter.path([[left + radius, y], [sumX - 24, sumY]], lineStyle);
  painter.circle(left, y, radius, { fill: palette.paper, stroke: palette.soft, width: 1.4 });
  const hasValue = isRoomy && value !== null;
  painter.text(left, y - (hasValue ? 5 : 0), name, { size: isRoomy ? 12 : 11, fill: palette.soft, anchor: "middle" });
  if (hasValue) painter.text(left, y + 7, value, { size: 10, fill: palette.ink, anchor: "middle", weight: 600 });
  const t = isRoomy ? 0.42 : 0.3;
  const [x, up, half] = [left + 19 + (sumX - 24 - left - 19) * t, y + (sumY - y) * t - 1, label.length * 3.6];
  painter.path([[x - half, up - 7], [x + half, up - 7], [x + half, up + 7], [x - half, up + 7]], { fill: palette.paper }, true);
  painter.text(x, up, label, { size: 12, fill: palette.ink, anchor: "middle", weight: 600 });
}

function drawOutput(painter, palette, [x, y], score, predicted, verdict) {
  const out = painter.width - 34;
  painter.circle(x, y, 25, { fill: palette.paper, stroke: palette.ink, width: 1.8 });
  painter.text(x, y - 7, "Σ", { size: 15, fill: palette.soft, anchor: "middle" });
  painter.text(x, y + 8, formatNumber(score, 3), { size: 12, fill: palette.ink, anchor: "middle", weight: 700 });
  painter.path([[x + 26, y], [out - 22, y]], { stroke: palette.ink, width: 1.8 });
  const step = (x + 26 + out - 22) / 2;
  painter.path([[step - 12, y - 12], [step, y - 12], [step, y - 26], [step + 12, y - 26]], { stroke: palette.ink, width: 1.5 });
  const colour = verdict === "right" ? palette.good : palette.bad;
  painter.circle(out, y, 20, { fill: palette.paper, stroke: colour, width: 2.2 });
  drawMarker(painter, MARKER_SHAPES[predicted], out, y, 7, { fill: palette.classes[predicted] });
  painter.text(painter.width - 4, y + 32, verdict, { size: 12, fill: colour, anchor: "end", weight: 600 });
}
