// The bar above the picture: plane or lift, and the layers of the plane.
import { checkboxField, element, pressButton } from "./form_controls.js";
import { LAYERS } from "./page_state.js";

const VIEWS = { plane: "Plane", lift: "Lift in 3-D" };

export class ViewBar {
  // onChange() is called after every change of the state.
  constructor(state, onChange) {
    this.state = state;
    const setLayer = (name, on) => {
      state.show[name] = on;
      onChange();
    };
    const setView = (name) => {
      state.view = name;
      this.show();
      onChange();
    };
    this.layers = element("div", { class: "layers", role: "group", "aria-label": "Layers" },
      ...Object.entries(LAYERS).map(([name, text]) => checkboxField(text, state.show[name], (on) => setLayer(name, on), { "data-layer": name })));
    this.buttons = Object.entries(VIEWS).map(([name, text]) => element("button", { type: "button", "data-view": name, onclick: () => setView(name) }, text));
    this.element = element("div", { class: "viewbar" }, element("div", { class: "segmented", role: "group", "aria-label": "View" }, ...this.buttons), this.layers);
    this.show();
  }

  show() {
    const { view, show } = this.state;
    pressButton(this.buttons, "view", view);
    for (const box of this.layers.querySelectorAll("input")) box.checked = show[box.dataset.layer];
    this.layers.hidden = view === "lift"; // they are layers of the plane
  }
}
