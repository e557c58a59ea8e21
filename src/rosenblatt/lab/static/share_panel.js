// The share panel: a link, the picture, the points, and the run in Python.
import { element } from "./form_controls.js";
import { pointsToCsv } from "./points_csv.js";
import { QrPicture } from "./qr_picture.js";

function download(name, content) {
  const link = document.createElement("a");
  const blob = content instanceof Blob ? content : new Blob([content], { type: "text/plain" });
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// host: { address(), svg(), png(done), points(), dimension(), say(text) }
export class SharePanel {
  constructor(host) {
    this.host = host;
    const button = (name, text, act) => element("button", { type: "button", "data-share": name, onclick: act }, text);
    this.python = button("python", "Python", () => this.#toggleSnippet());
    this.snippet = element("pre", { class: "snippet", tabindex: 0, hidden: true, "aria-label": "The run in Python" });
    this.qr = new QrPicture();
    const hasAddress = host.address() !== null;
    this.element = element("div", { class: "share", role: "group", "aria-label": "Share" },
      hasAddress ? button("link", "Copy link", () => this.#copy(host.address(), "The link")) : null, hasAddress ? button("qr", "QR code", () => this.#toggleQr()) : null,
      button("svg", "SVG", () => download("lab.svg", host.svg())), button("png", "PNG", () => host.png((blob) => download("lab.png", blob))),
      button("csv", "CSV", () => download("points.csv", pointsToCsv(host.points(), host.dimension()))), this.python, this.qr.element, this.snippet);
  }

  // Called when the address has changed.
  showAddress() {
    if (!this.qr.element.hidden) this.qr.show(this.host.address());
  }

  #toggleQr() {
    this.qr.element.hidden = !this.qr.element.hidden;
    this.showAddress();
  }

  // The run as Python code, or null without a run.
  setCode(code) {
    this.python.disabled = code === null;
    this.snippet.textContent = code ?? "";
    if (code === null) this.snippet.hidden = true;
  }

  #toggleSnippet() {
    this.snippet.hidden = !this.snippet.hidden;
    if (!this.snippet.hidden) this.#copy(this.snippet.textContent, "The code");
  }

  async #copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      this.host.say(`${what} is copied.`);
    } catch {
      this.host.say(`${what} could not be copied: select it by hand.`);
    }
  }
}
