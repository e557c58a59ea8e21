// Vectors and intervals.

export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

export const norm = (a) => Math.sqrt(dot(a, a));

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

// Degrees between two vectors; null if one of them is 0.
export function angleBetween(a, b) {
  const size = norm(a) * norm(b);
  return size ? (Math.acos(clamp(dot(a, b) / size, -1, 1)) * 180) / Math.PI : null;
}

// Round numbers for an axis: about `count` of them from low to high.
export function axisTicks(low, high, count = 5) {
  const span = high - low || 1;
  const rough = 10 ** Math.floor(Math.log10(span / count));
  const step = rough * ([1, 2, 5, 10].find((factor) => rough * factor >= span / count) ?? 10);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) found.push(k * step);
  return found;
}
