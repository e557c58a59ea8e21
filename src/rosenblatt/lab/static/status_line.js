// The line that says what has just happened. It is spoken when no other text follows: screen readers would read every
// one of a drag.
import { element } from "./form_controls.js";

const SPOKEN_DELAY = 700; // milliseconds

export class StatusLine {
  constructor() {
    this.element = element("p", { class: "status" });
    this.spoken = element("p", { class: "spoken", role: "status" });
    this.timer = null;
  }

  say(text) {
    this.element.textContent = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.spoken.textContent = text), SPOKEN_DELAY);
  }
}
