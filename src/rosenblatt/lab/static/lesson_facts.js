// The numbers and certificates that a lesson's goals are checked by. No DOM.
import { dot, norm } from "./vector_math.js";

const isSamePlace = (one, other) => one[0] === other[0] && one[1] === other[1];

// Takes the pairs that belong together out of both lists, and returns how many there were.
function takePairs(before, after, belong) {
  let count = 0;
  for (let i = before.length - 1; i >= 0; i--) {
    const j = after.findIndex((point) => belong(before[i], point));
    if (j < 0) continue;
    before.splice(i, 1);
    after.splice(j, 1);
    count++;
  }
  return count;
}

// How points differ from those at the start of a step: how many have moved, changed their class, come and gone.
export function pointChanges(before, after) {
  const [gone, come] = [[...before], [...after]];
  takePairs(gone, come, (one, other) => isSamePlace(one, other) && one[2] === other[2]);
  const flipped = takePairs(gone, come, isSamePlace);
  const moved = takePairs(gone, come, (one, other) => one[2] === other[2]);
  return { flipped, moved, removed: gone.length, added: come.length };
}

// Facts about the weights that the run returns: the distance of the nearest point, ‖w‖, and probabilities.
function returnedFacts(run) {
  const { coef, intercept } = run.answer.result;
  if (coef.length !== 1 || run.isKernel) return {};
  const [w, b] = [coef[0], intercept[0]];
  const scores = run.features.map((row) => dot(row, w) + b);
  const signs = run.points.map(([, , label]) => (run.classes.indexOf(label) === 1 ? 1 : -1));
  const size = norm(w);
  return {
    clearance: size ? Math.min(...scores.map((score, i) => signs[i] * score)) / size : null,
    weightNorm: size,
    lastProbability: 1 / (1 + Math.exp(-scores[scores.length - 1])),
  };
}

function stepFacts(run, step) {
  const [w1, w2] = run.weights(step);
  const update = run.update(step);
  return { w1, w2, b: run.weights(step)[run.width - 1], wrong: run.misclassifiedCount(step), updateMargin: update?.margin ?? null,
    updateClass: update && update.row >= 0 ? run.points[update.row][2] : null };
}

// All facts of the page. `proofs` may be null until they have arrived. Parameters are facts under their own names, but
// for the parameter "step": the fact of this name is the update that is shown.
export function lessonFacts({ state, learners, run, proofs }) {
  const { learner, parameters, view, step, isProofSeen, points, dimension } = state;
  const defaults = learners.find(({ name }) => name === learner).parameters.map(({ name, default: value }) => [name, value]);
  const own = { ...Object.fromEntries(defaults), ...parameters, learner, view, step, isProofSeen, pointCount: points.length, points, dimension };
  if (!run) return own;
  const { result, theory, curves } = run.answer;
  return {
    ...own, ...stepFacts(run, step), ...returnedFacts(run), at: (k) => stepFacts(run, k),
    updates: result.updates, isAtEnd: step >= run.updates, mistakesLeft: result.mistakes, epochs: result.epochs,
    verdict: theory.verdicts[0].kind, margin: theory.street?.margin ?? null, bound: theory.bound?.bound ?? null,
    fewest: proofs ? proofs.fewest?.mistakes ?? 0 : null, averageWrong: curves.keeps.average?.mistakes.at(-1) ?? null,
  };
}
