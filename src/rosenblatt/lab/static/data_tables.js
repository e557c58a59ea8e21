// The tables of the user's data: the heaviest weights, and lists of rows.
import { element } from "./form_controls.js";
import { formatNumber } from "./number_format.js";

const MAX_UNTITLED_CHARACTERS = 16; // longer cells may be cut off, so they get a tooltip

// A cell of the table: numbers with few digits, texts unchanged, nothing for a missing value.
const formatCell = (value) => (typeof value === "number" ? formatNumber(value, 4) : String(value ?? ""));

export function weightsTable(weights) {
  const largest = Math.max(...weights.map(({ weight }) => Math.abs(weight)), 1e-12);
  const head = element("thead", { class: "spoken" }, element("tr", {}, ...["column", "weight", "size"].map((text) => element("th", {}, text))));
  const rows = weights.map(({ name, weight }) => {
    const bar = element("span", { class: weight < 0 ? "bar minus" : "bar" });
    bar.style.width = `${(100 * Math.abs(weight)) / largest}%`;
    return element("tr", {}, element("th", { scope: "row", title: name }, name), element("td", { class: "number" }, formatNumber(weight, 3)), element("td", { class: "bars" }, bar));
  });
  return element("table", {}, head, element("tbody", {}, ...rows));
}

// A figure that lists rows with their cells. `name` identifies the list, `none` is the text of an empty one.
export function rowsFigure(name, title, list, none) {
  if (!list.length) return element("figure", {}, element("h3", {}, title), element("p", { class: "hint" }, none));
  const columns = Object.keys(list[0].values);
  const head = element("tr", {}, ...["row", "class", "predicted", "margin", ...columns].map((text) => element("th", { scope: "col", title: text }, text)));
  const body = list.map(({ row, class: own, predicted, margin, values }) => {
    const cells = [row, own, predicted, formatNumber(margin, 3), ...columns.map((column) => formatCell(values[column]))].map(String);
    return element("tr", { class: own === predicted ? "" : "wrong" },
      ...cells.map((text) => element("td", { title: text.length > MAX_UNTITLED_CHARACTERS ? text : null }, text)));
  });
  const table = element("table", { "data-rows": name }, element("thead", {}, head), element("tbody", {}, ...body));
  return element("figure", {}, element("h3", {}, title), element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table));
}
