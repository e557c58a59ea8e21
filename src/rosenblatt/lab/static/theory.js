// The theory beside the run: the verdict, the street, the mistake bound and the curves.
import { Chart, legend } from "./charts.js";
import { element } from "./controls.js";
import { counted, unpacked, written } from "./numbers.js";
import { SIGNS } from "./shapes.js";

const VERDICTS = {
  complete: ["separable", "A line has every point strictly on its own side."],
  quasi: ["nearly separable", "A line has no point on the wrong side, but every such line goes through some of them."],
  overlap: ["not separable", "The hulls of the classes meet: no line will do."],
  undecided: ["undecided", "This run has not shown whether it can be done."],
};
const ON_AN_AXIS = {
  complete: "A border on the axis has every point strictly on its own side.",
  quasi: "A border on the axis has no point on the wrong side, but lies on some of them.",
  overlap: "The classes overlap on the axis: no border will do.",
};
const DASHES = { last: [], average: [7, 4], best: [2, 3] };

export class Theory {
  constructor() {
    this.verdict = element("div", { class: "verdict", "aria-live": "polite" });
    this.street = element("p", { class: "fact" });
    this.bound = element("div", { class: "bound" });
    this.fewest = element("p", { class: "fact" });
    this.audited = element("p", { class: "fact" });
    this.charts = {
      novikoff: this.#chart("The two sides of Novikoff's proof", "k η γ ≤ w·w* ≤ ‖w‖ ≤ √k η R: the outer curves must cross, so the mistakes end."),
      mistakes: this.#chart("Training mistakes", "Points misclassified by the last, the average and the best weights (a pocket's, which tries those that last)."),
      loss: this.#chart("Mean loss", "Of the same weights."),
    };
    this.nothing = element("p", { class: "hint", hidden: true }, "Points of two classes can be proved separable, or not.");
    this.found = element("div", { class: "theory" }, this.verdict, this.street, this.bound, this.fewest, this.audited,
      ...Object.values(this.charts).map(({ box }) => box));
    this.element = element("div", {}, this.nothing, this.found);
  }

  #chart(title, text) {
    const canvas = element("canvas", { class: "chart", role: "img", "aria-label": title });
    const key = element("div");
    const box = element("figure", {}, element("figcaption", {}, element("h3", {}, title), element("p", {}, text)), canvas, key);
    return { chart: new Chart(canvas), box, key, canvas };
  }

  clear() {
    this.course = null;
    this.found.hidden = true;
    this.nothing.hidden = false;
  }

  set(course, palette) {
    if (course !== this.course) this.proofs = null;
    Object.assign(this, { course, palette });
    this.found.hidden = false;
    this.nothing.hidden = true;
    const { theory, curves, step } = course.answer;
    this.#setVerdict(theory.verdicts, course);
    const { street } = theory;
    this.street.textContent = street ? `The widest street is ${written(2 * street.margin)} wide: margin ${written(street.margin)}, held by ${counted(street.support.length, "point")}.` : "";
    this.street.dataset.margin = street?.margin ?? "";
    this.fewest.textContent = this.audited.textContent = "";
    this.fewest.hidden = this.audited.hidden = true;
    this.#setNovikoff(theory.novikoff, step);
    const keeps = Object.entries(curves.keeps);
    const colours = { last: palette.ink, average: palette.accent, best: palette.good };
    for (const name of ["mistakes", "loss"]) {
      const lines = keeps.map(([keep, values]) => ({ name: keep, x: curves.updates, y: values[name], colour: colours[keep], dash: DASHES[keep] }));
      this.#fill(this.charts[name], lines, { whole: name === "mistakes" });
    }
    if (this.proofs) this.prove(this.proofs);
  }

  #fill({ chart, box, key }, curves, options) {
    box.hidden = !curves.length;
    chart.set(curves, this.palette, options);
    key.replaceChildren(legend(curves));
  }

  #setVerdict(verdicts, { isLinear, dimension }) {
    this.verdict.replaceChildren(...verdicts.map(({ kind, clash, class: label }) => {
      const [word, text] = VERDICTS[kind];
      const who = label === undefined ? "" : `${SIGNS[label]} against the rest: `;
      const rows = clash.rows.length ? ` ${capitalCount(clash.rows.length)} prove it: ringed${clash.meet ? ", with the point that both hulls share" : ""}.` : "";
      return element("p", { class: `verdict-${kind}` }, element("strong", { "data-kind": kind }, who + word), element("span", {}, verdicts.length > 1 ? "" : `${!isLinear ? inSpace(text) : dimension === 1 ? ON_AN_AXIS[kind] ?? text : text}${rows}`));
    }));
  }

  #setNovikoff(curves, { eta0 }) {
    const { palette } = this;
    if (!curves) return this.#fill(this.charts.novikoff, []);
    const [progress, least, square, most] = ["progress", "least", "squared_norm", "most"].map((name) => unpacked(curves[name]));
    const x = Array.from(progress, (_, k) => k);
    this.#fill(this.charts.novikoff, [
      { name: "√k η R, at most", x, y: most.map(Math.sqrt), colour: palette.bad, dash: [7, 4], width: 1.6 },
      { name: "‖w‖", x, y: square.map(Math.sqrt), colour: palette.ink },
      { name: "w·w*", x, y: progress, colour: palette.accent },
      { name: "k η γ, at least", x, y: least, colour: palette.good, dash: [2, 3], width: 1.8 },
    ]);
  }

  prove(proofs) {
    this.proofs = proofs;
    const { audit, fewest } = proofs;
    const line = this.course.dimension === 1 ? "border" : "straight line";
    this.audited.hidden = !audit;
    if (audit) this.audited.textContent = audit.ok ? "Audited in exact arithmetic: both inequalities of the proof hold at every mistake." : audit.why_not;
    this.fewest.hidden = !fewest?.mistakes;
    if (fewest?.mistakes) {
      const sure = fewest.proved ? "Proved: " : `At least ${fewest.lower_bound}, and `;
      this.fewest.textContent = `${sure}${fewest.proved ? `no ${line} makes fewer than ${counted(fewest.mistakes, "mistake")} on these points` : `a ${line} with ${counted(fewest.mistakes, "mistake")} is known`}.`;
      this.fewest.dataset.mistakes = fewest.mistakes;
    }
  }

  // The part that moves while playing.
  at(step) {
    const { course } = this;
    const { bound } = course.answer.theory;
    const about = course.answer.theory.novikoff !== undefined;
    if (!bound) this.bound.replaceChildren();
    else this.#setBound(step, bound, about);
    for (const { chart, box } of Object.values(this.charts)) if (!box.hidden) chart.draw(step);
  }

  #setBound(step, { radius, margin, bound, exact }, about) {
    if (!this.meter) {
      this.meter = element("meter", { min: 0, "aria-label": "Mistakes so far against the bound" });
      this.text = element("p", { class: "fact" });
      this.bound.append(this.text, this.meter);
    }
    if (!this.bound.contains(this.meter)) this.bound.replaceChildren(this.text, this.meter);
    this.meter.hidden = !about || bound === null;
    const formula = bound === null ? `R = ${written(radius)}, γ = 0: no bound` : `(R/γ)² = (${written(radius)} / ${written(margin)})² ${exact ? "=" : "≈"} ${written(bound)}`;
    this.text.dataset.bound = bound ?? "";
    this.text.textContent = about && bound !== null ? `${counted(step, "mistake")} so far, of at most ${formula}.` : bound === null ? `${formula}.` : `A perceptron would make at most ${formula} mistakes.`;
    this.meter.max = bound ?? 1;
    this.meter.value = Math.min(step, bound ?? 0);
  }
}

const inSpace = (text) => `In the space of the recipe: ${text[0].toLowerCase()}${text.slice(1).replaceAll("line", "plane")}`;
const capitalCount = (count) => counted(count, "point");
