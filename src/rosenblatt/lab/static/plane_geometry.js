// Geometry of the plane: half planes, regions of competing scores, and contours of scores on a grid.

// The part of a convex polygon where a value that is linear in the coordinates is 0 or more. Points have any number of coordinates.
export function clipPolygon(polygon, value) {
  const kept = [];
  polygon.forEach((point, i) => {
    const next = polygon[(i + 1) % polygon.length];
    const [here, there] = [value(point), value(next)];
    if (here >= 0) kept.push(point);
    if (here >= 0 !== there >= 0) {
      const t = here / (here - there);
      kept.push(point.map((from, axis) => from + t * (next[axis] - from)));
    }
  });
  return kept;
}

// The part of a convex polygon of the plane where a·x + b >= 0.
export const clipToHalfPlane = (polygon, [a1, a2, b]) => clipPolygon(polygon, ([x, y]) => a1 * x + a2 * y + b);

// The two ends of the line a·x + b = 0 inside a box, or null.
export function lineInBox(box, [a1, a2, b]) {
  const ends = [];
  box.forEach((point, i) => {
    const next = box[(i + 1) % box.length];
    const [here, there] = [a1 * point[0] + a2 * point[1] + b, a1 * next[0] + a2 * next[1] + b];
    if (here >= 0 !== there >= 0) {
      const t = here / (here - there);
      ends.push([point[0] + t * (next[0] - point[0]), point[1] + t * (next[1] - point[1])]);
    }
  });
  return ends.length === 2 ? ends : null;
}

// The convex region of a box in which one of several planes has the highest score.
export function winningRegion(box, planes, own) {
  return planes.reduce((region, plane, k) => {
    if (k === own || !region.length) return region;
    return clipToHalfPlane(region, planes[own].map((value, i) => value - plane[i]));
  }, box);
}

// Polygons that cover the part of a grid whose values are at least 0. Neighbouring whole cells of a row form one polygon.
// `place` converts grid coordinates to pixels.
export function positiveCellPolygons(values, side, place) {
  const polygons = [];
  for (let j = 0; j < side - 1; j++) {
    let begin = -1;
    for (let i = 0; i < side; i++) {
      const corners = i < side - 1 ? cellCorners(values, side, i, j) : null;
      const whole = corners !== null && corners.every((value) => value >= 0);
      if (whole && begin < 0) begin = i;
      if (!whole && begin >= 0) {
        polygons.push([place(begin, j), place(i, j), place(i, j + 1), place(begin, j + 1)]);
        begin = -1;
      }
      if (corners && !whole && corners.some((value) => value >= 0)) polygons.push(cellPolygon(corners, i, j, place));
    }
  }
  return polygons;
}

function cellCorners(values, side, i, j) {
  const at = j * side + i;
  return [values[at], values[at + 1], values[at + side + 1], values[at + side]];
}

const CELL_CORNERS = [[0, 0], [1, 0], [1, 1], [0, 1]];

function cellPolygon(corners, i, j, place) {
  const points = [];
  CELL_CORNERS.forEach(([u, v], k) => {
    const [here, there] = [corners[k], corners[(k + 1) % 4]];
    if (here >= 0) points.push(place(i + u, j + v));
    if (here >= 0 !== there >= 0) {
      const [p, q] = CELL_CORNERS[(k + 1) % 4];
      const t = here / (here - there);
      points.push(place(i + u + t * (p - u), j + v + t * (q - v)));
    }
  });
  return points;
}

// The contour where a grid of values is 0, in short segments.
export function zeroContour(values, side, place) {
  const segments = [];
  for (let j = 0; j < side - 1; j++) {
    for (let i = 0; i < side - 1; i++) {
      const corners = cellCorners(values, side, i, j);
      const ends = [];
      CELL_CORNERS.forEach(([u, v], k) => {
        const [here, there] = [corners[k], corners[(k + 1) % 4]];
        if (here >= 0 === there >= 0) return;
        const [p, q] = CELL_CORNERS[(k + 1) % 4];
        const t = here / (here - there);
        ends.push(place(i + u + t * (p - u), j + v + t * (q - v)));
      });
      for (let k = 0; k + 1 < ends.length; k += 2) segments.push([ends[k], ends[k + 1]]);
    }
  }
  return segments;
}

// Points in the order of their angle around their mean.
export function sortByAngle(points) {
  const centre = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
  const angle = ([x, y]) => Math.atan2(y - centre[1], x - centre[0]);
  return [...points].sort((one, other) => angle(one) - angle(other));
}
