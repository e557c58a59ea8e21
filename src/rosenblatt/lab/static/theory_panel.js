// The result and its theory: how the run ended, separability, the widest margin, the mistake bound and the curves.
import { MARKER_SYMBOLS } from "./class_markers.js";
import { element } from "./form_controls.js";
import { chartLegend, LineChart } from "./line_chart.js";
import { formatCount, formatNumber } from "./number_format.js";
import { unpackArray } from "./packed_arrays.js";
import { term } from "./tooltips.js";
import { explainEnd } from "./update_explanation.js";

const VERDICTS = {
  complete: { word: "separable", sentence: "A line separates the classes: every point lies strictly on the side of its class." },
  quasi: { word: "nearly separable", sentence: "A line has no point on the wrong side, but every such line passes through some points." },
  overlap: { word: "not separable", sentence: "The convex hulls of the classes intersect, so no line separates them." },
  undecided: { word: "undecided", sentence: "Neither this run nor a search found a separating line, which proves nothing." },
};
const AXIS_SENTENCES = {
  complete: "A border on the axis separates the classes: every point lies strictly on the side of its class.",
  quasi: "A border on the axis has no point on the wrong side, but every such border lies on some points.",
  overlap: "The classes overlap on the axis, so no border separates them.",
};
const KEEP_DASHES = { last: [], average: [7, 4], best: [2, 3] };
const HINT = "Place points of two classes to see whether a line separates them.";

// The sentence about a verdict: in the plane, on the axis of one dimension, or in the feature space of a lifted run.
function verdictSentence(kind, { isLinear, dimension }) {
  const { sentence } = VERDICTS[kind];
  if (!isLinear) return `In the feature space: ${sentence[0].toLowerCase()}${sentence.slice(1).replaceAll("line", "plane")}`;
  return dimension === 1 ? AXIS_SENTENCES[kind] ?? sentence : sentence;
}

function minimumMistakesSentence({ mistakes, lower_bound: lowerBound, proved }, dimension) {
  const line = dimension === 1 ? "border" : "straight line";
  if (proved) return `Proved: no ${line} makes fewer than ${formatCount(mistakes, "mistake")} on these points.`;
  return `Every ${line} makes at least ${formatCount(lowerBound, "mistake")}; one with ${mistakes} is known.`;
}

function boundSentence(updates, { radius, margin, bound, exact }, applies) {
  if (bound === null) return `R = ${formatNumber(radius)}, γ = 0: no bound.`;
  const formula = `(R/γ)² = (${formatNumber(radius)} / ${formatNumber(margin)})² ${exact ? "=" : "≈"} ${formatNumber(bound)}`;
  return applies ? `${formatCount(updates, "mistake")} so far, of at most ${formula}.` : `A perceptron would make at most ${formula} mistakes.`;
}

// A warning of the library without what the page says already: the classifier's name and how the run ended.
function adviceOf(note, status) {
  const rest = note.split(`${status}. `)[1];
  return rest ?? note;
}

function novikoffLines(curves, palette) {
  const [progress, least, square, most] = ["progress", "least", "squared_norm", "most"].map((name) => unpackArray(curves[name]));
  const x = Array.from(progress, (_, k) => k);
  return [
    { name: "√k η R, at most", x, y: most.map(Math.sqrt), colour: palette.bad, dash: [7, 4], width: 1.6 },
    { name: "‖w‖", x, y: square.map(Math.sqrt), colour: palette.ink },
    { name: "w·w*", x, y: progress, colour: palette.accent },
    { name: "k η γ, at least", x, y: least, colour: palette.good, dash: [2, 3], width: 1.8 },
  ];
}

export class TheoryPanel {
  // onReveal() is called if somebody asks for the proof before the run has ended.
  constructor(onReveal) {
    this.run = this.step = null;
    this.outcome = element("p", { class: "outcome" });
    this.notes = element("ul", { class: "notes" });
    this.verdict = element("div", { class: "verdict" });
    this.widestMargin = element("p", { class: "fact" });
    this.boundText = element("p", { class: "fact" });
    this.boundMeter = element("meter", { min: 0, "aria-label": "Mistakes so far against the bound" });
    this.bound = element("div", { class: "bound" }, this.boundText, this.boundMeter);
    this.minimumMistakes = element("p", { class: "fact" });
    this.audit = element("p", { class: "fact" });
    this.charts = {
      novikoff: this.#buildChart("The two sides of Novikoff's proof", "k η γ ≤ w·w* ≤ ‖w‖ ≤ √k η R: the outer curves cross, so the mistakes come to an end."),
      mistakes: this.#buildChart("Training mistakes", "Points misclassified by the last, the average and the best weights. The best are those of the pocket."),
      loss: this.#buildChart("Mean loss", "Of the same weights."),
    };
    this.hint = element("p", { class: "hint", hidden: true }, HINT);
    this.question = element("div", { class: "question" }, element("p", {}, "Are the classes ", term("separable"), "? The answer comes with its ", term("certificate"), " when the run ends."),
      element("button", { type: "button", "data-control": "reveal", onclick: onReveal }, "Show the proof now"));
    this.proof = element("div", { class: "proof" }, this.verdict, this.widestMargin, element("h3", {}, term("mistake bound", "Mistake bound")), this.bound, this.minimumMistakes, this.audit);
    this.content = element("div", { class: "theory" }, element("div", { class: "result" }, this.outcome, this.notes, this.question, this.proof),
      this.#fold("novikoff", "Novikoff's proof, watched", ["novikoff"]), this.#fold("curves", "Mistakes and loss along the run", ["mistakes", "loss"]));
    this.element = element("div", {}, this.hint, this.content);
  }

  #buildChart(title, text) {
    const canvas = element("canvas", { class: "chart", role: "img", "aria-label": title });
    const legend = element("div");
    const figure = element("figure", {}, element("figcaption", {}, element("h3", {}, title), element("p", {}, text)), canvas, legend);
    return { chart: new LineChart(canvas), figure, legend };
  }

  // Curves that are one click away.
  #fold(name, title, charts) {
    return element("details", { class: "more", "data-fold": name, ontoggle: () => this.step !== null && this.showStep(this.step) },
      element("summary", {}, title), ...charts.map((chart) => this.charts[chart].figure));
  }

  // Shows the proof and how the run ended, or the question that they answer.
  setRevealed(isRevealed, isAtEnd) {
    this.question.hidden = isRevealed;
    this.proof.hidden = !isRevealed;
    this.outcome.hidden = this.notes.hidden = !isAtEnd;
  }

  #setVisible(isVisible) {
    this.content.hidden = !isVisible;
    this.hint.hidden = isVisible;
  }

  clear() {
    this.run = this.step = null;
    this.#setVisible(false);
  }

  setRun(run, palette) {
    if (run !== this.run) this.proofs = this.step = null; // the step is drawn with the next frame
    Object.assign(this, { run, palette });
    this.#setVisible(true);
    const { theory, curves, result } = run.answer;
    this.outcome.textContent = explainEnd(run);
    this.notes.replaceChildren(...result.notes.map((note) => element("li", {}, adviceOf(note, result.status))));
    this.#setVerdict(theory.verdicts, run);
    const { street } = theory;
    this.widestMargin.textContent = street ? `The widest street is ${formatNumber(2 * street.margin)} wide: margin ${formatNumber(street.margin)}, with ${formatCount(street.support.length, "point")} on its edges.` : "";
    this.widestMargin.dataset.margin = street?.margin ?? "";
    this.minimumMistakes.hidden = this.audit.hidden = true;
    this.#setCurves(this.charts.novikoff, theory.novikoff ? novikoffLines(theory.novikoff, palette) : []);
    const colours = { last: palette.ink, average: palette.accent, best: palette.good };
    for (const name of ["mistakes", "loss"]) {
      const lines = Object.entries(curves.keeps).map(([keep, values]) => ({ name: keep, x: curves.updates, y: values[name], colour: colours[keep], dash: KEEP_DASHES[keep] }));
      this.#setCurves(this.charts[name], lines, { whole: name === "mistakes" });
    }
    if (this.proofs) this.setProofs(this.proofs);
  }

  #setCurves({ chart, figure, legend }, curves, options) {
    figure.hidden = !curves.length;
    chart.setCurves(curves, this.palette, options);
    legend.replaceChildren(chartLegend(curves));
  }

  #setVerdict(verdicts, run) {
    this.verdict.replaceChildren(...verdicts.map(({ kind, clash, class: label }) => {
      const subject = label === undefined ? "" : `${MARKER_SYMBOLS[label]} against the rest: `;
      const count = clash.rows.length;
      const proof = count ? ` The ${formatCount(count, "ringed point")} ${count === 1 ? "proves" : "prove"} it${clash.meet ? "; the cross marks a point that both hulls share" : ""}.` : "";
      const text = verdicts.length > 1 ? "" : verdictSentence(kind, run) + proof;
      return element("p", { class: `verdict-${kind}` }, element("strong", { "data-kind": kind }, subject + VERDICTS[kind].word), element("span", {}, text));
    }));
  }

  // Proofs arrive after the run, because they take longer.
  setProofs(proofs) {
    this.proofs = proofs;
    const { audit, fewest } = proofs;
    this.audit.hidden = !audit;
    if (audit) this.audit.textContent = audit.ok ? "Audited in exact arithmetic: both inequalities of the proof hold at every mistake." : audit.why_not;
    this.minimumMistakes.hidden = !fewest?.mistakes;
    if (!fewest?.mistakes) return;
    const { isLinear, dimension, planes, answer: { result } } = this.run;
    const isBest = fewest.proved && isLinear && planes === 1 && result.mistakes === fewest.mistakes;
    if (isBest) this.notes.replaceChildren(); // advice to look for better weights would be wrong
    this.minimumMistakes.textContent = minimumMistakesSentence(fewest, dimension) + (isBest ? " The one that is returned makes no more." : "");
    this.minimumMistakes.dataset.mistakes = fewest.mistakes;
  }

  // Shows the parts that change during playback.
  showStep(step) {
    this.step = step;
    const { bound, novikoff } = this.run.answer.theory;
    this.bound.hidden = this.bound.previousSibling.hidden = !bound;
    if (bound) this.#showBound(step, bound, novikoff !== undefined);
    for (const { chart, figure } of Object.values(this.charts)) if (!figure.hidden) chart.draw(step);
  }

  #showBound(step, bound, applies) {
    this.boundMeter.hidden = !applies || bound.bound === null;
    this.boundText.dataset.bound = bound.bound ?? "";
    this.boundText.textContent = boundSentence(step, bound, applies);
    this.boundMeter.max = bound.bound ?? 1;
    this.boundMeter.value = Math.min(step, bound.bound ?? 0);
  }
}
