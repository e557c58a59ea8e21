// The lift, in three dimensions: turn it by dragging.
// Offset: points x become (x, s) on a sheet above the origin; w and b are a plane through the origin, and where it cuts
// the sheet is the line. Curved recipes: the height of a point is the learned curved part of its score, which makes the
// boundary a flat plane.
import { length } from "./numbers.js";
import { cellScores } from "./plane.js";
import { mark, SHAPES, SIGNS } from "./shapes.js";

export class Turn {
  constructor(yaw = -0.6, pitch = 0.42) {
    Object.assign(this, { yaw, pitch });
  }

  by(dx, dy) {
    this.yaw += dx;
    this.pitch = Math.min(1.5, Math.max(-0.2, this.pitch + dy));
  }

  // Screen position, y down, and depth, larger is nearer.
  seen([x, y, z]) {
    const [c, s] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const [u, v] = [c * x - s * y, s * x + c * y];
    const [p, q] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    return [u, -(z * p + v * q), z * q - v * p];
  }
}

export function drawLift(pen, scene, turn, reach) {
  const { palette, course, step } = scene;
  pen.path([[0, 0], [pen.width, 0], [pen.width, pen.height], [0, pen.height]], { fill: palette.paper }, true);
  if (!course) return;
  const scale = Math.min(pen.width, pen.height) / (2.75 * reach);
  const stage = {
    pen, palette, turn, reach,
    at: (point) => {
      const [x, y] = turn.seen(point);
      return [pen.width / 2 + x * scale, pen.height * 0.64 + y * scale];
    },
  };
  if (!course.isLinear) return drawCurvedLift(stage, scene);
  if (!course.answer.step.offset) {
    pen.text(pen.width / 2, pen.height / 2, "Without an offset there is nothing to lift: the line goes through the origin.", { size: 14, fill: palette.soft, anchor: "middle" });
    return;
  }
  drawOffsetLift(stage, scene);
}

const square = (reach, z) => [[-reach, -reach, z], [reach, -reach, z], [reach, reach, z], [-reach, reach, z]];

// Of several planes the one that moved last is shown.
const planeShown = (course, step) => course.update(step)?.plane ?? 0;

function tellPlane({ pen, palette }, course, step) {
  if (course.planes > 1) pen.text(14, 18, `the plane of ${SIGNS[course.classes[planeShown(course, step)]]} against the rest`, { size: 12, fill: palette.soft });
}

// Weights and offset for two coordinates; on an axis the second is 0.
const flatWeights = (course, w) => [w[0], course.dimension === 1 ? 0 : w[1], w[w.length - 1]];

function drawOffsetLift(stage, { course, step, points, palette }) {
  const { pen, at, reach } = stage;
  const high = reach * 0.95;
  const w = flatWeights(course, course.weights(step, planeShown(course, step)));
  tellPlane(stage, course, step);
  pen.path(square(reach, 0).map(at), { stroke: palette.line, width: 1 }, true);
  pen.path([at([0, 0, 0]), at([0, 0, high * 1.25])], { stroke: palette.soft, width: 1, dash: [2, 4] });
  const plane = [w[0], w[1], w[2] / high];
  const cut = boxCut(plane, reach, 0, high);
  if (cut.length > 2) pen.path(cut.map(at), { fill: palette.accent, alpha: 0.16, stroke: palette.accent, strokeAlpha: 0.6, width: 1.2 }, true);
  pen.path(square(reach, high).map(at), { fill: palette.ink, alpha: 0.045, stroke: palette.soft, strokeAlpha: 0.8, width: 1 }, true);
  const top = cut.filter(([, , z]) => Math.abs(z - high) < 1e-9);
  if (top.length === 2) pen.path(top.map(at), { stroke: palette.ink, width: 2.6 });
  drawMarks(stage, points.map((point) => [point[0], course.dimension === 1 ? 0 : point[1], high]), course, step, points);
  if (length(plane)) drawNormalOf(stage, plane);
  pen.circle(...at([0, 0, 0]), 3.5, { fill: palette.ink });
  pen.text(at([0, 0, 0])[0] + 10, at([0, 0, 0])[1] + 8, "0", { size: 12, fill: palette.ink, halo: palette.paper });
  pen.text(...at([reach, -reach, high]), "  the picture, at height s", { size: 12, fill: palette.soft, halo: palette.paper, anchor: "middle" });
}

function drawNormalOf({ pen, at, palette, reach }, plane) {
  const size = length(plane);
  const tip = plane.map((value) => (value / size) * reach * 0.7);
  pen.path([at([0, 0, 0]), at(tip)], { stroke: palette.ink, width: 2.4 });
  pen.circle(...at(tip), 3.5, { fill: palette.ink });
  pen.text(at(tip)[0] + 8, at(tip)[1] - 6, "(w, b)", { size: 13, weight: 700, fill: palette.ink, halo: palette.paper });
}

// The polygon where a plane through the origin cuts a box.
function boxCut([a, b, c], reach, low, high) {
  const corners = [...square(reach, low), ...square(reach, high)];
  const edges = [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];
  const value = ([x, y, z]) => a * x + b * y + c * z;
  const found = [];
  for (const [i, j] of edges) {
    const [p, q] = [corners[i], corners[j]];
    const [u, v] = [value(p), value(q)];
    if (u >= 0 === v >= 0) continue;
    const t = u / (u - v);
    found.push(p.map((from, axis) => from + t * (q[axis] - from)));
  }
  if (found.length < 3) return found;
  const middle = [0, 1, 2].map((axis) => found.reduce((sum, point) => sum + point[axis], 0) / found.length);
  const normal = [a, b, c].map((value) => value / length([a, b, c]));
  const first = found[0].map((value, axis) => value - middle[axis]);
  const second = [normal[1] * first[2] - normal[2] * first[1], normal[2] * first[0] - normal[0] * first[2], normal[0] * first[1] - normal[1] * first[0]];
  const turnOf = (point) => {
    const arm = point.map((value, axis) => value - middle[axis]);
    return Math.atan2(arm.reduce((sum, value, axis) => sum + value * second[axis], 0), arm.reduce((sum, value, axis) => sum + value * first[axis], 0));
  };
  return found.sort((one, other) => turnOf(one) - turnOf(other));
}

// Curved recipes

function drawCurvedLift(stage, { course, step, points }) {
  const { pen, at, palette, reach } = stage;
  const shown = planeShown(course, step);
  const flat = course.lift.flat ? flatWeights(course, course.weights(step, shown)) : [0, 0, 0];
  const straight = (x, y) => flat[0] * x + flat[1] * y + flat[2];
  tellPlane(stage, course, step);
  const places = points.map(([x, second], i) => {
    const y = course.dimension === 1 ? 0 : second;
    return [x, y, course.score(step, shown, course.features[i]) - straight(x, y)];
  });
  // The heights of the points and of the plane beneath them fill the stage; what reaches further is cut off.
  const heights = places.flatMap(([x, y, z]) => [z, -straight(x, y)]);
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const scale = high > low ? (1.3 * reach) / (high - low) : 0;
  const tall = (z) => (z - (low + high) / 2) * scale + reach * 0.35;
  const lifted = ([x, y, z]) => at([x, y, tall(z)]);
  const inside = ([x, y, z]) => Math.abs(x) <= reach && Math.abs(y) <= reach && z >= low - 0.12 * (high - low) && z <= high + 0.12 * (high - low);
  pen.segments(meshOf(course, step, straight).flatMap((line) => runsOf(line, inside)).map((line) => line.map(lifted)), { stroke: palette.soft, width: 0.8, alpha: 0.6 });
  const breadth = course.dimension === 1 ? 0.3 : 1; // of an axis, a strip is seen
  const border = square(reach, 0).map(([x, y]) => [x, y * breadth, -straight(x, y)]);
  pen.path(border.map(lifted), { fill: palette.accent, alpha: 0.15, stroke: palette.accent, strokeAlpha: 0.7, width: 1.2 }, true);
  drawMarks(stage, places.map(([x, y, z]) => [x, y, tall(z)]), course, step, points);
  pen.text(14, pen.height - 16, "height: the curved part of the score; the boundary is where the plane cuts it", { size: 11, fill: palette.soft });
}

// Lines of a net over the surface, along and across.
function meshOf(course, step, straight) {
  const { side, reach: [reachX, reachY] } = course.lift;
  const scores = cellScores(course, step, planeShown(course, step));
  if (course.dimension === 1) {
    const across = Array.from(scores, (score, i) => [(2 * i / (side - 1) - 1) * reachX, score]);
    return [across.map(([x, score]) => [x, 0, score - straight(x, 0)])]; // one curve above the axis
  }
  const height = (i, j) => {
    const [x, y] = [(2 * i / (side - 1) - 1) * reachX, (2 * j / (side - 1) - 1) * reachY];
    return [x, y, scores[j * side + i] - straight(x, y)];
  };
  const every = Array.from({ length: side }, (_, k) => k);
  const few = every.filter((k) => k % 3 === 0);
  return [...few.map((j) => every.map((i) => height(i, j))), ...few.map((i) => every.map((j) => height(i, j)))];
}

// The pieces of a line that are inside.
function runsOf(line, inside) {
  const runs = [[]];
  for (const point of line) {
    if (inside(point)) runs[runs.length - 1].push(point);
    else if (runs[runs.length - 1].length) runs.push([]);
  }
  return runs.filter((run) => run.length > 1);
}

function drawMarks({ pen, at, turn, palette }, places, course, step, points) {
  const order = places.map((place, i) => [turn.seen(place)[2], i]).sort((one, other) => one[0] - other[0]);
  for (const [, i] of order) {
    const [x, y] = at(places[i]);
    const colour = palette.classes[points[i][2]];
    const wrong = course.margin(step, i) <= 0;
    mark(pen, SHAPES[points[i][2]], x, y, 5.5, wrong ? { fill: palette.paper, stroke: colour, width: 2.4 } : { fill: colour, stroke: palette.paper, width: 1.2 });
  }
}
