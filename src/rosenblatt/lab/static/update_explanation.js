// The present update in words and numbers.
import { MARKER_SYMBOLS } from "./class_markers.js";
import { formatCount, formatInteger, formatNumber, formatVector } from "./number_format.js";

// A title and lines of text about the state after `step` updates.
export function explainUpdate(run, step) {
  const { step: rule } = run.answer;
  if (step === 0) return { title: "Before the first update", lines: [explainStart(run, rule)] };
  const update = run.update(step);
  const title = `Update ${formatInteger(step)} of ${formatInteger(run.updates)}`;
  if (update.visit < 0) return { title: "The optimum", lines: [explainOptimum(run, step)] };
  if (update.row < 0) return { title, lines: explainBatchUpdate(run, step) };
  return { title, lines: explainRowUpdate(run, step, update, rule) };
}

// Why the run ended, and how much of it the page shows.
export function explainEnd(run) {
  const { status, updates } = run.answer.result;
  if (run.isCut) return `The page shows the first ${formatInteger(run.updates)} updates. The run went on to ${formatCount(updates, "update")}, and then: ${status}.`;
  return `${status.startsWith("max_") ? "" : "Ended: "}${status}.`;
}

function explainStart(run, { loss, offset }) {
  const zeros = formatVector(Array.from(run.weights(0)).slice(0, -1));
  const cause = { perceptron: "mistake", logistic: "visit of a point" }[loss] ?? "margin below 1";
  return offset ? `w = ${zeros}, b = 0. They change at every ${cause}.` : `w = ${zeros}. It changes at every ${cause}.`;
}

function explainOptimum(run, step) {
  const w = Array.from(run.weights(step));
  return `This solver has no single updates to show. It ends at w = ${formatVector(w.slice(0, -1))}, b = ${formatNumber(w[w.length - 1])}.`;
}

function explainBatchUpdate(run, step) {
  const [before, after] = weightsAround(run, step, 0);
  const change = after.map((value, i) => value - before[i]);
  return [
    "The update adds up the steps of all points.",
    `w = ${formatVector(before.slice(0, -1))} + ${formatVector(change.slice(0, -1))} = ${formatVector(after.slice(0, -1))}`,
    ...(run.answer.step.offset ? [offsetChange(before, change[change.length - 1], after)] : []),
  ];
}

function explainRowUpdate(run, step, update, rule) {
  const { row, plane, sign, margin, change, rival } = update;
  const point = run.points[row];
  const symbol = (k) => MARKER_SYMBOLS[run.classes[k]];
  const name = run.planes > 1 ? `w of ${symbol(plane)}` : "w";
  const lines = [`Point ${row + 1} ${MARKER_SYMBOLS[point[2]]} at ${formatVector(point.slice(0, run.dimension))} has the margin ${formatNumber(margin)}${explainMargin(margin, rule)}.`];
  if (rule.kernel) return [...lines, alphaChange(run, step, plane, row, sign * change, rule)];
  const x = Array.from(run.features[row]);
  lines.push(weightChange(run, step, plane, sign * change, x, name, rule));
  if (rival >= 0) lines.push(weightChange(run, step, rival, -change, x, `w of ${symbol(rival)}`, rule));
  const angles = [run.angleWithOffset(step - 1, plane, row), run.angleWithOffset(step, plane, row)];
  if (run.isLinear && !angles.includes(null))
    lines.push(`The angle between (w, b) and (x, ${formatNumber(rule.offset)}) goes from ${angles[0].toFixed(0)}° to ${angles[1].toFixed(0)}°.${explainAngleFromLine(run, step, plane, row)}`);
  return lines;
}

function explainMargin(margin, { loss }) {
  if (margin <= 0) return " ≤ 0: a mistake";
  return loss === "logistic" ? ": correct, but its loss is not 0" : " < 1: too close to the boundary";
}

// The angle that the picture shows.
function explainAngleFromLine(run, step, plane, row) {
  const degrees = run.dimension === 2 ? run.angleFromLine(step, plane, row) : null;
  return degrees === null ? "" : ` Measured from the line, w and the point are ${degrees.toFixed(0)}° apart: above 90° the point is on the negative side.`;
}

// Formulas

const weightsAround = (run, step, plane) => [run.weights(step - 1, plane), run.weights(step, plane)].map((w) => Array.from(w));

const signOf = (change) => (change < 0 ? "−" : "+");

function offsetChange(before, change, after) {
  const last = before.length - 1;
  return `b = ${formatNumber(before[last])} ${signOf(change)} ${formatNumber(Math.abs(change))} = ${formatNumber(after[last])}`;
}

// A kernel update changes one alpha; w itself is never computed.
function alphaChange(run, step, plane, row, change, { offset }) {
  const [before, after] = weightsAround(run, step, plane);
  const b = offset ? `,  ${offsetChange(before, change * offset * offset, after)}` : "";
  return `α of point ${row + 1} = ${formatNumber(before[row])} ${signOf(change)} ${formatNumber(Math.abs(change))} = ${formatNumber(after[row])}${b}`;
}

// "w = (2, −1) + 1 · (3, 3) = (5, 2)". A penalty shrinks w before the step; the formula then starts from the shrunk w.
function weightChange(run, step, plane, change, x, name, { offset }) {
  const [before, after] = weightsAround(run, step, plane);
  const last = after.length - 1;
  const shrunk = after.map((value, i) => value - change * (i < last ? x[i] : offset * offset));
  const isUnpenalised = shrunk.every((value, i) => Math.abs(value - before[i]) <= 1e-9 * (1 + Math.abs(before[i])));
  const from = isUnpenalised ? before : shrunk;
  const amount = formatNumber(Math.abs(change));
  const w = `${name} = ${formatVector(from.slice(0, last))} ${signOf(change)} ${amount} · ${formatVector(x)} = ${formatVector(after.slice(0, last))}`;
  const square = offset === 1 ? "" : ` · ${formatNumber(offset)}²`;
  const b = offset ? `,  b = ${formatNumber(from[last])} ${signOf(change)} ${amount}${square} = ${formatNumber(after[last])}` : "";
  return w + b + (isUnpenalised ? "" : "  (after the penalty has shrunk w)");
}
