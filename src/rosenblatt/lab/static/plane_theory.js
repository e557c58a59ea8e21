// What the theory proves, drawn in the plane: the widest margin, or points whose convex hulls intersect.
import { sortByAngle } from "./plane_geometry.js";
import { drawLine, drawRings, drawStrip } from "./plane_shapes.js";

export function drawTheory(painter, viewport, scene) {
  const { run, palette, points } = scene;
  const { street, verdicts } = run.answer.theory;
  if (!run.isLinear || run.dimension !== 2) return drawProofRings(painter, viewport, scene);
  if (street) drawWidestMargin(painter, viewport, street, points, palette);
  const clash = verdicts.find(({ kind }) => kind !== "complete")?.clash;
  if (clash?.rows.length) drawClash(painter, viewport, clash, points, palette);
}

// If the proof is about another space than the picture, only its points are marked.
function drawProofRings(painter, viewport, { run, points, palette }) {
  const { street, verdicts } = run.answer.theory;
  if (street) drawRings(painter, viewport, points, street.support, palette.good);
  else for (const { clash } of verdicts) drawRings(painter, viewport, points, clash.rows, palette.bad);
}

function drawWidestMargin(painter, viewport, { plane, margin, support }, points, palette) {
  drawStrip(painter, viewport, plane, margin, { fill: palette.good, alpha: 0.13 }, { stroke: palette.good, width: 1 });
  drawLine(painter, viewport, plane, { stroke: palette.good, width: 1.4, dash: [10, 5] });
  drawRings(painter, viewport, points, support, palette.good);
}

// The hulls of the clashing points of each class, and a point that both hulls share.
function drawClash(painter, viewport, { rows, meet }, points, palette) {
  const known = rows.filter((row) => points[row]);
  for (const label of new Set(known.map((row) => points[row][2]))) {
    const own = known.filter((row) => points[row][2] === label).map((row) => viewport.toPixels(points[row]));
    const isArea = own.length > 2;
    painter.path(isArea ? sortByAngle(own) : own, { stroke: palette.bad, width: 1.5, fill: isArea ? palette.bad : null, alpha: 0.09, strokeAlpha: 0.9 }, isArea);
  }
  drawRings(painter, viewport, points, known, palette.bad);
  if (!meet || meet.length < 2) return;
  const [x, y] = viewport.toPixels(meet);
  painter.circle(x, y, 6, { fill: palette.paper, stroke: palette.bad, width: 2 });
  painter.path([[x - 3, y - 3], [x + 3, y + 3]], { stroke: palette.bad, width: 2 });
  painter.path([[x - 3, y + 3], [x + 3, y - 3]], { stroke: palette.bad, width: 2 });
}

// The circle through the point farthest from the origin.
export function drawRadius(painter, viewport, { run, palette, points }) {
  if (!run.isLinear || run.dimension !== 2) return;
  const farthest = points.reduce((best, point) => (Math.hypot(point[0], point[1]) > Math.hypot(best[0], best[1]) ? point : best), [0, 0]);
  const radius = Math.hypot(farthest[0], farthest[1]);
  if (!radius) return;
  const centre = viewport.toPixels([0, 0]);
  painter.circle(...centre, radius * viewport.scale, { stroke: palette.soft, width: 1.2, dash: [1, 5] });
  painter.path([centre, viewport.toPixels(farthest)], { stroke: palette.soft, width: 1, dash: [1, 5] });
  const [x, y] = viewport.toPixels([farthest[0] * 0.62, farthest[1] * 0.62]);
  painter.text(x, y - 9, run.answer.step.offset ? "max ‖x‖" : "R", { size: 12, fill: palette.soft, halo: palette.paper, anchor: "middle" });
}
