// The list of rows: which part of the table, only mistakes or one cell of the confusion matrix, and the order.
import { rowsTable } from "./data_tables.js";
import { checkboxField, element, selectField } from "./form_controls.js";
import { formatInteger } from "./number_format.js";

const ROW_ORDERS = [["worst", "worst margin first"], ["nearest", "nearest the boundary first"], ["table", "as in the table"]];

// host: { request(), choose(row), chosen() }. `filter` is what a request of rows contains.
export class RowsPanel {
  constructor(host) {
    Object.assign(this, { host, filter: { wrong: false, order: "worst", skip: 0 }, cell: null });
    this.heading = element("h3", {}, "Rows");
    this.controls = element("div", { class: "row filters" },
      checkboxField("only mistakes", false, (on) => this.change({ wrong: on }), { "data-control": "wrong" }),
      selectField("order", ROW_ORDERS, "worst", (order) => this.change({ order }), { "data-control": "order" }));
    this.cellChip = element("button", { type: "button", class: "chip", hidden: true, onclick: () => this.setCell(null) });
    this.count = element("p", { class: "hint" });
    this.table = element("div", { class: "rows" });
    this.back = element("button", { type: "button", "data-control": "rows-back", onclick: () => this.#page(-1) }, "Previous");
    this.forward = element("button", { type: "button", "data-control": "rows-forward", onclick: () => this.#page(1) }, "Next");
    this.element = element("figure", { class: "rows-figure" }, element("figcaption", {}, this.heading, this.controls, this.cellChip, this.count), this.table, element("div", { class: "row" }, this.back, this.forward));
  }

  get request() {
    const { truth = null, decided = null } = this.cell ?? {};
    return { ...this.filter, truth, decided };
  }

  change(change) {
    this.filter = { ...this.filter, skip: 0, ...change };
    this.host.request();
  }

  // Lists only the rows of one cell of the confusion matrix; null lists all.
  setCell(cell) {
    this.cell = cell;
    this.change({});
  }

  #page(by) {
    this.change({ skip: Math.max(0, this.filter.skip + by * this.shown) });
  }

  show(list, classes) {
    this.list = list;
    this.shown = Math.max(this.shown ?? 0, list.rows.length);
    this.cellChip.hidden = !this.cell;
    if (this.cell) this.cellChip.textContent = `“${classes[this.cell.truth]}” decided as “${classes[this.cell.decided]}” ✕`;
    const { count, skip, rows } = list;
    this.count.textContent = count ? `${formatInteger(skip + 1)} to ${formatInteger(skip + rows.length)} of ${formatInteger(count)}. Choose a row, or a dot above, to see why.` : "No such rows.";
    this.count.dataset.count = count;
    this.table.replaceChildren(...(rows.length ? [rowsTable(rows, this.host.chosen(), (row) => this.host.choose(row))] : []));
    this.back.disabled = skip === 0;
    this.forward.disabled = skip + rows.length >= count;
  }
}
