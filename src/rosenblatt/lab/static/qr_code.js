// A text as a QR code (ISO/IEC 18004): byte mode, error correction L, the smallest of the 40 versions that holds it. No DOM.

// For each version: the bytes of error correction in a block, and the number of blocks.
const CORRECTION = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, ...Array(14).fill(30)];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25];
const MASKS = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3), (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
]; // a module is inverted where the value is 0
const LEVEL_L = 1;
const MAX_VERSION = 40;

const sideOf = (version) => 17 + 4 * version;

// Coordinates of the alignment patterns of a version.
function alignmentPlaces(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const last = sideOf(version) - 7;
  return [6, ...Array.from({ length: count - 1 }, (_, i) => last - (count - 2 - i) * step)];
}

// Bytes that a version holds, correction included.
function capacityOf(version) {
  let bits = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const count = Math.floor(version / 7) + 2;
    bits -= (25 * count - 10) * count - 55;
    if (version >= 7) bits -= 36;
  }
  return Math.floor(bits / 8);
}

const dataCapacity = (version) => capacityOf(version) - CORRECTION[version - 1] * BLOCKS[version - 1];
const lengthBits = (version) => (version < 10 ? 8 : 16);

// The modules of the code, rows of booleans (true is dark), or null if the text is too long.
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  const version = Array.from({ length: MAX_VERSION }, (_, k) => k + 1).find((one) => 4 + lengthBits(one) + 8 * bytes.length <= 8 * dataCapacity(one));
  if (!version) return null;
  const words = interleavedBlocks(dataWords(bytes, version), version);
  const grid = new Grid(version);
  grid.drawWords(words);
  return grid.withBestMask();
}

// Mode, length, bytes, and padding up to the capacity.
function dataWords(bytes, version) {
  const bits = [];
  const push = (value, count) => { for (let i = count - 1; i >= 0; i--) bits.push((value >>> i) & 1); };
  push(4, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const room = 8 * dataCapacity(version);
  push(0, Math.min(4, room - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const words = Array.from({ length: bits.length / 8 }, (_, k) => bits.slice(8 * k, 8 * k + 8).reduce((word, bit) => 2 * word + bit, 0));
  for (let pad = 0xec; words.length < room / 8; pad ^= 0xec ^ 0x11) words.push(pad);
  return words;
}

// Blocks with their correction, word by word in turn. The last blocks are one word longer than the first ones.
function interleavedBlocks(words, version) {
  const [count, correction] = [BLOCKS[version - 1], CORRECTION[version - 1]];
  const long = words.length % count;
  const size = Math.floor(words.length / count);
  const divisor = reedSolomonDivisor(correction);
  let at = 0;
  const blocks = Array.from({ length: count }, (_, k) => words.slice(at, (at += size + (k >= count - long ? 1 : 0))));
  const checks = blocks.map((block) => reedSolomonRemainder(block, divisor));
  const inTurn = (list, length) => Array.from({ length }, (_, i) => list.filter((block) => i < block.length).map((block) => block[i])).flat();
  return [...inTurn(blocks, size + 1), ...inTurn(checks, correction)];
}

// Arithmetic in the field of 256 elements, modulo x^8 + x^4 + x^3 + x^2 + 1.
function multiply(a, b) {
  let product = 0;
  for (let i = 7; i >= 0; i--) product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((b >>> i) & 1) * a);
  return product;
}

// The product of (x - 2^k) for k below the degree; the leading 1 is left out.
function reedSolomonDivisor(degree) {
  const result = [...Array(degree - 1).fill(0), 1];
  for (let k = 0, root = 1; k < degree; k++, root = multiply(root, 2))
    for (let j = 0; j < degree; j++) result[j] = multiply(result[j], root) ^ (result[j + 1] ?? 0);
  return result;
}

function reedSolomonRemainder(words, divisor) {
  const result = divisor.map(() => 0);
  for (const word of words) {
    const factor = word ^ result.shift();
    result.push(0);
    divisor.forEach((value, i) => (result[i] ^= multiply(value, factor)));
  }
  return result;
}

// The remainder of a value times 2^degree by a polynomial: the check bits of format and version.
function checkBits(value, polynomial, degree) {
  let rest = value;
  for (let i = 0; i < degree; i++) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * polynomial);
  return (value << degree) | rest;
}

class Grid {
  constructor(version) {
    const side = sideOf(version);
    const rows = () => Array.from({ length: side }, () => Array(side).fill(false));
    Object.assign(this, { version, side, dark: rows(), fixed: rows() });
    this.#drawPatterns();
  }

  #fix(x, y, isDark) {
    if (x < 0 || y < 0 || x >= this.side || y >= this.side) return;
    this.dark[y][x] = isDark;
    this.fixed[y][x] = true;
  }

  #drawPatterns() {
    const { side, version } = this;
    for (let i = 0; i < side; i++) for (const [x, y] of [[6, i], [i, 6]]) this.#fix(x, y, i % 2 === 0);
    for (const [x, y] of [[3, 3], [side - 4, 3], [3, side - 4]]) this.#drawRings(x, y, 4, [2, 4]);
    const places = alignmentPlaces(version);
    const isCorner = (i, j) => (i === 0 && j === 0) || (i === 0 && j === places.length - 1) || (j === 0 && i === places.length - 1);
    places.forEach((x, i) => places.forEach((y, j) => !isCorner(i, j) && this.#drawRings(x, y, 2, [1])));
    this.#drawFormat(0);
    if (version >= 7) this.#drawVersion();
  }

  // A square whose rings at the distances `light` are light.
  #drawRings(x, y, reach, light) {
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++) this.#fix(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
  }

  // Level and mask, twice, around the three large squares.
  #drawFormat(mask) {
    const { side } = this;
    const bits = checkBits((LEVEL_L << 3) | mask, 0x537, 10) ^ 0x5412;
    const bit = (i) => ((bits >>> i) & 1) === 1;
    for (let i = 0; i < 15; i++) {
      this.#fix(...(i < 6 ? [8, i] : i < 8 ? [8, i + 1] : i === 8 ? [7, 8] : [14 - i, 8]), bit(i));
      this.#fix(...(i < 8 ? [side - 1 - i, 8] : [8, side - 15 + i]), bit(i));
    }
    this.#fix(8, side - 8, true);
  }

  #drawVersion() {
    const bits = checkBits(this.version, 0x1f25, 12);
    for (let i = 0; i < 18; i++) {
      const [a, b, isDark] = [this.side - 11 + (i % 3), Math.floor(i / 3), ((bits >>> i) & 1) === 1];
      this.#fix(a, b, isDark);
      this.#fix(b, a, isDark);
    }
  }

  // The bits of the words in columns of two, up and down from the right, around what is fixed.
  drawWords(words) {
    let at = 0;
    for (const [x, y] of zigzag(this.side)) {
      if (this.fixed[y][x]) continue;
      this.dark[y][x] = ((words[at >>> 3] >>> (7 - (at & 7))) & 1) === 1; // bits that remain are light
      at++;
    }
  }

  #masked(mask) {
    this.#drawFormat(mask);
    return this.dark.map((row, y) => row.map((isDark, x) => isDark !== (!this.fixed[y][x] && MASKS[mask](x, y) === 0)));
  }

  withBestMask() {
    const all = MASKS.map((_, mask) => this.#masked(mask));
    const penalties = all.map(penaltyOf);
    return all[penalties.indexOf(Math.min(...penalties))];
  }
}

// Places of a grid in the order in which bits are written.
function* zigzag(side) {
  for (let right = side - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5; // the column of the timing pattern
    for (let i = 0; i < side; i++) for (const x of [right, right - 1]) yield [x, isUp ? side - 1 - i : i];
  }
}

// How hard a code is to read: long runs, squares, what looks like a large square, and more of one colour than of the other.
function penaltyOf(rows) {
  const columns = rows[0].map((_, x) => rows.map((row) => row[x]));
  const lines = [...rows, ...columns].map((line) => line.map(Number).join(""));
  const runs = lines.flatMap((line) => line.match(/0{5,}|1{5,}/g) ?? []).reduce((sum, { length }) => sum + length - 2, 0);
  const finders = lines.reduce((sum, line) => sum + [...line.matchAll(/(?=00001011101|10111010000)/g)].length, 0);
  let squares = 0;
  for (let y = 1; y < rows.length; y++)
    for (let x = 1; x < rows.length; x++) if (rows[y][x] === rows[y][x - 1] && rows[y][x] === rows[y - 1][x] && rows[y][x] === rows[y - 1][x - 1]) squares++;
  const share = rows.flat().filter(Boolean).length / rows.length ** 2;
  return runs + 3 * squares + 40 * finders + 10 * Math.floor(Math.abs(share - 0.5) * 20);
}
