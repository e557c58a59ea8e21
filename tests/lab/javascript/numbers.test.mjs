// Numbers, vectors, arrays and geometry of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staticModule } from "./static_module.mjs";

const { formatCount, formatNumber, formatVector } = await staticModule("number_format");
const { angleBetween, axisTicks, dot } = await staticModule("vector_math");
const { unpackArray } = await staticModule("packed_arrays");
const { clipPolygon, lineInBox, clipToHalfPlane } = await staticModule("plane_geometry");
const { Viewport, reachOf } = await staticModule("viewport");

test("numbers have four digits and a real minus sign", () => {
  assert.equal(formatNumber(-0.30000000000000004), "−0.3");
  assert.equal(formatNumber(117.00000000000001), "117");
  assert.equal(formatNumber(null), "–");
  assert.equal(formatNumber(-Infinity), "−∞");
  assert.equal(formatVector([1, -2, 3, 4, 5, 6, 7]), "(1, −2, 3, 4, 5, 6, …)");
  assert.equal(formatCount(1, "mistake"), "1 mistake");
  assert.equal(formatCount(2000, "mistake"), "2,000 mistakes");
});

test("vectors", () => {
  assert.equal(dot([1, 2, 3], [4, 5, 6]), 32);
  assert.equal(angleBetween([1, 0], [0, 2]), 90);
  assert.equal(angleBetween([0, 0], [1, 0]), null);
  assert.deepEqual(axisTicks(-1, 1, 4), [-1, -0.5, 0, 0.5, 1]);
});

test("packed arrays keep every bit", () => {
  const bytes = Buffer.from(new Float64Array([0.1, -1e300, 5e-324]).buffer).toString("base64");
  assert.deepEqual([...unpackArray({ kind: "<f8", shape: [3], bytes })], [0.1, -1e300, 5e-324]);
});

test("a line and a half-plane are cut at the edges of a box", () => {
  const box = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  assert.deepEqual(lineInBox(box, [1, 0, 0]).map(([x]) => Math.abs(x)), [0, 0]);
  assert.equal(lineInBox(box, [1, 0, 5]), null);
  const half = clipToHalfPlane(box, [1, 0, 0]);
  assert.ok(half.length >= 3 && half.every(([x]) => x >= 0));
});

test("a polygon in space is cut where a value changes its sign", () => {
  const square = [[0, 0, -1], [2, 0, 1], [2, 2, 1], [0, 2, -1]];
  assert.deepEqual(clipPolygon(square, ([, , z]) => z), [[1, 0, 0], [2, 0, 1], [2, 2, 1], [1, 2, 0]]);
  assert.deepEqual(clipPolygon(square, () => 1), square);
  assert.deepEqual(clipPolygon(square, () => -1), []);
});

test("a viewport goes to pixels and back, and shows all points", () => {
  const viewport = new Viewport(600, 500, reachOf([[7, 0, 1]], 2));
  assert.ok(viewport.reachY > 7);
  const back = viewport.fromPixels(viewport.toPixels([2, -3]));
  assert.ok(Math.hypot(back[0] - 2, back[1] + 3) < 1e-12);
});
