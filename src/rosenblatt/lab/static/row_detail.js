// One row of the table: how the model decides about it, and what each column adds to its score.
import { formatCell, signedBar } from "./data_tables.js";
import { formatShare } from "./data_headline.js";
import { element } from "./form_controls.js";
import { formatNumber } from "./number_format.js";

// detail: the answer to "row"; onClose() hides it
export function rowDetail(detail, classes, onClose) {
  const { row, class: own, predicted, contributions, probabilities, held_out: isHeldOut } = detail;
  const chance = probabilities ? ` Probability of “${predicted}”: ${formatShare(probabilities[classes.indexOf(predicted)])}.` : "";
  const verdict = own === predicted ? `Decided “${predicted}”, which is right.` : `Decided “${predicted}”; the truth is “${own}”.`;
  return element("div", { class: own === predicted ? "row-detail" : "row-detail wrong", tabindex: -1, role: "region", "aria-label": `Row ${row}` },
    element("div", { class: "row" }, element("h3", {}, `Row ${row}`), isHeldOut ? element("span", { class: "tag" }, "held out") : null,
      element("button", { type: "button", class: "quiet", "data-control": "close-row", onclick: onClose }, "close")),
    element("p", {}, verdict + chance), contributions ? contributionTable(detail) : element("p", { class: "hint" }, "This model has no weights of columns to show."));
}

function contributionTable({ contributions, others, others_add: othersAdd, intercept, score, prediction, against }) {
  const rival = against === null ? "" : ` rather than “${against}”`;
  const lines = [
    ...contributions.map(({ column, made_of: madeOf, cell, adds }) => ({ name: madeOf.length === 1 ? madeOf[0] : column, cell, adds })),
    ...(others ? [{ name: others === 1 ? "the other column" : `the other ${others} columns`, cell: null, adds: othersAdd }] : []),
    { name: "offset", cell: null, adds: intercept },
  ];
  const largest = Math.max(...lines.map(({ adds }) => Math.abs(adds)), 1e-12);
  const body = lines.map(({ name, cell, adds }) => element("tr", {}, element("th", { scope: "row", title: name }, name),
    element("td", { title: cell === null ? null : String(cell) }, cell === null ? "" : formatCell(cell)),
    element("td", { class: "number" }, formatNumber(adds, 3)), element("td", { class: "bars" }, signedBar(adds, largest))));
  const total = element("tr", {}, element("th", { scope: "row" }, "score"), element("td"), element("td", { class: "number", "data-figure": "score" }, formatNumber(score, 4)), element("td"));
  return element("table", { class: "contributions" }, element("caption", {}, `What each column adds for “${prediction}”${rival}`),
    element("thead", { class: "spoken" }, element("tr", {}, ...["column", "cell", "adds", "size"].map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, ...body), element("tfoot", {}, total));
}
