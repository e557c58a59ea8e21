// The page: connects the state, the requests to Python and the panels.
import { captionOf } from "./caption.js";
import { DataPanel } from "./data_panel.js";
import { applyEmbedding } from "./embedding.js";
import { element } from "./form_controls.js";
import { runFrames } from "./frame_loop.js";
import { listenForShortcuts } from "./keyboard_shortcuts.js";
import { lessonHost } from "./lesson_host.js";
import { LessonPanel } from "./lesson_panel.js";
import { pageColumns, pageHeader } from "./page_layout.js";
import { PageState } from "./page_state.js";
import { readPalette } from "./palette.js";
import { PictureCanvas } from "./picture_canvas.js";
import { PlaybackControls } from "./playback_controls.js";
import { PointsPanel } from "./points_panel.js";
import { FIXED_POINTS, ProblemMessage, TOO_FEW_CLASSES } from "./problem_message.js";
import { RecipePanel } from "./recipe_panel.js";
import { RequestQueue } from "./request_queue.js";
import { SharePanel } from "./share_panel.js";
import { StateMemory } from "./state_memory.js";
import { StatusLine } from "./status_line.js";
import { restoreTheme, toggleTheme, watchTheme } from "./theme.js";
import { TheoryPanel } from "./theory_panel.js";
import { watchTooltips } from "./tooltips.js";
import { TracedRun } from "./traced_run.js";
import { UpdatePanel } from "./update_panel.js";
import { ViewBar } from "./view_bar.js";

const FIRST_PRESET = "three";
const PANEL_INTERVAL = 100; // milliseconds between updates of the text panels during playback
const UNREADABLE_LINK = "The link could not be read: it is cut off, or not one of the lab.";

// Builds the page in an element. ask(kind, content) sends a question to Python.
// memory: { load(), save(text, link), watch(onChange), address(), query() }. It holds the state, as text or as the end of a
// link, and calls `onChange` when somebody else changes it. `query` may name a lesson to open and parts to hide: "?lesson=xor&hide=recipe".
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
    Object.assign(this, { root, ask, memory, about, run: null, isDirty: true, isStarting: true, panelsDrawnAt: 0 });
    this.state = new PageState(about.learners[0].name);
    this.requests = new RequestQueue(({ step }, isNewest) => this.#answerRequest(step, isNewest));
    this.#buildPanels();
    this.#buildLayout();
    restoreTheme(root);
    applyEmbedding(root, memory.query());
    this.palette = readPalette(root);
    this.#start();
    memory.watch(() => this.#openSaved());
    watchTheme(root, () => this.#updatePalette());
    runFrames(root, (time) => this.#onFrame(time));
  }

  #buildPanels() {
    const { state, about, memory } = this;
    const shared = {
      points: () => state.points, dimension: () => state.dimension, say: (text) => this.status.say(text), redraw: () => this.redraw(),
      change: (points, isContinued) => this.change(points, isContinued), save: () => this.#save(),
    };
    this.status = new StatusLine();
    this.problem = new ProblemMessage();
    this.caption = element("p", { class: "caption" });
    this.theoryPanel = new TheoryPanel(() => this.#revealProof());
    this.updatePanel = new UpdatePanel();
    this.playback = new PlaybackControls(state, shared);
    this.recipePanel = new RecipePanel(state, about.learners, () => this.requestRun());
    this.viewBar = new ViewBar(state, () => this.#changeView());
    this.pointsPanel = new PointsPanel({
      ...shared, presets: about.presets, limits: about.limits, usePreset: (...given) => this.usePreset(...given),
      setDimension: (dimension) => this.#setDimension(dimension), undo: () => this.undo(), redo: () => this.redo(), refuse: (error) => this.#refuse(error),
    });
    this.picture = new PictureCanvas(state, {
      ...shared, scene: () => this.scene, tool: () => this.pointsPanel.tool, setTool: (k) => this.pointsPanel.setTool(k), maxPoints: about.limits.points,
    });
    this.lessonPanel = new LessonPanel(lessonHost(this, { rememberPoints: () => this.#remember(), showPoints: () => this.#showTab("points"), showView: () => this.#showView(), save: () => this.#save() }));
    this.stateMemory = new StateMemory(memory, { state, origin: () => this.pointsPanel.origin, onSaved: () => this.sharePanel.showAddress() });
    this.sharePanel = new SharePanel({ ...shared, address: () => memory.address(), svg: () => this.picture.svg(), png: (done) => this.picture.png(done) });
  }

  #buildLayout() {
    const { header, pressTab } = pageHeader(this.about.data, this.lessonPanel, { onTab: (name) => this.#showTab(name), onTheme: () => toggleTheme(this.root) });
    this.pressTab = pressTab;
    this.main = pageColumns(this);
    this.data = element("main", { class: "data", hidden: true });
    header.append(watchTooltips(this.root));
    this.root.replaceChildren(header, this.main, this.data, this.lessonPanel.bar);
    listenForShortcuts(this.root, {
      canUndo: () => !this.main.hidden, undo: () => this.undo(), redo: () => this.redo(),
      stepBy: (count) => this.playback.goTo(this.state.step + count), togglePlay: () => this.playback.play(!this.playback.isPlaying),
    });
  }

  async #start() {
    const lesson = new URLSearchParams(this.memory.query()).get("lesson");
    try {
      if (!(await this.#openSaved()) && !(await this.#openLesson(lesson))) await this.usePreset(FIRST_PRESET);
    } finally {
      this.isStarting = false;
    }
    if (this.about.data && !this.lessonPanel.lesson) this.#showTab("data");
  }

  // Opens "xor/2", a lesson at one of its steps, and tells whether there is such a lesson.
  async #openLesson(place) {
    const [name, index] = (place ?? "").split("/");
    const isKnown = this.about.lessons.some((lesson) => lesson.name === name);
    if (isKnown) await this.lessonPanel.open(name, Number(index) || 0);
    return isKnown;
  }

  // Shows what the link in the memory says, and tells whether it can.
  async #openSaved() {
    const saved = await this.stateMemory.read(this.about.limits);
    if (saved && ((await this.#openLesson(saved.lesson)) || (await this.#restore(saved)))) return true;
    if (this.memory.load()) this.status.say(UNREADABLE_LINK);
    return false;
  }

  async #restore({ origin, ...saved }) {
    if (!this.about.learners.some(({ name }) => name === saved.learner)) return false;
    try {
      if (!saved.points) saved.points = (await this.ask("preset", origin)).points;
    } catch {
      return false;
    }
    if (this.lessonPanel.lesson) this.lessonPanel.close();
    this.#remember();
    this.state.restore(saved);
    this.pointsPanel.setOrigin(origin ?? { preset: null });
    this.recipePanel.show();
    this.#showView();
    this.pointsPanel.show();
    await this.requestRun(saved.step);
    return true;
  }

  // Changes of the points

  async usePreset(preset, margin = null, seed = 0) {
    this.isLoadingPreset = true;
    this.#showBusy();
    try {
      const { points, dimension } = await this.ask("preset", { preset, margin, seed });
      this.#remember();
      Object.assign(this.state, { points, dimension, isProofSeen: false });
      this.pointsPanel.setOrigin({ preset, margin, seed });
      await this.requestRun(0);
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.isLoadingPreset = false;
    }
  }

  // `isContinued` marks a change that continues the last one, as while a point is dragged: undo takes back both.
  change(points, isContinued = false) {
    if (this.about.recorded) return this.#refuse(new Error(FIXED_POINTS));
    if (!isContinued) this.#remember();
    this.state.points = points;
    this.pointsPanel.setOrigin({ preset: null });
    this.requestRun();
  }

  #remember() {
    this.state.remember(this.pointsPanel.origin);
    this.pointsPanel.setUndoable(this.state);
  }

  undo() {
    if (this.state.isUndoable) this.#showRestored(this.state.undo(this.pointsPanel.origin));
  }

  redo() {
    if (this.state.isRedoable) this.#showRestored(this.state.redo(this.pointsPanel.origin));
  }

  #showRestored(origin) {
    this.pointsPanel.setOrigin(origin);
    this.pointsPanel.setUndoable(this.state);
    this.pointsPanel.show();
    this.requestRun();
  }

  #setDimension(dimension) {
    this.state.dimension = dimension;
    this.requestRun();
  }

  // Requests

  // Asks for a run of the present state; `step` is the update to show. By default it is the present one, or the last if
  // the present run is at its end.
  async requestRun(step = null) {
    this.redraw();
    await this.requests.send({ step });
  }

  async #answerRequest(step, isNewest) {
    const request = this.state.runRequest(this.picture.viewport);
    try {
      if (!this.state.hasTwoClasses) throw new Error(TOO_FEW_CLASSES);
      const run = new TracedRun(await this.ask("run", request), request.points, request.dimension);
      this.#showRun(run, step);
      if (!isNewest()) return;
      const proofs = await this.ask("prove", request);
      if (this.run === run) this.theoryPanel.setProofs(proofs);
      this.redraw();
    } catch (error) {
      this.#refuse(error);
    }
  }

  #showRun(run, step) {
    const wasAtEnd = this.run && this.playback.atEnd;
    this.run = run;
    this.isRefused = false;
    this.problem.hide();
    this.playback.setUpdates(run.updates);
    this.theoryPanel.setRun(run, this.palette);
    this.viewBar.setRun(run);
    this.sharePanel.setCode(run.answer.snippet);
    this.recipePanel.setChosen(run.answer.result.chosen);
    this.playback.goTo(step ?? (wasAtEnd ? Infinity : this.state.step), false);
    this.#save();
  }

  // Shows an error. A run of other points is removed from the page.
  #refuse(error) {
    this.problem.show(error);
    this.isRefused = error.message !== FIXED_POINTS;
    if (!this.run || this.run.points !== this.state.points) {
      this.run = null;
      this.playback.setUpdates(0);
      this.theoryPanel.clear();
      this.sharePanel.setCode(null);
      this.status.say("");
    }
    this.#save();
    this.redraw();
  }

  #save() {
    this.stateMemory.save();
    this.#showBusy();
  }

  // Drawing

  #onFrame(time) {
    if (this.playback.tick(time)) this.isDirty = true;
    if (this.isDirty && !this.main.hidden) this.#draw();
    this.#showBusy();
  }

  redraw() {
    this.isDirty = true;
    this.#showBusy();
  }

  // Tells tests and style sheets whether a request, a drawing, a save or the opening of a lesson's step is under way.
  #showBusy() {
    const isDrawing = this.isDirty && !this.main.hidden;
    const isOpening = this.isStarting || this.lessonPanel?.isOpening;
    const busy = String(Boolean(this.requests.isBusy || this.stateMemory.isBusy || this.isLoadingPreset || this.dataPanel?.isBusy || isDrawing || isOpening));
    if (this.root.dataset.busy !== busy) this.root.dataset.busy = busy;
  }

  // What the pictures show. `run` is null until there is a run of the present points.
  get scene() {
    const { points, dimension, step, shown } = this.state;
    const run = this.run && this.run.points === points && this.run.dimension === dimension ? this.run : null;
    const { cursor, selected } = this.picture.editor;
    return { run, points, step: run ? Math.min(step, run.updates) : 0, show: shown, palette: this.palette, cursor, selected };
  }

  // Draws everything. A canvas that is not visible yet is tried again at the next frame: JupyterLab hides the page for a moment when
  // its theme changes, too short for an observer of sizes.
  #draw() {
    if (this.scene.run && this.playback.atEnd && !this.state.isProofSeen) this.#revealProof();
    this.isDirty = !this.picture.draw();
    if (this.isDirty) return;
    const { scene } = this;
    this.#showCaption(scene);
    if (!scene.run && this.run) return; // an answer that replaces this run is on its way
    this.playback.showCount(scene.step);
    this.#drawPanels(scene);
  }

  #showCaption(scene) {
    const text = captionOf(scene, this.playback.isPlaying, this.state.hasTwoClasses, Boolean(this.lessonPanel.lesson));
    if (this.caption.textContent !== text) this.caption.textContent = text;
    this.root.dataset.phase = !scene.run || scene.step > 0 || this.playback.isPlaying ? "" : "start";
  }

  #revealProof() {
    this.state.isProofSeen = true;
    this.viewBar.show();
    this.#save();
    this.redraw();
  }

  // Text is read, not watched: ten times a second is enough during playback.
  #drawPanels(scene) {
    const { isPlaying } = this.playback;
    const now = performance.now();
    if (isPlaying && now - this.panelsDrawnAt < PANEL_INTERVAL) return;
    this.panelsDrawnAt = now;
    this.updatePanel.show(scene, !isPlaying);
    if (!scene.run) return;
    this.theoryPanel.setRevealed(this.state.isProofSeen, this.playback.atEnd);
    this.theoryPanel.showStep(scene.step);
    this.lessonPanel.update();
  }

  // Views, tabs and themes

  #changeView() {
    this.#showView();
    this.#save();
    this.redraw();
  }

  #showView() {
    this.viewBar.show();
    this.picture.canvas.classList.toggle("turning", this.state.view === "lift");
  }

  #showTab(name) {
    this.main.hidden = name === "data";
    this.data.hidden = name !== "data";
    this.pressTab(name);
    if (name === "data") this.dataPanel ??= new DataPanel(this.data, this.ask, this.about.data_learners, () => this.palette);
    this.redraw();
  }

  #updatePalette() {
    this.palette = readPalette(this.root);
    if (this.run) this.theoryPanel.setRun(this.run, this.palette);
    this.dataPanel?.show();
    this.redraw();
  }
}
