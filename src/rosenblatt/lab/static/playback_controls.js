// Playback of a run: step by step, at a speed, or to any update with a slider.
import { element, selectField, svgElement } from "./form_controls.js";
import { formatInteger } from "./number_format.js";
import { clamp } from "./vector_math.js";

export const SPEEDS = [1, 2, 4, 10, 30, 100, 400, 1000]; // updates a second
const AUTOMATIC = "";
const SLOWEST = 4; // of the automatic speeds: each update can be watched
const LONGEST = 12; // seconds that a whole run takes at the automatic speed

// The speed that follows the length of the run.
export const automaticSpeed = (updates) => SPEEDS.find((speed) => speed >= SLOWEST && updates / speed <= LONGEST) ?? SPEEDS.at(-1);

const ICONS = {
  start: "M4 3h2v10H4zM13 3v10L6.5 8z", back: "M11 3v10L4 8z", play: "M4 2.5v11L13 8z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5 3v10l7-5z", end: "M10 3h2v10h-2zM3 3v10l6.500-5z",
};

const icon = (name) => svgElement("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, svgElement("path", { d: ICONS[name], fill: "currentColor" }));

// state: { step, speed }; playback changes both. A speed of null follows the length of the run. host: { redraw(), save() }
export class PlaybackControls {
  constructor(state, host) {
    Object.assign(this, { state, host, isPlaying: false, updates: 0 });
    const button = (name, text, act) => element("button", { type: "button", "data-play": name, title: text, "aria-label": text, disabled: true, onclick: act }, icon(name));
    this.word = element("span", {}, "Play");
    this.button = button("play", "Play", () => this.play(!this.isPlaying));
    this.button.append(this.word);
    this.slider = element("input", { type: "range", min: 0, max: 0, value: 0, step: 1, "aria-label": "Update", "data-control": "step", oninput: () => this.goTo(Number(this.slider.value)) });
    this.counter = element("output", { class: "counter", "data-name": "step" }, "0 / 0");
    this.speed = selectField("speed", [[AUTOMATIC, ""], ...SPEEDS.map((value) => [String(value), `${value} / s`])], AUTOMATIC, (value) => {
      this.state.speed = value === AUTOMATIC ? null : Number(value);
      this.clock = null;
      this.host.save();
    }, { "data-control": "speed" });
    this.element = element("div", { class: "transport", role: "group", "aria-label": "Playback" },
      this.button, button("start", "To the start", () => this.goTo(0)), button("back", "One update back", () => this.goTo(state.step - 1)),
      button("forward", "One update forward", () => this.goTo(state.step + 1)),
      button("end", "To the end", () => this.goTo(Infinity)), this.slider, this.counter, this.speed);
  }

  // The number of updates that can be played; 0 without a run. Until the first call the buttons are disabled, so that
  // no click is lost while the page loads.
  setUpdates(updates) {
    this.updates = updates;
    for (const button of this.element.querySelectorAll("button")) button.disabled = false;
    this.slider.max = updates;
    const select = this.speed.querySelector("select");
    select.options[0].textContent = `auto ${automaticSpeed(updates)}/s`;
    select.value = String(this.state.speed ?? AUTOMATIC);
    if (!updates) this.play(false);
  }

  get atEnd() {
    return this.state.step >= this.updates;
  }

  play(on) {
    if (on && this.atEnd) this.goTo(0);
    this.isPlaying = on && this.updates > 0;
    this.clock = null;
    const text = this.isPlaying ? "Pause" : "Play";
    this.word.textContent = text;
    this.button.replaceChildren(icon(this.isPlaying ? "pause" : "play"), this.word);
    this.button.setAttribute("aria-label", text);
    this.button.title = text;
    this.host.redraw();
    if (!this.isPlaying) this.host.save();
  }

  goTo(step, byHand = true) {
    if (byHand) this.play(false);
    this.#setStep(clamp(step, 0, this.updates));
    this.host.redraw();
    if (byHand) this.host.save();
  }

  // Called for every frame: advances with the time, and returns whether the step changed.
  tick(time) {
    if (!this.isPlaying) return false;
    this.clock ??= { time, step: this.state.step };
    const step = Math.min(this.updates, Math.floor(this.clock.step + ((time - this.clock.time) / 1000) * (this.state.speed ?? automaticSpeed(this.updates))));
    const moved = step !== this.state.step;
    if (moved) this.#setStep(step);
    if (this.atEnd) this.play(false);
    return moved;
  }

  #setStep(step) {
    this.state.step = step;
    this.slider.value = step;
  }

  showCount(step) {
    this.counter.textContent = `${formatInteger(step)} / ${formatInteger(this.updates)}`;
  }
}
