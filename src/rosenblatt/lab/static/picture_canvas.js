// The canvas in the middle of the page: the picture of the plane, the axis or the lift, and its editing and rotation.
import { drawAxis } from "./axis_picture.js";
import { element } from "./form_controls.js";
import { drawLift } from "./lift_picture.js";
import { CanvasPainter, canvasPainter, SvgPainter } from "./painters.js";
import { drawPlane } from "./plane_picture.js";
import { PointEditor } from "./point_editor.js";
import { Rotation } from "./space_geometry.js";
import { reachOf, Viewport } from "./viewport.js";

const RADIANS_PER_PIXEL = 0.01;
const KEY_TURNS = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
const DESCRIPTION = "The plane. Arrows move a cursor, Enter places or picks up a point, Delete removes it, n goes to the next point, 1 to 4 choose the class.";

// state: a PageState; host: { scene(), tool(), setTool(k), change(points, isContinued), say(text), redraw(), maxPoints }
export class PictureCanvas {
  constructor(state, host) {
    Object.assign(this, { state, host, rotation: new Rotation(), viewport: new Viewport(600, 520) });
    this.canvas = element("canvas", { class: "plane", tabindex: 0, role: "application", "aria-label": DESCRIPTION });
    this.overlay = element("p", { class: "overlay", hidden: true }, "Click anywhere to place a point.");
    this.element = element("div", { class: "stage" }, this.canvas, this.overlay);
    this.editor = new PointEditor(this.canvas, {
      ...host, viewport: () => this.viewport, points: () => state.points, dimension: () => state.dimension,
      isFrozen: () => state.view === "lift", turnByKey: (event) => this.#turnByKey(event),
    });
    this.canvas.addEventListener("pointermove", (event) => this.#turnByDrag(event));
    new ResizeObserver(() => host.redraw()).observe(this.canvas);
  }

  #turnByDrag(event) {
    if (this.state.view !== "lift" || !event.buttons) return;
    this.rotation.turn(event.movementX * RADIANS_PER_PIXEL, event.movementY * RADIANS_PER_PIXEL);
    this.host.redraw();
  }

  #turnByKey(event) {
    if (!KEY_TURNS[event.key]) return;
    event.preventDefault();
    this.rotation.turn(...KEY_TURNS[event.key]);
    this.host.redraw();
  }

  get #reach() {
    return reachOf(this.state.points, this.state.dimension);
  }

  #paint(painter) {
    const scene = this.host.scene();
    if (this.state.view === "lift") return drawLift(painter, scene, this.rotation, this.#reach);
    (this.state.dimension === 1 ? drawAxis : drawPlane)(painter, this.viewport, scene);
  }

  // Draws the picture; returns whether the canvas is visible. The viewport stays the same while a point is dragged.
  draw() {
    const painter = canvasPainter(this.canvas);
    if (!painter.width) return false;
    if (!this.editor.isDragging) this.viewport = new Viewport(painter.width, painter.height, this.#reach);
    this.#paint(painter);
    this.overlay.hidden = this.state.points.length > 0;
    return true;
  }

  svg() {
    const painter = new SvgPainter(this.canvas.clientWidth, this.canvas.clientHeight);
    this.#paint(painter);
    return painter.toString();
  }

  // The picture at twice the size of the page, whatever the screen.
  png(done) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const large = element("canvas", { width: 2 * width, height: 2 * height });
    const context = large.getContext("2d");
    context.scale(2, 2);
    this.#paint(new CanvasPainter(context, width, height));
    large.toBlob(done);
  }
}
