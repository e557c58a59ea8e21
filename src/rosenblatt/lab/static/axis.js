// One dimension: points on an axis, the boundary a point of it (a hyperplane in R¹).
import { ticks, written } from "./numbers.js";
import { cellScores, drawCursor, drawPoints } from "./plane.js";
import { arrow } from "./shapes.js";

export function drawAxis(pen, view, scene) {
  const { palette, course, step, show } = scene;
  const [left, right] = [-view.reachX, view.reachX];
  const middle = view.height / 2;
  pen.path([[0, 0], [view.width, 0], [view.width, view.height], [0, view.height]], { fill: palette.paper }, true);
  const w = course?.weights(step);
  if (course && !course.isLinear) drawCurvedAxis(pen, view, scene);
  else if (course && w[0] && course.planes === 1) {
    const border = -w[1] / w[0];
    if (show.regions) drawSides(pen, view, course, border, w[0] > 0, palette);
    if (show.theory) drawProof(pen, view, scene);
    if (show.band) drawClearance(pen, view, course, step, border, palette);
    if (show.before && course.update(step)) drawBorder(pen, view, course.weights(step - 1), palette, true);
    drawScore(pen, view, w, palette);
    drawBorder(pen, view, w, palette, false);
    if (show.normal) drawDirection(pen, view, border, w[0], palette);
  }
  pen.path([view.at([left, 0]), view.at([right, 0])], { stroke: palette.ink, width: 1.4 });
  for (const x of ticks(left, right, 10)) {
    const [px] = view.at([x, 0]);
    pen.path([[px, middle - 4], [px, middle + 4]], { stroke: palette.soft, width: 1 });
    pen.text(px, middle + 30, written(x, 3), { size: 11, fill: palette.soft, anchor: "middle" });
  }
  drawPoints(pen, view, scene, true);
  if (scene.cursor) drawCursor(pen, view, { ...scene, cursor: [scene.cursor[0], 0] });
}

// The widest street between the classes, or the points whose hulls meet, and where.
function drawProof(pen, view, { course, points, palette }) {
  const { street, verdicts } = course.answer.theory;
  const middle = view.height / 2;
  const ring = (rows, colour) => rows.forEach((row) => points[row] && pen.circle(view.at([points[row][0], 0])[0], middle, 12, { stroke: colour, width: 1.8 }));
  if (street) {
    const [w, b] = street.plane;
    drawStrip(pen, view, -b / w, street.margin, { fill: palette.good, alpha: 0.16 });
    ring(street.support, palette.good);
    return;
  }
  const { clash } = verdicts[0];
  ring(clash.rows, palette.bad);
  if (!clash.meet) return;
  const x = view.at([clash.meet[0], 0])[0];
  for (const [dx, dy] of [[4, 4], [4, -4]]) pen.path([[x - dx, middle - 22 - dy], [x + dx, middle - 22 + dy]], { stroke: palette.bad, width: 2 });
}

function drawStrip(pen, view, at, half, style) {
  const [from, to] = [at - half, at + half].map((x) => view.at([x, 0])[0]);
  const [low, high] = [view.height / 2 - 40, view.height / 2 + 40];
  pen.polygons([[[from, low], [to, low], [to, high], [from, high]]], style);
}

function drawClearance(pen, view, course, step, border, palette) {
  const half = course.clearance(step);
  if (half) drawStrip(pen, view, border, half, { fill: palette.ink, alpha: 0.07, stroke: palette.ink, strokeAlpha: 0.6, width: 1, dash: [2, 4] });
}

// Lifted recipes: pieces of the axis, between the zeros of the score.
function drawCurvedAxis(pen, view, { course, step, show, palette }) {
  const { side, reach: [reach] } = course.lift;
  const x = (i) => view.at([(2 * i / (side - 1) - 1) * reach, 0])[0];
  const scores = cellScores(course, step, 0);
  if (course.planes > 1 || !scores.some(Boolean)) return;
  const most = Math.max(...scores.map(Math.abs));
  let begin = 0;
  for (let i = 1; i < side; i++) {
    const crosses = scores[i - 1] >= 0 !== scores[i] >= 0;
    const at = crosses ? i - 1 + scores[i - 1] / (scores[i - 1] - scores[i]) : i;
    if (!crosses && i < side - 1) continue;
    const colour = palette.classes[course.classes[scores[i - 1] >= 0 ? 1 : 0]];
    if (show.regions) pen.polygons([[[x(begin), 0], [x(at), 0], [x(at), view.height], [x(begin), view.height]]], { fill: colour, alpha: 0.12 });
    if (crosses) pen.path([[x(at), view.height / 2 - 70], [x(at), view.height / 2 + 70]], { stroke: palette.ink, width: 2.5 });
    begin = at;
    if (crosses && i === side - 1 && show.regions) {
      const last = palette.classes[course.classes[scores[i] >= 0 ? 1 : 0]];
      pen.polygons([[[x(at), 0], [x(i), 0], [x(i), view.height], [x(at), view.height]]], { fill: last, alpha: 0.12 });
    }
  }
  const curve = Array.from(scores, (score, i) => [x(i), view.height / 2 - (score / most) * view.height * 0.4]);
  pen.path(curve, { stroke: palette.accent, width: 1.4, dash: [2, 4] });
}

function drawSides(pen, view, course, border, up, palette) {
  const at = view.at([border, 0])[0];
  const sides = [[0, at, up ? 0 : 1], [at, view.width, up ? 1 : 0]];
  for (const [from, to, place] of sides) {
    const box = [[from, 0], [to, 0], [to, view.height], [from, view.height]];
    pen.polygons([box], { fill: palette.classes[course.classes[place]], alpha: 0.12 });
  }
}

function drawBorder(pen, view, w, palette, before) {
  if (!w[0]) return;
  const x = -w[1] / w[0];
  const [px, middle] = view.at([x, 0]);
  const style = before ? { stroke: palette.soft, width: 1.5, dash: [5, 5] } : { stroke: palette.ink, width: 2.5 };
  pen.path([[px, middle - 70], [px, middle + 70]], style);
  if (!before) {
    pen.circle(px, middle, 5, { fill: palette.ink });
    pen.text(px, middle + 84, `x = ${written(x)}`, { size: 13, weight: 600, fill: palette.ink, anchor: "middle", halo: palette.paper });
  }
}

// The score w x + b above the axis: 0 at the boundary.
function drawScore(pen, view, w, palette) {
  const high = view.reachY * 0.8;
  const steep = Math.max(Math.abs(w[0] * view.reachX), Math.abs(w[1]), 1e-12);
  const line = [-view.reachX, view.reachX].map((x) => view.at([x, ((w[0] * x + w[1]) / steep) * high]));
  pen.path(line, { stroke: palette.accent, width: 1.4, dash: [2, 4] });
  pen.text(view.width - 12, line[1][1] + (w[0] > 0 ? 16 : -16), "w x + b", { size: 12, fill: palette.accent, anchor: "end", halo: palette.paper });
}

function drawDirection(pen, view, border, w, palette) {
  const [px, middle] = view.at([border, 0]);
  const sign = Math.sign(w);
  arrow(pen, [px, middle - 46], [px + sign * 56, middle - 46], { stroke: palette.ink, width: 2.4 });
  pen.text(px + sign * 64, middle - 46, "w", { size: 15, weight: 700, fill: palette.ink, anchor: sign > 0 ? "start" : "end", halo: palette.paper });
}
