// Marks of the classes. Shape and colour both tell them apart; the colours differ in lightness too.

const CORNERS = {
  square: [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
  triangle: [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]],
  diamond: [[0, -1.25], [1.1, 0], [0, 1.25], [-1.1, 0]],
};

export const SHAPES = ["square", "circle", "triangle", "diamond"];
export const SIGNS = ["■", "●", "▲", "◆"];

export function mark(pen, shape, x, y, radius, style) {
  if (shape === "circle") return pen.circle(x, y, radius, style);
  pen.path(CORNERS[shape].map(([u, v]) => [x + u * radius, y + v * radius]), style, true);
}

export function arrow(pen, from, to, style) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const size = Math.hypot(dx, dy);
  if (size < 2) return;
  const head = Math.min(10, size * 0.6);
  const [ux, uy] = [dx / size, dy / size];
  const neck = [to[0] - ux * head, to[1] - uy * head];
  pen.path([from, neck], style);
  const wing = head * 0.45;
  pen.path([to, [neck[0] - uy * wing, neck[1] + ux * wing], [neck[0] + uy * wing, neck[1] - ux * wing]],
    { fill: style.stroke, alpha: style.alpha }, true);
}

// The colours that the style sheet sets, read once for each theme.
export function paletteOf(element) {
  const style = getComputedStyle(element);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: colour("ink"), soft: colour("soft"), faint: colour("faint"), line: colour("line"), paper: colour("surface"),
    accent: colour("accent"), good: colour("good"), bad: colour("bad"),
    classes: [0, 1, 2, 3].map((k) => colour(`class-${k}`)),
  };
}
