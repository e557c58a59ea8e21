// Elements and labelled form controls.

let lastId = 0;
export const newId = () => `rosenblatt-${++lastId}`;

// An element with attributes, listeners (names that begin with "on") and children; null children are left out.
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

// An element of a drawing.
export function svgElement(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A name that may break after an underscore.
export const breakableName = (name) => name.split(/(?<=_)/).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));

// A select with a label. options: [[value, text, title], ..]
export function selectField(label, options, value, onChange, attributes = {}) {
  const id = newId();
  const select = element("select", { id, ...attributes, onchange: () => onChange(select.value) },
    ...options.map(([name, text, title]) => element("option", { value: name, title, selected: name === value }, text)));
  select.value = value;
  return element("div", { class: "field" }, element("label", { for: id }, ...breakableName(label)), select);
}

// A select that takes the whole line, for long values.
export function wideSelectField(...given) {
  const field = selectField(...given);
  field.classList.add("wide");
  return field;
}

export function checkboxField(label, value, onChange, attributes = {}) {
  const input = element("input", { type: "checkbox", ...attributes, onchange: () => onChange(input.checked) });
  input.checked = value;
  return element("label", { class: "check" }, input, element("span", {}, ...breakableName(label)));
}

// Shows which button of a group is active. `name` is the data attribute that identifies a button.
export function pressButton(buttons, name, value) {
  for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset[name] === value));
}
