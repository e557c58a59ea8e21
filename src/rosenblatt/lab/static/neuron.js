// The neuron: inputs times weights, their sum, and its sign, with the numbers of the present step.
import { written } from "./numbers.js";
import { mark, SHAPES } from "./shapes.js";

const MOST_INPUTS = 5;

// Names of the coordinates that weights belong to.
export function inputNames(course) {
  if (course.lift?.names) return course.lift.names.map(nicely);
  return course.dimension === 1 ? ["x"] : ["x₁", "x₂"];
}

// x1^2 is x₁², x1*x2 is x₁x₂.
const SMALL = { down: "₀₁₂₃₄₅₆₇₈₉", up: "⁰¹²³⁴⁵⁶⁷⁸⁹" };
const nicely = (name) =>
  name.replace(/\^(\d)/g, (_, digit) => SMALL.up[digit]).replace(/x(\d)/g, (_, digit) => `x${SMALL.down[digit]}`).replaceAll("*", "");

export function neuronAt(course, step) {
  const update = course.update(step);
  const row = update && update.row >= 0 ? update.row : 0;
  const plane = update?.plane ?? 0;
  const features = Array.from(course.features[row]);
  const weights = Array.from(course.weights(step, plane));
  const score = course.score(step, plane, course.features[row]);
  return { row, plane, features, weights, score, own: course.points[row][2], predicted: course.classes[course.predicted(step, course.features[row])] };
}

// The inputs that say most, in their order, where there are too many to draw.
function loudest(features, weights) {
  const places = features.map((_, k) => k);
  if (places.length <= MOST_INPUTS) return places;
  const loud = (k) => Math.abs(features[k] * weights[k]);
  return places.sort((one, other) => loud(other) - loud(one)).slice(0, MOST_INPUTS).sort((one, other) => one - other);
}

export function drawNeuron(pen, { course, step, palette }) {
  if (!course) return;
  const { features, weights, score, predicted, own } = neuronAt(course, step);
  const chosen = loudest(features, weights);
  const all = inputNames(course);
  const names = [...chosen.map((k) => all[k]), "1"];
  const shown = [...chosen.map((k) => features[k]), 1];
  const factors = [...chosen.map((k) => weights[k]), weights[weights.length - 1]];
  const { width, height } = pen;
  const [left, sum, out] = [34, width * 0.56, width - 34];
  const gap = (height - 12) / names.length;
  const radius = Math.min(19, gap * 0.48);
  const roomy = radius > 15;
  const middle = height / 2;
  const most = Math.max(...factors.map(Math.abs), 1e-12);
  names.forEach((name, i) => {
    const y = 6 + gap * (i + 0.5);
    const strength = Math.abs(factors[i]) / most;
    pen.path([[left + radius, y], [sum - 24, middle]], { stroke: factors[i] < 0 ? palette.bad : palette.accent, width: 0.8 + 3.4 * strength, alpha: 0.35 + 0.55 * strength, dash: factors[i] < 0 ? [6, 4] : [] });
    pen.circle(left, y, radius, { fill: palette.paper, stroke: palette.soft, width: 1.4 });
    pen.text(left, y - (roomy && i < names.length - 1 ? 5 : 0), name, { size: roomy ? 12 : 11, fill: palette.soft, anchor: "middle" });
    if (roomy && i < names.length - 1) pen.text(left, y + 7, written(shown[i], 3), { size: 10, fill: palette.ink, anchor: "middle", weight: 600 });
    const t = roomy ? 0.42 : 0.3;
    const label = i < names.length - 1 ? written(factors[i], 3) : `b = ${written(factors[i], 3)}`;
    const [x, up, half] = [left + 19 + (sum - 24 - left - 19) * t, y + (middle - y) * t - 1, label.length * 3.6];
    pen.path([[x - half, up - 7], [x + half, up - 7], [x + half, up + 7], [x - half, up + 7]], { fill: palette.paper }, true);
    pen.text(x, up, label, { size: 12, fill: palette.ink, anchor: "middle", weight: 600 });
  });
  pen.circle(sum, middle, 25, { fill: palette.paper, stroke: palette.ink, width: 1.8 });
  pen.text(sum, middle - 7, "Σ", { size: 15, fill: palette.soft, anchor: "middle" });
  pen.text(sum, middle + 8, written(score, 3), { size: 12, fill: palette.ink, anchor: "middle", weight: 700 });
  pen.path([[sum + 26, middle], [out - 22, middle]], { stroke: palette.ink, width: 1.8 });
  const turn = (sum + 26 + out - 22) / 2;
  pen.path([[turn - 12, middle - 12], [turn, middle - 12], [turn, middle - 26], [turn + 12, middle - 26]], { stroke: palette.ink, width: 1.5 });
  pen.circle(out, middle, 20, { fill: palette.paper, stroke: predicted === own ? palette.good : palette.bad, width: 2.2 });
  mark(pen, SHAPES[predicted], out, middle, 7, { fill: palette.classes[predicted] });
  pen.text(out, middle + 32, predicted === own ? "right" : "wrong", { size: 12, fill: predicted === own ? palette.good : palette.bad, anchor: "middle", weight: 600 });
}
