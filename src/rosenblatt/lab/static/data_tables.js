// The tables of the user's data: the heaviest weights, and lists of rows.
import { element } from "./form_controls.js";
import { formatNumber } from "./number_format.js";

const MAX_UNTITLED_CHARACTERS = 16; // longer cells may be cut off, so they get a tooltip

// A cell of the table: numbers with few digits, texts unchanged, nothing for a missing value.
export const formatCell = (value) => (typeof value === "number" ? formatNumber(value, 4) : String(value ?? ""));

// A bar from the middle: to the right for what is positive, to the left and hatched for what is negative.
export function signedBar(value, largest) {
  const bar = element("span", { class: value < 0 ? "bar minus" : "bar" });
  bar.style.width = `${(50 * Math.abs(value)) / largest}%`;
  bar.style.marginLeft = value < 0 ? `${50 - (50 * Math.abs(value)) / largest}%` : "50%";
  return bar;
}

export function weightsTable(weights) {
  const largest = Math.max(...weights.map(({ weight }) => Math.abs(weight)), 1e-12);
  const head = element("thead", { class: "spoken" }, element("tr", {}, ...["column", "weight", "size"].map((text) => element("th", {}, text))));
  const rows = weights.map(({ name, weight }) => element("tr", {}, element("th", { scope: "row", title: name }, name),
    element("td", { class: "number" }, formatNumber(weight, 3)), element("td", { class: "bars" }, signedBar(weight, largest))));
  return element("table", {}, head, element("tbody", {}, ...rows));
}

// A table of rows with their cells; the number of a row is a button that explains it. chosen: the number of a row
export function rowsTable(list, chosen, onChoose) {
  const columns = Object.keys(list[0].values);
  const head = element("tr", {}, ...["row", "class", "decided", "margin", ...columns].map((text) => element("th", { scope: "col", title: text }, text)));
  const body = list.map(({ row, class: own, predicted, margin, values }) => {
    const cells = [own, predicted, formatNumber(margin, 3), ...columns.map((column) => formatCell(values[column]))].map(String);
    const button = element("button", { type: "button", class: "quiet", "data-row": row, "aria-label": `Explain row ${row}`, "aria-pressed": String(row === chosen) }, String(row));
    return element("tr", { class: own === predicted ? "" : "wrong", onclick: () => onChoose(row) }, element("td", {}, button),
      ...cells.map((text) => element("td", { title: text.length > MAX_UNTITLED_CHARACTERS ? text : null }, text)));
  });
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Rows" },
    element("table", { "data-rows": "list" }, element("thead", {}, head), element("tbody", {}, ...body)));
}
