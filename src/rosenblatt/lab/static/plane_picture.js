// The picture of the plane: grid, regions, boundaries, theory, points and w.
import { drawArrow } from "./class_markers.js";
import { formatNumber } from "./number_format.js";
import { drawBoundaries, drawRegions } from "./plane_regions.js";
import { drawCursor, drawPoints, fillBackground } from "./plane_shapes.js";
import { drawRadius, drawTheory } from "./plane_theory.js";
import { norm } from "./vector_math.js";

const SMALL_ANGLE = 0.17; // radians: a smaller one has no room for its number beside the arrow

export function drawPlane(painter, viewport, scene) {
  const { palette, run, show } = scene;
  fillBackground(painter, palette);
  drawGrid(painter, viewport, palette);
  if (run) {
    if (show.regions) drawRegions(painter, viewport, scene);
    if (show.theory) drawTheory(painter, viewport, scene);
    if (show.radius) drawRadius(painter, viewport, scene);
    drawBoundaries(painter, viewport, scene);
  }
  drawPoints(painter, viewport, scene);
  if (run && run.isLinear && show.normal) drawNormal(painter, viewport, scene);
  if (scene.cursor) drawCursor(painter, viewport, scene);
}

function drawGrid(painter, viewport, palette) {
  const { reachX, reachY, grid: [across, along] } = viewport;
  const [originX, originY] = viewport.toPixels([0, 0]);
  const style = (value) => ({ stroke: palette.line, width: 1, alpha: value === 0 ? 1 : 0.45 });
  for (const x of across) {
    painter.path([viewport.toPixels([x, -reachY]), viewport.toPixels([x, reachY])], style(x));
    if (x !== 0) painter.text(viewport.toPixels([x, 0])[0], originY + 11, formatNumber(x, 3), { size: 10, fill: palette.faint, anchor: "middle" });
  }
  for (const y of along) {
    painter.path([viewport.toPixels([-reachX, y]), viewport.toPixels([reachX, y])], style(y));
    if (y !== 0) painter.text(originX - 6, viewport.toPixels([0, y])[1], formatNumber(y, 3), { size: 10, fill: palette.faint, anchor: "end" });
  }
  painter.text(viewport.width - 10, originY - 10, "x₁", { size: 12, fill: palette.soft, anchor: "end" });
  painter.text(originX + 10, 12, "x₂", { size: 12, fill: palette.soft });
}

// The arrow w starts at the point of the line nearest the origin; its angle to the point of the update is drawn there.
function drawNormal(painter, viewport, { run, step, palette, points }) {
  const update = run.update(step);
  const plane = run.movedPlane(step);
  const w = run.weights(step, plane);
  const square = w[0] * w[0] + w[1] * w[1];
  if (!square) return;
  const foot = [(-w[2] * w[0]) / square, (-w[2] * w[1]) / square];
  const long = Math.min(Math.max(Math.sqrt(square), 0.9), viewport.reachY * 0.45) / Math.sqrt(square);
  const tip = [foot[0] + w[0] * long, foot[1] + w[1] * long];
  const colour = run.planes === 1 ? palette.ink : palette.classes[run.classes[plane]];
  if (update && update.row >= 0) drawAngle(painter, viewport, foot, w, points[update.row], palette);
  drawArrow(painter, viewport.toPixels(foot), viewport.toPixels(tip), { stroke: colour, width: 2.4 });
  const [px, py] = viewport.toPixels(tip);
  painter.text(px + (w[0] >= 0 ? 9 : -9), py - 6, "w", { size: 15, weight: 700, fill: colour, halo: palette.paper, anchor: w[0] >= 0 ? "start" : "end" });
}

function drawAngle(painter, viewport, foot, w, point, palette) {
  const to = [point[0] - foot[0], point[1] - foot[1]];
  if (!norm(to)) return;
  painter.path([viewport.toPixels(foot), viewport.toPixels(point)], { stroke: palette.accent, width: 1.3, dash: [3, 3] });
  const begin = Math.atan2(w[1], w[0]);
  let turn = Math.atan2(to[1], to[0]) - begin;
  turn -= 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  if (Math.abs(turn) < SMALL_ANGLE) return;
  const [px, py] = viewport.toPixels(foot);
  const arc = Array.from({ length: 25 }, (_, i) => begin + (turn * i) / 24);
  painter.path(arc.map((angle) => [px + 26 * Math.cos(angle), py - 26 * Math.sin(angle)]), { stroke: palette.accent, width: 1.6 });
  const middle = begin + turn / 2;
  painter.text(px + 44 * Math.cos(middle), py - 44 * Math.sin(middle), `${Math.round(Math.abs(turn) * 180 / Math.PI)}°`,
    { size: 12, fill: palette.accent, anchor: "middle", halo: palette.paper, weight: 600 });
}
