// Markers of the classes. Shape and colour both tell classes apart; the colours also differ in lightness.

const CORNERS = {
  square: [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
  triangle: [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]],
  diamond: [[0, -1.25], [1.1, 0], [0, 1.25], [-1.1, 0]],
};

// The colour of a class; null is one of those that stand back. Colours repeat if there are more classes.
export const classColour = (palette, place) => (place === null ? palette.faint : palette.classes[place % palette.classes.length]);

export const MARKER_SHAPES = ["square", "circle", "triangle", "diamond"];
export const MARKER_SYMBOLS = ["■", "●", "▲", "◆"];

export function drawMarker(painter, shape, x, y, radius, style) {
  if (shape === "circle") return painter.circle(x, y, radius, style);
  painter.path(CORNERS[shape].map(([u, v]) => [x + u * radius, y + v * radius]), style, true);
}

export function drawArrow(painter, from, to, style) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const size = Math.hypot(dx, dy);
  if (size < 2) return;
  const head = Math.min(10, size * 0.6);
  const [ux, uy] = [dx / size, dy / size];
  const neck = [to[0] - ux * head, to[1] - uy * head];
  painter.path([from, neck], style);
  const wing = head * 0.45;
  painter.path([to, [neck[0] - uy * wing, neck[1] + ux * wing], [neck[0] + uy * wing, neck[1] - ux * wing]],
    { fill: style.stroke, alpha: style.alpha }, true);
}
