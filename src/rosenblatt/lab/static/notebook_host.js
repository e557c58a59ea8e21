// The page in a notebook: questions go through the widget's model, which also stores the state. This is the bundle's entry.
import { element } from "./form_controls.js";
import { mount } from "./page.js";

export function render({ model, el }) {
  const root = element("div");
  // Notebooks have shortcuts of their own: in JupyterLab, 1 turns the cell into a heading, and d d deletes it.
  root.addEventListener("keydown", (event) => event.stopPropagation());
  el.append(root);
  const waiting = new Map();
  let lastId = 0;
  const receive = ({ id, answer, error }) => {
    const promise = waiting.get(id);
    waiting.delete(id);
    if (promise) error ? promise.reject(new Error(error)) : promise.resolve(answer);
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
    address: () => null,
    lesson: () => model.get("lesson"),
  };
  mount(root, ask, memory);
  return () => model.off("msg:custom", receive);
}
