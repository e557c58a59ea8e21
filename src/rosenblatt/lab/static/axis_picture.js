// The picture of one dimension: points on an axis, with a point of the axis as the boundary.
import { drawArrow, MARKER_SYMBOLS } from "./class_markers.js";
import { sigmoid } from "./class_odds.js";
import { gridCoordinate, gridScores } from "./grid_scores.js";
import { formatNumber } from "./number_format.js";
import { drawCursor, drawPoints, drawRings, fillBackground } from "./plane_shapes.js";
import { regionShading } from "./region_shading.js";
import { axisTicks, clamp } from "./vector_math.js";

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
  if (show.regions) drawSides(painter, viewport, run, (x) => w[0] * x + w[1], palette);
  if (show.theory) drawProof(painter, viewport, scene);
  const half = show.band ? run.marginWidth(step) : null;
  if (half)
    drawAxisStrip(painter, viewport, boundary, half, { fill: palette.ink, alpha: 0.07, stroke: palette.ink, strokeAlpha: 0.6, width: 1, dash: [2, 4] });
  if (show.before && run.update(step)) drawBoundary(painter, viewport, run.weights(step - 1), palette, true);
  if (run.isLogistic) drawProbability(painter, viewport, run, (x) => w[0] * x + w[1], palette);
  else drawScore(painter, viewport, w, palette);
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
  const scores = gridScores(run, step, 0);
  if (run.planes > 1 || !scores.some(Boolean)) return;
  const x = (i) => viewport.toPixels([gridCoordinate(i, side, reach), 0])[0];
  const score = (at) => interpolated(scores, ((at / reach + 1) * (side - 1)) / 2);
  if (show.regions) drawSides(painter, viewport, run, score, palette);
  for (const { from } of signIntervals(scores).slice(1))
    painter.path([[x(from), viewport.height / 2 - 70], [x(from), viewport.height / 2 + 70]], { stroke: palette.ink, width: 2.5 });
  if (run.isLogistic) return drawProbability(painter, viewport, run, score, palette);
  const most = Math.max(...scores.map(Math.abs));
  const curve = Array.from(scores, (value, i) => [x(i), viewport.height / 2 - (value / most) * viewport.height * 0.4]);
  painter.path(curve, { stroke: palette.accent, width: 1.4, dash: [2, 4] });
}

// The value between two grid points.
function interpolated(values, place) {
  const i = clamp(Math.floor(place), 0, values.length - 2);
  return values[i] + (place - i) * (values[i + 1] - values[i]);
}

// Intervals of places on which the value keeps its sign, each with a value of that sign.
function signIntervals(values) {
  const intervals = [];
  let from = 0;
  for (let i = 1; i < values.length; i++) {
    if (values[i - 1] >= 0 === values[i] >= 0) continue;
    const to = i - 1 + values[i - 1] / (values[i - 1] - values[i]);
    intervals.push({ from, to, value: values[i - 1] });
    from = to;
  }
  return [...intervals, { from, to: values.length - 1, value: values[values.length - 1] }];
}

// `score` is a function of the coordinate. The sides of both classes, as dark as the shading of the run says.
function drawSides(painter, viewport, run, score, palette) {
  const scores = Array.from(alongAxis(viewport), score);
  const step = viewport.width / (scores.length - 1);
  [-1, 1].forEach((sign, place) => {
    for (const [level, alpha] of regionShading(run).tones) {
      const inside = signIntervals(scores.map((value) => sign * value - level)).filter(({ value }) => value >= 0);
      const boxes = inside.map(({ from, to }) => [[from * step, 0], [to * step, 0], [to * step, viewport.height], [from * step, viewport.height]]);
      painter.polygons(boxes, { fill: palette.classes[run.classes[place]], alpha });
    }
  });
}

// Coordinates along the axis, from the left edge of the picture to the right one.
const alongAxis = ({ reachX }) => Array.from({ length: 161 }, (_, i) => gridCoordinate(i, 161, reachX));

// The probability of the second class: 0 at the lower dotted line, 1 at the upper one.
function drawProbability(painter, viewport, run, score, palette) {
  const [zero, one] = [viewport.height * 0.9, viewport.height * 0.1];
  for (const [y, text] of [[zero, "0"], [one, "1"]]) {
    painter.path([[0, y], [viewport.width, y]], { stroke: palette.soft, width: 1, dash: [1, 5] });
    painter.text(8, y - 9, text, { size: 12, fill: palette.soft, halo: palette.paper });
  }
  const curve = alongAxis(viewport).map((x) => [viewport.toPixels([x, 0])[0], zero + (one - zero) * sigmoid(score(x))]);
  painter.path(curve, { stroke: palette.accent, width: 2 });
  painter.text(viewport.width / 2, one - 10, `probability of ${MARKER_SYMBOLS[run.classes[1]]}`, { size: 12, fill: palette.accent, anchor: "middle", halo: palette.paper });
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
