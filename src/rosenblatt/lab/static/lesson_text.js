// The text of lessons: paragraphs in which [margin] is a word of the glossary.
import { element } from "./form_controls.js";
import { term } from "./tooltips.js";

// [margin], or [margin|margins] for another form of the word, and the punctuation that follows it
const WORD = /\[([^\]|]+)(?:\|([^\]]+))?\]([.,:;?]*)/g;

export function lessonParagraph(text) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(WORD)) {
    const [all, word, form = word, punctuation] = found;
    parts.push(text.slice(end, found.index), element("span", { class: "unbroken" }, term(word, form), punctuation));
    end = found.index + all.length;
  }
  return element("p", {}, ...parts, text.slice(end));
}
