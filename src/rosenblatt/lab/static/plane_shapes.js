// Shapes that several pictures share: background, lines, strips, points and the keyboard cursor.
import { drawMarker, MARKER_SHAPES } from "./class_markers.js";
import { clipToHalfPlane, lineInBox } from "./plane_geometry.js";
import { norm } from "./vector_math.js";

export function fillBackground(painter, palette) {
  const { width, height } = painter;
  painter.path([[0, 0], [width, 0], [width, height], [0, height]], { fill: palette.paper }, true);
}

// The line w·x + b = 0 of weights (w₁, w₂, b).
export function drawLine(painter, viewport, weights, style) {
  const ends = lineInBox(viewport.box, weights);
  if (ends) painter.path(ends.map((point) => viewport.toPixels(point)), style);
}

// The strip of points closer than `half` to a line, and its two edges.
export function drawStrip(painter, viewport, [w1, w2, b], half, fillStyle, edgeStyle) {
  const size = norm([w1, w2]);
  const shifted = (by) => [w1, w2, b + by * size];
  const strip = clipToHalfPlane(clipToHalfPlane(viewport.box, shifted(half)), shifted(-half).map((value) => -value));
  if (strip.length > 2) painter.polygons([strip.map((point) => viewport.toPixels(point))], fillStyle);
  for (const by of [half, -half]) drawLine(painter, viewport, shifted(by), edgeStyle);
}

// Rings around the points with these row numbers. `onAxis` draws the points on the axis of one dimension.
export function drawRings(painter, viewport, points, rows, colour, onAxis = false) {
  for (const row of rows)
    if (points[row]) painter.circle(...viewport.toPixels(onAxis ? [points[row][0], 0] : points[row]), 12, { stroke: colour, width: 1.8 });
}

// Misclassified points are hollow; the point of the present update is ringed.
export function drawPoints(painter, viewport, { points, run, step, palette, selected }, onAxis = false) {
  const updated = run?.update(step)?.row ?? -1;
  points.forEach((point, i) => {
    const [x, y] = viewport.toPixels(onAxis ? [point[0], 0] : point);
    const colour = palette.classes[point[2]];
    const wrong = run !== null && run.points === points && run.margin(step, i) <= 0;
    if (i === updated) painter.circle(x, y, 15, { stroke: palette.accent, width: 2.5 });
    if (i === selected) painter.circle(x, y, 18, { stroke: palette.ink, width: 1.5, dash: [3, 3] });
    drawMarker(painter, MARKER_SHAPES[point[2]], x, y, 6.5, wrong
      ? { fill: palette.paper, stroke: colour, width: 2.6 }
      : { fill: colour, stroke: palette.paper, width: 1.4, strokeAlpha: 1 });
  });
}

export function drawCursor(painter, viewport, { cursor, palette }) {
  const [x, y] = viewport.toPixels(cursor);
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]])
    painter.path([[x + dx * 6, y + dy * 6], [x + dx * 16, y + dy * 16]], { stroke: palette.accent, width: 2 });
}
