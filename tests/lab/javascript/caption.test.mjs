// The caption of the page, and the words of its glossary.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staticModule } from "./static_module.mjs";

const { captionOf } = await staticModule("caption");
const { GLOSSARY } = await staticModule("glossary");

const run = (result = {}, step = { loss: "perceptron" }) => ({ updates: 7, isUntraced: false, answer: { step, result: { updates: 7, mistakes: 0, rows: 3, ...result } } });

test("the caption says what to do next", () => {
  assert.match(captionOf({ run: run(), step: 0 }, false, true), /^Press Play\./);
  assert.match(captionOf({ run: run(), step: 3 }, false, true), /^After update 3 of 7\./);
  assert.match(captionOf({ run: run(), step: 7 }, false, true), /every point is on its own side/);
  assert.match(captionOf({ run: run({ mistakes: 2 }), step: 7 }, false, true), /2 of 3 points on the wrong side/);
  assert.match(captionOf({ run: run({ updates: 4000 }), step: 7 }, false, true), /first 7 of 4,000 updates/);
  assert.match(captionOf({ run: null, step: 0 }, false, false), /^Click the picture/);
});

test("the caption stays the same while a run plays", () => {
  assert.equal(captionOf({ run: run(), step: 1 }, true, true), captionOf({ run: run(), step: 6 }, true, true));
});

test("the caption knows what moves the line", () => {
  const captions = [{ loss: "perceptron" }, { loss: "hinge" }, { loss: "logistic" }, { loss: "hinge", batch: true }].map((step) => captionOf({ run: run({}, step), step: 1 }, true, true));
  assert.equal(new Set(captions).size, 4);
});

test("every explanation is a sentence", () => {
  for (const [word, text] of Object.entries(GLOSSARY)) assert.match(text, /^[A-Zw].*[.|)]$/, word);
});
