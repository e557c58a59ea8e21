// Typed arrays from JSON, packed by packed_arrays.py: little-endian bytes in base64.

const ARRAY_TYPES = { "<f8": Float64Array, "<f4": Float32Array, "<i4": Int32Array };

export function unpackArray(packed) {
  const text = atob(packed.bytes);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new ARRAY_TYPES[packed.kind](bytes.buffer);
}
