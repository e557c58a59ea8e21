// QR codes, read back by a decoder of its own with the tables of the standard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staticModule } from "./static_module.mjs";

const { qrCode } = await staticModule("qr_code");

// From the standard: places of the alignment patterns, and blocks as [count, words of data, words of correction].
const TABLES = {
  1: { places: [], blocks: [[1, 19, 7]] },
  2: { places: [6, 18], blocks: [[1, 34, 10]] },
  7: { places: [6, 22, 38], blocks: [[2, 78, 20]] },
  14: { places: [6, 26, 46, 66], blocks: [[3, 115, 30], [1, 116, 30]] },
  21: { places: [6, 28, 50, 72, 94], blocks: [[4, 116, 28], [4, 117, 28]] },
  40: { places: [6, 30, 58, 86, 114, 142, 170], blocks: [[19, 118, 30], [6, 119, 30]] },
};
const MASKS = [
  (i, j) => (i + j) % 2 === 0, (i) => i % 2 === 0, (i, j) => j % 3 === 0, (i, j) => (i + j) % 3 === 0, (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0, (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0, (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2 === 0,
];
const FORMATS = ["111011111000100", "111001011110011", "111110110101010", "111100010011101", "110011000101111", "110001100011000", "110110001000001", "110100101110110"]; // level L, by mask

function isPattern(i, j, side, version, places) {
  if ((i < 9 && j < 9) || (i < 9 && j >= side - 8) || (i >= side - 8 && j < 9) || i === 6 || j === 6) return true;
  if (version >= 7 && ((i < 6 && j >= side - 11) || (j < 6 && i >= side - 11))) return true;
  const [first, last] = [places[0], places.at(-1)];
  const isCorner = (a, b) => (a === first && b === first) || (a === first && b === last) || (a === last && b === first);
  return places.some((a) => places.some((b) => !isCorner(a, b) && Math.abs(i - a) <= 2 && Math.abs(j - b) <= 2));
}

// The words in the order in which they are written.
function readWords(rows, version, mask) {
  const side = rows.length;
  const bits = [];
  for (let pair = side - 1, turn = 0; pair > 0; pair -= 2, turn++) {
    if (pair === 6) pair--;
    for (let k = 0; k < side; k++)
      for (const j of [pair, pair - 1]) {
        const i = turn % 2 ? k : side - 1 - k;
        if (!isPattern(i, j, side, version, TABLES[version].places)) bits.push(rows[i][j] !== MASKS[mask](i, j));
      }
  }
  return Array.from({ length: bits.length >> 3 }, (_, k) => parseInt(bits.slice(8 * k, 8 * k + 8).map(Number).join(""), 2));
}

const [EXP, LOG] = [[], []];
for (let k = 0, value = 1; k < 255; k++, value = value & 128 ? (value << 1) ^ 0x11d : value << 1) [EXP[k], LOG[value]] = [value, k];
const times = (a, b) => (a && b ? EXP[(LOG[a] + LOG[b]) % 255] : 0);

function decode(rows) {
  const version = (rows.length - 17) / 4;
  const format = [...Array(6).keys(), 7, 8].map((j) => rows[8][j]).concat([7, 5, 4, 3, 2, 1, 0].map((i) => rows[i][8])).map(Number).join("");
  const mask = FORMATS.indexOf(format);
  assert.ok(mask >= 0, format);
  const words = readWords(rows, version, mask);
  const sizes = TABLES[version].blocks.flatMap(([count, data, correction]) => Array(count).fill([data, correction]));
  const blocks = sizes.map(() => []);
  for (let i = 0; i < sizes.at(-1)[0]; i++) sizes.forEach(([data], k) => i < data && blocks[k].push(words.shift()));
  for (let i = 0; i < sizes[0][1]; i++) blocks.forEach((block) => block.push(words.shift()));
  blocks.forEach((block, k) => { // a block without errors has the roots 2^0, 2^1, ..
    for (let root = 0; root < sizes[k][1]; root++) assert.equal(block.reduce((sum, word) => times(sum, EXP[root]) ^ word, 0), 0);
  });
  const bits = blocks.flatMap((block, k) => block.slice(0, sizes[k][0])).map((word) => word.toString(2).padStart(8, "0")).join("");
  assert.equal(bits.slice(0, 4), "0100");
  const head = version < 10 ? 12 : 20;
  const length = parseInt(bits.slice(4, head), 2);
  return new TextDecoder().decode(Uint8Array.from({ length }, (_, k) => parseInt(bits.slice(head + 8 * k, head + 8 * k + 8), 2)));
}

for (const [version, length] of [[1, 17], [2, 32], [7, 154], [14, 458], [21, 929], [40, 2953]])
  test(`a code of version ${version} is read back`, () => {
    const text = `http://127.0.0.1:1958/#z=${"aZ09-_".repeat(500)}`.slice(0, length);
    const rows = qrCode(text);
    assert.equal(rows.length, 17 + 4 * version);
    assert.equal(decode(rows), text);
  });

test("other letters than English ones, and texts that are too long", () => {
  assert.equal(decode(qrCode("● 90 %")), "● 90 %");
  assert.equal(qrCode("x".repeat(2954)), null);
});
