// What is read below the plane: the rule with its numbers, the weights, and the neuron.
import { element } from "./controls.js";
import { drawNeuron, neuronAt } from "./neuron.js";
import { vector, written } from "./numbers.js";
import { penOf } from "./pens.js";
import { ruleOf } from "./words.js";

export class Reading {
  constructor() {
    this.rule = element("div", { class: "rule" });
    this.numbers = element("dl", { class: "numbers" });
    this.neuron = element("canvas", { class: "neuron", role: "img", "aria-label": "The neuron" });
    this.element = element("div", { class: "reading" }, element("div", {}, this.rule, this.numbers), element("figure", {}, element("h2", {}, "The neuron"), this.neuron));
  }

  // Of a run at a step; `spoken` describes the neuron too. Without a run there is nothing to read.
  show(scene, spoken) {
    this.element.hidden = !scene.course;
    if (!scene.course) return;
    this.#showRule(scene);
    this.#showNumbers(scene);
    drawNeuron(penOf(this.neuron), scene);
    if (spoken) this.#describe(scene);
  }

  #showRule({ course, step }) {
    const { title, lines } = ruleOf(course, step);
    while (this.rule.children.length > lines.length + 1) this.rule.lastChild.remove();
    while (this.rule.children.length < lines.length + 1) this.rule.append(element(this.rule.children.length ? "p" : "h3"));
    [title, ...lines].forEach((text, i) => {
      if (this.rule.children[i].textContent !== text) this.rule.children[i].textContent = text;
    });
  }

  #showNumbers({ course, step }) {
    const w = Array.from(course.weights(step, course.update(step)?.plane ?? 0));
    const wrong = course.wrong(step).length;
    const margin = course.clearance(step);
    const facts = [["w", course.isKernel ? "α" : "w", vector(w.slice(0, -1)), w.slice(0, -1)], ["b", "b", written(w[w.length - 1]), w[w.length - 1]],
      ["misclassified", "misclassified", `${wrong} of ${course.points.length}`, wrong], ["margin", "margin", written(margin), margin]];
    if (!this.numbers.children.length)
      this.numbers.append(...facts.map(([name]) => element("div", {}, element("dt"), element("dd", { "data-name": name }))));
    facts.forEach(([, title, text, value], i) => {
      const [name, cell] = this.numbers.children[i].children;
      name.textContent = title;
      cell.textContent = text;
      cell.dataset.value = JSON.stringify(value);
    });
  }

  #describe({ course, step }) {
    const { row, score, predicted, own } = neuronAt(course, step);
    this.neuron.setAttribute("aria-label", `The neuron for point ${row + 1}: the sum is ${written(score)}, class ${predicted} is predicted, ${predicted === own ? "right" : "wrong"}.`);
  }
}
