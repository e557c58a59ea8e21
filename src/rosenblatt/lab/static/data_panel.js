// The panel of the user's data: what a model does with the rows of a table, and how well.
import { classColour, MARKER_SYMBOLS } from "./class_markers.js";
import { confusionTable } from "./confusion_table.js";
import { drawHistogram, drawProjection, drawShares, histogramGroups, rowAt } from "./data_figures.js";
import { headline } from "./data_headline.js";
import { weightsTable } from "./data_tables.js";
import { checkboxField, element, selectField } from "./form_controls.js";
import { chartLegend, LineChart } from "./line_chart.js";
import { formatCount, formatInteger } from "./number_format.js";
import { canvasPainter } from "./painters.js";
import { learnerControls, parameterControls } from "./recipe_controls.js";
import { RequestQueue } from "./request_queue.js";
import { rowDetail } from "./row_detail.js";
import { RowsPanel } from "./rows_panel.js";
import { ThresholdPanel } from "./threshold_panel.js";
import { TrainingProgress } from "./training_progress.js";

const POLL_SECONDS = 0.4; // that Python may wait before it answers with its progress
const LOSS_TITLES = { loss: "Mean loss of each epoch", objective: "Objective after each step" };
const LOSS_NAMES = ["loss", "objective", "gradient", "gap", "held_out"];
const ROW_PARTS = [["measured", "held out"], ["trained", "trained on"], ["all", "all"]];

function summarySentence({ rows, columns, learner, status }) {
  const size = rows === undefined ? formatCount(columns, "column") : `${formatCount(rows, "row")}, ${formatCount(columns, "column")}`;
  return `${size}. ${learner}${status ? `: ${status}` : ""}.`;
}

export class DataPanel {
  constructor(root, ask, learners, palette) {
    Object.assign(this, { root, ask, learners, palette, learner: learners[0]?.name, parameters: {}, whole: false, part: "measured", shownClass: null, chosen: null });
    this.requests = new RequestQueue((request, isNewest) => this.#answer(request, isNewest));
    this.#build();
    new ResizeObserver(() => this.#draw()).observe(root);
    this.#request();
  }

  get isBusy() {
    return this.requests.isBusy;
  }

  #build() {
    const canvas = (name, height) => element("canvas", { class: "chart", role: "img", "aria-label": name, style: `height: ${height}px` });
    this.canvases = {
      histogram: canvas("Histogram of signed distances, by class", 190), projection: canvas("Rows by distance from the plane and along it", 320),
      calibration: canvas("Calibration of the probabilities", 220), mistakes: canvas("Mistakes of each epoch", 130), loss: canvas("Loss of each epoch", 130),
    };
    this.canvases.projection.addEventListener("click", (event) => this.#chooseDot(event));
    this.charts = { mistakes: new LineChart(this.canvases.mistakes), loss: new LineChart(this.canvases.loss) };
    this.problem = element("p", { class: "problem", role: "alert", hidden: true });
    this.title = element("h2", { class: "data-title" });
    this.summary = element("p", { class: "status", role: "status" });
    this.progress = new TrainingProgress(() => this.ask("cancel", {}));
    this.threshold = new ThresholdPanel();
    this.rowsPanel = new RowsPanel({ request: () => this.#request("rows"), choose: (row) => this.#choose(row), chosen: () => this.chosen });
    for (const name of ["controls", "notes", "headline", "confusion", "weights", "legend", "detail", "parts"]) this[name] = element("div", { class: `data-${name}` });
    this.weights.classList.add("weights");
    this.sides = element("span");
    const figure = (title, text, ...parts) => element("figure", {}, element("figcaption", {}, element("h3", {}, title), element("p", {}, text)), ...parts);
    this.figures = {
      confusion: figure("Confusion matrix", "Rows of each true class by the class decided. Choose a cell to list its rows.", this.confusion),
      calibration: figure("Calibration", "The share of rows of the class against the probability given to it. Dots on the diagonal are calibrated.", this.canvases.calibration),
      histogram: figure("Signed distances", this.sides, this.canvases.histogram, this.legend),
      projection: figure("In two dimensions", "Horizontal: distance from the plane. Vertical: the widest direction within the plane. Mistakes are hollow; click a dot to see why.", this.canvases.projection),
      weights: figure("Largest weights", "Numbers are centred and scaled, so that weights can be compared.", this.weights),
      mistakes: figure("Mistakes of each epoch", "", this.canvases.mistakes),
      loss: figure("Learning curve", "", this.canvases.loss),
    };
    const { figures } = this;
    this.root.append(
      element("section", { class: "left", "aria-label": "Recipe" }, element("h2", {}, "Recipe"), this.controls),
      element("section", { class: "centre", "aria-label": "Figures" }, this.title, this.summary, this.progress.element, this.problem, this.headline, this.notes,
        figures.confusion, this.threshold.element, figures.calibration, this.parts, figures.histogram, figures.projection, this.detail, this.rowsPanel.element),
      element("section", { class: "right", "aria-label": "Weights" }, figures.weights, figures.mistakes, figures.loss));
  }

  // What Python needs to know which model is meant.
  get #choice() {
    const choice = { learner: this.learner, parameters: { ...this.parameters }, whole: this.whole };
    return this.shownClass === null ? choice : { ...choice, class: this.shownClass };
  }

  // kind: "data" for the whole report, "rows" for the list alone
  #request(kind = "data") {
    if (kind === "data") this.summary.textContent = "Training …";
    this.requests.send({ kind: this.waitsForReport ? "data" : kind, content: { ...this.#choice, part: this.part, ...this.rowsPanel.request } });
    if (kind === "data") this.waitsForReport = true; // a list must not replace a report that has not come
  }

  async #answer({ kind, content }, isNewest) {
    try {
      const answer = kind === "rows" ? { ...this.answer, list: await this.ask("rows", content) } : await this.#report(content, isNewest);
      if (answer === null) return;
      Object.assign(this, { answer, waitsForReport: false });
      this.problem.hidden = true;
    } catch (error) {
      this.waitsForReport = false;
      this.problem.textContent = error.message;
      this.problem.hidden = false;
    }
    this.progress.hide();
    if (isNewest()) this.show();
  }

  // Asks until the training has ended; null if a newer request makes it useless.
  async #report(content, isNewest) {
    while (isNewest()) {
      const answer = await this.ask("data", { ...content, wait: POLL_SECONDS });
      if (!answer.training) return answer;
      this.title.textContent = answer.title;
      this.progress.show(answer.training);
    }
    return null;
  }

  // Shows the newest answer, in the present colours.
  show() {
    this.#showControls();
    const { answer } = this;
    if (!answer) return;
    this.title.textContent = answer.title;
    this.summary.textContent = summarySentence(answer);
    this.summary.dataset.wrong = answer.wrong;
    for (const name of ["histogram", "projection", "weights"]) this.figures[name].hidden = !answer[name];
    if (answer.weights) this.weights.replaceChildren(weightsTable(answer.weights));
    this.notes.replaceChildren(...(answer.notes ?? []).map((text) => element("p", { class: "note" }, text)));
    if (answer.figures) this.#showFigures(answer);
    this.#setCurves(answer.history);
    this.#draw();
  }

  #showFigures(answer) {
    const { figures, classes } = answer;
    const { shown } = this;
    this.headline.replaceChildren(headline(figures));
    this.confusion.replaceChildren(confusionTable(figures, classes, this.rowsPanel.cell, (cell) => this.rowsPanel.setCell(cell)));
    this.threshold.set(figures.curve, classes[shown], classColour(this.palette(), shown), this.palette());
    this.figures.calibration.hidden = !figures.calibration;
    this.parts.replaceChildren(...(figures.held_out ? [selectField("rows shown", ROW_PARTS, this.part, (part) => {
      this.part = part;
      this.#request();
    }, { "data-control": "part" })] : []));
    const { beyond } = answer.histogram, what = answer.is_distance ? "How far rows lie from the plane." : "The scores of rows.";
    const outside = ` ${formatCount(beyond, "row")} farther away ${beyond === 1 ? "is" : "are"} counted in the outermost bars.`;
    this.sides.textContent = `${what} Rows of “${classes[shown]}” should lie to the right of 0.${beyond ? outside : ""}`;
    this.rowsPanel.show(answer.list, classes);
  }

  // The class that curves and planes are of.
  get shown() {
    const count = this.answer.classes.length;
    return count > 2 ? this.shownClass ?? count - 1 : 1;
  }

  #showControls() {
    if (this.answer?.fixed) {
      this.controls.replaceChildren(element("p", { class: "hint" }, `${this.answer.learner}, already trained: it is shown as it is.`), ...this.#classControl());
      return;
    }
    const learner = this.learners.find(({ name }) => name === this.learner);
    const sample = this.answer?.sampled ? [checkboxField("train on all rows", this.whole, (on) => {
      this.whole = on;
      this.#request();
    }, { "data-control": "whole" })] : [];
    this.controls.replaceChildren(
      ...learnerControls(this.learners, learner, (name) => {
        Object.assign(this, { learner: name, parameters: {} });
        this.#request();
      }), ...sample, ...this.#classControl(),
      ...parameterControls(learner, this.parameters, [], (name, value) => {
        if (value === undefined) delete this.parameters[name];
        else this.parameters[name] = value;
        this.#request();
      }));
  }

  // With three classes or more, the choice of the class whose plane is shown.
  #classControl() {
    const classes = this.answer?.classes ?? [];
    if (classes.length < 3) return [];
    const options = classes.map((name, k) => [String(k), name]);
    return [selectField("plane of", options, String(this.shownClass ?? classes.length - 1), (k) => {
      this.shownClass = Number(k);
      this.#request();
    }, { "data-control": "class" })];
  }

  // One row explained

  #chooseDot(event) {
    const box = this.canvases.projection.getBoundingClientRect();
    const row = rowAt(this.answer.projection, box.width, box.height, event.clientX - box.left, event.clientY - box.top);
    if (row !== null) this.#choose(row);
  }

  async #choose(row) {
    this.chosen = row;
    try {
      const found = await this.ask("row", { ...this.#choice, row });
      if (this.chosen !== row) return;
      this.detail.replaceChildren(rowDetail(found, this.answer.classes, () => this.#closeDetail()));
      this.detail.firstChild.scrollIntoView({ block: "nearest" });
      this.detail.firstChild.focus({ preventScroll: true });
    } catch (error) {
      this.problem.textContent = error.message;
      this.problem.hidden = false;
    }
    this.rowsPanel.show(this.answer.list, this.answer.classes);
    this.#draw();
  }

  #closeDetail() {
    this.chosen = null;
    this.detail.replaceChildren();
    this.show();
  }

  // Charts

  #setCurves(history) {
    const loss = LOSS_NAMES.find((name) => history[name]?.some(Number.isFinite));
    if (loss) this.figures.loss.querySelector("h3").textContent = LOSS_TITLES[loss] ?? loss;
    this.#setCurve("mistakes", history.mistakes, { whole: true });
    this.#setCurve("loss", loss && history[loss], {});
  }

  #setCurve(name, values, options) {
    this.figures[name].hidden = !values?.length;
    const palette = this.palette();
    const curves = values?.length ? [{ name, x: values.map((_, k) => k + 1), y: values, colour: palette.ink }] : [];
    this.charts[name].setCurves(curves, palette, options);
  }

  #draw() {
    const { answer } = this;
    if (!answer || !this.root.clientWidth) return;
    const palette = this.palette();
    if (answer.histogram) {
      const groups = histogramGroups(answer.histogram.counts, answer.classes, this.shown);
      drawHistogram(canvasPainter(this.canvases.histogram), answer.histogram, groups, palette);
      this.legend.replaceChildren(chartLegend(groups.map(({ name, place, list }) => (
        { name: place === null ? name : `${MARKER_SYMBOLS[place % MARKER_SYMBOLS.length]} ${name} (${formatInteger(list.reduce((sum, count) => sum + count, 0))})`, colour: classColour(palette, place) }))));
    }
    if (answer.projection) drawProjection(canvasPainter(this.canvases.projection), answer.projection, palette, { classCount: answer.classes.length, shown: this.shown, chosen: this.chosen });
    if (answer.figures?.calibration) {
      const { given, met } = answer.figures.calibration;
      const curves = [{ x: given, y: met, colour: classColour(palette, this.shown), marker: true }];
      const chart = { curves, diagonal: true, xTitle: "probability given", yTitle: "share of rows" };
      drawShares(canvasPainter(this.canvases.calibration), chart, palette);
    }
    this.threshold.draw();
    for (const chart of Object.values(this.charts)) chart.draw();
  }
}
