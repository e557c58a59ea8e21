// Numbers: reading packed arrays, writing numbers for people, and the little algebra that drawing takes.

const KINDS = { "<f8": Float64Array, "<f4": Float32Array, "<i4": Int32Array };

export function unpacked(packed) {
  const text = atob(packed.bytes);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new KINDS[packed.kind](bytes.buffer);
}

// Four digits that count, a real minus sign, and no noise: -0.30000000000000004 is −0.3.
export function written(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text =
    size !== 0 && (size >= 1e6 || size < 1e-4)
      ? value.toExponential(2).replace("e+", "e")
      : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

export function vector(values, digits = 3, most = 6) {
  const shown = Array.from(values).slice(0, most).map((value) => written(value, digits));
  return `(${shown.join(", ")}${values.length > most ? ", …" : ""})`;
}

export const counted = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

export const length = (a) => Math.sqrt(dot(a, a));

// Round steps for axes: about `count` of them from low to high.
export function ticks(low, high, count = 5) {
  const span = high - low || 1;
  const rough = 10 ** Math.floor(Math.log10(span / count));
  const step = rough * ([1, 2, 5, 10].find((factor) => rough * factor >= span / count) ?? 10);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) found.push(k * step);
  return found;
}
