// Your data: what a model does with the rows of a table.
import { Chart, legend } from "./charts.js";
import { choose, element, recipeControls, wide } from "./controls.js";
import { counted, ticks, unpacked, written } from "./numbers.js";
import { penOf } from "./pens.js";
import { mark, SHAPES, SIGNS } from "./shapes.js";

const kind = (place) => place % SHAPES.length; // further classes begin anew

// Those that weigh the columns of a table: a lift or a kernel weighs something else.
const learners = (about) => about.learners.filter(({ parameters }) => !parameters.some(({ name }) => name === "kernel")).map((learner) => (
  { ...learner, parameters: learner.parameters.filter(({ name }) => name !== "features") }));

// A cell of the table: numbers in few digits, texts as they are, nothing for what is missing.
const cell = (value) => (typeof value === "number" ? written(value, 4) : String(value ?? ""));

export function dataView(root, ask, about, palette) {
  return new DataView(root, ask, about, palette);
}

class DataView {
  constructor(root, ask, about, palette) {
    Object.assign(this, { root, ask, about, palette, learner: "AveragedPerceptron", parameters: {}, shown: null });
    const canvas = (name, height) => element("canvas", { class: "chart", role: "img", "aria-label": name, style: `height: ${height}px` });
    this.canvases = {
      histogram: canvas("Histogram of signed distances, by class", 190), projection: canvas("Rows by distance from the plane and along it", 320),
      mistakes: canvas("Mistakes of each epoch", 130), loss: canvas("Loss of each epoch", 130),
    };
    this.charts = { mistakes: new Chart(this.canvases.mistakes), loss: new Chart(this.canvases.loss) };
    this.problem = element("p", { class: "problem", role: "alert", hidden: true });
    this.title = element("h2", { class: "data-title" });
    this.summary = element("p", { class: "status", role: "status" });
    this.controls = element("div");
    this.weights = element("div", { class: "weights" });
    this.rows = element("div", { class: "rows" });
    this.key = element("div");
    const figure = (title, text, ...parts) => element("figure", {}, element("figcaption", {}, element("h3", {}, title), element("p", {}, text)), ...parts);
    this.figures = {
      histogram: figure("Signed distances", this.sides = element("span"), this.canvases.histogram, this.key),
      projection: figure("In two dimensions", "Across: distance from the plane. Up: the widest direction within it.", this.canvases.projection),
      weights: figure("Top weights", "Numbers are centred and scaled, so that weights can be compared.", this.weights),
      mistakes: figure("Mistakes of each epoch", "", this.canvases.mistakes),
      loss: figure("Learning curve", "", this.canvases.loss),
    };
    root.append(
      element("section", { class: "left", "aria-label": "Recipe" }, element("h2", {}, "Recipe"), this.controls),
      element("section", { class: "centre", "aria-label": "Rows" }, this.title, this.summary, this.problem, this.figures.histogram, this.figures.projection, this.rows),
      element("section", { class: "right", "aria-label": "Weights" }, this.figures.weights, this.figures.mistakes, this.figures.loss));
    new ResizeObserver(() => this.#draw()).observe(root);
    this.run();
  }

  // The newest question counts, and one is under way at a time: training may take seconds.
  async run() {
    this.wanted = true;
    this.summary.textContent = "Training …";
    if (this.asking) return;
    this.asking = true;
    while (this.wanted) {
      this.wanted = false;
      const content = { learner: this.learner, parameters: { ...this.parameters } };
      if (this.shown !== null) content.class = this.shown;
      try {
        this.answer = await this.ask("data", content);
        this.problem.hidden = true;
      } catch (error) {
        this.problem.textContent = error.message;
        this.problem.hidden = false;
      }
    }
    this.asking = false;
    this.#show();
  }

  #show() {
    this.#showControls();
    const { answer } = this;
    if (!answer) return;
    this.title.textContent = answer.title;
    const size = answer.rows === undefined ? counted(answer.columns, "column") : `${counted(answer.rows, "row")}, ${counted(answer.columns, "column")}`;
    const wrong = answer.wrong === undefined || !answer.fixed ? "" : ` It misclassifies ${answer.wrong.toLocaleString("en")} of them (${written((100 * answer.wrong) / answer.rows, 3)} %).`;
    this.summary.textContent = `${size}. ${answer.learner}: ${answer.status}.${wrong}`;
    this.summary.dataset.wrong = answer.wrong;
    for (const name of ["histogram", "projection"]) this.figures[name].hidden = !answer[name];
    const right = answer.classes[answer.classes.length > 2 ? this.shown ?? answer.classes.length - 1 : 1];
    this.sides.textContent = `How far rows lie from the plane. Rows of “${right}” belong to the right of 0.`;
    this.#showWeights(answer.weights);
    this.#showRows();
    this.#showCurves(answer.history);
    this.#draw();
  }

  #showControls() {
    if (this.answer?.fixed) {
      this.controls.replaceChildren(element("p", { class: "hint" }, `${this.answer.learner}, trained before: its weights are shown as they are.`), ...this.#classChoice());
      return;
    }
    const learner = learners(this.about).find(({ name }) => name === this.learner);
    this.controls.replaceChildren(
      wide(choose("learner", learners(this.about).map(({ name, rule }) => [name, name, rule]), this.learner, (name) => {
        Object.assign(this, { learner: name, parameters: {} });
        this.run();
      }, { "data-parameter": "learner" })),
      element("p", { class: "hint" }, learner.rule), ...this.#classChoice(),
      ...recipeControls(learner, this.parameters, (name, value) => {
        if (value === undefined) delete this.parameters[name];
        else this.parameters[name] = value;
        this.run();
      }));
  }

  #classChoice() {
    const classes = this.answer?.classes ?? [];
    if (classes.length < 3) return [];
    const rows = classes.map((name, k) => [String(k), name]);
    return [choose("plane of", rows, String(this.shown ?? classes.length - 1), (k) => {
      this.shown = Number(k);
      this.run();
    }, { "data-control": "class" })];
  }

  #showWeights(weights) {
    const most = Math.max(...weights.map(({ weight }) => Math.abs(weight)), 1e-12);
    this.weights.replaceChildren(element("table", {}, element("thead", { class: "spoken" }, element("tr", {}, element("th", {}, "column"), element("th", {}, "weight"), element("th", {}, "size"))),
      element("tbody", {}, ...weights.map(({ name, weight }) => {
        const bar = element("span", { class: weight < 0 ? "bar minus" : "bar" });
        bar.style.width = `${(100 * Math.abs(weight)) / most}%`;
        return element("tr", {}, element("th", { scope: "row", title: name }, name), element("td", { class: "number" }, written(weight, 3)), element("td", { class: "bars" }, bar));
      }))));
  }

  #showRows() {
    const { answer } = this;
    this.rows.replaceChildren(...[["mistakes", "Worst mistakes", "none: every row is on its own side"], ["nearest", "Rows nearest the boundary", "none"]].filter(([name]) => answer[name]).map(([name, title, none]) => {
      const list = answer[name];
      const columns = Object.keys(list[0]?.values ?? {});
      const head = element("tr", {}, ...["row", "class", "predicted", "margin", ...columns].map((text) => element("th", { scope: "col", title: text }, text)));
      const body = list.map(({ row, class: own, predicted, margin, values }) => element("tr", { class: own === predicted ? "" : "wrong" },
        ...[row, own, predicted, written(margin, 3), ...columns.map((column) => cell(values[column]))].map((text) => element("td", { title: String(text).length > 16 ? text : null }, String(text)))));
      const table = list.length ? element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, element("table", { "data-rows": name }, element("thead", {}, head), element("tbody", {}, ...body))) : element("p", { class: "hint" }, none);
      return element("figure", {}, element("h3", {}, title), table);
    }));
  }

  #showCurves(history) {
    const palette = this.palette();
    for (const name of ["mistakes", "loss"]) {
      const names = name === "loss" ? ["loss", "objective", "gradient", "gap", "held_out"].filter((one) => history[one]?.some(Number.isFinite)).slice(0, 1) : ["mistakes"].filter((one) => history[one]?.length);
      this.figures[name].hidden = !names.length;
      if (names.length && name === "loss") this.figures.loss.querySelector("h3").textContent = { loss: "Mean loss of each epoch", objective: "Objective after each step" }[names[0]] ?? names[0];
      this.charts[name].set(names.map((one) => ({ name: one, x: history[one].map((_, k) => k + 1), y: history[one], colour: palette.ink })), palette, { whole: name === "mistakes" });
    }
  }

  retint() {
    if (this.answer) this.#show();
  }

  #draw() {
    const { answer } = this;
    if (!answer || !this.root.clientWidth) return;
    if (answer.histogram) this.#drawHistogram(answer.histogram);
    if (answer.projection) this.#drawProjection(answer.projection);
    for (const chart of Object.values(this.charts)) chart.draw();
  }

  #drawHistogram({ edges, counts }) {
    const pen = penOf(this.canvases.histogram);
    const palette = this.palette();
    const most = Math.max(...counts.flat(), 1);
    const [left, right, top, bottom] = [46, 10, 8, 24];
    const x = (value) => left + ((value - edges[0]) / (edges[edges.length - 1] - edges[0])) * (pen.width - left - right);
    const y = (value) => pen.height - bottom - (value / most) * (pen.height - top - bottom);
    for (const value of ticks(0, most, 4)) {
      pen.path([[left, y(value)], [pen.width - right, y(value)]], { stroke: palette.line, width: 1, alpha: 0.6 });
      pen.text(left - 6, y(value), written(value, 4), { size: 10, fill: palette.soft, anchor: "end" });
    }
    counts.forEach((list, place) => {
      const colour = palette.classes[kind(place)];
      const bars = list.map((count, i) => {
        const wide = (x(edges[i + 1]) - x(edges[i])) / counts.length;
        const from = x(edges[i]) + wide * place;
        return [[from + 0.5, y(0)], [from + 0.5, y(count)], [from + wide - 0.5, y(count)], [from + wide - 0.5, y(0)]];
      });
      pen.polygons(bars.filter((_, i) => list[i]), { fill: colour });
    });
    for (const value of ticks(edges[0], edges[edges.length - 1], 7)) pen.text(x(value), pen.height - 10, written(value, 3), { size: 10, fill: palette.soft, anchor: "middle" });
    pen.path([[x(0), top], [x(0), pen.height - bottom]], { stroke: palette.ink, width: 2 });
    this.key.replaceChildren(legend(this.answer.classes.map((name, place) => ({ name: `${SIGNS[kind(place)]} ${name} (${this.answer.counts[place].toLocaleString("en")})`, colour: palette.classes[kind(place)] }))));
  }

  #drawProjection(projection) {
    const pen = penOf(this.canvases.projection);
    const palette = this.palette();
    const [along, across, label] = ["distance", "across", "class"].map((name) => unpacked(projection[name]));
    const range = (values) => [Math.min(...values), Math.max(...values)];
    const [[x0, x1], [y0, y1]] = [range([...along, 0]), range(across)];
    const x = (value) => 14 + ((value - x0) / (x1 - x0 || 1)) * (pen.width - 28);
    const y = (value) => pen.height - 14 - ((value - y0) / (y1 - y0 || 1)) * (pen.height - 28);
    pen.path([[x(0), 4], [x(0), pen.height - 4]], { stroke: palette.ink, width: 2 });
    for (let i = 0; i < along.length; i++)
      mark(pen, SHAPES[kind(label[i])], x(along[i]), y(across[i]), 3.4, { fill: palette.classes[kind(label[i])], alpha: 0.75 });
    if (projection.every > 1) pen.text(pen.width - 8, pen.height - 8, `every ${projection.every}th row`, { size: 11, fill: palette.soft, anchor: "end" });
  }
}
