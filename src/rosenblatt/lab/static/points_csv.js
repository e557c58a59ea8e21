// Points as CSV text.
import { isClassNumber } from "./saved_state.js";

export function pointsToCsv(points, dimension) {
  const header = dimension === 1 ? "x,class" : "x1,x2,class";
  return `${header}\n${points.map((point) => [...point.slice(0, dimension), point[2]].join(",")).join("\n")}\n`;
}

// Points from text, one a line. A header and blank lines are skipped.
export function parsePoints(text, dimension, limits) {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line && !/^x/i.test(line));
  if (lines.length > limits.points) throw new Error(`The lab takes ${limits.points} points at most, not ${lines.length}.`);
  return lines.map((line, i) => {
    const cells = line.split(/[,;\s]+/).map(Number);
    if (cells.length !== dimension + 1 || !cells.every(Number.isFinite))
      throw new Error(`Line ${i + 1} must be ${dimension === 1 ? "x, class" : "x1, x2, class"}, not “${line}”.`);
    if (!isClassNumber(cells[dimension], limits)) throw new Error(`Line ${i + 1} has the class ${cells[dimension]}: classes are 0 to ${limits.classes - 1}.`);
    return dimension === 1 ? [cells[0], 0, cells[1]] : cells;
  });
}
