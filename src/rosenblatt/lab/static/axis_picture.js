// The picture of one dimension: points on an axis, with a point of the axis as the boundary.
import { drawArrow } from "./class_markers.js";
import { gridCoordinate, gridScores } from "./grid_scores.js";
import { formatNumber } from "./number_format.js";
import { drawCursor, drawPoints, drawRings, fillBackground } from "./plane_shapes.js";
import { axisTicks } from "./vector_math.js";

export function drawAxis(painter, viewport, scene) {
  const { palette, run } = scene;
  fillBackground(painter, palette);
  if (run && !run.isLinear) drawCurvedAxis(painter, viewport, scene);
  else if (run && run.weights(scene.step)[0] && run.planes === 1) drawLinearAxis(painter, viewport, scene);
  drawTicks(painter, viewport, palette);
  drawPoints(painter, viewport, scene, true);
  if (scene.cursor) drawCursor(painter, viewport, { ...scene, cursor: [scene.cursor[0], 0] });
}

function drawTicks(painter, viewport, palette) {
  const [left, right, middle] = [-viewport.reachX, viewport.reachX, viewport.height / 2];
  painter.path([viewport.toPixels([left, 0]), viewport.toPixels([right, 0])], { stroke: palette.ink, width: 1.4 });
  for (const x of axisTicks(left, right, 10)) {
    const [px] = viewport.toPixels([x, 0]);
    painter.path([[px, middle - 4], [px, middle + 4]], { stroke: palette.soft, width: 1 });
    painter.text(px, middle + 30, formatNumber(x, 3), { size: 11, fill: palette.soft, anchor: "middle" });
  }
}

function drawLinearAxis(painter, viewport, scene) {
  const { run, step, show, palette } = scene;
  const w = run.weights(step);
  const boundary = -w[1] / w[0];
  if (show.regions) drawSides(painter, viewport, run, boundary, w[0] > 0, palette);
  if (show.theory) drawProof(painter, viewport, scene);
  const half = show.band ? run.marginWidth(step) : null;
  if (half)
    drawAxisStrip(painter, viewport, boundary, half, { fill: palette.ink, alpha: 0.07, stroke: palette.ink, strokeAlpha: 0.6, width: 1, dash: [2, 4] });
  if (show.before && run.update(step)) drawBoundary(painter, viewport, run.weights(step - 1), palette, true);
  drawScore(painter, viewport, w, palette);
  drawBoundary(painter, viewport, w, palette, false);
  if (show.normal) drawDirection(painter, viewport, boundary, w[0], palette);
}

// The widest margin between the classes, or the points whose hulls intersect and a point that both share.
function drawProof(painter, viewport, { run, points, palette }) {
  const { street, verdicts } = run.answer.theory;
  if (street) {
    const [w, b] = street.plane;
    drawAxisStrip(painter, viewport, -b / w, street.margin, { fill: palette.good, alpha: 0.16 });
    drawRings(painter, viewport, points, street.support, palette.good, true);
    return;
  }
  const { clash } = verdicts[0];
  drawRings(painter, viewport, points, clash.rows, palette.bad, true);
  if (!clash.meet) return;
  const [x, middle] = viewport.toPixels([clash.meet[0], 0]);
  for (const [dx, dy] of [[4, 4], [4, -4]]) painter.path([[x - dx, middle - 22 - dy], [x + dx, middle - 22 + dy]], { stroke: palette.bad, width: 2 });
}

function drawAxisStrip(painter, viewport, centre, half, style) {
  const [from, to] = [centre - half, centre + half].map((x) => viewport.toPixels([x, 0])[0]);
  const [low, high] = [viewport.height / 2 - 40, viewport.height / 2 + 40];
  painter.polygons([[[from, low], [to, low], [to, high], [from, high]]], style);
}

// A lifted run: the axis is cut into intervals at the zeros of the score.
function drawCurvedAxis(painter, viewport, { run, step, show, palette }) {
  const { side, reach: [reach] } = run.lift;
  const x = (i) => viewport.toPixels([gridCoordinate(i, side, reach), 0])[0];
  const scores = gridScores(run, step, 0);
  if (run.planes > 1 || !scores.some(Boolean)) return;
  for (const { from, to, score } of signIntervals(scores)) {
    const colour = palette.classes[run.classes[score >= 0 ? 1 : 0]];
    if (show.regions) painter.polygons([[[x(from), 0], [x(to), 0], [x(to), viewport.height], [x(from), viewport.height]]], { fill: colour, alpha: 0.12 });
    if (from > 0) painter.path([[x(from), viewport.height / 2 - 70], [x(from), viewport.height / 2 + 70]], { stroke: palette.ink, width: 2.5 });
  }
  const most = Math.max(...scores.map(Math.abs));
  const curve = Array.from(scores, (score, i) => [x(i), viewport.height / 2 - (score / most) * viewport.height * 0.4]);
  painter.path(curve, { stroke: palette.accent, width: 1.4, dash: [2, 4] });
}

// Intervals of grid coordinates on which the score keeps its sign, each with a score of that sign.
function signIntervals(scores) {
  const intervals = [];
  let from = 0;
  for (let i = 1; i < scores.length; i++) {
    if (scores[i - 1] >= 0 === scores[i] >= 0) continue;
    const to = i - 1 + scores[i - 1] / (scores[i - 1] - scores[i]);
    intervals.push({ from, to, score: scores[i - 1] });
    from = to;
  }
  return [...intervals, { from, to: scores.length - 1, score: scores[scores.length - 1] }];
}

function drawSides(painter, viewport, run, boundary, rising, palette) {
  const at = viewport.toPixels([boundary, 0])[0];
  const sides = [[0, at, rising ? 0 : 1], [at, viewport.width, rising ? 1 : 0]];
  for (const [from, to, place] of sides) {
    const box = [[from, 0], [to, 0], [to, viewport.height], [from, viewport.height]];
    painter.polygons([box], { fill: palette.classes[run.classes[place]], alpha: 0.12 });
  }
}

function drawBoundary(painter, viewport, w, palette, isPrevious) {
  if (!w[0]) return;
  const x = -w[1] / w[0];
  const [px, middle] = viewport.toPixels([x, 0]);
  const style = isPrevious ? { stroke: palette.soft, width: 1.5, dash: [5, 5] } : { stroke: palette.ink, width: 2.5 };
  painter.path([[px, middle - 70], [px, middle + 70]], style);
  if (!isPrevious) {
    painter.circle(px, middle, 5, { fill: palette.ink });
    painter.text(px, middle + 84, `x = ${formatNumber(x)}`, { size: 13, weight: 600, fill: palette.ink, anchor: "middle", halo: palette.paper });
  }
}

// The score w x + b above the axis; it is 0 at the boundary.
function drawScore(painter, viewport, w, palette) {
  const high = viewport.reachY * 0.8;
  const steep = Math.max(Math.abs(w[0] * viewport.reachX), Math.abs(w[1]), 1e-12);
  const line = [-viewport.reachX, viewport.reachX].map((x) => viewport.toPixels([x, ((w[0] * x + w[1]) / steep) * high]));
  painter.path(line, { stroke: palette.accent, width: 1.4, dash: [2, 4] });
  painter.text(viewport.width - 12, line[1][1] + (w[0] > 0 ? 16 : -16), "w x + b", { size: 12, fill: palette.accent, anchor: "end", halo: palette.paper });
}

function drawDirection(painter, viewport, boundary, w, palette) {
  const [px, middle] = viewport.toPixels([boundary, 0]);
  const sign = Math.sign(w);
  drawArrow(painter, [px, middle - 46], [px + sign * 56, middle - 46], { stroke: palette.ink, width: 2.4 });
  painter.text(px + sign * 64, middle - 46, "w", { size: 15, weight: 700, fill: palette.ink, anchor: sign > 0 ? "start" : "end", halo: palette.paper });
}
