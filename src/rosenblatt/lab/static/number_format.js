// Numbers as text for the reader.

// Four significant digits and a real minus sign: -0.30000000000000004 becomes −0.3.
export function formatNumber(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text =
    size !== 0 && (size >= 1e6 || size < 1e-4)
      ? value.toExponential(2).replace("e+", "e")
      : String(Number(value.toPrecision(digits)));
  return text.replaceAll("-", "−");
}

// "(1, 2, 3)", cut off after `most` entries.
export function formatVector(values, digits = 3, most = 6) {
  const texts = Array.from(values).slice(0, most).map((value) => formatNumber(value, digits));
  return `(${texts.join(", ")}${values.length > most ? ", …" : ""})`;
}

export const formatInteger = (count) => count.toLocaleString("en");

// "1 mistake", "2,000 mistakes".
export const formatCount = (count, noun) => `${formatInteger(count)} ${noun}${count === 1 ? "" : "s"}`;

// A probability as "87.3 %". What is not certain does not read as 0 or 100.
export function formatPercent(probability) {
  if (probability > 0.999) return "> 99.9 %";
  if (probability < 0.001) return "< 0.1 %";
  return `${Number((100 * probability).toFixed(1))} %`;
}
