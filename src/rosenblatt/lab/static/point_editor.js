// Placing, moving and removing points, by pointer or by keyboard.
import { MARKER_SYMBOLS } from "./class_markers.js";
import { clamp } from "./vector_math.js";

const HIT_PIXELS = 14; // from the pointer to a point that it hits
const TOUCH_PIXELS = 24; // the same for a finger
const CLICK_PIXELS = 6; // that the pointer may move in a click

// host: { viewport(), points(), dimension(), tool(), setTool(k), change(points, isContinued), say(text), redraw(), maxPoints, isFrozen(), turnByKey(event) }
export class PointEditor {
  constructor(canvas, host) {
    Object.assign(this, { canvas, host, cursor: null, selected: -1, dragged: -1, pressedAt: null });
    canvas.addEventListener("pointerdown", (event) => this.#onPress(event));
    canvas.addEventListener("touchstart", (event) => this.#onTouch(event), { passive: false });
    canvas.addEventListener("pointermove", (event) => this.#onMove(event));
    canvas.addEventListener("pointerup", (event) => this.#onRelease(event));
    canvas.addEventListener("pointercancel", () => this.#endDrag());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("keydown", (event) => this.#onKey(event));
    canvas.addEventListener("focus", () => this.#onFocus(canvas.matches(":focus-visible")));
    canvas.addEventListener("blur", () => this.#onFocus(false));
  }

  get isDragging() {
    return this.pressedAt !== null && this.dragged >= 0;
  }

  #pixelsOf(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  // A swipe scrolls the page, unless the finger holds a point.
  #onTouch(event) {
    const isHeld = event.touches.length === 1 && this.#nearest(this.#pixelsOf(event.touches[0]), TOUCH_PIXELS) >= 0;
    if (isHeld && event.cancelable && !this.host.isFrozen()) event.preventDefault();
  }

  #nearest([px, py], reach = HIT_PIXELS) {
    const onAxis = this.host.dimension() === 1;
    let [best, found] = [reach, -1];
    this.host.points().forEach((point, i) => {
      const [x, y] = this.host.viewport().toPixels(onAxis ? [point[0], 0] : point);
      const away = Math.hypot(x - px, y - py);
      if (away <= best) [best, found] = [away, i];
    });
    return found;
  }

  #rounded([x, y]) {
    const two = (value) => Math.round(value * 100) / 100;
    return [two(x), this.host.dimension() === 1 ? 0 : two(y)];
  }

  #onPress(event) {
    if (this.host.isFrozen()) return;
    this.canvas.setPointerCapture(event.pointerId);
    const at = this.#pixelsOf(event);
    const hit = this.#nearest(at, event.pointerType === "touch" ? TOUCH_PIXELS : HIT_PIXELS);
    if (event.button === 1) return;
    if (event.button === 2 || (this.host.tool() === "erase" && hit >= 0)) return this.#remove(hit);
    this.pressedAt = at;
    this.dragged = hit;
    this.hasMoved = false;
    this.isContinued = false;
    this.canvas.classList.toggle("dragging", hit >= 0);
  }

  #onMove(event) {
    const at = this.#pixelsOf(event);
    if (this.dragged < 0) {
      this.canvas.style.cursor = this.#nearest(at) >= 0 ? "grab" : "crosshair";
      return;
    }
    this.hasMoved ||= !this.#isClick(at);
    if (this.hasMoved) this.#movePoint(this.dragged, this.host.viewport().fromPointer(at));
  }

  #isClick(at) {
    return this.pressedAt && Math.hypot(at[0] - this.pressedAt[0], at[1] - this.pressedAt[1]) < CLICK_PIXELS;
  }

  #onRelease(event) {
    const at = this.#pixelsOf(event);
    if (this.#isClick(at) && this.host.tool() !== "erase") {
      if (this.dragged < 0) this.#add(this.host.viewport().fromPointer(at));
      else if (!this.hasMoved) this.#setClass(this.dragged, this.host.tool());
    }
    this.#endDrag();
  }

  #endDrag() {
    this.dragged = -1;
    this.pressedAt = null;
    this.canvas.classList.remove("dragging");
  }

  #add(at) {
    const points = this.host.points();
    if (points.length >= this.host.maxPoints) return this.host.say(`The lab takes ${this.host.maxPoints} points at most.`);
    const label = this.host.tool() === "erase" ? 0 : this.host.tool();
    this.host.change([...points, [...this.#rounded(at), label]]);
    this.host.say(`Point ${points.length + 1} ${MARKER_SYMBOLS[label]} placed.`);
  }

  // A click on a point gives it the class that is chosen.
  #setClass(i, label) {
    const points = this.host.points();
    if (points[i][2] === label) return;
    this.host.change(points.map((point, k) => (k === i ? [point[0], point[1], label] : point)));
    this.host.say(`Point ${i + 1} is ${MARKER_SYMBOLS[label]} now.`);
  }

  #remove(i) {
    if (i < 0) return;
    this.selected = -1;
    this.host.change(this.host.points().filter((_, k) => k !== i));
    this.host.say(`Point ${i + 1} removed.`);
  }

  #movePoint(i, at) {
    this.host.change(this.host.points().map((point, k) => (k === i ? [...this.#rounded(at), point[2]] : point)), this.isContinued);
    this.isContinued = true;
  }

  // Keyboard: arrows move a cursor, Enter places or picks up a point, Delete removes it.

  #onFocus(inside) {
    this.cursor = inside ? this.cursor ?? [0, 0] : null;
    if (!inside) this.selected = -1;
    this.host.redraw();
  }

  #onKey(event) {
    if (this.host.isFrozen()) return this.host.turnByKey(event);
    const step = (event.shiftKey ? 0.1 : 0.5) * 10 ** Math.floor(Math.log10(this.host.viewport().reachY / 5)); // 0.5 of 5.5
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (moves[event.key]) this.#moveCursor(moves[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.#placeOrPickUp();
    else if (event.key === "Delete" || event.key === "Backspace") this.#remove(this.#pointAtCursor());
    else if (event.key === "n") this.#goToNextPoint();
    else if (/^[1-4]$/.test(event.key)) this.#chooseClass(Number(event.key) - 1);
    else if (event.key === "Escape") this.selected = -1;
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.host.redraw();
  }

  #moveCursor([dx, dy]) {
    const { reachX, reachY } = this.host.viewport();
    const inside = (value, reach) => clamp(Math.round(value * 100) / 100, -reach, reach);
    const [x, y] = this.cursor ?? [0, 0];
    this.cursor = [inside(x + dx, reachX), inside(y + dy, reachY)];
    if (this.selected >= 0) this.#movePoint(this.selected, this.cursor);
    else this.host.say(`Cursor at ${this.cursor.join(", ")}.`);
  }

  // The class of the next point, or of the point that is picked up.
  #chooseClass(label) {
    this.host.setTool(label);
    if (this.selected >= 0) this.#setClass(this.selected, label);
  }

  #pointAtCursor() {
    return this.selected >= 0 ? this.selected : this.#nearest(this.host.viewport().toPixels(this.cursor ?? [0, 0]));
  }

  #placeOrPickUp() {
    if (this.selected >= 0) {
      this.selected = -1;
      return this.host.say("Dropped.");
    }
    const hit = this.#pointAtCursor();
    if (hit < 0) return this.#add(this.cursor ?? [0, 0]);
    if (this.host.tool() === "erase") return this.#remove(hit);
    this.selected = hit;
    this.isContinued = false;
    this.host.say(`Point ${hit + 1} picked up: arrows move it, Enter drops it.`);
  }

  #goToNextPoint() {
    const points = this.host.points();
    if (!points.length) return;
    this.visited = ((this.visited ?? -1) + 1) % points.length;
    const [x, y] = points[this.visited];
    this.cursor = [x, y];
    this.host.say(`Point ${this.visited + 1} of ${points.length} ${MARKER_SYMBOLS[points[this.visited][2]]} at ${x}, ${y}.`);
  }
}
