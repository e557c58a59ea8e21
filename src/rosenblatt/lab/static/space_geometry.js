// Geometry in three dimensions: a rotation that projects onto the screen, and the section of a box by a plane.
import { clamp, norm } from "./vector_math.js";

export class Rotation {
  constructor(yaw = -0.6, pitch = 0.42) {
    Object.assign(this, { yaw, pitch });
  }

  turn(dx, dy) {
    this.yaw += dx;
    this.pitch = clamp(this.pitch + dy, -0.2, 1.5);
  }

  // Screen coordinates, y down, and the depth: larger is nearer.
  project([x, y, z]) {
    const [c, s] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const [u, v] = [c * x - s * y, s * x + c * y];
    const [p, q] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    return [u, -(z * p + v * q), z * q - v * p];
  }
}

// The corners of a horizontal square around the z axis.
export const squareAt = (reach, z) => [[-reach, -reach, z], [reach, -reach, z], [reach, reach, z], [-reach, reach, z]];

const BOX_EDGES = [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

// The polygon in which a plane through the origin, given by its normal, cuts a box.
export function boxSection(normal, reach, low, high) {
  const corners = [...squareAt(reach, low), ...squareAt(reach, high)];
  const value = ([x, y, z]) => normal[0] * x + normal[1] * y + normal[2] * z;
  const found = [];
  for (const [i, j] of BOX_EDGES) {
    const [p, q] = [corners[i], corners[j]];
    const [u, v] = [value(p), value(q)];
    if (u >= 0 === v >= 0) continue;
    const t = u / (u - v);
    found.push(p.map((from, axis) => from + t * (q[axis] - from)));
  }
  return found.length < 3 ? found : sortAround(found, normal);
}

// Points of a plane in the order of their angle around their mean.
function sortAround(points, normal) {
  const middle = [0, 1, 2].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
  const unit = normal.map((value) => value / norm(normal));
  const first = points[0].map((value, axis) => value - middle[axis]);
  const second = [unit[1] * first[2] - unit[2] * first[1], unit[2] * first[0] - unit[0] * first[2], unit[0] * first[1] - unit[1] * first[0]];
  const angle = (point) => {
    const arm = point.map((value, axis) => value - middle[axis]);
    return Math.atan2(arm.reduce((sum, value, axis) => sum + value * second[axis], 0), arm.reduce((sum, value, axis) => sum + value * first[axis], 0));
  };
  return points.sort((one, other) => angle(one) - angle(other));
}

// The parts of a polyline inside a region.
export function splitInside(line, isInside) {
  const parts = [[]];
  for (const point of line) {
    if (isInside(point)) parts[parts.length - 1].push(point);
    else if (parts[parts.length - 1].length) parts.push([]);
  }
  return parts.filter((part) => part.length > 1);
}
