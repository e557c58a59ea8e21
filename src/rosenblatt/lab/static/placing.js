// Where the points come from: a preset, the hand, or text; and what is placed by the next click.
import { check, choose, element, wide } from "./controls.js";
import { written } from "./numbers.js";
import { csvOf, pointsOf } from "./share.js";
import { SIGNS } from "./shapes.js";

// host: { presets, limits, points(), dimension(), setDimension(n), usePreset(name, margin, seed), change(points), undo(), say(text), refuse(error) }
export class Placing {
  constructor(host) {
    Object.assign(this, { host, tool: 1, preset: null, margin: null, seed: 0 });
    this.presets = element("div");
    this.tools = this.#tools();
    this.text = element("textarea", { rows: 6, spellcheck: "false", "aria-label": "Points as text: one a line, coordinates and class" });
    const apply = element("button", { type: "button", onclick: () => this.#applyText() }, "Use these points");
    const asText = element("details", { class: "more", ontoggle: () => this.#fillText() }, element("summary", {}, "Points as text"), this.text, apply);
    this.back = element("button", { type: "button", "data-control": "undo", title: "Take the last change of the points back (Ctrl+Z)", disabled: true, onclick: () => host.undo() }, "Undo");
    this.dimensions = element("span");
    this.elements = [this.presets, this.tools, element("div", { class: "row" },
      element("button", { type: "button", "data-control": "clear", onclick: () => host.change([]) }, "Clear"), this.back, this.dimensions), asText];
    this.show();
  }

  #tools() {
    const tools = element("fieldset", { class: "tools" }, element("legend", {}, "Click the plane to place"));
    for (const [name, sign] of [...SIGNS.map((sign, k) => [k, sign]), ["erase", "✕"]]) {
      const input = element("input", { type: "radio", name: "rosenblatt-tool", value: name, onchange: () => (this.tool = name) });
      input.checked = name === this.tool;
      const spoken = name === "erase" ? "erase points" : `class ${name}`;
      tools.append(element("label", { class: `tool tool-${name}`, title: spoken }, input, element("span", { "aria-hidden": "true" }, sign), element("span", { class: "spoken" }, spoken)));
    }
    return tools;
  }

  setTool(k) {
    this.tool = k;
    this.tools.querySelector(`input[value="${k}"]`).checked = true;
    this.host.say(`Placing ${SIGNS[k]}.`);
  }

  // The points are those of a preset; null says that they are somebody's own.
  from(preset, margin = null, seed = 0) {
    if (preset === null && this.preset === null) return;
    Object.assign(this, { preset, margin, seed });
    this.show();
  }

  show() {
    const { presets } = this.host;
    const known = presets.find(({ name }) => name === this.preset);
    const rows = presets.map(({ name, title, rule }) => [name, title, rule]);
    const pick = wide(choose("Start from", [["", "own points"], ...rows], this.preset ?? "", (name) => name && this.host.usePreset(name), { "data-control": "preset" }));
    const parts = [pick];
    if (known) parts.push(element("p", { class: "hint" }, known.rule));
    if (known && known.margin !== null) parts.push(this.#marginSlider(known));
    if (known) parts.push(element("button", { type: "button", class: "quiet", onclick: () => this.host.usePreset(this.preset, this.margin, this.seed + 1) }, "Draw others"));
    const focused = this.presets.matches(":focus-within");
    this.presets.replaceChildren(...parts);
    if (focused) pick.querySelector("select").focus();
    this.dimensions.replaceChildren(check("one dimension", this.host.dimension() === 1, (on) => this.host.setDimension(on ? 1 : 2), { "data-control": "dimension" }));
  }

  #marginSlider(preset) {
    const value = this.margin ?? preset.margin;
    const shown = element("output", {}, written(value, 3));
    const input = element("input", { type: "range", min: 0.01, max: 2, step: 0.01, value, "aria-label": "margin of the blobs", "data-control": "margin",
      oninput: () => (shown.textContent = written(Number(input.value), 3)),
      onchange: () => this.host.usePreset(this.preset, Number(input.value), this.seed) });
    return element("div", { class: "field" }, element("span", {}, "margin ", shown), input);
  }

  #fillText() {
    this.text.value = csvOf(this.host.points(), this.host.dimension());
  }

  #applyText() {
    try {
      this.host.change(pointsOf(this.text.value, this.host.dimension(), this.host.limits));
    } catch (error) {
      this.host.refuse(error);
    }
  }
}
