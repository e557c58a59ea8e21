// Links: short for presets, deflated for points, and readable in the form of earlier versions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staticModule } from "./static_module.mjs";

const { linkOf, stateOfLink } = await staticModule("link_text");
const { decodeState, encodeState } = await staticModule("saved_state");
const { PageState } = await staticModule("page_state");
const { automaticSpeed, SPEEDS } = await staticModule("playback_controls");

const LIMITS = { points: 500, classes: 4 };
const OWN = { preset: null, margin: null, seed: 0 };
const roundTrip = async (state, origin) => decodeState(await stateOfLink(await linkOf(encodeState(state, origin))), LIMITS, SPEEDS);

test("a preset is named, with what differs from the default", async () => {
  const state = new PageState("Perceptron");
  state.points = Array.from({ length: 60 }, (_, k) => [k, k, k % 2]);
  assert.equal(await linkOf(encodeState(state, { preset: "gap", margin: null, seed: 0 })), "learner=Perceptron&preset=gap&p.order=cyclic");
  Object.assign(state, { step: 7, view: "lift", speed: 30, isProofSeen: true, dimension: 1, parameters: { C: 0.5, fit_intercept: false, step: "1/t" } });
  const saved = await roundTrip(state, { preset: "gap", margin: 0.25, seed: 3 });
  assert.deepEqual(saved.origin, { preset: "gap", margin: 0.25, seed: 3 });
  assert.equal(saved.points, null);
  const { learner, parameters, step, view, speed, isProofSeen, dimension } = saved;
  assert.deepEqual({ learner, parameters, step, view, speed, isProofSeen, dimension },
    { learner: "Perceptron", parameters: { C: 0.5, fit_intercept: false, step: "1/t" }, step: 7, view: "lift", speed: 30, isProofSeen: true, dimension: 1 });
});

test("points that were edited come back with every bit, and take less room", async () => {
  const state = new PageState("Perceptron");
  state.points = Array.from({ length: 120 }, (_, k) => [Math.round(4000 * Math.sin(k)) / 1000, 1e-5 * k, k % 4]);
  const link = await linkOf(encodeState(state, OWN));
  assert.match(link, /^z=[\w-]+$/);
  assert.ok(link.length < 0.6 * encodeURIComponent(encodeState(state, OWN)).length, `${link.length}`);
  assert.deepEqual((await roundTrip(state, OWN)).points, state.points);
});

test("links of earlier versions open", async () => {
  const text = '{"learner":"Perceptron","parameters":{"order":"cyclic"},"dimension":2,"step":3,"speed":4,"view":"plane","hidden":["radius"],"isProofSeen":true,"lesson":null,"points":"3,3,1;1,1,0"}';
  for (const link of [encodeURIComponent(text), text]) {
    const saved = decodeState(await stateOfLink(link), LIMITS, SPEEDS);
    assert.deepEqual([saved.points, saved.step, saved.speed], [[[3, 3, 1], [1, 1, 0]], 3, 4]);
  }
});

test("links that are none are refused, and so is one that unfolds to too much", async () => {
  const long = await linkOf(JSON.stringify({ learner: "Perceptron", parameters: {}, points: "0,0,0;".repeat(100_000) }));
  assert.ok(long.length < 5000);
  for (const link of ["", "x", "z=", "z=!!", "z=AAAA", "%7B", "%", "preset", "learner=Perceptron", long]) assert.equal(decodeState(await stateOfLink(link), LIMITS, SPEEDS), null, link.slice(0, 20));
});

test("the speed follows the length of the run", () => {
  assert.deepEqual([0, 7, 48, 49, 2000].map(automaticSpeed), [4, 4, 4, 10, 400]);
  for (const updates of [1, 10, 100, 1000, 2000]) assert.ok(updates / automaticSpeed(updates) <= 12);
});
