// The regions of the predicted classes, and the boundaries between them.
import { gridCoordinate, gridLeads } from "./grid_scores.js";
import { clipToHalfPlane, lineInBox, positiveCellPolygons, winningRegion, zeroContour } from "./plane_geometry.js";
import { drawLine, drawStrip } from "./plane_shapes.js";
import { clamp, norm } from "./vector_math.js";

const REGION_ALPHA = 0.11;

// Weights and offset of every plane.
const planesOf = (run, step) => Array.from({ length: run.planes }, (_, k) => Array.from(run.weights(step, k)));

// Converts grid coordinates of a lifted run to pixels.
function gridToPixels(viewport, { lift: { side, reach: [reachX, reachY] } }) {
  return (i, j) => viewport.toPixels([gridCoordinate(i, side, reachX), gridCoordinate(j, side, reachY)]);
}

export function drawRegions(painter, viewport, { run, step, palette }) {
  const style = (place) => ({ fill: palette.classes[run.classes[place]], alpha: REGION_ALPHA });
  if (!norm(run.weights(step)) && (run.planes === 1 || !run.isLinear)) return;
  if (!run.isLinear) {
    const place = gridToPixels(viewport, run);
    gridLeads(run, step).forEach((lead, k) => painter.polygons(positiveCellPolygons(lead, run.lift.side, place), style(k)));
    return;
  }
  const onScreen = (polygon) => polygon.map((point) => viewport.toPixels(point));
  if (run.planes === 1) {
    const w = run.weights(step);
    painter.polygons([onScreen(clipToHalfPlane(viewport.box, w))], style(1));
    painter.polygons([onScreen(clipToHalfPlane(viewport.box, w.map((value) => -value)))], style(0));
    return;
  }
  const planes = planesOf(run, step);
  planes.forEach((plane, k) => {
    const region = winningRegion(viewport.box, planes, k);
    const differs = planes.some((other) => other.some((value, i) => value !== plane[i]));
    if (region.length > 2 && differs) painter.polygons([onScreen(region)], style(k));
  });
}

export function drawBoundaries(painter, viewport, scene) {
  const { run, step, show, palette } = scene;
  if (!run.isLinear) return drawCurvedBoundaries(painter, viewport, scene);
  if (show.before && run.update(step))
    planesOf(run, step - 1).forEach((plane) => drawLine(painter, viewport, plane, { stroke: palette.soft, width: 1.5, dash: [5, 5], alpha: 0.7 }));
  if (run.planes > 1) return drawClassBoundaries(painter, viewport, scene);
  const w = run.weights(step);
  const half = show.band ? run.marginWidth(step) : null;
  if (half)
    drawStrip(painter, viewport, w, half, { fill: palette.ink, alpha: 0.07 }, { stroke: palette.ink, width: 1, dash: [2, 4], alpha: 0.75 });
  if (step === run.updates && !run.isCut) drawReturnedLine(painter, viewport, scene);
  drawLine(painter, viewport, w, { stroke: palette.ink, width: 2.4 });
}

function drawCurvedBoundaries(painter, viewport, { run, step, palette }) {
  if (!norm(run.weights(step))) return;
  const place = gridToPixels(viewport, run);
  for (const lead of gridLeads(run, step).slice(run.planes === 1 ? 1 : 0))
    painter.segments(zeroContour(lead, run.lift.side, place), { stroke: palette.ink, width: 2.2 });
}

// The line of every class against the rest, and the edges of the regions.
function drawClassBoundaries(painter, viewport, { run, step, palette }) {
  const planes = planesOf(run, step);
  const moved = run.update(step)?.plane;
  planes.forEach((plane, k) => {
    const colour = palette.classes[run.classes[k]];
    drawLine(painter, viewport, plane, { stroke: colour, width: k === moved ? 2.6 : 1.6, dash: k === moved ? [] : [7, 4], alpha: 0.9 });
    const region = winningRegion(viewport.box, planes, k);
    if (region.length > 2) painter.path(region.map((point) => viewport.toPixels(point)), { stroke: palette.ink, width: 1.4, alpha: 0.55 }, true);
  });
}

// The line that the run returns, if it is not the last one: the average, or the best so far.
function drawReturnedLine(painter, viewport, { run, step, palette }) {
  const { coef, intercept } = run.answer.result;
  const returned = [...coef[0], intercept[0]];
  if (returned.length !== 3 || returned.every((value, i) => value === run.weights(step)[i])) return;
  const ends = lineInBox(viewport.box, returned);
  if (!ends) return;
  drawLine(painter, viewport, returned, { stroke: palette.accent, width: 2.6, dash: [12, 4, 2, 4] });
  const [x, y] = viewport.toPixels([0.9 * ends[0][0] + 0.1 * ends[1][0], 0.9 * ends[0][1] + 0.1 * ends[1][1]]);
  painter.text(clamp(x + 8, 6, viewport.width - 66), clamp(y - 10, 12, viewport.height - 12), "returned",
    { size: 12, weight: 600, fill: palette.accent, halo: palette.paper });
}
