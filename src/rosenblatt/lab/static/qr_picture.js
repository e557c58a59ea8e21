// The QR code of a link, for a telephone or a slide.
import { element, svgElement } from "./form_controls.js";
import { qrCode } from "./qr_code.js";

const QUIET = 4; // light modules around the code, as the standard asks for
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const TOO_LONG = "The link is too long for a QR code: start from a preset, or use fewer points.";
const ONLY_HERE = "Only this machine can open the link. For others, start the lab with --host.";

export class QrPicture {
  constructor() {
    this.drawing = element("div", { class: "qr-code" });
    this.note = element("figcaption");
    this.element = element("figure", { class: "qr", hidden: true }, this.drawing, this.note);
  }

  show(address) {
    const rows = qrCode(address);
    this.drawing.replaceChildren(...(rows ? [drawCode(rows)] : []));
    this.note.textContent = !rows ? TOO_LONG : LOOPBACK.test(new URL(address).hostname) ? ONLY_HERE : "";
  }
}

// Always dark on light: many readers know no other codes.
function drawCode(rows) {
  const side = rows.length + 2 * QUIET;
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : ""))).join("");
  return svgElement("svg", { viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": "QR code of the link", "shape-rendering": "crispEdges" },
    svgElement("rect", { width: side, height: side, fill: "#fff" }), svgElement("path", { d: path, fill: "#000" }));
}
