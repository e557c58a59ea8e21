// The panel of the points: a preset to start from, the class of the next point, undo, and the points as text.
import { MARKER_SYMBOLS } from "./class_markers.js";
import { checkboxField, element, wideSelectField } from "./form_controls.js";
import { formatNumber } from "./number_format.js";
import { parsePoints, pointsToCsv } from "./points_csv.js";

const ERASE = "erase";

// host: { presets, limits, points(), dimension(), setDimension(n), usePreset(name, margin, seed), change(points), undo(), redo(), say(text), refuse(error) }
export class PointsPanel {
  constructor(host) {
    Object.assign(this, { host, tool: 1, origin: { preset: null, margin: null, seed: 0 } });
    this.presets = element("div");
    this.tools = this.#buildTools();
    this.toolPlace = element("div");
    this.text = element("textarea", { rows: 6, spellcheck: "false", "aria-label": "Points as text: one a line, coordinates and class" });
    const apply = element("button", { type: "button", onclick: () => this.#applyText() }, "Use these points");
    // The text is filled by the click: the event "toggle" comes later, when somebody may have written into it.
    const summary = element("summary", { onclick: () => asText.open || this.#fillText() }, "Points as text");
    const asText = element("details", { class: "more" }, summary, this.text, apply);
    this.undoButton = element("button", { type: "button", "data-control": "undo", title: "Undo the last change of the points (Ctrl+Z)", disabled: true, onclick: () => host.undo() }, "Undo");
    this.redoButton = element("button", { type: "button", "data-control": "redo", title: "Redo what was undone (Ctrl+Y)", disabled: true, onclick: () => host.redo() }, "Redo");
    this.dimensions = element("span");
    this.elements = [this.presets, this.toolPlace, element("div", { class: "row" },
      element("button", { type: "button", "data-control": "clear", onclick: () => host.change([]) }, "Clear"), this.undoButton, this.redoButton, this.dimensions), asText];
    this.show();
  }

  #buildTools() {
    const tools = element("fieldset", { class: "tools" }, element("legend", {}, "Click to place, or to change a point into"));
    for (const [name, symbol] of [...MARKER_SYMBOLS.entries(), [ERASE, "✕"]]) {
      const input = element("input", { type: "radio", name: "rosenblatt-tool", value: name, onchange: () => (this.tool = name) });
      input.checked = name === this.tool;
      const spoken = name === ERASE ? "erase points" : `class ${name}`;
      tools.append(element("label", { class: `tool tool-${name}`, title: spoken }, input, element("span", { "aria-hidden": "true" }, symbol), element("span", { class: "spoken" }, spoken)));
    }
    return tools;
  }

  setTool(k) {
    this.tool = k;
    this.tools.querySelector(`input[value="${k}"]`).checked = true;
    this.host.say(`New points are ${MARKER_SYMBOLS[k]}.`);
  }

  setUndoable({ isUndoable, isRedoable }) {
    const hadFocus = [this.undoButton, this.redoButton].find((button) => button.matches(":focus"));
    this.undoButton.disabled = !isUndoable;
    this.redoButton.disabled = !isRedoable;
    // A button that is switched off loses the focus, and with it the keys of the page.
    if (hadFocus === this.undoButton && !isUndoable) this.redoButton.focus();
    if (hadFocus === this.redoButton && !isRedoable) this.undoButton.focus();
  }

  // Where the points come from: a preset, or null for points that the user placed.
  setOrigin({ preset, margin = null, seed = 0 }) {
    if (preset === null && this.origin.preset === null) return;
    this.origin = { preset, margin, seed };
    this.show();
  }

  show() {
    const { presets } = this.host;
    const { preset, margin, seed } = this.origin;
    const known = presets.find(({ name }) => name === preset);
    const options = [["", "custom points"], ...presets.map(({ name, title, rule }) => [name, title, rule])];
    const menu = wideSelectField("Start from", options, preset ?? "", (name) => name && this.host.usePreset(name), { "data-control": "preset" });
    const parts = [menu];
    if (known) parts.push(element("p", { class: "hint" }, known.rule));
    if (known && known.margin !== null) parts.push(this.#marginSlider(margin ?? known.margin));
    if (known?.random) parts.push(element("button", { type: "button", class: "quiet", "data-control": "draw", onclick: () => this.host.usePreset(preset, margin, seed + 1) }, "Draw new points"));
    const hadFocus = this.presets.matches(":focus-within");
    this.presets.replaceChildren(...parts);
    if (hadFocus) menu.querySelector("select").focus();
    this.dimensions.replaceChildren(checkboxField("one dimension", this.host.dimension() === 1, (on) => this.host.setDimension(on ? 1 : 2), { "data-control": "dimension" }));
  }

  #marginSlider(value) {
    const { preset, seed } = this.origin;
    const output = element("output", {}, formatNumber(value, 3));
    const input = element("input", { type: "range", min: 0.01, max: 2, step: 0.01, value, "aria-label": "margin of the blobs", "data-control": "margin",
      oninput: () => (output.textContent = formatNumber(Number(input.value), 3)),
      onchange: () => this.host.usePreset(preset, Number(input.value), seed) });
    return element("div", { class: "field" }, element("span", {}, "margin ", output), input);
  }

  #fillText() {
    this.text.value = pointsToCsv(this.host.points(), this.host.dimension());
  }

  #applyText() {
    try {
      this.host.change(parsePoints(this.text.value, this.host.dimension(), this.host.limits));
    } catch (error) {
      this.host.refuse(error);
    }
  }
}
