// Explanations beside a word: they open by pointer, by touch and by keyboard focus, and Escape closes them.
import { element, newId } from "./form_controls.js";
import { GLOSSARY } from "./glossary.js";

const TRIGGERS = "[data-term], [data-help]";
const GAP = 6; // pixels between a word and its explanation

// A word of the glossary; `shown` is the text of the button.
export const term = (word, shown = word) => element("button", { type: "button", class: "term", "data-term": word }, shown);

// A question mark that explains something else. Lines of the text become paragraphs.
export const helpButton = (about, text) => element("button", { type: "button", class: "help", "data-help": text, "aria-label": `What is ${about}?` }, "?");

const textOf = ({ dataset }) => (dataset.term ? `${dataset.term}: ${GLOSSARY[dataset.term]}` : dataset.help);

class Tooltip {
  constructor() {
    this.element = element("div", { class: "tooltip", role: "tooltip", id: newId(), popover: "manual" });
  }

  open(trigger) {
    if (this.trigger === trigger) return;
    this.close();
    this.trigger = trigger;
    trigger.setAttribute("aria-describedby", this.element.id);
    this.element.replaceChildren(...textOf(trigger).split("\n").map((line) => element("p", {}, line)));
    this.element.showPopover();
    this.#place(trigger.getBoundingClientRect());
  }

  // Below the word, or above it where there is no room; always inside the window.
  #place(word) {
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const below = word.bottom + GAP + height <= innerHeight || word.top < height + GAP;
    this.element.style.left = `${Math.max(GAP, Math.min(word.left, innerWidth - width - GAP))}px`;
    this.element.style.top = `${below ? word.bottom + GAP : word.top - GAP - height}px`;
  }

  close() {
    this.trigger?.removeAttribute("aria-describedby");
    this.trigger = null;
    if (this.element.matches(":popover-open")) this.element.hidePopover();
  }
}

// Opens the explanations of all words inside `root`. Returns the element that shows them.
export function watchTooltips(root) {
  const tooltip = new Tooltip();
  const triggerOf = (event) => event.target.closest?.(TRIGGERS);
  const openIf = (event) => triggerOf(event) && tooltip.open(triggerOf(event));
  root.addEventListener("focusin", openIf);
  root.addEventListener("focusout", () => tooltip.close());
  root.addEventListener("click", openIf);
  root.addEventListener("pointerover", (event) => event.pointerType === "mouse" && openIf(event));
  root.addEventListener("pointerout", (event) => {
    if (triggerOf(event) && triggerOf(event) !== root.ownerDocument.activeElement) tooltip.close();
  });
  root.addEventListener("keydown", (event) => event.key === "Escape" && tooltip.close());
  return tooltip.element;
}

// A button that lists the whole glossary.
export function glossaryButton() {
  const close = element("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const entries = Object.entries(GLOSSARY).flatMap(([word, text]) => [element("dt", {}, word), element("dd", {}, text)]);
  const dialog = element("dialog", { class: "glossary", "aria-label": "Glossary" }, element("h2", {}, "Glossary"), element("dl", { tabindex: 0 }, ...entries), close);
  const button = element("button", { type: "button", class: "quiet", "data-control": "glossary", onclick: () => dialog.showModal() }, "Glossary");
  return [button, dialog];
}
