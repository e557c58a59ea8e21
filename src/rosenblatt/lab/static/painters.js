// Painters: the same drawing commands on a canvas for the screen, or as SVG for a file. Coordinates are CSS pixels.

export class CanvasPainter {
  constructor(context, width, height) {
    Object.assign(this, { context, width, height });
  }

  #fillAndStroke(style) {
    const c = this.context;
    c.globalAlpha = style.alpha ?? 1;
    if (style.fill) {
      c.fillStyle = style.fill;
      c.fill();
    }
    if (style.stroke) {
      c.globalAlpha = style.strokeAlpha ?? style.alpha ?? 1;
      c.strokeStyle = style.stroke;
      c.lineWidth = style.width ?? 1;
      c.setLineDash(style.dash ?? []);
      c.lineJoin = c.lineCap = "round";
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  #trace(points, close) {
    points.forEach(([x, y], i) => (i ? this.context.lineTo(x, y) : this.context.moveTo(x, y)));
    if (close) this.context.closePath();
  }

  path(points, style, close = false) {
    this.context.beginPath();
    this.#trace(points, close);
    this.#fillAndStroke(style);
  }

  polygons(list, style) {
    this.context.beginPath();
    for (const points of list) this.#trace(points, true);
    this.#fillAndStroke(style);
  }

  segments(list, style) {
    this.context.beginPath();
    for (const points of list) this.#trace(points, false);
    this.#fillAndStroke(style);
  }

  circle(x, y, radius, style) {
    this.context.beginPath();
    this.context.arc(x, y, Math.max(radius, 0), 0, 2 * Math.PI);
    this.#fillAndStroke(style);
  }

  text(x, y, text, { size = 12, fill, anchor = "start", weight = 400, halo } = {}) {
    const c = this.context;
    c.font = `${weight} ${size}px system-ui, sans-serif`;
    c.textAlign = { start: "left", middle: "center", end: "right" }[anchor];
    c.textBaseline = "middle";
    if (halo) {
      c.strokeStyle = halo;
      c.lineWidth = 4;
      c.lineJoin = "round";
      c.setLineDash([]);
      c.strokeText(text, x, y);
    }
    c.fillStyle = fill;
    c.fillText(text, x, y);
  }
}

const escapeXml = (text) => String(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const svgPoint = ([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`;

export class SvgPainter {
  constructor(width, height) {
    Object.assign(this, { width, height, parts: [] });
  }

  #style({ fill, stroke, width = 1, dash, alpha, strokeAlpha }) {
    const attributes = [`fill="${fill ?? "none"}"`];
    if (stroke) attributes.push(`stroke="${stroke}" stroke-width="${width}" stroke-linejoin="round" stroke-linecap="round"`);
    if (dash?.length) attributes.push(`stroke-dasharray="${dash.join(" ")}"`);
    if (alpha !== undefined) attributes.push(`fill-opacity="${alpha}"`);
    if (stroke && (strokeAlpha ?? alpha) !== undefined) attributes.push(`stroke-opacity="${strokeAlpha ?? alpha}"`);
    return attributes.join(" ");
  }

  #add(list, style, close) {
    const d = list.filter((points) => points.length).map((points) => `M${points.map(svgPoint).join("L")}${close ? "Z" : ""}`);
    if (d.length) this.parts.push(`<path d="${d.join("")}" ${this.#style(style)}/>`);
  }

  path(points, style, close = false) {
    this.#add([points], style, close);
  }

  polygons(list, style) {
    this.#add(list, style, true);
  }

  segments(list, style) {
    this.#add(list, style, false);
  }

  circle(x, y, radius, style) {
    this.parts.push(`<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="${radius.toFixed(2)}" ${this.#style(style)}/>`);
  }

  text(x, y, text, { size = 12, fill, anchor = "start", weight = 400, halo } = {}) {
    const outline = halo ? ` stroke="${halo}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"` : "";
    const place = `x="${x.toFixed(2)}" y="${y.toFixed(2)}" dominant-baseline="central" text-anchor="${anchor}"`;
    const font = `font-family="system-ui, sans-serif" font-size="${size}" font-weight="${weight}"`;
    this.parts.push(`<text ${place} ${font} fill="${fill}"${outline}>${escapeXml(text)}</text>`);
  }

  toString() {
    const size = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${this.parts.join("\n")}\n</svg>\n`;
  }
}

// Clears a canvas, matches its resolution to the screen, and returns a painter for it.
export function canvasPainter(canvas) {
  const scale = Math.min(window.devicePixelRatio || 1, 2);
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return new CanvasPainter(context, width, height);
}
