// Placing points: by mouse or finger, and by keyboard alone.
import { SIGNS } from "./shapes.js";

const NEAR = 14; // pixels

// host: { view(), points(), dimension(), tool(), setTool(k), change(points, going), say(text), redraw(), most, frozen(), turn(event) }
export class Editing {
  constructor(canvas, host) {
    Object.assign(this, { canvas, host, cursor: null, selected: -1, dragged: -1, down: null });
    canvas.addEventListener("pointerdown", (event) => this.#press(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#release(event));
    canvas.addEventListener("pointercancel", () => this.#drop());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("focus", () => this.#focus(canvas.matches(":focus-visible")));
    canvas.addEventListener("blur", () => this.#focus(false));
  }

  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #nearest([px, py], reach = NEAR) {
    const flat = this.host.dimension() === 1;
    let [best, found] = [reach, -1];
    this.host.points().forEach((point, i) => {
      const [x, y] = this.host.view().at(flat ? [point[0], 0] : point);
      const away = Math.hypot(x - px, y - py);
      if (away <= best) [best, found] = [away, i];
    });
    return found;
  }

  #rounded([x, y]) {
    const two = (value) => Math.round(value * 100) / 100;
    return [two(x), this.host.dimension() === 1 ? 0 : two(y)];
  }

  #press(event) {
    if (this.host.frozen()) return;
    this.canvas.setPointerCapture(event.pointerId);
    const at = this.#at(event);
    const hit = this.#nearest(at);
    if (event.button === 1) return;
    if (event.button === 2 || (this.host.tool() === "erase" && hit >= 0)) return this.#remove(hit);
    this.down = at;
    this.dragged = hit;
    this.moving = false;
    this.canvas.classList.toggle("dragging", hit >= 0);
  }

  #move(event) {
    const at = this.#at(event);
    if (this.dragged < 0) {
      this.canvas.style.cursor = this.#nearest(at) >= 0 ? "grab" : "crosshair";
      return;
    }
    this.#place(this.dragged, this.host.view().from(at));
  }

  #release(event) {
    const at = this.#at(event);
    if (this.dragged < 0 && this.down && Math.hypot(at[0] - this.down[0], at[1] - this.down[1]) < 6 && this.host.tool() !== "erase")
      this.#add(this.host.view().from(at));
    this.#drop();
  }

  #drop() {
    this.dragged = -1;
    this.down = null;
    this.canvas.classList.remove("dragging");
  }

  #add(at) {
    const points = this.host.points();
    if (points.length >= this.host.most) return this.host.say(`The lab takes ${this.host.most} points at most.`);
    const label = this.host.tool() === "erase" ? 0 : this.host.tool();
    this.host.change([...points, [...this.#rounded(at), label]]);
    this.host.say(`Point ${points.length + 1} ${SIGNS[label]} placed.`);
  }

  #remove(i) {
    if (i < 0) return;
    this.selected = -1;
    this.host.change(this.host.points().filter((_, k) => k !== i));
    this.host.say(`Point ${i + 1} removed.`);
  }

  #place(i, at) {
    this.host.change(this.host.points().map((point, k) => (k === i ? [...this.#rounded(at), point[2]] : point)), this.moving);
    this.moving = true;
  }

  // By keyboard: a cursor is moved with arrows, Enter places or picks up, Delete removes.

  #focus(inside) {
    this.cursor = inside ? this.cursor ?? [0, 0] : null;
    if (!inside) this.selected = -1;
    this.host.redraw();
  }

  #key(event) {
    if (this.host.frozen()) return this.host.turn(event);
    const step = (event.shiftKey ? 0.1 : 0.5) * 10 ** Math.floor(Math.log10(this.host.view().reachY / 5)); // 0.5 of 5.5
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (moves[event.key]) this.#go(moves[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.#enter();
    else if (event.key === "Delete" || event.key === "Backspace") this.#remove(this.#under());
    else if (event.key === "n") this.#next();
    else if (/^[1-4]$/.test(event.key)) this.host.setTool(Number(event.key) - 1);
    else if (event.key === "Escape") this.selected = -1;
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.host.redraw();
  }

  #go([dx, dy]) {
    const { reachX, reachY } = this.host.view();
    const inside = (value, reach) => Math.min(reach, Math.max(-reach, Math.round(value * 100) / 100));
    const [x, y] = this.cursor ?? [0, 0];
    this.cursor = [inside(x + dx, reachX), inside(y + dy, reachY)];
    if (this.selected >= 0) this.#place(this.selected, this.cursor);
    else this.host.say(`Cursor at ${this.cursor.join(", ")}.`);
  }

  #under() {
    return this.selected >= 0 ? this.selected : this.#nearest(this.host.view().at(this.cursor ?? [0, 0]));
  }

  #enter() {
    if (this.selected >= 0) {
      this.selected = -1;
      return this.host.say("Dropped.");
    }
    const hit = this.#under();
    if (hit < 0) return this.#add(this.cursor ?? [0, 0]);
    if (this.host.tool() === "erase") return this.#remove(hit);
    this.selected = hit;
    this.moving = false;
    this.host.say(`Point ${hit + 1} picked up: arrows move it, Enter drops it.`);
  }

  #next() {
    const points = this.host.points();
    if (!points.length) return;
    this.visited = ((this.visited ?? -1) + 1) % points.length;
    const [x, y] = points[this.visited];
    this.cursor = [x, y];
    this.host.say(`Point ${this.visited + 1} of ${points.length} ${SIGNS[points[this.visited][2]]} at ${x}, ${y}.`);
  }
}
