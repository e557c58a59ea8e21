// The layout of the page: the header, and the three columns for points.
import { element, pressButton } from "./form_controls.js";
import { glossaryButton } from "./tooltips.js";

const TABS = { points: "Points", data: "Your data" };

// The header; the tabs are there only with data of the user's own.
export function pageHeader(hasData, lessonPanel, { onTab, onTheme }) {
  const tabs = element("nav", { "aria-label": "Views" },
    ...(hasData ? Object.entries(TABS) : []).map(([name, text]) => element("button", { type: "button", "data-tab": name, onclick: () => onTab(name) }, text)));
  const theme = element("button", { type: "button", class: "quiet", onclick: onTheme }, "Dark or light");
  const header = element("header", {}, element("h1", {}, "rosenblatt ", element("span", {}, "lab")),
    element("p", { class: "tagline" }, "Place points, choose a recipe, watch every update."), tabs, lessonPanel.invitation, lessonPanel.menu, ...glossaryButton(), theme);
  return { header, pressTab: (name) => pressButton(tabs.children, "tab", name) };
}

// A part of a column that folds away.
const fold = (title, ...children) => element("details", { class: "fold", open: true, "data-fold": title.toLowerCase() }, element("summary", {}, element("h2", {}, title)), ...children);

const NARROW = 680; // pixels; lab.css puts the columns below each other up to here

// Keeps an element in one place, or in another where the columns are below each other.
function placeByWidth(root, moved, wideHome, narrowHome) {
  const place = () => {
    const home = root.clientWidth > NARROW ? wideHome : narrowHome;
    if (moved.parentElement !== home) home.append(moved);
  };
  new ResizeObserver(place).observe(root);
  place();
}

// The columns: points and recipe on the left, the picture in the centre, the theory on the right.
export function pageColumns({ root, caption, lessonPanel, pointsPanel, recipePanel, viewBar, picture, playback, problem, status, updatePanel, sharePanel, theoryPanel }) {
  const atPlane = element("div", { class: "plane-tools" });
  placeByWidth(root, pointsPanel.tools, pointsPanel.toolPlace, atPlane);
  placeByWidth(root, lessonPanel.foot, lessonPanel.element, lessonPanel.bar);
  return element("main", { class: "columns" }, lessonPanel.element,
    element("section", { class: "left", "aria-label": "Points and recipe" },
      fold("Points", ...pointsPanel.elements), fold("Recipe", recipePanel.element)),
    element("section", { class: "centre", "aria-label": "The plane" },
      element("div", { class: "top" }, caption, viewBar.views), picture.element, atPlane, playback.element, problem.element, viewBar.layers, updatePanel.element, status.element, sharePanel.element),
    element("section", { class: "right", "aria-label": "Result and theory" }, element("h2", {}, "Result"), theoryPanel.element));
}
