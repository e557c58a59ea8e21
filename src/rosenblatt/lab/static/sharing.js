// Taking away what is seen: a link, the picture, the points, and the run in Python.
import { element } from "./controls.js";
import { csvOf, download } from "./share.js";

// host: { address(), svg(), png(done), points(), dimension(), say(text) }
export class Sharing {
  constructor(host) {
    this.host = host;
    const button = (name, text, act) => element("button", { type: "button", "data-share": name, onclick: act }, text);
    this.python = button("python", "Python", () => this.#python());
    this.snippet = element("pre", { class: "snippet", tabindex: 0, hidden: true, "aria-label": "The run in Python" });
    this.element = element("div", { class: "share", role: "group", "aria-label": "Share" },
      host.address() === null ? null : button("link", "Copy link", () => this.#copy(host.address(), "The link")),
      button("svg", "SVG", () => download("lab.svg", host.svg())), button("png", "PNG", () => host.png((blob) => download("lab.png", blob))),
      button("csv", "CSV", () => download("points.csv", csvOf(host.points(), host.dimension()))), this.python, this.snippet);
  }

  // The run as code, or null where there is none.
  set(code) {
    this.python.disabled = code === null;
    this.snippet.textContent = code ?? "";
    if (code === null) this.snippet.hidden = true;
  }

  #python() {
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
