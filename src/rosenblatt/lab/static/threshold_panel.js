// The threshold of one class: a slider, precision and recall at it, and the ROC and precision-recall curves.
import { drawShares } from "./data_figures.js";
import { formatShare } from "./data_headline.js";
import { element, newId } from "./form_controls.js";
import { formatInteger, formatNumber } from "./number_format.js";
import { unpackArray } from "./packed_arrays.js";
import { canvasPainter } from "./painters.js";

const CURVE_NAMES = ["thresholds", "hits", "alarms", "recall", "precision", "false_alarms"];

export class ThresholdPanel {
  constructor() {
    const id = newId();
    const canvas = (name) => element("canvas", { class: "chart", role: "img", "aria-label": name, style: "height: 220px" });
    this.canvases = { roc: canvas("ROC curve"), recall: canvas("Precision and recall") };
    this.slider = element("input", { id, type: "range", min: 0, value: 0, step: 1, "data-control": "threshold", oninput: () => this.#moveTo(Number(this.slider.value)) });
    this.reset = element("button", { type: "button", class: "quiet", onclick: () => this.#moveTo(this.curve.decides) }, "back to the model's own");
    this.label = element("label", { for: id });
    this.numbers = element("dl", { class: "numbers", "data-name": "at-threshold" });
    this.area = element("span");
    this.element = element("figure", {}, element("figcaption", {}, element("h3", {}, "Threshold"), element("p", {}, this.label)),
      element("div", { class: "row threshold" }, element("span", { "aria-hidden": "true" }, "strict"), this.slider, element("span", { "aria-hidden": "true" }, "lenient"), this.reset), this.numbers,
      element("div", { class: "pair" }, element("div", {}, element("h4", {}, "ROC curve ", this.area), this.canvases.roc), element("div", {}, element("h4", {}, "Precision and recall"), this.canvases.recall)));
  }

  // curve: the content of a threshold curve, or null if the class has no rows, or all
  set(curve, name, colour, palette) {
    this.element.hidden = !curve;
    if (!curve) return;
    const isSame = this.packed === curve;
    Object.assign(this, { packed: curve, name, colour, palette });
    if (!isSame) {
      this.curve = { ...curve, ...Object.fromEntries(CURVE_NAMES.map((key) => [key, unpackArray(curve[key])])) };
      this.slider.max = this.curve.thresholds.length - 1;
      this.at = Math.max(this.curve.decides, 0);
    }
    this.area.textContent = `(area ${curve.area.toFixed(3)})`;
    this.#moveTo(this.at);
  }

  #moveTo(at) {
    this.at = Math.max(at, 0);
    const { curve, name } = this;
    const [hits, alarms, last] = [curve.hits[this.at], curve.alarms[this.at], curve.thresholds.length - 1];
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `score at least ${formatNumber(curve.thresholds[this.at], 3)}`);
    this.reset.disabled = this.at === curve.decides;
    const least = this.at === curve.decides ? "0, as the model does" : formatNumber(curve.thresholds[this.at], 3);
    this.label.textContent = `Decide for “${name}” if its score is at least ${least}.`;
    const facts = [["precision", formatShare(curve.precision[this.at])], ["recall", formatShare(curve.recall[this.at])],
      ["found", `${formatInteger(hits)} of ${formatInteger(curve.hits[last])}`], ["false alarms", `${formatInteger(alarms)} of ${formatInteger(curve.alarms[last])}`]];
    this.numbers.replaceChildren(...facts.map(([title, text]) => element("div", {}, element("dt", {}, title), element("dd", { "data-figure": title }, text))));
    this.draw();
  }

  draw() {
    const { curve, colour, palette, at } = this;
    if (!curve || this.element.hidden || !this.element.clientWidth) return;
    drawShares(canvasPainter(this.canvases.roc), {
      curves: [{ x: [0, ...curve.false_alarms], y: [0, ...curve.recall], colour }], point: [curve.false_alarms[at], curve.recall[at]],
      diagonal: true, xTitle: "false alarms among the others", yTitle: "found",
    }, palette);
    drawShares(canvasPainter(this.canvases.recall), {
      curves: [{ x: curve.recall, y: curve.precision, colour }], point: [curve.recall[at], curve.precision[at]], diagonal: false, xTitle: "recall", yTitle: "precision",
    }, palette);
  }
}
