// The page in a notebook: questions go through the widget's model, which also stores the state. This is the bundle's entry.
import { element } from "./form_controls.js";
import { mount } from "./page.js";
import { followHostTheme } from "./theme.js";

// The page lives in a shadow root: the notebook's styles do not reach in, and its own do not reach out.
function shadowPage(model, el) {
  const host = element("div");
  const root = element("div");
  const height = model.get("height");
  if (height) root.style.cssText = `max-height: ${height}px; overflow: auto`;
  host.attachShadow({ mode: "open" }).append(element("style", {}, model.get("styles")), root);
  el.append(host);
  return root;
}

export function render({ model, el }) {
  const root = shadowPage(model, el);
  const forgetTheme = followHostTheme(root);
  // Notebooks have shortcuts of their own: in JupyterLab, 1 turns the cell into a heading, and d d deletes it.
  root.addEventListener("keydown", (event) => event.stopPropagation());
  const waiting = new Map();
  let lastId = 0;
  const receive = ({ id, answer, error }) => {
    const promise = waiting.get(id);
    waiting.delete(id);
    if (error) promise?.reject(new Error(error));
    else promise?.resolve(answer);
  };
  model.on("msg:custom", receive);
  const ask = (kind, content) =>
    new Promise((resolve, reject) => {
      waiting.set(++lastId, { resolve, reject });
      model.send({ id: lastId, kind, content });
    });
  const memory = {
    load: () => model.get("state"),
    save: (text) => {
      model.set("state", text);
      model.save_changes();
    },
    watch: () => {},
    address: () => null,
    query: () => new URLSearchParams(model.get("lesson") ? { lesson: model.get("lesson") } : {}).toString(),
  };
  mount(root, ask, memory);
  return () => {
    forgetTheme();
    model.off("msg:custom", receive);
  };
}
