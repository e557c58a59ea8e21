// Small samples of what the picture draws, for its legend.
import { svgElement } from "./form_controls.js";

const [WIDTH, HEIGHT] = [26, 14];

// Shapes of each sample, drawn with the style sheet's colours.
const SHAPES = {
  line: [["path", { d: "M1 7H25", stroke: "var(--ink)", "stroke-width": 2.4 }]],
  update: [["circle", { cx: 13, cy: 7, r: 5.5, stroke: "var(--accent)", "stroke-width": 2 }], ["circle", { cx: 13, cy: 7, r: 2.2, fill: "var(--accent)" }]],
  wrong: [["circle", { cx: 8, cy: 7, r: 4, stroke: "var(--class-1)", "stroke-width": 2 }], ["rect", { x: 15, y: 3.5, width: 7, height: 7, stroke: "var(--class-0)", "stroke-width": 2 }]],
  regions: [["rect", { width: 13, height: HEIGHT, fill: "var(--class-0)", "fill-opacity": 0.3 }], ["rect", { x: 13, width: 13, height: HEIGHT, fill: "var(--class-1)", "fill-opacity": 0.3 }]],
  band: [["rect", { y: 2, width: WIDTH, height: 10, fill: "var(--ink)", "fill-opacity": 0.12 }], ["path", { d: "M0 2H26M0 12H26", stroke: "var(--ink)", "stroke-dasharray": "2 3" }]],
  normal: [["path", { d: "M2 12 18 5", stroke: "var(--ink)", "stroke-width": 2 }], ["path", { d: "M24 2.500 18.500 8 16 3Z", fill: "var(--ink)" }]],
  before: [["path", { d: "M1 7H25", stroke: "var(--soft)", "stroke-width": 1.6, "stroke-dasharray": "5 4" }]],
  theory: [["rect", { y: 1, width: WIDTH, height: 12, fill: "var(--good)", "fill-opacity": 0.25 }], ["path", { d: "M0 7H26", stroke: "var(--good)", "stroke-width": 1.6, "stroke-dasharray": "7 4" }]],
  radius: [["circle", { cx: 13, cy: 7, r: 6, stroke: "var(--soft)", "stroke-dasharray": "1.5 2.500" }]],
};

export const legendSwatch = (name) =>
  svgElement("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, fill: "none", "aria-hidden": "true" }, ...SHAPES[name].map(([tag, attributes]) => svgElement(tag, attributes)));
