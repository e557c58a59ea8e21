// The visible part of the plane, and the conversion between its coordinates and pixels.
import { axisTicks } from "./vector_math.js";

const DEFAULT_REACH = 5.5; // from the origin to the nearer edge
const GRID_LINES = 10; // about so many of each direction
const SNAP_PIXELS = 4; // from a grid line to a pointer that means it

export class Viewport {
  constructor(width, height, reach = DEFAULT_REACH) {
    const scale = Math.min(width, height) / (2 * reach);
    Object.assign(this, { width, height, scale, reachX: width / 2 / scale, reachY: height / 2 / scale });
  }

  toPixels([x, y]) {
    return [this.width / 2 + x * this.scale, this.height / 2 - y * this.scale];
  }

  fromPixels([px, py]) {
    return [(px - this.width / 2) / this.scale, (this.height / 2 - py) / this.scale];
  }

  // Where the grid lines are: [values of x, values of y].
  get grid() {
    return [this.reachX, this.reachY].map((reach) => axisTicks(-reach, reach, GRID_LINES));
  }

  // The place that a pointer means: points can be put exactly on a grid line.
  fromPointer(pixels) {
    const near = SNAP_PIXELS / this.scale;
    return this.fromPixels(pixels).map((value, axis) => this.grid[axis].find((line) => Math.abs(line - value) <= near) ?? value);
  }

  // The corners in the plane's coordinates.
  get box() {
    const [x, y] = [this.reachX, this.reachY];
    return [[-x, -y], [x, -y], [x, y], [-x, y]];
  }
}

// The reach at which all points are visible.
export function reachOf(points, dimension) {
  const farthest = points.reduce((most, [x, y]) => Math.max(most, Math.abs(x), dimension === 1 ? 0 : Math.abs(y)), 0);
  return farthest > DEFAULT_REACH ? farthest * 1.12 : DEFAULT_REACH;
}
