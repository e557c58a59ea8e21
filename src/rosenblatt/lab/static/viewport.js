// The visible part of the plane, and the conversion between its coordinates and pixels.

const DEFAULT_REACH = 5.5; // from the origin to the nearer edge

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
