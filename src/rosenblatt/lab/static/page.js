// The page: it holds the state, asks for runs, and tells the parts what to show.
import { drawAxis } from "./axis.js";
import { check, choose, element, recipeControls, wide } from "./controls.js";
import { Course } from "./course.js";
import { Editing } from "./editing.js";
import { drawLift, Turn } from "./lift.js";
import { counted } from "./numbers.js";
import { penOf, SvgPen } from "./pens.js";
import { Placing } from "./placing.js";
import { drawPlane, View } from "./plane.js";
import { Playing, SPEEDS } from "./playing.js";
import { Reading } from "./reading.js";
import { stateFrom, stateText } from "./share.js";
import { paletteOf } from "./shapes.js";
import { Sharing } from "./sharing.js";
import { dataView } from "./table.js";
import { Theory } from "./theory.js";

const LAYERS = {
  regions: "regions", band: "margin", normal: "w and its angle", before: "line before", theory: "certificate", radius: "radius R",
};
const VIEWS = { plane: "Plane", lift: "Lift in 3-D" };
const REACH = 5.5;
const BESIDE = 100; // milliseconds
const MOST_UNDONE = 100;
const NOTHING = "Place points of at least two classes to start training.";

export async function mount(root, ask, memory) {
  root.classList.add("rosenblatt-lab");
  try {
    const about = await ask("about", {});
    new Page(root, ask, memory, about);
  } catch (error) {
    root.replaceChildren(element("p", { class: "problem", role: "alert" }, error.message));
  }
}

class Page {
  constructor(root, ask, memory, about) {
    Object.assign(this, { root, ask, memory, about });
    this.state = {
      learner: about.learners[0].name, parameters: { order: "cyclic" }, points: [], dimension: 2, step: 0, speed: 4, view: "plane",
      show: Object.fromEntries(Object.keys(LAYERS).map((name) => [name, name !== "radius"])),
    };
    Object.assign(this, { course: null, turn: new Turn(), dirty: true, besideDrawn: 0, before: [] });
    this.#build();
    this.palette = paletteOf(root);
    this.#begin();
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#retint());
    const loop = (time) => {
      if (!root.isConnected && this.seen) return;
      this.seen ||= root.isConnected;
      this.#frame(time);
      this.#tellBusy();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  async #begin() {
    const found = stateFrom(this.memory.load(), this.about.limits, SPEEDS);
    if (found && this.about.learners.some(({ name }) => name === found.learner)) {
      const { hidden, ...rest } = found;
      Object.assign(this.state, rest);
      for (const name of Object.keys(LAYERS)) this.state.show[name] = !hidden.includes(name);
      this.#showRecipe();
      this.#showView();
      this.placing.show();
      await this.run(found.step);
    } else {
      await this.usePreset("three");
    }
    if (this.about.data) this.#showTab("data");
  }

  // Building

  #build() {
    const { state } = this;
    const say = (text) => this.say(text);
    this.status = element("p", { class: "status", role: "status" });
    this.problem = element("p", { class: "problem", role: "alert", hidden: true });
    this.theory = new Theory();
    this.reading = new Reading();
    this.playing = new Playing(state, { redraw: () => this.redraw(), save: () => this.#save() });
    this.placing = new Placing({
      presets: this.about.presets, limits: this.about.limits, points: () => state.points, dimension: () => state.dimension, setDimension: (n) => this.#setDimension(n), say,
      usePreset: (...given) => this.usePreset(...given), change: (points) => this.change(points), undo: () => this.undo(), refuse: (error) => this.#refused(error),
    });
    this.sharing = new Sharing({ address: () => this.memory.address(), svg: () => this.svg(), png: (done) => this.#png(done), points: () => state.points, dimension: () => state.dimension, say });
    this.recipe = element("div", { class: "recipe" });
    this.main = element("main", { class: "columns" }, this.#left(), this.#centre(),
      element("section", { class: "right", "aria-label": "Theory" }, element("h2", {}, "Theory"), this.theory.element));
    this.data = element("main", { class: "data", hidden: true });
    this.root.replaceChildren(this.#header(), this.main, this.data);
    this.root.addEventListener("keydown", (event) => this.#shortcut(event));
  }

  #header() {
    this.tabs = element("nav", { "aria-label": "Views" });
    if (this.about.data) {
      for (const [name, text] of [["points", "Points"], ["data", "Your data"]])
        this.tabs.append(element("button", { type: "button", "data-tab": name, onclick: () => this.#showTab(name) }, text));
    }
    this.theme = element("button", { type: "button", class: "quiet", onclick: () => this.#toggleTheme() }, "Dark or light");
    return element("header", {}, element("h1", {}, "rosenblatt ", element("span", {}, "lab")),
      element("p", { class: "tagline" }, "Place points, choose a recipe, watch every update."), this.tabs, this.theme);
  }

  #left() {
    this.#showRecipe();
    return element("section", { class: "left", "aria-label": "Points and recipe" },
      element("h2", {}, "Points"), ...this.placing.elements, element("h2", {}, "Recipe"), this.recipe);
  }

  #showRecipe() {
    const { about, state } = this;
    const learner = about.learners.find(({ name }) => name === state.learner);
    const pick = wide(choose("learner", about.learners.map(({ name, rule }) => [name, name, rule]), state.learner, (name) => this.#setLearner(name), { "data-parameter": "learner" }));
    this.recipe.replaceChildren(pick, element("p", { class: "hint" }, learner.rule),
      ...recipeControls(learner, state.parameters, (name, value) => this.#setParameter(name, value)));
  }

  #centre() {
    this.canvas = element("canvas", { class: "plane", tabindex: 0, role: "application",
      "aria-label": "The plane. Arrows move a cursor, Enter places or picks up a point, Delete removes it, n goes to the next point, 1 to 4 choose the class." });
    this.editing = new Editing(this.canvas, {
      view: () => this.view, points: () => this.state.points, dimension: () => this.state.dimension, tool: () => this.placing.tool,
      setTool: (k) => this.placing.setTool(k), change: (points, going) => this.change(points, going), say: (text) => this.say(text),
      redraw: () => this.redraw(), most: this.about.limits.points, frozen: () => this.state.view === "lift",
      turn: (event) => this.#turnByKey(event),
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.state.view !== "lift" || !event.buttons) return;
      this.turn.by(event.movementX * 0.01, event.movementY * 0.01);
      this.redraw();
    });
    this.layers = element("div", { class: "layers", role: "group", "aria-label": "What is drawn" },
      ...Object.entries(LAYERS).map(([name, text]) => check(text, this.state.show[name], (on) => this.#setLayer(name, on), { "data-layer": name })));
    this.viewButtons = Object.entries(VIEWS).map(([name, text]) => element("button", { type: "button", "data-view": name, onclick: () => this.#setView(name) }, text));
    const bar = element("div", { class: "viewbar" }, element("div", { class: "segmented", role: "group", "aria-label": "View" }, ...this.viewButtons), this.layers);
    this.overlay = element("p", { class: "overlay", hidden: true }, "Click anywhere to place a point.");
    this.#showView();
    return element("section", { class: "centre", "aria-label": "The plane" }, bar,
      element("div", { class: "stage" }, this.canvas, this.overlay), this.playing.element, this.problem, this.status, this.reading.element, this.sharing.element);
  }

  // Changes

  async usePreset(name, margin = null, seed = 0) {
    this.choosing = true;
    this.#tellBusy();
    try {
      const found = await this.ask("preset", { preset: name, margin, seed });
      this.#remember();
      Object.assign(this.state, { points: found.points, dimension: found.dimension });
      this.placing.from(name, margin, seed);
      await this.run();
    } catch (error) {
      this.#refused(error);
    } finally {
      this.choosing = false;
    }
  }

  // Other points; `going` says that a change goes on, as while a point is dragged.
  change(points, going = false) {
    if (!going) this.#remember();
    this.state.points = points;
    this.placing.from(null);
    this.run();
  }

  #remember() {
    const { points, dimension } = this.state;
    if (!points.length) return;
    const { preset, margin, seed } = this.placing;
    this.before = [...this.before.slice(1 - MOST_UNDONE), { points, dimension, origin: [preset, margin, seed] }];
    this.placing.back.disabled = false;
  }

  undo() {
    const last = this.before.pop();
    if (!last) return;
    this.placing.back.disabled = !this.before.length;
    const { origin, ...rest } = last;
    Object.assign(this.state, rest);
    this.placing.from(...origin);
    this.placing.show();
    this.run();
  }

  #setDimension(dimension) {
    this.state.dimension = dimension;
    this.run();
  }

  #setLearner(name) {
    this.state.learner = name;
    const known = this.about.learners.find((learner) => learner.name === name).parameters.map((parameter) => parameter.name);
    const before = this.state.parameters;
    this.state.parameters = Object.fromEntries(Object.entries(before).filter(([key]) => known.includes(key) && ["fit_intercept", "random_state", "max_iter"].includes(key)));
    this.#showRecipe();
    this.recipe.querySelector("select").focus();
    this.run();
  }

  #setParameter(name, value) {
    if (value === undefined) delete this.state.parameters[name];
    else this.state.parameters[name] = value;
    this.run();
  }

  #setLayer(name, on) {
    this.state.show[name] = on;
    this.#save();
    this.redraw();
  }

  #setView(name) {
    this.state.view = name;
    this.#showView();
    this.#save();
    this.redraw();
  }

  #showView() {
    const { view, show } = this.state;
    for (const button of this.viewButtons) button.setAttribute("aria-pressed", String(button.dataset.view === view));
    for (const box of this.layers.querySelectorAll("input")) box.checked = show[box.dataset.layer];
    this.layers.hidden = view === "lift"; // they are layers of the plane
    this.canvas.classList.toggle("turning", view === "lift");
  }

  #turnByKey(event) {
    const moves = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    if (!moves[event.key]) return;
    event.preventDefault();
    this.turn.by(...moves[event.key]);
    this.redraw();
  }

  // Asking: the newest question counts, and one is under way at a time.

  async run(step = null) {
    this.wanted = { step };
    this.redraw();
    if (this.running) return this.running;
    this.running = this.#answerAll();
    await this.running;
    this.running = null;
  }

  async #answerAll() {
    while (this.wanted) {
      const { step } = this.wanted;
      this.wanted = null;
      const { points, dimension, learner, parameters } = this.state;
      this.view ??= new View(600, 520);
      const reach = [this.view.reachX, this.view.reachY];
      const request = { points, dimension, learner, parameters: { ...parameters }, reach };
      try {
        if (new Set(points.map(([, , label]) => label)).size < 2) throw new Error(NOTHING);
        this.#adopt(new Course(await this.ask("run", request), points, dimension), step);
        if (!this.wanted) await this.#prove(request);
      } catch (error) {
        this.#refused(error);
      }
    }
  }

  async #prove(request) {
    const course = this.course;
    const proofs = await this.ask("prove", request);
    if (this.course === course) this.theory.prove(proofs);
  }

  #adopt(course, step) {
    const atEnd = !this.course || this.playing.atEnd;
    this.course = course;
    this.problem.hidden = true;
    this.playing.set(course.updates);
    this.theory.set(course, this.palette);
    this.sharing.set(course.answer.snippet);
    this.playing.goTo(step ?? (atEnd ? Infinity : this.state.step), false);
    const { result } = course.answer;
    const more = result.updates > course.updates && course.trace.visit[0] >= 0 ? ` The first ${course.updates.toLocaleString("en")} of ${counted(result.updates, "update")} are shown.` : "";
    this.say(`${result.status.startsWith("max_") ? "" : "Ended: "}${result.status}.${more}`);
    this.#save();
  }

  // Nothing of a run that is no longer about these points stays on the page.
  #refused(error) {
    this.problem.textContent = error.message;
    this.problem.hidden = false;
    this.problem.classList.toggle("gentle", error.message === NOTHING);
    if (!this.course || this.course.points !== this.state.points) {
      this.course = null;
      this.playing.set(0);
      this.theory.clear();
      this.sharing.set(null);
      this.say("");
    }
    this.#save();
    this.redraw();
  }

  say(text) {
    this.status.textContent = text;
  }

  #save() {
    clearTimeout(this.saving);
    this.saving = setTimeout(() => {
      this.memory.save(stateText(this.state));
      this.saving = null;
    }, 100);
    this.#tellBusy();
  }

  // Drawing

  #frame(time) {
    if (this.playing.tick(time)) this.dirty = true;
    if (!this.dirty || this.main.hidden) return;
    this.dirty = false;
    this.#draw();
  }

  redraw() {
    this.dirty = true;
    this.#tellBusy();
  }

  // Whether something is still under way: an answer, a drawing, or the address. For tests, and for style sheets.
  #tellBusy() {
    const busy = String(Boolean(this.running || this.saving || this.choosing || this.dataPage?.asking || (this.dirty && !this.main.hidden)));
    if (this.root.dataset.busy !== busy) this.root.dataset.busy = busy;
  }

  get reach() {
    const { points, dimension } = this.state;
    const far = points.reduce((most, [x, y]) => Math.max(most, Math.abs(x), dimension === 1 ? 0 : Math.abs(y)), 0);
    return far > REACH ? far * 1.12 : REACH;
  }

  get scene() {
    const { points, step, show } = this.state;
    const course = this.course && this.course.points === points && this.course.dimension === this.state.dimension ? this.course : null;
    return { course, points, step: course ? Math.min(step, course.updates) : 0, show, palette: this.palette, cursor: this.editing.cursor, selected: this.editing.selected };
  }

  #paint(pen) {
    const { scene } = this;
    if (this.state.view === "lift") return drawLift(pen, scene, this.turn, this.reach);
    (this.state.dimension === 1 ? drawAxis : drawPlane)(pen, this.view, scene);
  }

  #draw() {
    const pen = penOf(this.canvas);
    if (!pen.width) return;
    if (!this.view || !this.editing.down || this.editing.dragged < 0) this.view = new View(pen.width, pen.height, this.reach);
    this.#paint(pen);
    const { scene } = this;
    this.overlay.hidden = this.state.points.length > 0;
    if (!scene.course && this.course) return; // what is on the page is about to be replaced
    this.playing.count(scene.step);
    this.#drawBeside(scene);
  }

  // What stands beside the plane is read, not watched: while playing, ten times a second is enough for it.
  #drawBeside(scene) {
    const { playing } = this.playing;
    const now = performance.now();
    if (playing && now - this.besideDrawn < BESIDE) return;
    this.besideDrawn = now;
    this.reading.show(scene, !playing);
    if (scene.course) this.theory.at(scene.step);
  }

  svg() {
    const pen = new SvgPen(this.canvas.clientWidth, this.canvas.clientHeight);
    this.#paint(pen);
    return pen.toString();
  }

  #png(done) {
    this.#draw();
    this.canvas.toBlob(done);
  }

  // Tabs, themes and keys

  #showTab(name) {
    this.main.hidden = name === "data";
    this.data.hidden = name !== "data";
    for (const button of this.tabs.children) button.setAttribute("aria-pressed", String(button.dataset.tab === name));
    if (name === "data" && !this.data.children.length) this.dataPage = dataView(this.data, this.ask, this.about, () => this.palette);
    this.redraw();
  }

  #toggleTheme() {
    const dark = this.root.dataset.theme ? this.root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    this.root.dataset.theme = dark ? "light" : "dark";
    document.body.classList.contains("rosenblatt-page") && (document.documentElement.dataset.theme = this.root.dataset.theme);
    this.#retint();
  }

  #retint() {
    this.palette = paletteOf(this.root);
    if (this.course) this.theory.set(this.course, this.palette);
    this.dataPage?.retint();
    this.redraw();
  }

  #shortcut(event) {
    const writes = event.target.closest("input:not([type=checkbox], [type=radio], [type=range]), textarea, select");
    if (event.key === "z" && (event.ctrlKey || event.metaKey) && !writes && !this.main.hidden) this.undo();
    else if (event.target.closest("input, select, textarea, button, summary") || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === ".") this.playing.goTo(this.state.step + 1);
    else if (event.key === ",") this.playing.goTo(this.state.step - 1);
    else if (event.key === "p") this.playing.play(!this.playing.playing);
    else return;
    event.preventDefault();
  }
}
