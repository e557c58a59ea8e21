// The figures of the user's data: the histogram of distances and the projection onto two dimensions.
import { drawMarker, MARKER_SHAPES } from "./class_markers.js";
import { formatNumber } from "./number_format.js";
import { unpackArray } from "./packed_arrays.js";
import { axisTicks } from "./vector_math.js";

const HISTOGRAM_EDGES = { left: 46, right: 10, top: 8, bottom: 24 };
const PROJECTION_EDGE = 14;

// The number of the marker of a class; the markers repeat if there are more classes.
export const markerOf = (place) => place % MARKER_SHAPES.length;

// How many rows of each class lie how far from the plane.
export function drawHistogram(painter, { edges, counts }, palette) {
  const { left, right, top, bottom } = HISTOGRAM_EDGES;
  const [low, high, most] = [edges[0], edges[edges.length - 1], Math.max(...counts.flat(), 1)];
  const x = (value) => left + ((value - low) / (high - low)) * (painter.width - left - right);
  const y = (value) => painter.height - bottom - (value / most) * (painter.height - top - bottom);
  for (const value of axisTicks(0, most, 4)) {
    painter.path([[left, y(value)], [painter.width - right, y(value)]], { stroke: palette.line, width: 1, alpha: 0.6 });
    painter.text(left - 6, y(value), formatNumber(value, 4), { size: 10, fill: palette.soft, anchor: "end" });
  }
  counts.forEach((list, place) => {
    const bars = list.map((count, i) => {
      const width = (x(edges[i + 1]) - x(edges[i])) / counts.length;
      const from = x(edges[i]) + width * place;
      return [[from + 0.5, y(0)], [from + 0.5, y(count)], [from + width - 0.5, y(count)], [from + width - 0.5, y(0)]];
    });
    painter.polygons(bars.filter((_, i) => list[i]), { fill: palette.classes[markerOf(place)] });
  });
  for (const value of axisTicks(low, high, 7)) painter.text(x(value), painter.height - 10, formatNumber(value, 3), { size: 10, fill: palette.soft, anchor: "middle" });
  painter.path([[x(0), top], [x(0), painter.height - bottom]], { stroke: palette.ink, width: 2 });
}

// Rows by their distance from the plane, and along the widest direction within it.
export function drawProjection(painter, projection, palette) {
  const [distance, across, labels] = ["distance", "across", "class"].map((name) => unpackArray(projection[name]));
  const range = (values) => [Math.min(...values), Math.max(...values)];
  const [[x0, x1], [y0, y1]] = [range([...distance, 0]), range(across)];
  const x = (value) => PROJECTION_EDGE + ((value - x0) / (x1 - x0 || 1)) * (painter.width - 2 * PROJECTION_EDGE);
  const y = (value) => painter.height - PROJECTION_EDGE - ((value - y0) / (y1 - y0 || 1)) * (painter.height - 2 * PROJECTION_EDGE);
  painter.path([[x(0), 4], [x(0), painter.height - 4]], { stroke: palette.ink, width: 2 });
  distance.forEach((value, i) => {
    const marker = markerOf(labels[i]);
    drawMarker(painter, MARKER_SHAPES[marker], x(value), y(across[i]), 3.4, { fill: palette.classes[marker], alpha: 0.75 });
  });
  if (projection.every > 1) painter.text(painter.width - 8, painter.height - 8, `every ${projection.every}th row`, { size: 11, fill: palette.soft, anchor: "end" });
}
