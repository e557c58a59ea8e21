// The recipe: one control for each parameter of the registry.

let unique = 0;

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function choose(label, options, value, changed, attributes = {}) {
  const id = `rosenblatt-${++unique}`;
  const select = element("select", { id, ...attributes, onchange: () => changed(select.value) },
    ...options.map(([name, text, title]) => element("option", { value: name, title, selected: name === value }, text)));
  select.value = value;
  return element("div", { class: "field" }, element("label", { for: id }, label), select);
}

// A field whose values are long takes the whole line.
export function wide(field) {
  field.classList.add("wide");
  return field;
}

export function check(label, value, changed, attributes = {}) {
  const input = element("input", { type: "checkbox", ...attributes, onchange: () => changed(input.checked) });
  input.checked = value;
  return element("label", { class: "check" }, input, element("span", {}, label));
}

const OPEN = ""; // a parameter that is left to the learner
const FIRST = ["loss", "solver", "kernel", "gamma", "degree", "features", "order", "step", "eta0", "keep", "C", "alpha", "fit_intercept", "max_iter", "random_state"];

// Controls of one learner. `changed(name, value)` is told every change; undefined takes a change back.
export function recipeControls(learner, parameters, changed) {
  const main = learner.parameters.filter(({ name }) => FIRST.includes(name));
  main.sort((one, other) => FIRST.indexOf(one.name) - FIRST.indexOf(other.name));
  const rest = learner.parameters.filter(({ name }) => !FIRST.includes(name));
  const shown = (list) => list.map((parameter) => control(parameter, parameters[parameter.name], changed));
  const more = element("details", { class: "more" }, element("summary", {}, "More parameters"), ...shown(rest));
  more.open = rest.some(({ name }) => name in parameters);
  return [...shown(main), ...(rest.length ? [more] : [])];
}

function control(parameter, given, changed) {
  const { name, kind, default: usual, help, optional, options, most } = parameter;
  const value = given === undefined ? usual : given;
  const tell = (found) => changed(name, found === usual ? undefined : found);
  const attributes = { title: help, "data-parameter": name };
  if (kind === "switch") return check(name, value, tell, attributes);
  if (kind === "choice") {
    const rows = Object.entries(options).map(([member, rule]) => [member, member, rule]);
    if (optional) rows.unshift([OPEN, usual === null ? "what suits" : "none", "left to the learner"]);
    return choose(name, rows, value ?? OPEN, (found) => tell(found === OPEN ? null : found), attributes);
  }
  const id = `rosenblatt-${++unique}`;
  const input = element("input", {
    id, type: "number", step: kind === "whole" ? 1 : "any", max: most, placeholder: optional ? "what suits" : null, ...attributes,
    onchange: () => tell(input.value === "" ? (optional ? null : usual) : Number(input.value)),
  });
  input.value = value ?? "";
  return element("div", { class: "field" }, element("label", { for: id }, name), input);
}
