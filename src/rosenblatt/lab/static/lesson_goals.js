// Goals of lessons: each is a list of needs, and a need compares one fact with a value. No DOM.
import { pointChanges } from "./lesson_facts.js";
import { formatNumber, formatPercent } from "./number_format.js";

const TOLERANCE = 1e-9; // of equal numbers

// "bound" is a fact; "b@2" is the fact b after update 2.
function factValue(facts, name) {
  const [fact, at] = name.split("@");
  return (at === undefined ? facts : facts.at?.(Number(at)))?.[fact] ?? null;
}

const isEqual = (one, other, tolerance) =>
  typeof one === "number" && typeof other === "number" ? Math.abs(one - other) <= (tolerance ?? TOLERANCE * (1 + Math.abs(other))) : one === other;

// Comparisons by their name in a need: (value, wanted, start, facts, need) => whether it holds.
const COMPARISONS = {
  equals: (value, wanted, start, facts, { tolerance }) => isEqual(value, wanted, tolerance),
  differs: (value, wanted) => value !== null && !isEqual(value, wanted),
  atLeast: (value, wanted) => value !== null && value >= wanted,
  atMost: (value, wanted) => value !== null && value <= wanted,
  equalsFact: (value, wanted, start, facts, { tolerance }) => factValue(facts, wanted) !== null && isEqual(value, factValue(facts, wanted), tolerance),
  atLeastTimes: (value, wanted, start) => value !== null && start !== null && value >= wanted * start,
  atMostTimes: (value, wanted, start) => value !== null && start !== null && value <= wanted * start,
};
const COMPARISON_NAMES = Object.keys(COMPARISONS);

function isMet(need, facts, start) {
  const name = COMPARISON_NAMES.find((one) => one in need);
  return COMPARISONS[name](factValue(facts, need.fact), need[name], factValue(start, need.fact), facts, need);
}

// A probability near 1 does not read as 1.
function formatFact(name, value) {
  if (name === "lastProbability" && value !== null) return formatPercent(value);
  return typeof value === "number" || value === null ? formatNumber(value) : String(value);
}

// "{bound}" becomes the fact's value, "{start.bound}" that at the start of the step.
function fillIn(text, facts, start) {
  return text.replace(/\{(start\.)?([\w@]+)\}/g, (_, early, name) => formatFact(name, factValue(early ? start : facts, name)));
}

// Judges a goal: { isMet, word }. The word is what is missing, or what there is to learn from the right answer.
export function judgeGoal(goal, facts, start, answer = null) {
  const all = { ...facts, ...pointChanges(start.points, facts.points), answer };
  const missing = goal.needs.find((need) => !isMet(need, all, start));
  return { isMet: !missing, word: fillIn(missing ? missing.otherwise : goal.right, all, start) };
}
