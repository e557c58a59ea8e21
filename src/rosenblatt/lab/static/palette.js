// The colours of the style sheet, read once for each theme.

export function readPalette(element) {
  const style = getComputedStyle(element);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: colour("ink"), soft: colour("soft"), faint: colour("faint"), line: colour("line"), paper: colour("surface"),
    accent: colour("accent"), good: colour("good"), bad: colour("bad"),
    classes: [0, 1, 2, 3].map((k) => colour(`class-${k}`)),
  };
}
