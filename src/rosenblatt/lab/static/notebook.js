// The host in a notebook: questions go through the widget's model, which also keeps the state.
import { element } from "./controls.js";
import { mount } from "./page.js";

function render({ model, el }) {
  const root = element("div");
  // A notebook has shortcuts of its own: in JupyterLab, 1 would make a heading of the cell, and d d delete it.
  root.addEventListener("keydown", (event) => event.stopPropagation());
  el.append(root);
  const waiting = new Map();
  let last = 0;
  const hear = ({ id, answer, error }) => {
    const promise = waiting.get(id);
    waiting.delete(id);
    if (promise) error ? promise.reject(new Error(error)) : promise.resolve(answer);
  };
  model.on("msg:custom", hear);
  const ask = (kind, content) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      model.send({ id: last, kind, content });
    });
  const memory = {
    load: () => model.get("state"),
    save: (text) => {
      model.set("state", text);
      model.save_changes();
    },
    address: () => null,
  };
  mount(root, ask, memory);
  return () => model.off("msg:custom", hear);
}
