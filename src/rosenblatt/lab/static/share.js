// Sharing: the state as text for an address, and files of what is seen.

// Points take most of the room: "3,3,1;4,3,1;1,1,0".
export function stateText(state) {
  const points = state.points.map((point) => point.join(",")).join(";");
  const { learner, parameters, dimension, step, show, speed, view } = state;
  const hidden = Object.keys(show).filter((name) => !show[name]);
  return JSON.stringify({ learner, parameters, dimension, step, speed, view, hidden, points });
}

// Classes are numbers from 0 on, fewer than the limit.
const isClass = (label, { classes }) => Number.isInteger(label) && label >= 0 && label < classes;

// What an address says, as far as it makes sense; null where it does not.
export function stateFrom(text, limits, speeds) {
  if (!text) return null;
  try {
    const found = JSON.parse(text);
    const points = found.points.split(";").filter(Boolean).map((point) => point.split(",").map(Number));
    if (points.length > limits.points) return null;
    if (!points.every((point) => point.length === 3 && point.every(Number.isFinite) && isClass(point[2], limits))) return null;
    return {
      learner: String(found.learner),
      parameters: { ...found.parameters },
      dimension: found.dimension === 1 ? 1 : 2,
      step: Number.isInteger(found.step) ? found.step : 0,
      speed: speeds.includes(found.speed) ? found.speed : 4,
      view: found.view === "lift" ? "lift" : "plane",
      hidden: Array.isArray(found.hidden) ? found.hidden : [],
      points,
    };
  } catch {
    return null;
  }
}

export function csvOf(points, dimension) {
  const header = dimension === 1 ? "x,class" : "x1,x2,class";
  return `${header}\n${points.map((point) => [...point.slice(0, dimension), point[2]].join(",")).join("\n")}\n`;
}

// Points from text, one a line; a heading and blank lines are passed over.
export function pointsOf(text, dimension, limits) {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line && !/^x/i.test(line));
  if (lines.length > limits.points) throw new Error(`The lab takes ${limits.points} points at most, not ${lines.length}.`);
  return lines.map((line, i) => {
    const cells = line.split(/[,;\s]+/).map(Number);
    const want = dimension + 1;
    if (cells.length !== want || !cells.every(Number.isFinite))
      throw new Error(`Line ${i + 1} must be ${dimension === 1 ? "x, class" : "x1, x2, class"}, not “${line}”.`);
    if (!isClass(cells[dimension], limits)) throw new Error(`Line ${i + 1} has the class ${cells[dimension]}: classes are 0 to ${limits.classes - 1}.`);
    return dimension === 1 ? [cells[0], 0, cells[1]] : cells;
  });
}

export function download(name, content) {
  const link = document.createElement("a");
  const blob = content instanceof Blob ? content : new Blob([content], { type: "text/plain" });
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
