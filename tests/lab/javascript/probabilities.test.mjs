// Probabilities, leads of the classes, and the neuron.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staticModule } from "./static_module.mjs";

const { classOdds, sigmoid } = await staticModule("class_odds");
const { classLeads } = await staticModule("class_leads");
const { describeNeuron, neuronValues } = await staticModule("neuron_values");
const { formatPercent } = await staticModule("number_format");
const { regionShading } = await staticModule("region_shading");
const { TracedRun } = await staticModule("traced_run");
const { Viewport } = await staticModule("viewport");

const pack = (kind, shape, values) => ({ kind, shape, bytes: Buffer.from(kind === "<f8" ? new Float64Array(values).buffer : new Int32Array(values).buffer).toString("base64") });

// A run of one state, with the given planes (w1, w2, b).
function runOf(planes, { loss, joint = false }, points = [[1, 0, 0], [0, 1, 1], [-1, -1, 2]]) {
  const classes = planes.length === 1 ? [0, 1] : planes.map((_, k) => k);
  const answer = {
    path: pack("<f8", [1, planes.length, 3], planes.flat()), trace: { visit: pack("<f8", [0], []), row: pack("<i4", [0], []) }, classes, lift: null,
    step: { loss, joint, offset: 1 },
  };
  return new TracedRun(answer, points.filter(([, , label]) => classes.includes(label)), 2);
}

// Whether a place, in the plane's coordinates, lies in one of the polygons: the ray to the right crosses them an odd number of times.
function isInside(polygons, [x, y]) {
  const crossings = (polygon) => polygon.filter(([x1, y1], i) => {
    const [x2, y2] = polygon[(i + 1) % polygon.length];
    return y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
  }).length;
  return polygons.some((polygon) => crossings(polygon) % 2 === 1);
}

test("probabilities of classes add up to 1, far from 0 too", () => {
  for (const scores of [[0.3], [-800], [1, 2, 3], [-700, 700, 0]])
    for (const isJoint of [true, false]) {
      const chances = classOdds(scores, isJoint).map(sigmoid);
      assert.ok(Math.abs(chances.reduce((sum, chance) => sum + chance, 0) - 1) < 1e-12, `${scores}`);
    }
  assert.deepEqual(classOdds([0, 0, 0], true).map(sigmoid).map((chance) => chance.toFixed(6)), ["0.333333", "0.333333", "0.333333"]);
});

test("what is not certain does not read as certain", () => {
  assert.deepEqual([0.5, 0.1234, 0.99951, 1e-9].map(formatPercent), ["50 %", "12.3 %", "> 99.9 %", "< 0.1 %"]);
});

test("an area covers the places where the class leads by the level", () => {
  const viewport = new Viewport(220, 220);
  const places = [[3, 1.234], [-2, 2.345], [0.13, -4], [-0.5, 0.567], [4, 4]];
  const cases = [
    runOf([[2, -1, 0.5]], { loss: "hinge" }), runOf([[0.7, 0.1, 0]], { loss: "logistic" }),
    runOf([[1, 0, 0], [0, 1, 0], [-1, -1, 1]], { loss: "hinge", joint: true }), runOf([[1, 0, 0], [0, 1, 0], [-1, -1, 1]], { loss: "logistic", joint: true }),
    runOf([[1, 0, 0], [0, 1, 0], [-1, -1, 1]], { loss: "logistic" }),
  ];
  for (const run of cases) {
    const leads = classLeads(run, 0, viewport);
    for (const place of places) {
      const scores = Array.from({ length: run.planes }, (_, k) => run.score(0, k, place));
      const odds = classOdds(scores, run.isJoint);
      const ahead = run.planes === 1 ? odds : scores.map((own, k) => own - Math.max(...scores.filter((_, other) => other !== k)));
      for (const level of [0, 1])
        leads.forEach((lead, k) => {
          const value = level && run.isLogistic ? odds[k] : ahead[k];
          if (Math.abs(value - level) > 0.02) assert.equal(isInside(lead.area(level), viewport.toPixels(place)), value >= level, `${run.answer.step.loss} ${k} ${place} ${level}`);
        });
    }
  }
});

test("the shading follows the loss", () => {
  const levels = (loss, planes, joint = false) => regionShading(runOf(planes, { loss, joint })).tones.map(([level]) => level);
  const three = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  assert.deepEqual(levels("perceptron", [[1, 0, 0]]), [0]);
  assert.deepEqual(levels("squared_hinge", [[1, 0, 0]]), [0, 1]);
  assert.deepEqual(levels("hinge", three), [0]); // each class has a margin of its own
  assert.deepEqual(levels("hinge", three, true), [0, 1]);
  assert.deepEqual(levels("logistic", three).map(sigmoid).map((p) => Number(p.toFixed(3))), [0.5, 0.6, 0.7, 0.8, 0.9, 0.99]);
});

test("the neuron of several classes has all sums and the winner", () => {
  const run = runOf([[1, 0, 0], [0, 1, 0.5], [-1, -1, 0]], { loss: "logistic", joint: true });
  const { scores, predicted, chances, verdict } = neuronValues(run, 0);
  assert.deepEqual(scores, [1, 0.5, -1]);
  assert.equal(predicted, 0);
  assert.equal(verdict, "right");
  assert.ok(Math.abs(chances[0] - Math.E / (Math.E + Math.exp(0.5) + Math.exp(-1))) < 1e-15);
  assert.match(describeNeuron(run, 0), /1 for class 0 ■, 0\.5 for class 1 ●, −1 for class 2 ▲; it predicts class 0 ■ with probability 57\.4 %: right/);
});
