// The panel below the picture: the update in words and numbers, the weights, and the neuron.
import { element } from "./form_controls.js";
import { drawNeuron } from "./neuron_picture.js";
import { describeNeuron } from "./neuron_values.js";
import { formatNumber, formatVector } from "./number_format.js";
import { canvasPainter } from "./painters.js";
import { term } from "./tooltips.js";
import { explainUpdate } from "./update_explanation.js";

const TERMS = { w: "weights", b: "offset", misclassified: "misclassified", margin: "margin" };

export class UpdatePanel {
  constructor() {
    this.rule = element("div", { class: "rule" });
    this.numbers = element("dl", { class: "numbers" });
    this.neuron = element("canvas", { class: "neuron", role: "img", "aria-label": "The neuron" });
    this.element = element("div", { class: "reading" }, this.rule, this.numbers, element("figure", {}, element("h2", {}, "The neuron"), this.neuron));
  }

  // Shows a run at a step; `isDescribed` also updates the neuron's label for screen readers. Hidden without a run.
  show(scene, isDescribed) {
    this.element.hidden = !scene.run;
    if (!scene.run) return;
    this.#showRule(scene);
    this.#showNumbers(scene);
    drawNeuron(canvasPainter(this.neuron), scene);
    if (isDescribed) this.neuron.setAttribute("aria-label", describeNeuron(scene.run, scene.step));
  }

  #showRule({ run, step }) {
    const { title, lines } = explainUpdate(run, step);
    while (this.rule.children.length > lines.length + 1) this.rule.lastChild.remove();
    while (this.rule.children.length < lines.length + 1) this.rule.append(element(this.rule.children.length ? "p" : "h3"));
    [title, ...lines].forEach((text, i) => {
      if (this.rule.children[i].textContent !== text) this.rule.children[i].textContent = text;
    });
  }

  #showNumbers({ run, step }) {
    const w = Array.from(run.weights(step, run.movedPlane(step)));
    const b = w.pop();
    const wrong = run.misclassifiedCount(step);
    const margin = run.marginWidth(step);
    const facts = [["w", run.isKernel ? "α" : "w", formatVector(w), w], ["b", "b", formatNumber(b), b],
      ["misclassified", "misclassified", `${wrong} of ${run.points.length}`, wrong], ["margin", "margin", formatNumber(margin), margin]];
    if (!this.numbers.children.length)
      this.numbers.append(...facts.map(([name]) => element("div", {}, element("dt", {}, term(TERMS[name])), element("dd", { "data-name": name }))));
    facts.forEach(([, title, text, value], i) => {
      const [heading, cell] = this.numbers.children[i].children;
      heading.firstChild.textContent = title;
      cell.textContent = text;
      cell.dataset.value = JSON.stringify(value);
    });
  }
}
