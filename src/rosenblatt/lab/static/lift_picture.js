// The lift in three dimensions, which dragging turns.
// Offset: points x become (x, s) in a plane above the origin. (w, b) is the normal of a plane through the origin, and
// the line is the section of both. Lifted features: the height of a point is the curved part of its score, so that the
// boundary is a flat plane.
import { drawMarker, MARKER_SHAPES, MARKER_SYMBOLS } from "./class_markers.js";
import { gridCoordinate, gridScores } from "./grid_scores.js";
import { clipPolygon } from "./plane_geometry.js";
import { fillBackground } from "./plane_shapes.js";
import { boxSection, splitInside, squareAt } from "./space_geometry.js";
import { norm } from "./vector_math.js";

const MESH_STRIDE = 3; // grid lines from one line of the mesh to the next

export function drawLift(painter, scene, rotation, reach) {
  const { palette, run } = scene;
  fillBackground(painter, palette);
  if (!run) return;
  const scale = Math.min(painter.width, painter.height) / (2.75 * reach);
  const toPixels = (point) => {
    const [x, y] = rotation.project(point);
    return [painter.width / 2 + x * scale, painter.height * 0.64 + y * scale];
  };
  const stage = { painter, palette, rotation, reach, toPixels };
  if (run.isLinear && !run.answer.step.offset) {
    const text = "There is no lift without an offset: the line goes through the origin.";
    painter.text(painter.width / 2, painter.height / 2, text, { size: 14, fill: palette.soft, anchor: "middle" });
    return;
  }
  labelPlane(stage, scene);
  if (run.isLinear) drawOffsetLift(stage, scene);
  else drawCurvedLift(stage, scene);
}

// Of several planes, the one that moved last is shown.
function labelPlane({ painter, palette }, { run, step }) {
  if (run.planes === 1) return;
  const symbol = MARKER_SYMBOLS[run.classes[run.movedPlane(step)]];
  painter.text(14, 18, `the plane of ${symbol} against the rest`, { size: 12, fill: palette.soft });
}

// Weights of the two coordinates of the picture and the offset; in one dimension the second weight is 0.
function pictureWeights(run, step) {
  const w = run.weights(step, run.movedPlane(step));
  return [w[0], run.dimension === 1 ? 0 : w[1], w[w.length - 1]];
}

// Offset

function drawOffsetLift(stage, { run, step, points, palette }) {
  const { painter, toPixels, reach } = stage;
  const high = reach * 0.95;
  const w = pictureWeights(run, step);
  painter.path(squareAt(reach, 0).map(toPixels), { stroke: palette.line, width: 1 }, true);
  painter.path([toPixels([0, 0, 0]), toPixels([0, 0, high * 1.25])], { stroke: palette.soft, width: 1, dash: [2, 4] });
  const normal = [w[0], w[1], w[2] / high];
  const section = boxSection(normal, reach, 0, high);
  if (section.length > 2)
    painter.path(section.map(toPixels), { fill: palette.accent, alpha: 0.16, stroke: palette.accent, strokeAlpha: 0.6, width: 1.2 }, true);
  painter.path(squareAt(reach, high).map(toPixels), { fill: palette.ink, alpha: 0.045, stroke: palette.soft, strokeAlpha: 0.8, width: 1 }, true);
  const line = section.filter(([, , z]) => Math.abs(z - high) < 1e-9);
  if (line.length === 2) painter.path(line.map(toPixels), { stroke: palette.ink, width: 2.6 });
  drawMarkers(stage, points.map((point) => [point[0], run.dimension === 1 ? 0 : point[1], high]), run, step, points);
  if (norm(normal)) drawPlaneNormal(stage, normal);
  const [x, y] = toPixels([0, 0, 0]);
  painter.circle(x, y, 3.5, { fill: palette.ink });
  painter.text(x + 10, y + 8, "0", { size: 12, fill: palette.ink, halo: palette.paper });
  painter.text(...toPixels([reach, -reach, high]), "  the points, at height s", { size: 12, fill: palette.soft, halo: palette.paper, anchor: "middle" });
}

function drawPlaneNormal({ painter, toPixels, palette, reach }, normal) {
  const size = norm(normal);
  const [x, y] = toPixels(normal.map((value) => (value / size) * reach * 0.7));
  painter.path([toPixels([0, 0, 0]), [x, y]], { stroke: palette.ink, width: 2.4 });
  painter.circle(x, y, 3.5, { fill: palette.ink });
  painter.text(x + 8, y - 6, "(w, b)", { size: 13, weight: 700, fill: palette.ink, halo: palette.paper });
}

// Lifted features

function drawCurvedLift(stage, { run, step, points }) {
  const { painter, toPixels, palette, reach } = stage;
  const flat = run.lift.flat ? pictureWeights(run, step) : [0, 0, 0];
  const linearPart = (x, y) => flat[0] * x + flat[1] * y + flat[2];
  const places = points.map(([x, second], i) => {
    const y = run.dimension === 1 ? 0 : second;
    return [x, y, run.score(step, run.movedPlane(step), run.features[i]) - linearPart(x, y)];
  });
  // The heights of the points and of the plane below them fill the stage; what reaches further is cut off.
  const heights = places.flatMap(([x, y, z]) => [z, -linearPart(x, y)]);
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const scale = high > low ? (1.3 * reach) / (high - low) : 0;
  const onStage = ([x, y, z]) => [x, y, (z - (low + high) / 2) * scale + reach * 0.35];
  const slack = 0.12 * (high - low);
  const limits = { reach, low: low - slack, high: high + slack };
  if (run.dimension === 1) drawCurve(stage, curvePoints(run, step, linearPart), limits, onStage);
  else drawSurface(stage, surfaceCells(run, step, linearPart), limits, onStage, sideColours(run, step, palette));
  const breadth = run.dimension === 1 ? 0.3 : 1; // in one dimension the plane is drawn as a narrow strip
  const plane = squareAt(reach, 0).map(([x, y]) => [x, y * breadth, -linearPart(x, y)]);
  painter.path(plane.map((point) => toPixels(onStage(point))), { fill: palette.accent, alpha: 0.15, stroke: palette.accent, strokeAlpha: 0.7, width: 1.2 }, true);
  drawMarkers(stage, places.map(onStage), run, step, points);
  painter.text(14, painter.height - 16, "height: the curved part of the score; the plane cuts it at the boundary", { size: 11, fill: palette.soft });
}

// The colours of a positive and of a negative score.
function sideColours(run, step, palette) {
  const colour = (k) => palette.classes[run.classes[k]];
  return run.planes === 1 ? [colour(1), colour(0)] : [colour(run.movedPlane(step)), palette.soft];
}

// In one dimension: the score's curved part as one curve above the axis.
function curvePoints(run, step, linearPart) {
  const { side, reach: [reachX] } = run.lift;
  const scores = gridScores(run, step, run.movedPlane(step));
  return Array.from({ length: side }, (_, i) => {
    const x = gridCoordinate(i, side, reachX);
    return [x, 0, scores[i] - linearPart(x, 0)];
  });
}

function drawCurve({ painter, toPixels, palette }, curve, { reach, low, high }, onStage) {
  const parts = splitInside(curve, ([x, , z]) => Math.abs(x) <= reach && z >= low && z <= high);
  painter.segments(parts.map((line) => line.map((point) => toPixels(onStage(point)))), { stroke: palette.soft, width: 1.4 });
}

// The surface of the score's curved part, as squares whose corners are x, y, the height and the score.
function surfaceCells(run, step, linearPart) {
  const { side, reach: [reachX, reachY] } = run.lift;
  const scores = gridScores(run, step, run.movedPlane(step));
  const at = (i, j) => {
    const [x, y, score] = [gridCoordinate(i, side, reachX), gridCoordinate(j, side, reachY), scores[j * side + i]];
    return [x, y, score - linearPart(x, y), score];
  };
  const starts = Array.from({ length: Math.floor((side - 1) / MESH_STRIDE) }, (_, k) => k * MESH_STRIDE);
  const cell = (i, j) => [at(i, j), at(i + MESH_STRIDE, j), at(i + MESH_STRIDE, j + MESH_STRIDE), at(i, j + MESH_STRIDE)];
  return starts.flatMap((j) => starts.map((i) => cell(i, j)));
}

// Squares from the farthest to the nearest, each side of the boundary in the colour of its class.
function drawSurface({ painter, toPixels, rotation, palette }, cells, { reach, low, high }, onStage, [above, below]) {
  const walls = [([x]) => reach - x, ([x]) => reach + x, ([, y]) => reach - y, ([, y]) => reach + y, ([, , z]) => high - z, ([, , z]) => z - low];
  const clipped = cells.map((cell) => walls.reduce(clipPolygon, cell)).filter((cell) => cell.length > 2);
  const depth = (cell) => cell.reduce((sum, point) => sum + rotation.project(onStage(point))[2], 0) / cell.length;
  const sorted = clipped.map((cell) => [depth(cell), cell]).sort((one, other) => one[0] - other[0]);
  for (const [, cell] of sorted) {
    painter.path(cell.map((point) => toPixels(onStage(point))), { fill: palette.paper, stroke: palette.soft, alpha: 0.75, strokeAlpha: 0.35, width: 0.6 }, true);
    for (const [colour, sign] of [[above, 1], [below, -1]]) {
      const part = clipPolygon(cell, ([, , , score]) => sign * score);
      if (part.length > 2) painter.path(part.map((point) => toPixels(onStage(point))), { fill: colour, alpha: 0.3 }, true);
    }
  }
}

// Markers from the farthest to the nearest; misclassified points are hollow.
function drawMarkers({ painter, toPixels, rotation, palette }, places, run, step, points) {
  const order = places.map((place, i) => [rotation.project(place)[2], i]).sort((one, other) => one[0] - other[0]);
  for (const [, i] of order) {
    const colour = palette.classes[points[i][2]];
    const wrong = run.margin(step, i) <= 0;
    const style = wrong ? { fill: palette.paper, stroke: colour, width: 2.4 } : { fill: colour, stroke: palette.paper, width: 1.2 };
    drawMarker(painter, MARKER_SHAPES[points[i][2]], ...toPixels(places[i]), 5.5, style);
  }
}
