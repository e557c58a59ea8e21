// Line charts. The curves are drawn once on a canvas of their own; playback moves only the cursor over them.
import { element } from "./form_controls.js";
import { formatNumber } from "./number_format.js";
import { CanvasPainter, canvasPainter } from "./painters.js";
import { axisTicks } from "./vector_math.js";

const CHART_EDGES = { left: 46, right: 12, top: 10, bottom: 24 };
const MAX_CURVE_POINTS = 400; // as many as a chart of this width can show

export class LineChart {
  constructor(canvas) {
    Object.assign(this, { canvas, curves: [], background: null });
  }

  // curves: [{name, x, y, colour, dash, width}]
  setCurves(curves, palette, { whole = false } = {}) {
    Object.assign(this, { curves, palette, whole, background: null });
  }

  #scales(width, height) {
    const finite = this.curves.flatMap(({ y }) => Array.from(y)).filter(Number.isFinite);
    const low = Math.min(0, ...finite);
    const high = Math.max(...finite, 0) || (low < 0 ? 0 : 1);
    const last = Math.max(...this.curves.map(({ x }) => x[x.length - 1] ?? 0), 1);
    const { left, right, top, bottom } = CHART_EDGES;
    return {
      last, low, high: high * 1.05,
      x: (value) => left + (value / last) * (width - left - right),
      y: (value) => height - bottom - ((value - low) / (high * 1.05 - low)) * (height - top - bottom),
    };
  }

  // Draws the curves, and a cursor at this update if one is given.
  draw(cursor) {
    const { canvas } = this;
    const painter = canvasPainter(canvas);
    if (!painter.width || !this.curves.length) return;
    const scales = this.#scales(painter.width, painter.height);
    if (!this.background || this.background.width !== canvas.width || this.background.height !== canvas.height) this.#drawBackground(painter, scales);
    painter.context.setTransform(1, 0, 0, 1, 0, 0);
    painter.context.drawImage(this.background, 0, 0);
    const scale = canvas.width / painter.width;
    painter.context.setTransform(scale, 0, 0, scale, 0, 0);
    if (cursor === undefined) return;
    const x = scales.x(Math.min(cursor, scales.last));
    painter.path([[x, CHART_EDGES.top], [x, painter.height - CHART_EDGES.bottom]], { stroke: this.palette.accent, width: 1.5 });
    for (const curve of this.curves) {
      const y = valueAt(curve, cursor);
      if (Number.isFinite(y)) painter.circle(x, scales.y(y), 3, { fill: curve.colour, stroke: this.palette.paper, width: 1 });
    }
  }

  #drawBackground({ width, height }, scales) {
    const { canvas, palette } = this;
    this.background = document.createElement("canvas");
    this.background.width = canvas.width;
    this.background.height = canvas.height;
    const context = this.background.getContext("2d");
    context.scale(canvas.width / width, canvas.width / width);
    drawCurves(new CanvasPainter(context, width, height), this, scales, palette);
  }
}

function drawCurves(painter, chart, scales, palette) {
  const { width, height } = painter;
  const { left, right, bottom } = CHART_EDGES;
  for (const value of axisTicks(scales.low, scales.high, 4)) {
    if (chart.whole && value !== Math.round(value)) continue;
    const y = scales.y(value);
    painter.path([[left, y], [width - right, y]], { stroke: palette.line, width: 1, alpha: value === 0 ? 1 : 0.5 });
    painter.text(left - 6, y, formatNumber(value, 3), { size: 10, fill: palette.soft, anchor: "end" });
  }
  for (const value of axisTicks(0, scales.last, 5)) {
    if (value === Math.round(value))
      painter.text(scales.x(value), height - bottom + 12, formatNumber(value, 4), { size: 10, fill: palette.soft, anchor: "middle" });
  }
  for (const { x, y, colour, dash, width: thick } of chart.curves) {
    const stride = Math.max(1, Math.ceil(x.length / MAX_CURVE_POINTS));
    const points = [];
    for (let i = 0; i < x.length; i += stride) if (Number.isFinite(y[i])) points.push([scales.x(x[i]), scales.y(y[i])]);
    if (x.length && Number.isFinite(y[x.length - 1])) points.push([scales.x(x[x.length - 1]), scales.y(y[x.length - 1])]);
    painter.path(points, { stroke: colour, width: thick ?? 1.8, dash: dash ?? [] });
  }
}

function valueAt({ x, y }, cursor) {
  let i = 0;
  if (x.length && x[x.length - 1] === x.length - 1) i = Math.min(cursor, x.length - 1); // one entry for each update
  else while (i + 1 < x.length && x[i + 1] <= cursor) i++;
  return y[i];
}

// A legend as HTML, so that screen readers can read it.
export function chartLegend(curves) {
  return element("ul", { class: "legend" }, ...curves.map(({ name, colour, dash }) => {
    const line = element("span");
    line.style.borderTop = `2.5px ${dash?.length ? (dash[0] < 4 ? "dotted" : "dashed") : "solid"} ${colour}`;
    return element("li", {}, line, name);
  }));
}
