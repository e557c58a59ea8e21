// The regions of the predicted classes, and the boundaries between them.
import { MARKER_SYMBOLS } from "./class_markers.js";
import { classLeads, planesOf } from "./class_leads.js";
import { lineInBox, winningRegion } from "./plane_geometry.js";
import { drawLine, drawStrip } from "./plane_shapes.js";
import { regionShading } from "./region_shading.js";
import { clamp, norm } from "./vector_math.js";

const LABEL_ROOM = [66, 12]; // pixels that a label needs at the edges of the picture

const hasLine = (run, step) => Array.from({ length: run.planes }, (_, k) => k).some((k) => norm(run.weights(step, k)));

export function drawRegions(painter, viewport, { run, step, palette }) {
  if (!hasLine(run, step)) return;
  const { tones } = regionShading(run);
  classLeads(run, step, viewport).forEach((lead, k) => {
    for (const [level, alpha] of tones) painter.polygons(lead.area(level), { fill: palette.classes[run.classes[k]], alpha });
  });
}

export function drawBoundaries(painter, viewport, scene) {
  const { run, step, show, palette } = scene;
  if (!hasLine(run, step)) return;
  if (show.band) drawMargin(painter, viewport, scene);
  if (!run.isLinear) return drawCurvedBoundaries(painter, viewport, scene);
  if (show.before && run.update(step))
    planesOf(run, step - 1).forEach((plane) => drawLine(painter, viewport, plane, { stroke: palette.soft, width: 1.5, dash: [5, 5], alpha: 0.7 }));
  if (run.planes > 1) return drawClassBoundaries(painter, viewport, scene);
  if (step === run.updates && !run.isCut) drawReturnedLine(painter, viewport, scene);
  drawLine(painter, viewport, run.weights(step), { stroke: palette.ink, width: 2.4 });
}

// The strip up to the nearest point, or the lines on which a model with a fixed scale is so and so sure.
function drawMargin(painter, viewport, scene) {
  const { run, step, palette } = scene;
  const edgeStyle = { stroke: palette.ink, width: 1, dash: [2, 4], alpha: 0.75 };
  const { line } = regionShading(run);
  if (line) return classLeads(run, step, viewport).forEach((lead, k) => drawLevel(painter, lead.edge(line.level), `${line.text} ${MARKER_SYMBOLS[run.classes[k]]}`, edgeStyle, palette));
  const half = run.isLinear && run.planes === 1 ? run.marginWidth(step) : null;
  if (half) drawStrip(painter, viewport, run.weights(step), half, { fill: palette.ink, alpha: 0.07 }, edgeStyle);
}

function drawLevel(painter, segments, text, style, palette) {
  if (!segments.length) return;
  painter.segments(segments, style);
  const [x, y] = labelPlace(segments);
  const [width, height] = LABEL_ROOM;
  painter.text(clamp(x + 6, 6, painter.width - width), clamp(y - 8, height, painter.height - height), text, { size: 11, fill: palette.soft, halo: palette.paper });
}

// Near the left end of a straight line; at the lowest point of a curve.
function labelPlace(segments) {
  if (segments.length > 1 || segments[0].length > 2) return segments.flat().reduce((lowest, point) => (point[1] > lowest[1] ? point : lowest));
  const [left, right] = [...segments[0]].sort((one, other) => one[0] - other[0]);
  return [0, 1].map((axis) => 0.9 * left[axis] + 0.1 * right[axis]);
}

function drawCurvedBoundaries(painter, viewport, { run, step, palette }) {
  for (const lead of classLeads(run, step, viewport).slice(run.planes === 1 ? 1 : 0)) painter.segments(lead.edge(0), { stroke: palette.ink, width: 2.2 });
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
