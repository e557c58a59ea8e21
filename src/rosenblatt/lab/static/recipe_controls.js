// The recipe: one control for each parameter of the registry.
import { breakableName, checkboxField, element, newId, selectField, wideSelectField } from "./form_controls.js";
import { formatNumber } from "./number_format.js";
import { helpButton } from "./tooltips.js";

const AUTOMATIC = "automatic"; // the classifier chooses the value
const NO_CHOICE = "";
// The parameters that are always visible, in this order; the others are below "More parameters".
const MAIN_PARAMETERS = ["loss", "solver", "kernel", "gamma", "features", "order", "eta0", "keep", "C"];

// The choice of a classifier and its rule. `onChange(name)` is called with another classifier's name.
export function learnerControls(learners, learner, onChange) {
  const options = learners.map(({ name, rule }) => [name, name, rule]);
  return [wideSelectField("learner", options, learner.name, onChange, { "data-parameter": "learner" }), element("p", { class: "hint" }, learner.rule)];
}

// Controls of one classifier, the parameters `first` before the others. `onChange(name, value)` is called at every change;
// undefined restores the default.
export function parameterControls(learner, parameters, first, onChange) {
  const names = [...first, ...MAIN_PARAMETERS];
  const main = learner.parameters.filter(({ name }) => names.includes(name));
  main.sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
  const rest = learner.parameters.filter(({ name }) => !names.includes(name));
  const controls = (list) => list.map((parameter) => parameterControl(parameter, parameters[parameter.name], onChange));
  const more = element("details", { class: "more" }, element("summary", {}, "More parameters"), ...controls(rest));
  more.open = rest.some(({ name }) => name in parameters);
  return [...controls(main), ...(rest.length ? [more] : [])];
}

function parameterControl(parameter, given, onChange) {
  const { name, kind, default: initial } = parameter;
  const value = given === undefined ? initial : given;
  const change = (chosen) => onChange(name, chosen === initial ? undefined : chosen);
  const attributes = { "data-parameter": name };
  const made = kind === "switch" ? element("div", { class: "field" }, checkboxField(name, value, change, attributes))
    : (kind === "choice" ? choiceControl : numberControl)(parameter, value, change, attributes);
  made.append(helpButton(name, helpText(parameter)));
  return made;
}

// What a parameter does, and what each of its choices means.
function helpText({ help, options }) {
  return [help, ...Object.entries(options).filter(([, rule]) => rule).map(([member, rule]) => `${member}: ${rule}`)].join("\n");
}

// Writes what the classifier chose into the controls that leave the choice to it.
export function showChosen(recipe, chosen) {
  for (const control of recipe.querySelectorAll("[data-parameter]")) {
    const value = chosen[control.dataset.parameter];
    const text = value === undefined ? AUTOMATIC : `${AUTOMATIC}: ${typeof value === "number" ? formatNumber(value) : value}`;
    if (control.placeholder?.startsWith(AUTOMATIC)) control.placeholder = text;
    const option = control.tagName === "SELECT" ? control.options[0] : null;
    if (option?.value === NO_CHOICE && option.text.startsWith(AUTOMATIC)) option.text = text;
  }
}

function choiceControl({ name, default: initial, optional, options }, value, change, attributes) {
  const rows = Object.entries(options).map(([member, rule]) => [member, member, rule]);
  if (optional) rows.unshift([NO_CHOICE, initial === null ? AUTOMATIC : "none", "the classifier chooses"]);
  return selectField(name, rows, value ?? NO_CHOICE, (chosen) => change(chosen === NO_CHOICE ? null : chosen), attributes);
}

function numberControl({ name, kind, default: initial, optional, most }, value, change, attributes) {
  const id = newId();
  const input = element("input", {
    id, type: "number", step: kind === "whole" ? 1 : "any", max: most, placeholder: optional ? AUTOMATIC : null, ...attributes,
    onchange: () => change(input.value === "" ? (optional ? null : initial) : Number(input.value)),
  });
  input.value = value ?? "";
  return element("div", { class: "field" }, element("label", { for: id }, ...breakableName(name)), input);
}
