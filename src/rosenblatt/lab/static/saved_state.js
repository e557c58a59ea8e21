// The state of the page as text: in the address of the page, or in a notebook's model.

// Points take most of the room, so they are written as "3,3,1;4,3,1;1,1,0".
export function encodeState(state) {
  const points = state.points.map((point) => point.join(",")).join(";");
  const { learner, parameters, dimension, step, show, speed, view, isProofSeen, lesson } = state;
  const hidden = Object.keys(show).filter((name) => !show[name]);
  return JSON.stringify({ learner, parameters, dimension, step, speed, view, hidden, isProofSeen, lesson, points });
}

// Classes are numbers from 0 on, below the limit.
export const isClassNumber = (label, { classes }) => Number.isInteger(label) && label >= 0 && label < classes;

// The saved state, with defaults for settings that are not valid; null if the points are not valid.
export function decodeState(text, limits, speeds) {
  if (!text) return null;
  try {
    const found = JSON.parse(text);
    const points = found.points.split(";").filter(Boolean).map((point) => point.split(",").map(Number));
    if (points.length > limits.points) return null;
    if (!points.every((point) => point.length === 3 && point.every(Number.isFinite) && isClassNumber(point[2], limits))) return null;
    return {
      learner: String(found.learner),
      parameters: { ...found.parameters },
      dimension: found.dimension === 1 ? 1 : 2,
      step: Number.isInteger(found.step) ? found.step : 0,
      speed: speeds.includes(found.speed) ? found.speed : 4,
      view: found.view === "lift" ? "lift" : "plane",
      hidden: Array.isArray(found.hidden) ? found.hidden : [],
      isProofSeen: found.isProofSeen === true,
      lesson: typeof found.lesson === "string" ? found.lesson : null, // "xor/2": a lesson and its step
      points,
    };
  } catch {
    return null;
  }
}
