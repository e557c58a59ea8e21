// The page: it holds the state, asks for runs, plays them, and tells the parts what to show.
import { drawAxis } from "./axis.js";
import { check, choose, element, recipeControls } from "./controls.js";
import { Course } from "./course.js";
import { Editing } from "./editing.js";
import { drawLift, Turn } from "./lift.js";
import { drawNeuron, neuronAt } from "./neuron.js";
import { clamp, counted, vector, written } from "./numbers.js";
import { penOf, SvgPen } from "./pens.js";
import { bandOf, drawPlane, View } from "./plane.js";
import { csvOf, download, pointsOf, stateFrom, stateText } from "./share.js";
import { paletteOf, SIGNS } from "./shapes.js";
import { dataView } from "./table.js";
import { Theory } from "./theory.js";
import { ruleOf } from "./words.js";

const SPEEDS = [1, 2, 4, 10, 30, 100, 400, 1000];
const LAYERS = {
  regions: "regions", band: "margin band", normal: "w and its angle", before: "line before", theory: "certificate", radius: "radius R",
};
const REACH = 5.5;
const BESIDE = 100; // milliseconds
const ICONS = {
  start: "M4 3h2v10H4zM13 3v10L6.5 8z", back: "M11 3v10L4 8z", play: "M4 2.5v11L13 8z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5 3v10l7-5z", end: "M10 3h2v10h-2zM3 3v10l6.500-5z",
};

function icon(name) {
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" })) drawing.setAttribute(key, value);
  path.setAttribute("d", ICONS[name]);
  path.setAttribute("fill", "currentColor");
  drawing.append(path);
  return drawing;
}

export async function mount(root, ask, memory) {
  root.classList.add("rosenblatt-lab");
  try {
    const about = await ask("about", {});
    new Page(root, ask, memory, about);
  } catch (error) {
    root.replaceChildren(element("p", { class: "problem", role: "alert" }, error.message));
  }
}

// In a notebook: questions go through the widget's model, which also keeps the state.
function render({ model, el }) {
  const root = element("div");
  el.append(root);
  const waiting = new Map();
  let last = 0;
  const hear = ({ id, answer, error }) => {
    const promise = waiting.get(id);
    waiting.delete(id);
    if (promise) error ? promise.reject(new Error(error)) : promise.resolve(answer);
  };
  model.on("msg:custom", hear);
  const ask = (kind, content) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      model.send({ id: last, kind, content });
    });
  const memory = {
    load: () => model.get("state"),
    save: (text) => {
      model.set("state", text);
      model.save_changes();
    },
    address: () => null,
  };
  mount(root, ask, memory);
  return () => model.off("msg:custom", hear);
}

class Page {
  constructor(root, ask, memory, about) {
    Object.assign(this, { root, ask, memory, about });
    this.state = {
      learner: about.learners[0].name, parameters: { order: "cyclic" }, points: [], dimension: 2, step: 0, speed: 4, view: "plane",
      show: Object.fromEntries(Object.keys(LAYERS).map((name) => [name, name !== "radius"])),
    };
    Object.assign(this, { course: null, playing: false, asked: 0, tool: 1, turn: new Turn(), dirty: true, besideDrawn: 0 });
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
    const found = stateFrom(this.memory.load());
    if (found && this.about.learners.some(({ name }) => name === found.learner)) {
      const { hidden, ...rest } = found;
      Object.assign(this.state, rest);
      for (const name of Object.keys(LAYERS)) this.state.show[name] = !hidden.includes(name);
      this.#rebuildControls();
      await this.run(found.step);
    } else {
      await this.usePreset("three");
    }
    if (this.about.data) this.#showTab("data");
  }

  // Building

  #build() {
    this.status = element("p", { class: "status", role: "status" });
    this.problem = element("p", { class: "problem", role: "alert", hidden: true });
    this.theory = new Theory();
    this.main = element("main", { class: "columns" }, this.#left(), this.#centre(), this.#right());
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
    this.presets = element("div");
    this.recipe = element("div", { class: "recipe" });
    this.tools = element("fieldset", { class: "tools" }, element("legend", {}, "Click the plane to place"));
    const rubber = [["erase", "✕"]];
    for (const [name, sign] of [...SIGNS.map((sign, k) => [k, sign]), ...rubber]) {
      const input = element("input", { type: "radio", name: "rosenblatt-tool", value: name, onchange: () => (this.tool = name) });
      input.checked = name === this.tool;
      const spoken = name === "erase" ? "erase points" : `class ${name}`;
      this.tools.append(element("label", { class: `tool tool-${name}`, title: spoken }, input, element("span", { "aria-hidden": "true" }, sign), element("span", { class: "spoken" }, spoken)));
    }
    this.text = element("textarea", { rows: 6, spellcheck: "false", "aria-label": "Points as text: one a line, coordinates and class" });
    const apply = element("button", { type: "button", onclick: () => this.#applyText() }, "Use these points");
    const asText = element("details", { class: "more", ontoggle: () => this.#fillText() }, element("summary", {}, "Points as text"), this.text, apply);
    this.#rebuildControls();
    return element("section", { class: "left", "aria-label": "Points and recipe" },
      element("h2", {}, "Points"), this.presets, this.tools,
      element("div", { class: "row" },
        element("button", { type: "button", onclick: () => this.change([]) }, "Clear"), this.dimensions), asText,
      element("h2", {}, "Recipe"), this.recipe);
  }

  #rebuildControls() {
    const { about, state } = this;
    const rows = about.presets.map(({ name, title, rule }) => [name, title, rule]);
    const preset = about.presets.find(({ name }) => name === this.preset);
    const pick = choose("Start from", [["", "own points"], ...rows], this.preset ?? "", (name) => name && this.usePreset(name), { "data-control": "preset" });
    const parts = [pick];
    if (preset) parts.push(element("p", { class: "hint" }, preset.rule));
    if (preset && preset.margin !== null) parts.push(this.#marginSlider(preset));
    if (preset) parts.push(element("button", { type: "button", class: "quiet", onclick: () => this.usePreset(this.preset, this.marginValue, (this.seed ?? 0) + 1) }, "Draw others"));
    this.presets.replaceChildren(...parts);
    this.dimensions ??= element("span");
    this.dimensions.replaceChildren(check("one dimension", state.dimension === 1, (on) => {
      state.dimension = on ? 1 : 2;
      this.run();
    }, { "data-control": "dimension" }));
    const learner = about.learners.find(({ name }) => name === state.learner);
    this.recipe.replaceChildren(
      choose("learner", about.learners.map(({ name, rule }) => [name, name, rule]), state.learner, (name) => this.#setLearner(name), { "data-parameter": "learner" }),
      element("p", { class: "hint" }, learner.rule),
      ...recipeControls(learner, state.parameters, (name, value) => this.#setParameter(name, value)));
    if (this.layerBoxes) for (const [name, box] of Object.entries(this.layerBoxes)) box.querySelector("input").checked = state.show[name];
  }

  #marginSlider(preset) {
    const value = this.marginValue ?? preset.margin;
    const shown = element("output", {}, written(value, 3));
    const input = element("input", { type: "range", min: 0.01, max: 2, step: 0.01, value, "aria-label": "margin of the blobs", "data-control": "margin",
      oninput: () => (shown.textContent = written(Number(input.value), 3)),
      onchange: () => this.usePreset(this.preset, Number(input.value), this.seed) });
    return element("div", { class: "field" }, element("span", {}, "margin ", shown), input);
  }

  #centre() {
    this.canvas = element("canvas", { class: "plane", tabindex: 0, role: "application",
      "aria-label": "The plane. Arrows move a cursor, Enter places or picks up a point, Delete removes it, n goes to the next point, 1 to 4 choose the class." });
    this.editing = new Editing(this.canvas, {
      view: () => this.view, points: () => this.state.points, dimension: () => this.state.dimension, tool: () => this.tool,
      setTool: (k) => this.#setTool(k), change: (points) => this.change(points), say: (text) => this.say(text),
      redraw: () => this.redraw(), most: this.about.limits.points, frozen: () => this.state.view === "lift",
      turn: (event) => this.#turnByKey(event),
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.state.view !== "lift" || !event.buttons) return;
      this.turn.by(event.movementX * 0.01, event.movementY * 0.01);
      this.redraw();
    });
    this.layerBoxes = Object.fromEntries(Object.entries(LAYERS).map(([name, text]) =>
      [name, check(text, this.state.show[name], (on) => this.#setLayer(name, on), { "data-layer": name })]));
    this.viewButtons = ["plane", "lift"].map((name) => element("button", { type: "button", "data-view": name, "aria-pressed": String(name === this.state.view), onclick: () => this.#setView(name) }, name === "plane" ? "Plane" : "Lift in 3-D"));
    const bar = element("div", { class: "viewbar" }, element("div", { class: "segmented", role: "group", "aria-label": "View" }, ...this.viewButtons),
      element("div", { class: "layers", role: "group", "aria-label": "What is drawn" }, ...Object.values(this.layerBoxes)));
    this.overlay = element("p", { class: "overlay", hidden: true });
    this.rule = element("div", { class: "rule" });
    this.neuron = element("canvas", { class: "neuron", role: "img", "aria-label": "The neuron" });
    this.numbers = element("dl", { class: "numbers" });
    return element("section", { class: "centre", "aria-label": "The plane" }, bar,
      element("div", { class: "stage" }, this.canvas, this.overlay), this.#transport(), this.problem, this.status,
      element("div", { class: "reading" }, element("div", {}, this.rule, this.numbers), element("figure", {}, element("h2", {}, "The neuron"), this.neuron)), this.#share());
  }

  #transport() {
    const button = (name, text, act) => element("button", { type: "button", "data-play": name, title: text, "aria-label": text, onclick: act }, icon(name));
    this.playButton = button("play", "Play", () => this.play(!this.playing));
    this.slider = element("input", { type: "range", min: 0, max: 0, value: 0, step: 1, "aria-label": "Update", "data-control": "step", oninput: () => this.goTo(Number(this.slider.value)) });
    this.counter = element("output", { class: "counter", "data-name": "step" }, "0 / 0");
    this.speed = choose("speed", SPEEDS.map((value) => [String(value), `${value} / s`]), String(this.state.speed), (value) => {
      this.state.speed = Number(value);
      this.#save();
    }, { "data-control": "speed" });
    return element("div", { class: "transport", role: "group", "aria-label": "Playing" },
      button("start", "To the start", () => this.goTo(0)), button("back", "One update back", () => this.goTo(this.state.step - 1)),
      this.playButton, button("forward", "One update on", () => this.goTo(this.state.step + 1)),
      button("end", "To the end", () => this.goTo(Infinity)), this.slider, this.counter, this.speed);
  }

  #right() {
    return element("section", { class: "right", "aria-label": "Theory" }, element("h2", {}, "Theory"), this.theory.element);
  }

  #share() {
    const button = (name, text, act) => element("button", { type: "button", "data-share": name, onclick: act }, text);
    this.snippet = element("pre", { class: "snippet", tabindex: 0, hidden: true, "aria-label": "The run in Python" });
    return element("div", { class: "share", role: "group", "aria-label": "Share" },
      this.memory.address() === null ? null : button("link", "Copy link", () => this.#copy(this.memory.address(), "The link")),
      button("svg", "SVG", () => download("lab.svg", this.svg())), button("png", "PNG", () => this.#png()),
      button("csv", "CSV", () => download("points.csv", csvOf(this.state.points, this.state.dimension))),
      button("python", "Python", () => this.#python()), this.snippet);
  }

  // Changes

  async usePreset(name, margin = null, seed = 0) {
    this.choosing = true;
    this.#tellBusy();
    try {
      const found = await this.ask("preset", { preset: name, margin, seed });
      Object.assign(this, { preset: name, seed, marginValue: margin });
      Object.assign(this.state, { points: found.points, dimension: found.dimension });
      this.#rebuildControls();
      await this.run();
    } catch (error) {
      this.#refused(error);
    } finally {
      this.choosing = false;
    }
  }

  change(points) {
    this.state.points = points;
    this.preset = undefined;
    this.run();
  }

  #setLearner(name) {
    this.state.learner = name;
    const known = this.about.learners.find((learner) => learner.name === name).parameters.map((parameter) => parameter.name);
    const before = this.state.parameters;
    this.state.parameters = Object.fromEntries(Object.entries(before).filter(([key]) => known.includes(key) && ["fit_intercept", "random_state", "max_iter"].includes(key)));
    this.#rebuildControls();
    this.recipe.querySelector("select").focus();
    this.run();
  }

  #setParameter(name, value) {
    if (value === undefined) delete this.state.parameters[name];
    else this.state.parameters[name] = value;
    this.run();
  }

  #setTool(k) {
    this.tool = k;
    this.tools.querySelector(`input[value="${k}"]`).checked = true;
    this.say(`Placing ${SIGNS[k]}.`);
  }

  #setLayer(name, on) {
    this.state.show[name] = on;
    this.#save();
    this.redraw();
  }

  #setView(name) {
    this.state.view = name;
    for (const button of this.viewButtons) button.setAttribute("aria-pressed", String(button.dataset.view === name));
    this.canvas.classList.toggle("turning", name === "lift");
    this.#save();
    this.redraw();
  }

  #turnByKey(event) {
    const moves = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    if (!moves[event.key]) return;
    event.preventDefault();
    this.turn.by(...moves[event.key]);
    this.redraw();
  }

  #fillText() {
    this.text.value = csvOf(this.state.points, this.state.dimension);
  }

  #applyText() {
    try {
      this.change(pointsOf(this.text.value, this.state.dimension));
    } catch (error) {
      this.#refused(error);
    }
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
      const request = { points, dimension, learner, parameters, reach };
      try {
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
    const atEnd = !this.course || this.state.step >= this.course.updates;
    this.course = course;
    this.problem.hidden = true;
    this.slider.max = course.updates;
    this.theory.set(course, this.palette);
    this.snippet.textContent = course.answer.snippet;
    this.goTo(step ?? (atEnd ? Infinity : this.state.step), false);
    const { result } = course.answer;
    const more = result.updates > course.updates && course.trace.visit[0] >= 0 ? ` The first ${course.updates.toLocaleString("en")} of ${counted(result.updates, "update")} are shown.` : "";
    this.say(`${result.status.startsWith("max_") ? "" : "Ended: "}${result.status}.${more}`);
    this.#save();
  }

  #refused(error) {
    this.problem.textContent = error.message;
    this.problem.hidden = false;
    if (!this.course || this.course.points !== this.state.points) {
      this.course = null;
      this.slider.max = 0;
      this.play(false);
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

  // Playing

  play(on) {
    if (on && this.course && this.state.step >= this.course.updates) this.goTo(0);
    this.playing = on && this.course !== null && this.course.updates > 0;
    this.redraw();
    this.clock = null;
    this.playButton.replaceChildren(icon(this.playing ? "pause" : "play"));
    const text = this.playing ? "Pause" : "Play";
    this.playButton.setAttribute("aria-label", text);
    this.playButton.title = text;
    if (!this.playing) this.#save();
  }

  goTo(step, byHand = true) {
    if (byHand) this.play(false);
    this.state.step = clamp(step, 0, this.course?.updates ?? 0);
    this.slider.value = this.state.step;
    this.redraw();
    if (byHand) this.#save();
  }

  #frame(time) {
    if (this.playing) {
      this.clock ??= { time, step: this.state.step };
      const step = Math.floor(this.clock.step + ((time - this.clock.time) / 1000) * this.state.speed);
      if (step !== this.state.step) {
        this.state.step = Math.min(step, this.course.updates);
        this.slider.value = this.state.step;
        this.dirty = true;
      }
      if (this.state.step >= this.course.updates) this.play(false);
    }
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

  // Drawing

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
    this.overlay.textContent = "Click anywhere to place a point.";
    if (!scene.course) {
      this.counter.textContent = "0 / 0";
      this.rule.replaceChildren();
      this.numbers.replaceChildren();
      return;
    }
    this.counter.textContent = `${scene.step.toLocaleString("en")} / ${scene.course.updates.toLocaleString("en")}`;
    this.#drawBeside(scene);
  }

  // What stands beside the plane is read, not watched: while playing, ten times a second is enough for it.
  #drawBeside(scene) {
    const now = performance.now();
    if (this.playing && now - this.besideDrawn < BESIDE) return;
    this.besideDrawn = now;
    this.#drawRule(scene);
    this.theory.at(scene.step);
    drawNeuron(penOf(this.neuron), scene);
    if (!this.playing) this.#describeNeuron(scene);
  }

  #drawRule({ course, step }) {
    const { title, lines } = ruleOf(course, step);
    while (this.rule.children.length > lines.length + 1) this.rule.lastChild.remove();
    while (this.rule.children.length < lines.length + 1) this.rule.append(element(this.rule.children.length ? "p" : "h3"));
    [title, ...lines].forEach((text, i) => {
      if (this.rule.children[i].textContent !== text) this.rule.children[i].textContent = text;
    });
    const plane = course.update(step)?.plane ?? 0;
    const w = Array.from(course.weights(step, plane));
    const wrong = course.wrong(step).length;
    const band = bandOf(course, step);
    const facts = [["w", vector(w.slice(0, -1)), w.slice(0, -1)], ["b", written(w[w.length - 1]), w[w.length - 1]],
      ["misclassified", `${wrong} of ${course.points.length}`, wrong], ["margin", written(band), band]];
    if (!this.numbers.children.length)
      this.numbers.append(...facts.map(([name]) => element("div", {}, element("dt", {}, name), element("dd", { "data-name": name }))));
    facts.forEach(([, text, value], i) => {
      const cell = this.numbers.children[i].lastChild;
      cell.textContent = text;
      cell.dataset.value = JSON.stringify(value);
    });
  }

  #describeNeuron({ course, step }) {
    const { row, score, predicted, own } = neuronAt(course, step);
    this.neuron.setAttribute("aria-label", `The neuron for point ${row + 1}: the sum is ${written(score)}, class ${predicted} is predicted, ${predicted === own ? "right" : "wrong"}.`);
  }

  // Sharing

  svg() {
    const pen = new SvgPen(this.canvas.clientWidth, this.canvas.clientHeight);
    this.#paint(pen);
    return pen.toString();
  }

  #png() {
    this.#draw();
    this.canvas.toBlob((blob) => download("lab.png", blob));
  }

  #python() {
    this.snippet.hidden = !this.snippet.hidden;
    if (!this.snippet.hidden) this.#copy(this.snippet.textContent, "The code");
  }

  async #copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      this.say(`${what} is copied.`);
    } catch {
      this.say(`${what} could not be copied: select it by hand.`);
    }
  }

  // Views and themes

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
    if (event.target.closest("input, select, textarea, button, summary") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === ".") this.goTo(this.state.step + 1);
    else if (event.key === ",") this.goTo(this.state.step - 1);
    else if (event.key === "p") this.play(!this.playing);
    else return;
    event.preventDefault();
  }
}
