// How far each class is ahead of the others, over the whole picture. A lead is { area(level), edge(level) }: polygons that
// cover the places where it is at least `level`, and the lines where it is equal, in pixels.
import { classOdds } from "./class_odds.js";
import { gridCoordinate, gridScores } from "./grid_scores.js";
import { clipToHalfPlane, lineInBox, positiveCellPolygons, winningRegion, zeroContour } from "./plane_geometry.js";

const GRID_SIDE = 61; // for probabilities of several classes, whose edges are curves

// Weights and offset of every plane.
export const planesOf = (run, step) => Array.from({ length: run.planes }, (_, k) => Array.from(run.weights(step, k)));

// The leads of all classes. A level of 0 is where the prediction changes. Other levels are log odds if the model is
// logistic, and differences of scores otherwise.
export function classLeads(run, step, viewport) {
  if (!run.isLinear) return gridLeads(run, liftedScores(run, step), run.lift.side, run.lift.reach, viewport);
  const planes = planesOf(run, step);
  if (run.planes === 1) return [planes[0].map((value) => -value), planes[0]].map((plane) => halfPlaneLead(plane, viewport));
  const regions = planes.map((_, k) => regionLead(planes, k, viewport));
  if (!run.isLogistic) return regions;
  const reach = [viewport.reachX, viewport.reachY];
  const curved = gridLeads(run, planes.map((plane) => planeScores(plane, reach)), GRID_SIDE, reach, viewport);
  return regions.map((region, k) => ({ area: (level) => (level ? curved[k] : region).area(level), edge: (level) => (level ? curved[k] : region).edge(level) }));
}

const shifted = ([w1, w2, b], level) => [w1, w2, b - level];

function halfPlaneLead(plane, viewport) {
  const onScreen = (points) => points.map((point) => viewport.toPixels(point));
  return {
    area: (level) => [onScreen(clipToHalfPlane(viewport.box, shifted(plane, level)))],
    edge: (level) => [lineInBox(viewport.box, shifted(plane, level))].filter(Boolean).map(onScreen),
  };
}

// The difference of the own score and the best other one.
function regionLead(planes, own, viewport) {
  const differs = planes.some((other) => other.some((value, i) => value !== planes[own][i]));
  const area = (level) => {
    const region = differs ? winningRegion(viewport.box, planes.map((plane, k) => (k === own ? shifted(plane, level) : plane)), own) : [];
    return region.length > 2 ? [region.map((point) => viewport.toPixels(point))] : [];
  };
  return { area, edge: (level) => area(level).map((region) => [...region, region[0]]) };
}

const liftedScores = (run, step) => Array.from({ length: run.planes }, (_, k) => gridScores(run, step, k));

function planeScores([w1, w2, b], [reachX, reachY]) {
  const across = Array.from({ length: GRID_SIDE }, (_, i) => w1 * gridCoordinate(i, GRID_SIDE, reachX));
  const up = Array.from({ length: GRID_SIDE }, (_, j) => w2 * gridCoordinate(j, GRID_SIDE, reachY) + b);
  return Float64Array.from({ length: GRID_SIDE * GRID_SIDE }, (_, cell) => across[cell % GRID_SIDE] + up[Math.floor(cell / GRID_SIDE)]);
}

function gridLeads(run, scores, side, [reachX, reachY], viewport) {
  const place = (i, j) => viewport.toPixels([gridCoordinate(i, side, reachX), gridCoordinate(j, side, reachY)]);
  const ahead = fieldOfLeads(scores, scoreLeads);
  const odds = run.isLogistic && run.planes > 1 ? fieldOfLeads(scores, (here) => classOdds(here, run.isJoint)) : ahead;
  const values = (k, level) => (level ? odds[k].map((value) => value - level) : ahead[k]);
  return ahead.map((_, k) => ({
    area: (level) => positiveCellPolygons(values(k, level), side, place),
    edge: (level) => zeroContour(values(k, level), side, place),
  }));
}

// From the scores of every plane at every place to the leads of every class there.
function fieldOfLeads(scores, leadsAt) {
  const leads = Array.from({ length: Math.max(scores.length, 2) }, () => new Float64Array(scores[0].length));
  for (let cell = 0; cell < scores[0].length; cell++)
    leadsAt(scores.map((values) => values[cell])).forEach((lead, k) => (leads[k][cell] = lead));
  return leads;
}

function scoreLeads(scores) {
  if (scores.length === 1) return [-scores[0], scores[0]];
  return scores.map((own, k) => own - Math.max(...scores.filter((_, other) => other !== k)));
}
