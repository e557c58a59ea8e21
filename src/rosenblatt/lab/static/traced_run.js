// A traced run as the page holds it: the weights after every update, and the scores and margins that they give.
import { unpackArray } from "./packed_arrays.js";
import { angleBetween, dot, norm } from "./vector_math.js";

export class TracedRun {
  constructor(answer, points, dimension) {
    Object.assign(this, { answer, points, dimension });
    this.path = unpackArray(answer.path);
    [this.states, this.planes, this.width] = answer.path.shape;
    this.trace = Object.fromEntries(Object.entries(answer.trace).map(([name, values]) => [name, unpackArray(values)]));
    this.classes = answer.classes;
    const { lift } = answer;
    this.lift = lift && { ...lift, rows: unpackArray(lift.rows), cells: unpackArray(lift.cells) };
    this.features = points.map((point, i) => this.#featuresOf(point, i));
  }

  #featuresOf(point, i) {
    const columns = this.width - 1;
    return this.lift ? this.lift.rows.subarray(i * columns, (i + 1) * columns) : point.slice(0, this.dimension);
  }

  get updates() {
    return this.states - 1;
  }

  // Whether weights exist only for the start and the end, as with a solver that makes no single updates.
  get isUntraced() {
    return this.trace.visit[0] < 0;
  }

  // Whether the run went on after the last update that the page has: its result then belongs to another moment.
  get isCut() {
    return !this.isUntraced && this.answer.result.updates > this.updates;
  }

  get isLinear() {
    return !this.lift;
  }

  get isLogistic() {
    return this.answer.step.loss === "logistic";
  }

  get isHinge() {
    return this.answer.step.loss.endsWith("hinge");
  }

  // Whether all classes are trained together, and not each against the rest.
  get isJoint() {
    return this.answer.step.joint;
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

  // Index of the predicted class. With two classes, a score of 0 predicts the second.
  predictedClass(k, features) {
    if (this.planes === 1) return this.score(k, 0, features) >= 0 ? 1 : 0;
    let best = 0;
    for (let plane = 1; plane < this.planes; plane++)
      if (this.score(k, plane, features) > this.score(k, best, features)) best = plane;
    return best;
  }

  // The margin of point i, as the core defines it: at most 0 is a mistake.
  margin(k, i) {
    const own = this.classes.indexOf(this.points[i][2]);
    if (this.planes === 1) return (own === 1 ? 1 : -1) * this.score(k, 0, this.features[i]);
    let rival = -Infinity;
    for (let plane = 0; plane < this.planes; plane++)
      if (plane !== own) rival = Math.max(rival, this.score(k, plane, this.features[i]));
    return this.score(k, own, this.features[i]) - rival;
  }

  // Half the width of the margin: the distance of the nearest point, or, for hinge losses, of the lines with margin 1.
  marginWidth(k) {
    const size = this.planes > 1 ? 0 : this.#weightNorm(k);
    if (!size) return null;
    if (this.isHinge) return 1 / size;
    const least = Math.min(...this.points.map((_, i) => this.margin(k, i)));
    return least > 0 ? least / size : null;
  }

  // ‖w‖ in the feature space. For a kernel, ‖w‖² = Σ αᵢ (w·φ(xᵢ)).
  #weightNorm(k) {
    const w = this.weights(k).subarray(0, this.width - 1);
    return this.isKernel ? Math.sqrt(Math.max(0, dot(w, this.features.map((row) => dot(row, w))))) : norm(w);
  }

  misclassifiedCount(k) {
    return this.points.filter((_, i) => this.margin(k, i) <= 0).length;
  }

  // Update k, counted from 1: its row, the plane that moved and the sign of the row for that plane.
  update(k) {
    if (k < 1 || k > this.updates) return null;
    const at = (name) => this.trace[name]?.[k - 1];
    const row = at("row");
    const own = row >= 0 ? this.classes.indexOf(this.points[row][2]) : -1;
    const plane = this.isJoint ? own : this.planes > 1 ? at("class") : 0;
    const sign = row < 0 ? 0 : this.planes === 1 ? (own === 1 ? 1 : -1) : own === plane ? 1 : -1;
    return { row, plane, sign, rival: this.isJoint ? at("rival") : -1, margin: at("margin"), change: at("change"), visit: at("visit") };
  }

  // The plane that moved in update k; the first plane before any update.
  movedPlane(k) {
    return this.update(k)?.plane ?? 0;
  }

  // Degrees between w and the direction to point i, both drawn from the point of the line nearest the origin.
  angleFromLine(k, plane, i) {
    const w = Array.from(this.weights(k, plane)).slice(0, -1);
    const square = dot(w, w);
    const b = this.weights(k, plane)[this.width - 1];
    return angleBetween(w, this.features[i].map((value, j) => value + (square ? (b * w[j]) / square : 0)));
  }

  // Degrees between (w, b) and (x, s), where s is the constant coordinate of the offset.
  angleWithOffset(k, plane, i) {
    const w = Array.from(this.weights(k, plane));
    const s = this.answer.step.offset;
    w[w.length - 1] = s ? w[w.length - 1] / s : 0;
    return angleBetween(w, [...this.features[i], s]);
  }
}
