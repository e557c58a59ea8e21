// The state of the page as text: in a notebook's model, and as a link in the address of the page (link_text.js).
import { HIDDEN_LAYERS } from "./page_state.js";

// Points are written as "3,3,1;4,3,1;1,1,0". `origin` is where they come from, { preset, margin, seed }.
export function encodeState(state, origin) {
  const { learner, parameters, dimension, step, show, speed, view, isProofSeen, lesson } = state;
  const hidden = Object.keys(show).filter((name) => !show[name]);
  const points = state.points.map((point) => point.join(",")).join(";");
  return JSON.stringify({ learner, parameters, dimension, step, speed, view, hidden, isProofSeen, lesson, points, ...(origin.preset === null ? {} : origin) });
}

// Classes are numbers from 0 on, below the limit.
export const isClassNumber = (label, { classes }) => Number.isInteger(label) && label >= 0 && label < classes;

// The saved state, with defaults for settings that are not valid; null if the points are not valid. `points` is
// null if they are to be asked for by their `origin`.
export function decodeState(text, limits, speeds) {
  if (!text) return null;
  try {
    const found = JSON.parse(text);
    const source = decodeSource(found, limits);
    return source && {
      learner: String(found.learner),
      parameters: { ...found.parameters },
      dimension: found.dimension === 1 ? 1 : 2,
      step: Number.isInteger(found.step) ? found.step : 0,
      speed: speeds.includes(found.speed) ? found.speed : null,
      view: found.view === "lift" ? "lift" : "plane",
      hidden: found.hidden === undefined ? HIDDEN_LAYERS : Array.isArray(found.hidden) ? found.hidden : [],
      isProofSeen: found.isProofSeen === true,
      lesson: typeof found.lesson === "string" ? found.lesson : null, // "xor/2": a lesson and its step
      ...source,
    };
  } catch {
    return null;
  }
}

function decodeSource({ points: text, preset, margin = null, seed = 0 }, limits) {
  const origin = preset && typeof preset === "string" ? { preset, margin, seed } : null;
  if (text === undefined) return origin && { points: null, origin };
  const points = text.split(";").filter(Boolean).map((point) => point.split(",").map(Number));
  const isPoint = (point) => point.length === 3 && point.every(Number.isFinite) && isClassNumber(point[2], limits);
  return points.length <= limits.points && points.every(isPoint) ? { points, origin } : null;
}
