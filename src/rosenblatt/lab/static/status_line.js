// The line that says what has just happened. While other texts follow it is marked as busy, because screen readers would
// read every one of a drag.
import { element } from "./form_controls.js";

const REST = 700; // milliseconds without another text

export class StatusLine {
  constructor() {
    this.element = element("p", { class: "status", role: "status" });
    this.timer = null;
  }

  say(text) {
    this.element.setAttribute("aria-busy", "true");
    this.element.textContent = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.element.removeAttribute("aria-busy"), REST);
  }
}
