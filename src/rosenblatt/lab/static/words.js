// What happens in an update, in words and numbers.
import { vector, written } from "./numbers.js";
import { SIGNS } from "./shapes.js";

const factor = (value) => (value === 1 ? "1" : written(value));

// Lines of text about the present step.
export function ruleOf(course, step) {
  const { step: recipe } = course.answer;
  if (step === 0) return { title: "Before the first update", lines: [start(course, recipe)] };
  const update = course.update(step);
  const title = `Update ${step.toLocaleString("en")} of ${course.updates.toLocaleString("en")}`;
  if (update.visit < 0) return { title: "The optimum", lines: [optimum(course, step)] };
  if (update.row < 0) return { title, lines: batchLines(course, step) };
  return { title, lines: rowLines(course, step, update, recipe) };
}

function start(course, recipe) {
  const zeros = vector(Array.from(course.weights(0)).slice(0, -1));
  const moves = { perceptron: "a mistake", hinge: "a margin below 1", "squared-hinge": "a margin below 1", logistic: "every point" };
  return `w = ${zeros}${recipe.offset ? ", b = 0" : ""}. ${capital(moves[recipe.loss] ?? "a mistake")} moves them.`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function optimum(course, step) {
  const w = Array.from(course.weights(step));
  return `The solver goes its own way and ends at w = ${vector(w.slice(0, -1))}, b = ${written(w[w.length - 1])}.`;
}

function batchLines(course, step) {
  const [before, after] = [course.weights(step - 1), course.weights(step)].map((w) => Array.from(w));
  const change = after.map((value, i) => value - before[i]);
  return [
    "All points push at once.",
    `w = ${vector(before.slice(0, -1))} + ${vector(change.slice(0, -1))} = ${vector(after.slice(0, -1))}`,
    ...(course.answer.step.offset ? [offsetLine(before, change[change.length - 1], after)] : []),
  ];
}

const offsetLine = (before, change, after) => {
  const last = before.length - 1;
  return `b = ${written(before[last])} ${change < 0 ? "−" : "+"} ${written(Math.abs(change))} = ${written(after[last])}`;
};

function rowLines(course, step, update, recipe) {
  const { row, plane, sign, margin, change, rival } = update;
  const point = course.points[row];
  const x = Array.from(course.features[row]);
  const name = course.planes > 1 ? `w of ${SIGNS[course.classes[plane]]}` : "w";
  const lines = [`Point ${row + 1} ${SIGNS[point[2]]} at ${vector(point.slice(0, course.dimension))} has the margin ${written(margin)}${verdict(margin, recipe)}.`];
  if (recipe.kernel) return [...lines, alphaLine(course, step, plane, row, sign * change, recipe)];
  lines.push(moved(course, step, plane, sign * change, x, name, recipe));
  if (rival >= 0) lines.push(moved(course, step, rival, -change, x, `w of ${SIGNS[course.classes[rival]]}`, recipe));
  const angles = [course.angle(step - 1, plane, row), course.angle(step, plane, row)];
  if (angles[0] !== null && angles[1] !== null && course.isLinear)
    lines.push(`The angle between (w, b) and (x, ${written(recipe.offset)}) goes from ${angles[0].toFixed(0)}° to ${angles[1].toFixed(0)}°.${seen(course, step, plane, row)}`);
  return lines;
}

// The angle that the picture has.
function seen(course, step, plane, row) {
  const degrees = course.dimension === 2 ? course.seenFromTheLine(step, plane, row) : null;
  return degrees === null ? "" : ` In the picture, from the line, w and the point are ${degrees.toFixed(0)}° apart: more than 90° is the far side.`;
}

// In a kernel's space one alpha moves: w itself is never written down.
function alphaLine(course, step, plane, row, change, { offset }) {
  const [before, after] = [course.weights(step - 1, plane), course.weights(step, plane)];
  const signs = change < 0 ? "−" : "+";
  const b = offset ? `,  ${offsetLine(before, change * offset * offset, after)}` : "";
  return `α of point ${row + 1} = ${written(before[row])} ${signs} ${factor(Math.abs(change))} = ${written(after[row])}${b}`;
}

function verdict(margin, { loss }) {
  if (margin <= 0) return " ≤ 0: a mistake";
  return loss === "logistic" ? ": it pushes a little" : " < 1: too near";
}

// "w = (2, −1) + 1 · (3, 3) = (5, 2)"; a penalty has shrunk the first of these.
function moved(course, step, plane, change, x, name, { offset }) {
  const [before, after] = [course.weights(step - 1, plane), course.weights(step, plane)].map((w) => Array.from(w));
  const last = after.length - 1;
  const shrunk = after.map((value, i) => value - change * (i < last ? x[i] : offset * offset));
  const kept = shrunk.every((value, i) => Math.abs(value - before[i]) <= 1e-9 * (1 + Math.abs(before[i])));
  const from = kept ? before : shrunk;
  const signs = change < 0 ? "−" : "+";
  const amount = factor(Math.abs(change));
  const w = `${name} = ${vector(from.slice(0, last))} ${signs} ${amount} · ${vector(x)} = ${vector(after.slice(0, last))}`;
  const b = offset ? `,  b = ${written(from[last])} ${signs} ${amount}${offset === 1 ? "" : ` · ${written(offset)}²`} = ${written(after[last])}` : "";
  return w + b + (kept ? "" : "  (the penalty has shrunk w since)");
}
