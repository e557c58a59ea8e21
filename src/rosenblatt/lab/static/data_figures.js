// The figures of the user's data: the histogram of distances, the projection onto two dimensions, and curves of shares.
import { classColour, drawMarker, MARKER_SHAPES } from "./class_markers.js";
import { formatNumber } from "./number_format.js";
import { unpackArray } from "./packed_arrays.js";
import { axisTicks } from "./vector_math.js";

const HISTOGRAM_EDGES = { left: 46, right: 10, top: 8, bottom: 24 };
const PROJECTION_EDGE = 14;
const SHARE_EDGES = { left: 40, right: 12, top: 24, bottom: 34 };
const MAX_SEPARATE_BARS = 4; // classes; of more, one is drawn against the rest
const DOT_HIT_PIXELS = 10;

// The groups of bars: one a class, or the shown class and all others together.
export function histogramGroups(counts, classes, shown) {
  if (counts.length <= MAX_SEPARATE_BARS) return counts.map((list, place) => ({ place, name: classes[place], list }));
  const others = counts[0].map((_, i) => counts.reduce((sum, list, place) => (place === shown ? sum : sum + list[i]), 0));
  return [{ place: null, name: "the other classes", list: others }, { place: shown, name: classes[shown], list: counts[shown] }];
}

// How many rows of each group lie how far from the plane.
export function drawHistogram(painter, { edges }, groups, palette) {
  const { left, right, top, bottom } = HISTOGRAM_EDGES;
  const [low, high, most] = [edges[0], edges[edges.length - 1], Math.max(...groups.flatMap(({ list }) => list), 1)];
  const x = (value) => left + ((value - low) / (high - low)) * (painter.width - left - right);
  const y = (value) => painter.height - bottom - (value / most) * (painter.height - top - bottom);
  for (const value of axisTicks(0, most, 4)) {
    painter.path([[left, y(value)], [painter.width - right, y(value)]], { stroke: palette.line, width: 1, alpha: 0.6 });
    painter.text(left - 6, y(value), formatNumber(value, 4), { size: 10, fill: palette.soft, anchor: "end" });
  }
  groups.forEach(({ place, list }, at) => {
    const bars = list.map((count, i) => {
      const width = (x(edges[i + 1]) - x(edges[i])) / groups.length;
      const from = x(edges[i]) + width * at;
      return [[from + 0.5, y(0)], [from + 0.5, y(count)], [from + width - 0.5, y(count)], [from + width - 0.5, y(0)]];
    });
    painter.polygons(bars.filter((_, i) => list[i]), { fill: classColour(palette, place) });
  });
  for (const value of axisTicks(low, high, 7)) painter.text(x(value), painter.height - 10, formatNumber(value, 3), { size: 10, fill: palette.soft, anchor: "middle" });
  painter.path([[x(0), top], [x(0), painter.height - bottom]], { stroke: palette.ink, width: 2 });
}

// The rows of a projection with their places in pixels.
function placeProjection(projection, width, height) {
  const [distance, across, labels, wrong, rows] = ["distance", "across", "class", "wrong", "row"].map((name) => unpackArray(projection[name]));
  const range = (values) => [Math.min(...values), Math.max(...values)];
  const [[x0, x1], [y0, y1]] = [range([...distance, 0]), range(across)];
  const x = (value) => PROJECTION_EDGE + ((value - x0) / (x1 - x0 || 1)) * (width - 2 * PROJECTION_EDGE);
  const y = (value) => height - PROJECTION_EDGE - ((value - y0) / (y1 - y0 || 1)) * (height - 2 * PROJECTION_EDGE);
  return { zero: x(0), dots: Array.from(distance, (value, i) => ({ x: x(value), y: y(across[i]), place: labels[i], wrong: wrong[i] === 1, row: rows[i] })) };
}

// Rows by their distance from the plane, and along the widest direction within it. Mistakes are hollow and on top.
export function drawProjection(painter, projection, palette, { classCount, shown, chosen }) {
  const { zero, dots } = placeProjection(projection, painter.width, painter.height);
  const isCrowded = classCount > palette.classes.length;
  painter.path([[zero, 4], [zero, painter.height - 4]], { stroke: palette.ink, width: 2 });
  for (const dot of [...dots].sort((one, other) => one.wrong - other.wrong)) {
    const colour = classColour(palette, isCrowded && dot.place !== shown ? null : dot.place);
    const style = dot.wrong ? { fill: palette.paper, stroke: colour, width: 2 } : { fill: colour, alpha: 0.75 };
    drawMarker(painter, MARKER_SHAPES[dot.place % MARKER_SHAPES.length], dot.x, dot.y, dot.wrong ? 4 : 3.4, style);
    if (dot.row === chosen) painter.circle(dot.x, dot.y, 10, { stroke: palette.accent, width: 2.5 });
  }
  if (projection.every > 1) painter.text(painter.width - 8, painter.height - 8, `every ${projection.every}th row`, { size: 11, fill: palette.soft, anchor: "end" });
}

// The row of the dot nearest to a point of the picture; null if none is near.
export function rowAt(projection, width, height, px, py) {
  let [best, found] = [DOT_HIT_PIXELS, null];
  for (const { x, y, row } of placeProjection(projection, width, height).dots) {
    const away = Math.hypot(x - px, y - py);
    if (away <= best) [best, found] = [away, row];
  }
  return found;
}

// Curves in the unit square. curves: [{x, y, colour, marker}]; point: [x, y] to mark, if any
export function drawShares(painter, { curves, point, diagonal, xTitle, yTitle }, palette) {
  const { left, right, top, bottom } = SHARE_EDGES;
  const x = (value) => left + value * (painter.width - left - right);
  const y = (value) => painter.height - bottom - value * (painter.height - top - bottom);
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    painter.path([[x(0), y(value)], [x(1), y(value)]], { stroke: palette.line, width: 1, alpha: value ? 0.5 : 1 });
    painter.path([[x(value), y(0)], [x(value), y(1)]], { stroke: palette.line, width: 1, alpha: value ? 0.5 : 1 });
    painter.text(left - 6, y(value), String(value), { size: 10, fill: palette.soft, anchor: "end" });
    painter.text(x(value), painter.height - bottom + 11, String(value), { size: 10, fill: palette.soft, anchor: "middle" });
  }
  if (diagonal) painter.path([[x(0), y(0)], [x(1), y(1)]], { stroke: palette.faint, width: 1, dash: [2, 4] });
  for (const curve of curves) {
    const points = Array.from(curve.x, (value, i) => [x(value), y(curve.y[i])]);
    painter.path(points, { stroke: curve.colour, width: 2 });
    if (curve.marker) for (const [px, py] of points) painter.circle(px, py, 3.5, { fill: curve.colour, stroke: palette.paper, width: 1 });
  }
  if (point) painter.circle(x(point[0]), y(point[1]), 6, { fill: palette.accent, stroke: palette.paper, width: 2 });
  painter.text((x(0) + x(1)) / 2, painter.height - 8, `${xTitle} →`, { size: 11, fill: palette.soft, anchor: "middle" });
  painter.text(left - 6, 9, `↑ ${yTitle}`, { size: 11, fill: palette.soft });
}
