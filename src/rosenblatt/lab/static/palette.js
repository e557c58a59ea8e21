// The colours of the style sheet, read once for each theme.

const CLASS_COLOURS = 10;

export function readPalette(element) {
  const style = getComputedStyle(element);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: colour("ink"), soft: colour("soft"), faint: colour("faint"), line: colour("line"), paper: colour("surface"),
    accent: colour("accent"), good: colour("good"), bad: colour("bad"),
    classes: Array.from({ length: CLASS_COLOURS }, (_, k) => colour(`class-${k}`)),
  };
}
