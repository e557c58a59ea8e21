// The state of the page: points, recipe, step and visible layers, and the undo history of the points. No DOM.

export const LAYERS = {
  regions: "regions", band: "margin", normal: "w and its angle", before: "previous line", theory: "certificate", radius: "radius R",
};
export const HIDDEN_LAYERS = ["radius"]; // layers that are not drawn unless somebody asks for them
const MAX_UNDO_STEPS = 100;
const SHARED_PARAMETERS = ["fit_intercept", "random_state", "max_iter"]; // kept if another classifier is chosen

export class PageState {
  constructor(learner) {
    Object.assign(this, {
      learner, parameters: { order: "cyclic" }, points: [], dimension: 2, step: 0, speed: null, view: "plane",
      show: {}, isProofSeen: false, lesson: null, undoHistory: [], redoHistory: [],
    });
    this.hideLayers(HIDDEN_LAYERS);
  }

  // Takes over a saved state, as `decodeState` returns it.
  restore({ hidden, ...rest }) {
    Object.assign(this, rest);
    this.hideLayers(hidden);
  }

  // Hides these layers and shows all others.
  hideLayers(hidden) {
    for (const name of Object.keys(LAYERS)) this.show[name] = !hidden.includes(name);
  }

  // The layers that are drawn. The certificate is the answer: it waits until the run has ended or somebody asks for it.
  get shown() {
    return { ...this.show, theory: this.show.theory && this.isProofSeen };
  }

  setLayer(name, on) {
    this.show[name] = on;
    if (name === "theory" && on) this.isProofSeen = true;
  }

  get hasTwoClasses() {
    return new Set(this.points.map(([, , label]) => label)).size >= 2;
  }

  runRequest({ reachX, reachY }) {
    const { points, dimension, learner, parameters } = this;
    return { points, dimension, learner, parameters: { ...parameters }, reach: [reachX, reachY] };
  }

  setLearner({ name, parameters }) {
    const known = parameters.map((parameter) => parameter.name);
    this.learner = name;
    this.parameters = Object.fromEntries(Object.entries(this.parameters).filter(([key]) => known.includes(key) && SHARED_PARAMETERS.includes(key)));
  }

  // undefined restores the default.
  setParameter(name, value) {
    if (value === undefined) delete this.parameters[name];
    else this.parameters[name] = value;
  }

  // Remembers the points, and the origin that the points panel shows for them, before a change.
  remember(origin) {
    const { points, dimension } = this;
    this.redoHistory = [];
    if (points.length) this.undoHistory = [...this.undoHistory.slice(1 - MAX_UNDO_STEPS), { points, dimension, origin }];
  }

  get isUndoable() {
    return this.undoHistory.length > 0;
  }

  get isRedoable() {
    return this.redoHistory.length > 0;
  }

  // Restores the points before the last change and returns their origin. `origin` is that of the present points.
  undo(origin) {
    return this.#move(this.undoHistory, this.redoHistory, origin);
  }

  // Restores the points that the last undo took back.
  redo(origin) {
    return this.#move(this.redoHistory, this.undoHistory, origin);
  }

  #move(from, to, origin) {
    const { points, dimension } = this;
    to.push({ points, dimension, origin });
    const { origin: restored, ...rest } = from.pop();
    Object.assign(this, rest);
    return restored;
  }
}
