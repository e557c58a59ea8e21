// A run as the page holds it: the weights after every update, and what they say about the points.
import { dot, length, unpacked } from "./numbers.js";

export class Course {
  constructor(answer, points, dimension) {
    Object.assign(this, { answer, points, dimension });
    this.path = unpacked(answer.path);
    [this.moments, this.planes, this.width] = answer.path.shape;
    this.trace = Object.fromEntries(Object.entries(answer.trace).map(([name, values]) => [name, unpacked(values)]));
    this.classes = answer.classes;
    const { lift } = answer;
    this.lift = lift && { ...lift, rows: unpacked(lift.rows), cells: unpacked(lift.cells) };
    this.features = points.map((point, i) => this.#featuresOf(point, i));
  }

  #featuresOf(point, i) {
    const columns = this.width - 1;
    return this.lift ? this.lift.rows.subarray(i * columns, (i + 1) * columns) : point.slice(0, this.dimension);
  }

  get updates() {
    return this.moments - 1;
  }

  get isLinear() {
    return !this.lift;
  }

  get isKernel() {
    return this.answer.step.kernel;
  }

  // Weights and offset of one plane after k updates.
  weights(k, plane = 0) {
    const begin = (k * this.planes + plane) * this.width;
    return this.path.subarray(begin, begin + this.width);
  }

  score(k, plane, features) {
    const w = this.weights(k, plane);
    return dot(features, w) + w[this.width - 1];
  }

  // Place of the class that is predicted: of two classes, a score of 0 is the second.
  predicted(k, features) {
    if (this.planes === 1) return this.score(k, 0, features) >= 0 ? 1 : 0;
    let best = 0;
    for (let plane = 1; plane < this.planes; plane++)
      if (this.score(k, plane, features) > this.score(k, best, features)) best = plane;
    return best;
  }

  // The margin as the core counts it: at most 0 is a mistake.
  margin(k, i) {
    const own = this.classes.indexOf(this.points[i][2]);
    if (this.planes === 1) return (own === 1 ? 1 : -1) * this.score(k, 0, this.features[i]);
    let rival = -Infinity;
    for (let plane = 0; plane < this.planes; plane++)
      if (plane !== own) rival = Math.max(rival, this.score(k, plane, this.features[i]));
    return this.score(k, own, this.features[i]) - rival;
  }

  // How wide the margin of one plane is: how near the nearest point comes, or, for hinge losses, where the margin is 1.
  clearance(k) {
    const size = this.planes > 1 ? 0 : this.#size(k);
    if (!size) return null;
    if (this.answer.step.loss.endsWith("hinge")) return 1 / size;
    const least = Math.min(...this.points.map((_, i) => this.margin(k, i)));
    return least > 0 ? least / size : null;
  }

  // The length of w, in the space that it is of: that of a kernel has ‖w‖² = Σ αᵢ (w·φ(xᵢ)).
  #size(k) {
    const w = this.weights(k).subarray(0, this.width - 1);
    return this.isKernel ? Math.sqrt(Math.max(0, dot(w, this.features.map((row) => dot(row, w))))) : length(w);
  }

  wrong(k) {
    return this.points.map((_, i) => i).filter((i) => this.margin(k, i) <= 0);
  }

  // What happened in update k (counted from 1): its row, the plane that moved and the sign of the row there.
  update(k) {
    if (k < 1 || k > this.updates) return null;
    const at = (name) => this.trace[name]?.[k - 1];
    const row = at("row");
    const own = row >= 0 ? this.classes.indexOf(this.points[row][2]) : -1;
    const joint = this.answer.step.joint;
    const plane = joint ? own : this.planes > 1 ? at("class") : 0;
    const sign = row < 0 ? 0 : this.planes === 1 ? (own === 1 ? 1 : -1) : own === plane ? 1 : -1;
    return { row, plane, sign, own, rival: joint ? at("rival") : -1, margin: at("margin"), change: at("change"), visit: at("visit") };
  }

  // Degrees between w and the way to a point, from where w stands on the line: more than 90 is the other side.
  seenFromTheLine(k, plane, i) {
    const w = Array.from(this.weights(k, plane)).slice(0, -1);
    const square = dot(w, w);
    const b = this.weights(k, plane)[this.width - 1];
    const way = this.features[i].map((value, j) => value + (square ? (b * w[j]) / square : 0));
    const size = Math.sqrt(square) * length(way);
    return size ? (Math.acos(Math.min(1, Math.max(-1, dot(w, way) / size))) * 180) / Math.PI : null;
  }

  // Degrees between (w, b) and (x, s): more than 90 is the wrong side for the positive class.
  angle(k, plane, i) {
    const w = Array.from(this.weights(k, plane));
    const s = this.answer.step.offset;
    w[w.length - 1] = s ? w[w.length - 1] / s : 0;
    const x = [...this.features[i], s];
    const size = length(w) * length(x);
    return size ? (Math.acos(Math.min(1, Math.max(-1, dot(w, x) / size))) * 180) / Math.PI : null;
  }
}
