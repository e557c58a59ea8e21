// Plane or lift, and the legend of the plane: what its lines and marks are, with a switch for each layer.
import { checkboxField, element, pressButton } from "./form_controls.js";
import { legendSwatch } from "./legend_swatches.js";
import { LAYERS } from "./page_state.js";

const VIEWS = { plane: "Plane", lift: "Lift in 3-D" };
const MARKS = { line: "the line", update: "this update's point", wrong: "hollow: wrong side" };
const LOGISTIC_LAYERS = { regions: "darker: more probable", band: "90 % sure" };
const HINGE_LAYERS = { band: "margin 1" };

export class ViewBar {
  // onChange() is called after every change of the state.
  constructor(state, onChange) {
    this.state = state;
    const setView = (name) => {
      state.view = name;
      this.show();
      onChange();
    };
    const setLayer = (name, on) => {
      state.setLayer(name, on);
      onChange();
    };
    this.layers = element("div", { class: "layers", role: "group", "aria-label": "Legend: layers of the plane" },
      ...Object.entries(MARKS).map(([name, text]) => element("span", { class: "mark" }, legendSwatch(name), text)),
      ...Object.keys(LAYERS).map((name) => this.#layer(name, setLayer)));
    this.buttons = Object.entries(VIEWS).map(([name, text]) => element("button", { type: "button", "data-view": name, onclick: () => setView(name) }, text));
    this.views = element("div", { class: "segmented", role: "group", "aria-label": "View" }, ...this.buttons);
    this.show();
  }

  #layer(name, setLayer) {
    const field = checkboxField(LAYERS[name], false, (on) => setLayer(name, on), { "data-layer": name });
    field.querySelector("input").after(legendSwatch(name));
    return field;
  }

  // Names the layers as this run draws them: the surer, the darker; or a margin that the loss fixes.
  setRun({ isLogistic, isHinge }) {
    const names = { ...LAYERS, ...(isLogistic ? LOGISTIC_LAYERS : isHinge ? HINGE_LAYERS : {}) };
    for (const box of this.layers.querySelectorAll("input")) box.parentElement.lastChild.textContent = names[box.dataset.layer];
  }

  show() {
    const { view, shown } = this.state;
    pressButton(this.buttons, "view", view);
    for (const box of this.layers.querySelectorAll("input")) box.checked = shown[box.dataset.layer];
    this.layers.hidden = view === "lift"; // they are layers of the plane
  }
}
