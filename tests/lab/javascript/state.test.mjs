// The state of the page: saved and restored, points as text, requests of which the newest counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staticModule } from "./static_module.mjs";

const { PageState } = await staticModule("page_state");
const { decodeState, encodeState } = await staticModule("saved_state");
const { parsePoints, pointsToCsv } = await staticModule("points_csv");
const { RequestQueue } = await staticModule("request_queue");

const LIMITS = { points: 500, classes: 4 };
const SPEEDS = [1, 4];

test("a state comes back from its text", () => {
  const state = new PageState("Perceptron");
  Object.assign(state, { points: [[0.1, -3, 0], [4, 3, 1]], step: 3 });
  state.show.regions = false;
  const back = new PageState("LinearSVM");
  back.restore(decodeState(encodeState(state, { preset: null, margin: null, seed: 0 }), LIMITS, SPEEDS));
  assert.deepEqual(back.points, state.points);
  assert.deepEqual(back.show, state.show);
  assert.equal(back.step, 3);
  assert.equal(back.learner, "Perceptron");
});

test("texts that are no state are refused, odd settings fall back", () => {
  for (const text of ["", "x", "{}", '{"points":"1,2"}', '{"points":"1,1,7"}']) assert.equal(decodeState(text, LIMITS, SPEEDS), null);
  const odd = decodeState('{"points":"1,1,1","speed":9,"view":"<b>","hidden":{}}', LIMITS, SPEEDS);
  assert.deepEqual([odd.speed, odd.view, odd.hidden], [null, "plane", []]);
});

test("points are read as they are written", () => {
  const points = [[0.123456789, 0, 0], [1e-5, 1, 1]];
  assert.deepEqual(parsePoints(pointsToCsv(points, 2), 2, LIMITS), points);
  assert.throws(() => parsePoints("0 0", 2, LIMITS), /Line 1 must be x1, x2, class/);
});

test("another learner keeps the parameters that all learners have", () => {
  const state = new PageState("Perceptron");
  state.setParameter("max_iter", 7);
  state.setLearner({ name: "LinearSVM", parameters: [{ name: "max_iter" }, { name: "order" }] });
  assert.deepEqual(state.parameters, { max_iter: 7 });
});

test("of waiting requests only the newest is answered", async () => {
  const answered = [];
  const queue = new RequestQueue(async (request) => void answered.push(request));
  await Promise.all([1, 2, 3].map((request) => queue.send(request)));
  assert.deepEqual(answered, [1, 3]);
});
