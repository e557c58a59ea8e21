// Line charts. The curves are drawn once on a canvas of their own; playing moves only the cursor over them.
import { ticks, written } from "./numbers.js";
import { CanvasPen, penOf } from "./pens.js";

const EDGES = { left: 46, right: 12, top: 10, bottom: 24 };
const MOST = 400; // points of a curve that a chart this wide can show

export class Chart {
  constructor(canvas) {
    Object.assign(this, { canvas, curves: [], still: null });
  }

  // curves: [{name, x, y, colour, dash, width}]
  set(curves, palette, { xName = "updates", whole = false } = {}) {
    Object.assign(this, { curves, palette, xName, whole, still: null });
  }

  #scales(width, height) {
    const finite = this.curves.flatMap(({ y }) => Array.from(y)).filter(Number.isFinite);
    const low = Math.min(0, ...finite);
    const high = Math.max(...finite, 0) || (low < 0 ? 0 : 1);
    const last = Math.max(...this.curves.map(({ x }) => x[x.length - 1] ?? 0), 1);
    const { left, right, top, bottom } = EDGES;
    return {
      last, low, high: high * 1.05,
      x: (value) => left + (value / last) * (width - left - right),
      y: (value) => height - bottom - ((value - low) / (high * 1.05 - low)) * (height - top - bottom),
    };
  }

  draw(cursor) {
    const { canvas } = this;
    const pen = penOf(canvas);
    if (!pen.width || !this.curves.length) return;
    const scales = this.#scales(pen.width, pen.height);
    if (!this.still || this.still.width !== canvas.width || this.still.height !== canvas.height) this.#drawStill(pen, scales);
    pen.context.setTransform(1, 0, 0, 1, 0, 0);
    pen.context.drawImage(this.still, 0, 0);
    const scale = canvas.width / pen.width;
    pen.context.setTransform(scale, 0, 0, scale, 0, 0);
    if (cursor === undefined) return;
    const x = scales.x(Math.min(cursor, scales.last));
    pen.path([[x, EDGES.top], [x, pen.height - EDGES.bottom]], { stroke: this.palette.accent, width: 1.5 });
    for (const curve of this.curves) {
      const y = valueAt(curve, cursor);
      if (Number.isFinite(y)) pen.circle(x, scales.y(y), 3, { fill: curve.colour, stroke: this.palette.paper, width: 1 });
    }
  }

  #drawStill({ width, height }, scales) {
    const { canvas, palette } = this;
    this.still = document.createElement("canvas");
    this.still.width = canvas.width;
    this.still.height = canvas.height;
    const context = this.still.getContext("2d");
    context.scale(canvas.width / width, canvas.width / width);
    drawCurves(new CanvasPen(context, width, height), this, scales, palette);
  }
}

function drawCurves(pen, chart, scales, palette) {
  const { width, height } = pen;
  const { left, right, bottom } = EDGES;
  for (const value of ticks(scales.low, scales.high, 4)) {
    if (chart.whole && value !== Math.round(value)) continue;
    const y = scales.y(value);
    pen.path([[left, y], [width - right, y]], { stroke: palette.line, width: 1, alpha: value === 0 ? 1 : 0.5 });
    pen.text(left - 6, y, written(value, 3), { size: 10, fill: palette.soft, anchor: "end" });
  }
  for (const value of ticks(0, scales.last, 5)) {
    if (value === Math.round(value))
      pen.text(scales.x(value), height - bottom + 12, written(value, 4), { size: 10, fill: palette.soft, anchor: "middle" });
  }
  for (const { x, y, colour, dash, width: thick } of chart.curves) {
    const stride = Math.max(1, Math.ceil(x.length / MOST));
    const points = [];
    for (let i = 0; i < x.length; i += stride) if (Number.isFinite(y[i])) points.push([scales.x(x[i]), scales.y(y[i])]);
    if (x.length && Number.isFinite(y[x.length - 1])) points.push([scales.x(x[x.length - 1]), scales.y(y[x.length - 1])]);
    pen.path(points, { stroke: colour, width: thick ?? 1.8, dash: dash ?? [] });
  }
}

function valueAt({ x, y }, cursor) {
  let i = 0;
  if (x.length && x[x.length - 1] === x.length - 1) i = Math.min(cursor, x.length - 1); // one entry an update
  else while (i + 1 < x.length && x[i + 1] <= cursor) i++;
  return y[i];
}

// A legend in the page, where it can be read aloud.
export function legend(curves) {
  const list = document.createElement("ul");
  list.className = "legend";
  for (const { name, colour, dash } of curves) {
    const item = document.createElement("li");
    const line = document.createElement("span");
    line.style.borderTop = `2.5px ${dash?.length ? (dash[0] < 4 ? "dotted" : "dashed") : "solid"} ${colour}`;
    item.append(line, name);
    list.append(item);
  }
  return list;
}
