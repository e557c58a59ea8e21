// The progress of a training, with a button that ends it.
import { element } from "./form_controls.js";
import { formatCount, formatInteger } from "./number_format.js";

function progressSentence({ epochs, max_iter: maxIter, mistakes, seconds }) {
  if (maxIter === null) return "Reading and encoding the rows …";
  const errors = mistakes === null || !Number.isFinite(mistakes) ? "" : `, ${formatCount(Math.round(mistakes), "mistake")} in the last epoch`;
  return `Epoch ${formatInteger(Math.floor(epochs))} of at most ${formatInteger(maxIter)}${errors}, ${seconds.toFixed(1)} s.`;
}

export class TrainingProgress {
  // onCancel() ends the training; what it learned so far is then shown.
  constructor(onCancel) {
    this.text = element("span");
    this.bar = element("progress", { "aria-label": "Progress of the training" });
    this.button = element("button", { type: "button", "data-control": "cancel", onclick: () => {
      this.button.disabled = true;
      onCancel();
    } }, "Stop and show what it has learned");
    this.element = element("div", { class: "training", hidden: true }, this.bar, this.text, this.button);
  }

  show(progress) {
    this.element.hidden = false;
    this.text.textContent = progressSentence(progress);
    if (progress.max_iter) {
      this.bar.max = progress.max_iter;
      this.bar.value = progress.epochs;
    } else this.bar.removeAttribute("value");
    this.button.disabled = this.button.disabled && !this.button.hidden;
    this.button.hidden = progress.max_iter === null;
  }

  hide() {
    this.element.hidden = true;
    this.button.disabled = false;
  }
}
