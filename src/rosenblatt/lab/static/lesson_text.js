// The text of lessons: paragraphs in which [margin] is a word of the glossary.
import { element } from "./form_controls.js";
import { term } from "./tooltips.js";

const WORD = /\[([^\]|]+)(?:\|([^\]]+))?\]/g; // [margin], or [margin|margins] for another form of the word

export function lessonParagraph(text) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(WORD)) {
    parts.push(text.slice(end, found.index), term(found[1], found[2] ?? found[1]));
    end = found.index + found[0].length;
  }
  return element("p", {}, ...parts, text.slice(end));
}
