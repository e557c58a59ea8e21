// The plane: points, the line that moves among them, and what the theory says about it.
import { clipped, lineWithin, ownRegion, positiveCells, zeroLine } from "./fields.js";
import { dot, length, ticks, written } from "./numbers.js";
import { arrow, mark, SHAPES } from "./shapes.js";

// What part of the plane is seen, and where its points are on the screen.
export class View {
  constructor(width, height, reach = 5.5) {
    const scale = Math.min(width, height) / (2 * reach);
    Object.assign(this, { width, height, scale, reachX: width / 2 / scale, reachY: height / 2 / scale });
  }

  at([x, y]) {
    return [this.width / 2 + x * this.scale, this.height / 2 - y * this.scale];
  }

  from([px, py]) {
    return [(px - this.width / 2) / this.scale, (this.height / 2 - py) / this.scale];
  }

  get box() {
    const [x, y] = [this.reachX, this.reachY];
    return [[-x, -y], [x, -y], [x, y], [-x, y]];
  }
}

export function drawPlane(pen, view, scene) {
  const { palette } = scene;
  pen.path([[0, 0], [view.width, 0], [view.width, view.height], [0, view.height]], { fill: palette.paper }, true);
  drawGrid(pen, view, palette);
  const { course, step, show } = scene;
  if (course) {
    if (show.regions) drawRegions(pen, view, course, step, palette);
    if (show.theory) drawTheory(pen, view, scene);
    if (show.radius) drawRadius(pen, view, scene);
    drawBoundaries(pen, view, scene);
  }
  drawPoints(pen, view, scene);
  if (course && course.isLinear && show.normal) drawNormal(pen, view, scene);
  if (scene.cursor) drawCursor(pen, view, scene);
}

function drawGrid(pen, view, palette) {
  const { reachX, reachY } = view;
  const faint = { stroke: palette.line, width: 1 };
  for (const x of ticks(-reachX, reachX, 10)) {
    pen.path([view.at([x, -reachY]), view.at([x, reachY])], { ...faint, alpha: x === 0 ? 1 : 0.45 });
    if (x !== 0) pen.text(view.at([x, 0])[0], view.at([0, 0])[1] + 11, written(x, 3), { size: 10, fill: palette.faint, anchor: "middle" });
  }
  for (const y of ticks(-reachY, reachY, 10)) {
    pen.path([view.at([-reachX, y]), view.at([reachX, y])], { ...faint, alpha: y === 0 ? 1 : 0.45 });
    if (y !== 0) pen.text(view.at([0, 0])[0] - 6, view.at([0, y])[1], written(y, 3), { size: 10, fill: palette.faint, anchor: "end" });
  }
  pen.text(view.width - 10, view.at([0, 0])[1] - 10, "x₁", { size: 12, fill: palette.soft, anchor: "end" });
  pen.text(view.at([0, 0])[0] + 10, 12, "x₂", { size: 12, fill: palette.soft });
}

// Regions

const TINT = 0.11;

function drawRegions(pen, view, course, step, palette) {
  const colour = (place) => palette.classes[course.classes[place]];
  if (!course.isLinear) return drawCurvedRegions(pen, view, course, step, colour);
  const onScreen = (polygon) => polygon.map((point) => view.at(point));
  if (course.planes === 1) {
    const w = course.weights(step);
    if (!length(w)) return;
    pen.polygons([onScreen(clipped(view.box, w))], { fill: colour(1), alpha: TINT });
    pen.polygons([onScreen(clipped(view.box, w.map((value) => -value)))], { fill: colour(0), alpha: TINT });
    return;
  }
  const planes = planesOf(course, step);
  planes.forEach((plane, k) => {
    const region = ownRegion(view.box, planes, k);
    if (region.length > 2 && planes.some((other) => other.some((value, i) => value !== plane[i])))
      pen.polygons([onScreen(region)], { fill: colour(k), alpha: TINT });
  });
}

const planesOf = (course, step) =>
  Array.from({ length: course.planes }, (_, k) => Array.from(course.weights(step, k)));

// Scores of the cells of a lifted course, one array a plane; the last step's are kept.
export function cellScores(course, step, plane) {
  course.cellMemory ??= new Map();
  const key = step * course.planes + plane;
  if (course.cellMemory.has(key)) return course.cellMemory.get(key);
  const { cells } = course.lift;
  const columns = course.width - 1;
  const w = course.weights(step, plane);
  const scores = new Float64Array(cells.length / columns);
  for (let cell = 0, at = 0; cell < scores.length; cell++) {
    let sum = w[columns];
    for (let j = 0; j < columns; j++) sum += w[j] * cells[at++];
    scores[cell] = sum;
  }
  if (course.cellMemory.size > 2 * course.planes) course.cellMemory.clear();
  course.cellMemory.set(key, scores);
  return scores;
}

function placing(view, course) {
  const { side, reach } = course.lift;
  const [reachX, reachY] = reach;
  return (i, j) => view.at([(2 * i / (side - 1) - 1) * reachX, (2 * j / (side - 1) - 1) * reachY]);
}

// How far the score of each class leads its best rival.
function leads(course, step) {
  if (course.planes === 1) {
    const scores = cellScores(course, step, 0);
    return [scores.map((value) => -value), scores];
  }
  const all = Array.from({ length: course.planes }, (_, k) => cellScores(course, step, k));
  return all.map((own, k) =>
    own.map((value, cell) => value - Math.max(...all.filter((_, other) => other !== k).map((scores) => scores[cell]))),
  );
}

function drawCurvedRegions(pen, view, course, step, colour) {
  if (!length(course.weights(step))) return;
  const place = placing(view, course);
  leads(course, step).forEach((lead, k) => {
    pen.polygons(positiveCells(lead, course.lift.side, place), { fill: colour(k), alpha: TINT });
  });
}

// Lines

function drawBoundaries(pen, view, scene) {
  const { course, step, show, palette } = scene;
  const before = course.update(step) ? step - 1 : step;
  if (before !== step && course.isLinear && show.before)
    linesOf(course, before).forEach((line) => drawLine(pen, view, line, { stroke: palette.soft, width: 1.5, dash: [5, 5], alpha: 0.7 }));
  if (!course.isLinear) {
    if (!length(course.weights(step))) return;
    const place = placing(view, course);
    leads(course, step).slice(course.planes === 1 ? 1 : 0).forEach((lead) =>
      pen.segments(zeroLine(lead, course.lift.side, place), { stroke: palette.ink, width: 2.2 }));
    return;
  }
  if (course.planes === 1) {
    if (show.band) drawBand(pen, view, scene);
    if (step === course.updates) drawKept(pen, view, scene);
    linesOf(course, step).forEach((line) => drawLine(pen, view, line, { stroke: palette.ink, width: 2.4 }));
    return;
  }
  const planes = planesOf(course, step);
  const moved = course.update(step)?.plane;
  planes.forEach((plane, k) => {
    const colour = palette.classes[course.classes[k]];
    drawLine(pen, view, plane, { stroke: colour, width: k === moved ? 2.6 : 1.6, dash: k === moved ? [] : [7, 4], alpha: 0.9 });
    const region = ownRegion(view.box, planes, k);
    if (region.length > 2) pen.path(region.map((point) => view.at(point)), { stroke: palette.ink, width: 1.4, alpha: 0.55 }, true);
  });
}

// At the end, the line that is returned, where it is not the last one: the average, or the best met.
function drawKept(pen, view, { course, step, palette }) {
  const { coef, intercept } = course.answer.result;
  const kept = [...coef[0], intercept[0]];
  if (kept.length !== 3 || kept.every((value, i) => value === course.weights(step)[i])) return;
  const ends = lineWithin(view.box, kept);
  if (!ends) return;
  drawLine(pen, view, kept, { stroke: palette.accent, width: 2.6, dash: [12, 4, 2, 4] });
  const [x, y] = view.at([0.9 * ends[0][0] + 0.1 * ends[1][0], 0.9 * ends[0][1] + 0.1 * ends[1][1]]);
  pen.text(Math.min(Math.max(x + 8, 6), view.width - 66), Math.min(Math.max(y - 10, 12), view.height - 12), "returned", { size: 12, weight: 600, fill: palette.accent, halo: palette.paper });
}

const linesOf = (course, step) => planesOf(course, step);

function drawLine(pen, view, plane, style) {
  const ends = lineWithin(view.box, plane);
  if (ends) pen.path(ends.map((point) => view.at(point)), style);
}

function drawBand(pen, view, { course, step, palette }) {
  const half = course.clearance(step);
  if (!half) return;
  const w = course.weights(step);
  const size = length(w.subarray(0, 2));
  const shifted = (by) => [w[0], w[1], w[2] + by * size];
  const band = clipped(clipped(view.box, shifted(half)), shifted(-half).map((value) => -value));
  if (band.length > 2) pen.polygons([band.map((point) => view.at(point))], { fill: palette.ink, alpha: 0.07 });
  for (const by of [half, -half]) drawLine(pen, view, shifted(by), { stroke: palette.ink, width: 1, dash: [2, 4], alpha: 0.75 });
}

// w stands on the line, at the point nearest to the origin; its angle is drawn with the point that moved it.
function drawNormal(pen, view, { course, step, palette, points }) {
  const update = course.update(step);
  const plane = update?.plane ?? 0;
  const w = course.weights(step, plane);
  const square = w[0] * w[0] + w[1] * w[1];
  if (!square) return;
  const foot = [(-w[2] * w[0]) / square, (-w[2] * w[1]) / square];
  const long = Math.min(Math.max(Math.sqrt(square), 0.9), view.reachY * 0.45) / Math.sqrt(square);
  const tip = [foot[0] + w[0] * long, foot[1] + w[1] * long];
  const colour = course.planes === 1 ? palette.ink : palette.classes[course.classes[plane]];
  if (update && update.row >= 0) drawAngle(pen, view, foot, w, points[update.row], palette);
  arrow(pen, view.at(foot), view.at(tip), { stroke: colour, width: 2.4 });
  const [px, py] = view.at(tip);
  pen.text(px + (w[0] >= 0 ? 9 : -9), py - 6, "w", { size: 15, weight: 700, fill: colour, halo: palette.paper, anchor: w[0] >= 0 ? "start" : "end" });
}

function drawAngle(pen, view, foot, w, point, palette) {
  const to = [point[0] - foot[0], point[1] - foot[1]];
  if (!length(to)) return;
  pen.path([view.at(foot), view.at(point)], { stroke: palette.accent, width: 1.3, dash: [3, 3] });
  const [begin, end] = [Math.atan2(w[1], w[0]), Math.atan2(to[1], to[0])];
  let turn = end - begin;
  turn -= 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  const [px, py] = view.at(foot);
  const arc = Array.from({ length: 25 }, (_, i) => begin + (turn * i) / 24);
  pen.path(arc.map((angle) => [px + 26 * Math.cos(angle), py - 26 * Math.sin(angle)]), { stroke: palette.accent, width: 1.6 });
  const middle = begin + turn / 2;
  pen.text(px + 44 * Math.cos(middle), py - 44 * Math.sin(middle), `${Math.round(Math.abs(turn) * 180 / Math.PI)}°`,
    { size: 12, fill: palette.accent, anchor: "middle", halo: palette.paper, weight: 600 });
}

// Theory

function drawTheory(pen, view, scene) {
  const { course, palette, points } = scene;
  const { street, verdicts } = course.answer.theory;
  if (!course.isLinear || course.dimension !== 2) return drawRings(pen, view, scene);
  if (street) drawStreet(pen, view, street, points, palette);
  const clash = verdicts.find(({ kind }) => kind !== "complete")?.clash;
  if (clash?.rows.length) drawClash(pen, view, clash, points, palette);
}

// Where the street is not of this plane, the points that prove the verdict are ringed.
function drawRings(pen, view, { course, points, palette }) {
  const { street, verdicts } = course.answer.theory;
  const ring = (rows, colour) => rows.forEach((row) => points[row] && pen.circle(...view.at(points[row]), 12, { stroke: colour, width: 1.8 }));
  if (street) ring(street.support, palette.good);
  else verdicts.forEach(({ clash }) => ring(clash.rows, palette.bad));
}

function drawStreet(pen, view, { plane, margin, support }, points, palette) {
  const size = length(plane.slice(0, 2));
  const shifted = (by) => [plane[0], plane[1], plane[2] + by * size];
  const band = clipped(clipped(view.box, shifted(margin)), shifted(-margin).map((value) => -value));
  if (band.length > 2) pen.polygons([band.map((point) => view.at(point))], { fill: palette.good, alpha: 0.13 });
  drawLine(pen, view, plane, { stroke: palette.good, width: 1.4, dash: [10, 5] });
  for (const by of [margin, -margin]) drawLine(pen, view, shifted(by), { stroke: palette.good, width: 1 });
  for (const row of support) if (points[row]) pen.circle(...view.at(points[row]), 12, { stroke: palette.good, width: 1.8 });
}

function drawClash(pen, view, { rows, meet }, points, palette) {
  const known = rows.filter((row) => points[row]);
  for (const label of new Set(known.map((row) => points[row][2]))) {
    const own = known.filter((row) => points[row][2] === label).map((row) => view.at(points[row]));
    const around = own.length > 2 ? inOrder(own) : own;
    pen.path(around, { stroke: palette.bad, width: 1.5, fill: own.length > 2 ? palette.bad : null, alpha: 0.09, strokeAlpha: 0.9 }, own.length > 2);
  }
  for (const row of known) pen.circle(...view.at(points[row]), 12, { stroke: palette.bad, width: 1.8 });
  if (!meet || meet.length < 2) return;
  const [x, y] = view.at(meet);
  pen.circle(x, y, 6, { fill: palette.paper, stroke: palette.bad, width: 2 });
  pen.path([[x - 3, y - 3], [x + 3, y + 3]], { stroke: palette.bad, width: 2 });
  pen.path([[x - 3, y + 3], [x + 3, y - 3]], { stroke: palette.bad, width: 2 });
}

function inOrder(points) {
  const centre = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
  const turn = ([x, y]) => Math.atan2(y - centre[1], x - centre[0]);
  return [...points].sort((one, other) => turn(one) - turn(other));
}

function drawRadius(pen, view, { course, palette, points }) {
  if (!course.isLinear || course.dimension !== 2) return;
  const longest = points.reduce((best, point) => (Math.hypot(point[0], point[1]) > Math.hypot(best[0], best[1]) ? point : best), [0, 0]);
  const radius = Math.hypot(longest[0], longest[1]);
  if (!radius) return;
  const centre = view.at([0, 0]);
  pen.circle(...centre, radius * view.scale, { stroke: palette.soft, width: 1.2, dash: [1, 5] });
  pen.path([centre, view.at(longest)], { stroke: palette.soft, width: 1, dash: [1, 5] });
  const at = view.at([longest[0] * 0.62, longest[1] * 0.62]);
  pen.text(at[0], at[1] - 9, course.answer.step.offset ? "max ‖x‖" : "R", { size: 12, fill: palette.soft, halo: palette.paper, anchor: "middle" });
}

// Points

export function drawPoints(pen, view, { points, course, step, palette, selected }, flat = false) {
  const cause = course?.update(step)?.row ?? -1;
  points.forEach((point, i) => {
    const [x, y] = view.at(flat ? [point[0], 0] : point);
    const colour = palette.classes[point[2]];
    const wrong = course !== null && course.points === points && course.margin(step, i) <= 0;
    if (i === cause) pen.circle(x, y, 15, { stroke: palette.accent, width: 2.5 });
    if (i === selected) pen.circle(x, y, 18, { stroke: palette.ink, width: 1.5, dash: [3, 3] });
    mark(pen, SHAPES[point[2]], x, y, 6.5, wrong
      ? { fill: palette.paper, stroke: colour, width: 2.6 }
      : { fill: colour, stroke: palette.paper, width: 1.4, strokeAlpha: 1 });
  });
}

export function drawCursor(pen, view, { cursor, palette }) {
  const [x, y] = view.at(cursor);
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]])
    pen.path([[x + dx * 6, y + dy * 6], [x + dx * 16, y + dy * 16]], { stroke: palette.accent, width: 2 });
}
