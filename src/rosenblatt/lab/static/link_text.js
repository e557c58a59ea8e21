// A saved state as the end of a link, after "#". What is at its default is left out. Points of a preset are named by it:
// preset=gap&seed=2&p.order=cyclic. Others are deflated: z=… Links of earlier versions, which hold the text itself, are read too.
import { HIDDEN_LAYERS } from "./page_state.js";

const MAX_LENGTH = 200_000; // characters that a link may unfold to
const PARAMETER = "p."; // before the name of a parameter of the recipe
const DEFLATED = "z=";

const DEFAULTS = { dimension: 2, step: 0, speed: null, view: "plane", hidden: HIDDEN_LAYERS, isProofSeen: false, lesson: null, margin: null, seed: 0 };

// Text of a link, made of a saved state.
export async function linkOf(saved) {
  const { parameters, points, ...given } = JSON.parse(saved);
  const rest = Object.fromEntries(Object.entries(given).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULTS[name])));
  if (rest.preset === undefined)
    return DEFLATED + toBase64(await throughStream(new TextEncoder().encode(JSON.stringify({ ...rest, parameters, points })), new CompressionStream("deflate-raw")));
  const fields = [...Object.entries(rest), ...Object.entries(parameters).map(([name, value]) => [PARAMETER + name, value])];
  return new URLSearchParams(fields.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])).toString();
}

// The saved state of a link. A link that cannot be read gives a text that is no state.
export async function stateOfLink(link) {
  try {
    if (link.startsWith(DEFLATED)) return new TextDecoder().decode(await throughStream(fromBase64(link.slice(DEFLATED.length)), new DecompressionStream("deflate-raw")));
    if (link.startsWith("{") || link.startsWith("%7B")) return decodeURIComponent(link);
    return link && JSON.stringify(fieldsOf(link));
  } catch {
    return link;
  }
}

function fieldsOf(link) {
  const fields = { parameters: {} };
  for (const [name, text] of new URLSearchParams(link)) {
    if (name.startsWith(PARAMETER)) fields.parameters[name.slice(PARAMETER.length)] = valueOf(text);
    else fields[name] = valueOf(text);
  }
  return fields;
}

// Numbers, switches and lists are written as JSON, words as they are.
function valueOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function throughStream(bytes, stream) {
  const parts = [];
  let length = 0;
  for await (const part of new Blob([bytes]).stream().pipeThrough(stream)) {
    parts.push(part);
    if ((length += part.length) > MAX_LENGTH) throw new Error("The link is too long.");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
