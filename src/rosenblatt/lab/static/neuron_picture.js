// The picture of the neuron: inputs times weights, their sums and the prediction, with the numbers of the present step.
import { drawArrow, drawMarker, MARKER_SHAPES } from "./class_markers.js";
import { sigmoid } from "./class_odds.js";
import { neuronValues } from "./neuron_values.js";
import { formatNumber, formatPercent } from "./number_format.js";

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

// The indices of the inputs with the largest terms of the sum, if there are too many to draw.
function largestTerms(features, weights) {
  const indices = features.map((_, k) => k);
  if (indices.length <= MAX_INPUTS) return indices;
  const size = (k) => Math.abs(features[k] * weights[k]);
  return indices.sort((one, other) => size(other) - size(one)).slice(0, MAX_INPUTS).sort((one, other) => one - other);
}

export function drawNeuron(painter, { run, step, palette }) {
  if (!run) return;
  const values = neuronValues(run, step);
  const names = inputNames(run);
  const indices = largestTerms(values.features, values.weights);
  const inputs = [...indices.map((k) => ({ name: names[k], value: formatNumber(values.features[k], 3), column: k })), { name: "1", value: null, column: run.width - 1 }];
  const gap = (painter.height - 12) / inputs.length;
  const placed = inputs.map((input, i) => ({ ...input, y: 6 + gap * (i + 0.5), radius: Math.min(19, gap * 0.48) }));
  if (run.planes === 1) drawOneSum(painter, palette, run, values, placed);
  else drawSums(painter, palette, run, step, values, placed);
}

// Two classes: one sum, and its sign or its sigmoid.
function drawOneSum(painter, palette, run, values, inputs) {
  const { weights, score } = values;
  const sum = [painter.width * 0.56, painter.height / 2];
  const largest = largestWeight(inputs, weights);
  inputs.forEach((input) => drawLink(painter, palette, input, weights[input.column] / largest, sum, 24));
  inputs.forEach((input) => drawInput(painter, palette, input));
  inputs.forEach((input) => drawWeight(painter, palette, input, weights[input.column], sum));
  drawSum(painter, palette, sum, 25, score, { stroke: palette.ink, width: 1.8 });
  drawOutput(painter, palette, run, sum, values);
}

// Several classes: one sum for each of them. The largest wins.
function drawSums(painter, palette, run, step, values, inputs) {
  const { scores, chances, predicted } = values;
  const gap = (painter.height - 8) / scores.length;
  const [x, out] = [painter.width * 0.5, [painter.width - 26, painter.height / 2]];
  const places = scores.map((_, k) => [x, 4 + gap * (k + 0.5)]);
  const largest = Math.max(...places.map((_, k) => largestWeight(inputs, run.weights(step, k))));
  places.forEach((place, k) => inputs.forEach((input) => drawLink(painter, palette, input, run.weights(step, k)[input.column] / largest, place, 18)));
  inputs.forEach((input) => drawInput(painter, palette, input));
  places.forEach((place, k) => {
    const [isWinner, colour] = [k === predicted, palette.classes[run.classes[k]]];
    if (isWinner) drawArrow(painter, [x + 62, place[1]], [out[0] - 20, out[1]], { stroke: colour, width: 2.2 });
    drawSum(painter, palette, place, Math.min(18, gap * 0.46), scores[k], { stroke: colour, width: isWinner ? 3 : 1.2 });
    drawMarker(painter, MARKER_SHAPES[run.classes[k]], x + 29, place[1] - (chances ? 7 : 0), 5, { fill: colour });
    if (chances) painter.text(x + 22, place[1] + 8, formatPercent(chances[k]), { size: 10, fill: palette.ink, weight: isWinner ? 700 : 400, halo: palette.paper });
  });
  drawPrediction(painter, palette, run, out, 16, values);
  painter.text(painter.width - 4, out[1] - 28, "largest sum", { size: 10, fill: palette.soft, anchor: "end", halo: palette.paper });
}

const largestWeight = (inputs, weights) => Math.max(...inputs.map(({ column }) => Math.abs(weights[column])), 1e-12);

const INPUT_X = 34;

// The line from an input to a sum: the thicker, the larger the weight; dashed if it is negative.
function drawLink(painter, palette, { y, radius }, share, [sumX, sumY], sumRadius) {
  const strength = Math.abs(share);
  const style = { stroke: share < 0 ? palette.bad : palette.accent, width: 0.8 + 3.4 * strength, alpha: 0.35 + 0.55 * strength, dash: share < 0 ? [6, 4] : [] };
  painter.path([[INPUT_X + radius, y], [sumX - sumRadius, sumY]], style);
}

function drawInput(painter, palette, { name, value, y, radius }) {
  const isRoomy = radius > 15;
  const hasValue = isRoomy && value !== null;
  painter.circle(INPUT_X, y, radius, { fill: palette.paper, stroke: palette.soft, width: 1.4 });
  painter.text(INPUT_X, y - (hasValue ? 5 : 0), name, { size: isRoomy ? 12 : 11, fill: palette.soft, anchor: "middle" });
  if (hasValue) painter.text(INPUT_X, y + 7, value, { size: 10, fill: palette.ink, anchor: "middle", weight: 600 });
}

// The number of a weight, on its line.
function drawWeight(painter, palette, { name, y, radius }, weight, [sumX, sumY]) {
  const label = `${name === "1" ? "b = " : ""}${formatNumber(weight, 3)}`;
  const t = radius > 15 ? 0.42 : 0.3;
  const [x, up, half] = [INPUT_X + 19 + (sumX - 24 - INPUT_X - 19) * t, y + (sumY - y) * t - 1, label.length * 3.6];
  painter.path([[x - half, up - 7], [x + half, up - 7], [x + half, up + 7], [x - half, up + 7]], { fill: palette.paper }, true);
  painter.text(x, up, label, { size: 12, fill: palette.ink, anchor: "middle", weight: 600 });
}

function drawSum(painter, palette, [x, y], radius, score, style) {
  const isRoomy = radius > 20;
  painter.circle(x, y, radius, { fill: palette.paper, ...style });
  if (isRoomy) painter.text(x, y - 7, "Σ", { size: 15, fill: palette.soft, anchor: "middle" });
  painter.text(x, y + (isRoomy ? 8 : 0), formatNumber(score, 3), { size: isRoomy ? 12 : 10, fill: palette.ink, anchor: "middle", weight: 700 });
}

// The step of a perceptron, or the sigmoid that makes a probability of the sum.
const STEP = [[-12, -12], [0, -12], [0, -26], [12, -26]];
const SIGMOID = Array.from({ length: 25 }, (_, i) => [i - 12, -12 - 14 * sigmoid((i - 12) / 2.4)]);

function drawOutput(painter, palette, run, [x, y], values) {
  const out = painter.width - 34;
  const { chances, predicted } = values;
  painter.path([[x + 26, y], [out - 22, y]], { stroke: palette.ink, width: 1.8 });
  const middle = (x + 26 + out - 22) / 2;
  painter.path((chances ? SIGMOID : STEP).map(([dx, dy]) => [middle + dx, y + dy]), { stroke: palette.ink, width: 1.5 });
  if (chances) painter.text(painter.width - 4, y - 32, formatPercent(chances[predicted]), { size: 13, fill: palette.ink, anchor: "end", weight: 700 });
  drawPrediction(painter, palette, run, [out, y], 20, values);
}

function drawPrediction(painter, palette, run, [x, y], radius, { predicted, verdict }) {
  const colour = verdict === "right" ? palette.good : palette.bad;
  const own = run.classes[predicted];
  painter.circle(x, y, radius, { fill: palette.paper, stroke: colour, width: 2.2 });
  drawMarker(painter, MARKER_SHAPES[own], x, y, 7, { fill: palette.classes[own] });
  painter.text(painter.width - 4, y + radius + 12, verdict, { size: 12, fill: colour, anchor: "end", weight: 600, halo: palette.paper });
}
