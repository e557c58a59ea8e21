// The confusion matrix: rows of each true class by the class that was decided. A cell is a filter of the list of rows.
import { formatShare } from "./data_headline.js";
import { element } from "./form_controls.js";
import { formatInteger } from "./number_format.js";

// chosen: { truth, decided } of the pressed cell, or null; onChoose(cell) is called with the cell, or null to clear.
export function confusionTable({ confusion, precision, recall }, classes, chosen, onChoose) {
  if (!confusion) return element("p", { class: "hint" }, `The confusion of ${classes.length} classes is too large to show.`);
  const head = element("tr", {}, element("th", { scope: "col" }, "truth"), ...classes.map((name) => element("th", { scope: "col", title: `decided as ${name}` }, name)), element("th", { scope: "col" }, "recall"));
  const body = confusion.map((counts, truth) => {
    const whole = counts.reduce((sum, count) => sum + count, 0);
    return element("tr", {}, element("th", { scope: "row", title: classes[truth] }, classes[truth]),
      ...counts.map((count, decided) => confusionCell(count, whole, { truth, decided }, classes, chosen, onChoose)), element("td", { class: "number" }, formatShare(recall[truth])));
  });
  const foot = element("tr", {}, element("th", { scope: "row" }, "precision"), ...precision.map((share) => element("td", { class: "number" }, formatShare(share))), element("td"));
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Confusion matrix" },
    element("table", { class: "confusion" }, element("thead", {}, head), element("tbody", {}, ...body), element("tfoot", {}, foot)));
}

function confusionCell(count, whole, place, classes, chosen, onChoose) {
  const isChosen = chosen !== null && chosen.truth === place.truth && chosen.decided === place.decided;
  const isRight = place.truth === place.decided;
  const button = element("button", {
    type: "button", "aria-pressed": String(isChosen), disabled: !count, "data-cell": `${place.truth}-${place.decided}`, class: isRight ? "right" : "wrong",
    "aria-label": `${formatInteger(count)} rows of ${classes[place.truth]} decided as ${classes[place.decided]}: list them`, onclick: () => onChoose(isChosen ? null : place),
  }, formatInteger(count));
  if (!isChosen) button.style.setProperty("--share", whole ? (count / whole).toFixed(3) : "0");
  return element("td", {}, button);
}
