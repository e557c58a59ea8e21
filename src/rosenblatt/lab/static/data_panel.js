// The panel of the user's data: what a model does with the rows of a table.
import { MARKER_SYMBOLS } from "./class_markers.js";
import { drawHistogram, drawProjection, markerOf } from "./data_figures.js";
import { rowsFigure, weightsTable } from "./data_tables.js";
import { element, selectField } from "./form_controls.js";
import { chartLegend, LineChart } from "./line_chart.js";
import { formatCount, formatInteger, formatNumber } from "./number_format.js";
import { canvasPainter } from "./painters.js";
import { learnerControls, parameterControls } from "./recipe_controls.js";
import { RequestQueue } from "./request_queue.js";

const LOSS_TITLES = { loss: "Mean loss of each epoch", objective: "Objective after each step" };
const LOSS_NAMES = ["loss", "objective", "gradient", "gap", "held_out"];

// The classifiers that have one weight for each column of a table: neither kernels nor lifted features.
const columnLearners = (learners) => learners.filter(({ parameters }) => !parameters.some(({ name }) => name === "kernel")).map((learner) => (
  { ...learner, parameters: learner.parameters.filter(({ name }) => name !== "features") }));

function summarySentence({ rows, columns, learner, status, wrong, fixed }) {
  const size = rows === undefined ? formatCount(columns, "column") : `${formatCount(rows, "row")}, ${formatCount(columns, "column")}`;
  const mistakes = wrong === undefined || !fixed ? "" : ` It misclassifies ${formatInteger(wrong)} of them (${formatNumber((100 * wrong) / rows, 3)} %).`;
  return `${size}. ${learner}: ${status}.${mistakes}`;
}

export class DataPanel {
  constructor(root, ask, learners, palette) {
    Object.assign(this, { root, learners: columnLearners(learners), palette, learner: "AveragedPerceptron", parameters: {}, shownClass: null });
    this.requests = new RequestQueue(async (content, isNewest) => {
      try {
        this.answer = await ask("data", content);
        this.problem.hidden = true;
      } catch (error) {
        this.problem.textContent = error.message;
        this.problem.hidden = false;
      }
      if (isNewest()) this.show();
    });
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
      mistakes: canvas("Mistakes of each epoch", 130), loss: canvas("Loss of each epoch", 130),
    };
    this.charts = { mistakes: new LineChart(this.canvases.mistakes), loss: new LineChart(this.canvases.loss) };
    this.problem = element("p", { class: "problem", role: "alert", hidden: true });
    this.title = element("h2", { class: "data-title" });
    this.summary = element("p", { class: "status", role: "status" });
    this.controls = element("div");
    this.weights = element("div", { class: "weights" });
    this.rows = element("div", { class: "rows" });
    this.legend = element("div");
    this.sides = element("span");
    const figure = (title, text, ...parts) => element("figure", {}, element("figcaption", {}, element("h3", {}, title), element("p", {}, text)), ...parts);
    this.figures = {
      histogram: figure("Signed distances", this.sides, this.canvases.histogram, this.legend),
      projection: figure("In two dimensions", "Horizontal: distance from the plane. Vertical: the widest direction within the plane.", this.canvases.projection),
      weights: figure("Largest weights", "Numbers are centred and scaled, so that weights can be compared.", this.weights),
      mistakes: figure("Mistakes of each epoch", "", this.canvases.mistakes),
      loss: figure("Learning curve", "", this.canvases.loss),
    };
    this.root.append(
      element("section", { class: "left", "aria-label": "Recipe" }, element("h2", {}, "Recipe"), this.controls),
      element("section", { class: "centre", "aria-label": "Rows" }, this.title, this.summary, this.problem, this.figures.histogram, this.figures.projection, this.rows),
      element("section", { class: "right", "aria-label": "Weights" }, this.figures.weights, this.figures.mistakes, this.figures.loss));
  }

  #request() {
    this.summary.textContent = "Training …";
    const content = { learner: this.learner, parameters: { ...this.parameters } };
    if (this.shownClass !== null) content.class = this.shownClass;
    this.requests.send(content);
  }

  // Shows the newest answer, in the present colours.
  show() {
    this.#showControls();
    const { answer } = this;
    if (!answer) return;
    this.title.textContent = answer.title;
    this.summary.textContent = summarySentence(answer);
    this.summary.dataset.wrong = answer.wrong;
    for (const name of ["histogram", "projection"]) this.figures[name].hidden = !answer[name];
    const positive = answer.classes[answer.classes.length > 2 ? this.shownClass ?? answer.classes.length - 1 : 1];
    this.sides.textContent = `How far rows lie from the plane. Rows of “${positive}” should lie to the right of 0.`;
    this.weights.replaceChildren(weightsTable(answer.weights));
    this.rows.replaceChildren(
      ...(answer.mistakes ? [rowsFigure("mistakes", "Worst mistakes", answer.mistakes, "none: every row is classified correctly")] : []),
      ...(answer.nearest ? [rowsFigure("nearest", "Rows nearest the boundary", answer.nearest, "none")] : []));
    this.#setCurves(answer.history);
    this.#draw();
  }

  #showControls() {
    if (this.answer?.fixed) {
      this.controls.replaceChildren(element("p", { class: "hint" }, `${this.answer.learner}, already trained: its weights are shown unchanged.`), ...this.#classControl());
      return;
    }
    const learner = this.learners.find(({ name }) => name === this.learner);
    this.controls.replaceChildren(
      ...learnerControls(this.learners, learner, (name) => {
        Object.assign(this, { learner: name, parameters: {} });
        this.#request();
      }), ...this.#classControl(),
      ...parameterControls(learner, this.parameters, (name, value) => {
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
      drawHistogram(canvasPainter(this.canvases.histogram), answer.histogram, palette);
      this.legend.replaceChildren(chartLegend(answer.classes.map((name, place) => (
        { name: `${MARKER_SYMBOLS[markerOf(place)]} ${name} (${formatInteger(answer.counts[place])})`, colour: palette.classes[markerOf(place)] }))));
    }
    if (answer.projection) drawProjection(canvasPainter(this.canvases.projection), answer.projection, palette);
    for (const chart of Object.values(this.charts)) chart.draw();
  }
}
