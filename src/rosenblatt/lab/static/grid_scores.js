// Scores of a lifted run on the grid of the picture.

// Scores of all grid points for one plane. Those of the last steps are cached on the run.
export function gridScores(run, step, plane) {
  run.scoreCache ??= new Map();
  const key = step * run.planes + plane;
  if (run.scoreCache.has(key)) return run.scoreCache.get(key);
  const { cells } = run.lift;
  const columns = run.width - 1;
  const w = run.weights(step, plane);
  const scores = new Float64Array(cells.length / columns);
  for (let cell = 0, at = 0; cell < scores.length; cell++) {
    let sum = w[columns];
    for (let j = 0; j < columns; j++) sum += w[j] * cells[at++];
    scores[cell] = sum;
  }
  if (run.scoreCache.size > 2 * run.planes) run.scoreCache.clear();
  run.scoreCache.set(key, scores);
  return scores;
}

// The coordinate of grid line i of `side`, between -reach and reach.
export const gridCoordinate = (i, side, reach) => (2 * i / (side - 1) - 1) * reach;
