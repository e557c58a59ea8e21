// Goals of lessons: what changed, which needs are met, and the words for what is missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staticModule } from "./static_module.mjs";

const { pointChanges } = await staticModule("lesson_facts");
const { judgeGoal } = await staticModule("lesson_goals");
const { lessonState } = await staticModule("lesson_state");

const POINTS = [[0, 0, 0], [1, 1, 1], [2, 2, 1]];
const changes = (after) => Object.values(pointChanges(POINTS, after)).join(" "); // flipped, moved, removed, added

test("points that moved, flipped, came or went are counted", () => {
  assert.equal(changes(POINTS), "0 0 0 0");
  assert.equal(changes([[0, 0, 0], [1, 1, 0], [2, 2, 1]]), "1 0 0 0");
  assert.equal(changes([[0, 0, 0], [5, 1, 1], [2, 2, 1]]), "0 1 0 0");
  assert.equal(changes([[0, 0, 0], [2, 2, 1]]), "0 0 1 0");
  assert.equal(changes([...POINTS, [3, 3, 0]]), "0 0 0 1");
  assert.equal(changes([[0, 0, 0], [2, 2, 1], [1, 1, 0]]), "1 0 0 0"); // erased and placed again as the other class
});

const judge = (need, facts, answer) => judgeGoal({ needs: [{ otherwise: "Not {bound}, it was {start.bound}.", ...need }], right: "Yes: {bound}." },
  { points: POINTS, at: (k) => ({ b: k }), ...facts }, { points: POINTS, bound: 117 }, answer);

test("needs compare with values, with the start and with other facts", () => {
  assert.ok(judge({ fact: "bound", equals: 117 }, { bound: 117.00000000001 }).isMet);
  assert.ok(!judge({ fact: "bound", equals: 117 }, { bound: 118 }).isMet);
  assert.ok(judge({ fact: "bound", equals: 117, tolerance: 1 }, { bound: 118 }).isMet);
  assert.ok(judge({ fact: "bound", atLeastTimes: 2 }, { bound: 234 }).isMet);
  assert.ok(!judge({ fact: "bound", atLeastTimes: 2 }, { bound: 233 }).isMet);
  assert.ok(judge({ fact: "bound", atMostTimes: 0.5 }, { bound: 58 }).isMet);
  assert.ok(judge({ fact: "answer", equalsFact: "b@2" }, {}, 2).isMet);
  assert.ok(!judge({ fact: "answer", equalsFact: "b@2" }, {}, 3).isMet);
  assert.ok(judge({ fact: "learner", equals: "LinearSVM" }, { learner: "LinearSVM" }).isMet);
  assert.ok(judge({ fact: "verdict", differs: "complete" }, { verdict: "overlap" }).isMet);
});

test("a fact that is not known meets no need", () => {
  for (const need of [{ equals: 1 }, { differs: 1 }, { atLeast: 0 }, { atMost: 9 }, { atLeastTimes: 0 }, { atMostTimes: 9 }, { equalsFact: "bound" }])
    assert.ok(!judge({ fact: "bound", ...need }, { bound: null }).isMet, JSON.stringify(need));
  assert.ok(!judge({ fact: "answer", differs: null }, {}, null).isMet);
});

test("words hold the numbers", () => {
  assert.equal(judge({ fact: "bound", atLeast: 200 }, { bound: 120.00004 }).word, "Not 120, it was 117.");
  assert.equal(judge({ fact: "bound", atLeast: 100 }, { bound: 120 }).word, "Yes: 120.");
});

test("a step's state is whole, a solution changes the present one", async () => {
  const present = { points: POINTS, isProofSeen: true };
  const ask = async (kind, { preset }) => ({ points: [[preset === "xor" ? 9 : 0, 0, 1]], dimension: 2 });
  const whole = await lessonState({ preset: "xor", step: "end" }, true, present, ask);
  assert.deepEqual([whole.changes.points, whole.changes.learner, whole.changes.isProofSeen, whole.step], [[[9, 0, 1]], "Perceptron", false, Infinity]);
  const solved = await lessonState({ add: [4, 4, 1] }, false, present, ask);
  assert.deepEqual([solved.changes, solved.step], [{ points: [...POINTS, [4, 4, 1]], isProofSeen: true }, null]);
  assert.equal((await lessonState({ step: 1 }, false, present, ask)).origin, null);
});

test("a probability near 1 does not read as 1", () => {
  const goal = { needs: [{ fact: "lastProbability", atLeast: 0.99, otherwise: "Only {lastProbability}." }], right: "Yes: {lastProbability}." };
  const judged = (lastProbability) => judgeGoal(goal, { points: POINTS, lastProbability }, { points: POINTS }).word;
  assert.equal(judged(0.99999), "Yes: > 99.9 %.");
  assert.equal(judged(0.731), "Only 73.1 %.");
});
