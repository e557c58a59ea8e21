"""A flame graph as SVG: each box is a function, as wide as the share of samples in it, below those that it calls."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 1200.0, 17.0  # of the graph, of a box
MARGIN = 10.0
TITLE = 30.0
LEAST = 0.002  # of all samples: narrower boxes are left out
LETTER = 6.1  # the width of a letter
CORE, PYTHON, OTHER = "#e8a33d", "#7fb2e5", "#c9c9c9"


@dataclass
class Box:
    """A function where it was called, with the samples that met it and the functions that it called."""

    name: str
    colour: str = OTHER
    samples: int = 0
    calls: dict[str, "Box"] = field(default_factory=dict)

    def depth(self) -> int:
        return 1 + max((call.depth() for call in self.calls.values()), default=0)


def tree(stacks: Iterable[tuple[list[tuple[str, str]], int]]) -> Box:
    """The tree of stacks: names and colours from the outermost function on, and how many samples met them.

    >>> found = tree([([("fit", PYTHON), ("dot", CORE)], 3), ([("fit", PYTHON)], 1)])
    >>> found.samples, found.calls["fit"].samples, found.calls["fit"].calls["dot"].samples
    (4, 4, 3)
    """
    root = Box("all")
    for stack, samples in stacks:
        box = root
        box.samples += samples
        for name, colour in stack:
            box = box.calls.setdefault(name, Box(name, colour))
            box.samples += samples
    return root


def svg(root: Box, title: str) -> str:
    """The picture. The name of a narrow box is shown where the mouse rests on it."""
    levels, parts = _pruned(root, LEAST * root.samples).depth(), []
    height = TITLE + levels * HEIGHT + MARGIN

    def draw(box: Box, left: float, level: int) -> None:
        width = (WIDTH - 2 * MARGIN) * box.samples / root.samples
        top = height - MARGIN - (level + 1) * HEIGHT
        share = f"{box.samples / root.samples:.1%}"
        shown = box.name if len(box.name) * LETTER < width - 6 else box.name[: max(0, int((width - 6) / LETTER))]
        parts.append(
            f'<g><title>{escape(box.name)} ({share})</title><rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
            f'height="{HEIGHT - 1:.0f}" rx="2" fill="{box.colour}"/>'
            + (f'<text x="{left + 3:.1f}" y="{top + 12:.1f}">{escape(shown)}</text>' if len(shown) > 2 else "")
            + "</g>"
        )
        for call in sorted(box.calls.values(), key=lambda one: one.name):
            draw(call, left, level + 1)
            left += (WIDTH - 2 * MARGIN) * call.samples / root.samples

    draw(root, MARGIN, 0)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height:.0f}" font-family="monospace" '
        f'font-size="10"><rect width="100%" height="100%" fill="#ffffff"/>'
        f'<text x="{WIDTH / 2:.0f}" y="19" text-anchor="middle" font-size="13">{escape(title)}</text>'
        + "\n".join(parts)
        + "</svg>\n"
    )


def _pruned(box: Box, least: float) -> Box:
    """The box without calls that met fewer samples."""
    box.calls = {name: _pruned(call, least) for name, call in box.calls.items() if call.samples >= least}
    return box
