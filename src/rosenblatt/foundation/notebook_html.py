"""Results in a notebook: the text that `str` gives, with a small picture beside it.

Pictures are inline SVG in the notebook's own text colour, so they suit light and dark themes. Texts are escaped.
"""

from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 120, 54
CLOUD_GAPS = {"complete": 34, "quasi": 17, "overlap": 5}  # from the middle, by kind of separation
TEXT_STYLE = "white-space: pre-wrap; margin: 0"
BOX_STYLE = "display: flex; gap: 14px; align-items: center"


class ShownInNotebooks:
    """Gives a class with `__str__` its HTML for notebooks. `_picture` returns SVG; an empty text is no picture."""

    def _picture(self) -> str:
        return ""

    def _repr_html_(self) -> str:
        return text_with_picture(str(self), self._picture())


def text_with_picture(text: str, picture: str = "") -> str:
    """HTML of a text, as it is printed, and a picture.

    >>> text_with_picture("a < b")
    '<div style="display: flex; gap: 14px; align-items: center"><pre style="white-space: pre-wrap; margin: 0">a &lt; \
b</pre></div>'
    """
    return f'<div style="{BOX_STYLE}">{picture}<pre style="{TEXT_STYLE}">{escape(text)}</pre></div>'


def svg(label: str, *shapes: str) -> str:
    """A small picture of shapes, with a text that says what it shows."""
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    start = f'<svg {size} role="img" aria-label="{escape(label)}" style="flex: none" fill="none" stroke="currentColor">'
    return f"{start}{''.join(shapes)}</svg>"


def share_picture(part: float, label: str) -> str:
    """A bar, filled by a share from 0 to 1.

    >>> 'width="60.0"' in share_picture(0.5, "half")
    True
    """
    y, height = HEIGHT / 2 - 8, 16
    style = 'fill="currentColor" stroke="none" opacity="0.6"'
    filled = f'<rect x="0" y="{y}" width="{WIDTH * part:.1f}" height="{height}" {style}/>'
    return svg(label, filled, f'<rect x="0.5" y="{y}" width="{WIDTH - 1}" height="{height}"/>')


def interval_picture(value: float, lower: float, upper: float, label: str) -> str:
    """A value and its interval on a scale from 0 to 1, or to the upper end if that is larger.

    >>> 'x="30.0"' in interval_picture(0.5, 0.25, 0.75, "a half")
    True
    """
    scale = WIDTH / max(upper, 1.0)
    y, height = HEIGHT / 2 - 8, 16
    style = 'fill="currentColor" stroke="none" opacity="0.4"'
    between = f'<rect x="{scale * lower:.1f}" y="{y}" width="{scale * (upper - lower):.1f}" height="{height}" {style}/>'
    mark = (
        f'<line x1="{scale * value:.1f}" y1="{y - 5}" x2="{scale * value:.1f}" y2="{y + height + 5}" stroke-width="3"/>'
    )
    return svg(label, between, mark, f'<rect x="0.5" y="{y}" width="{WIDTH - 1}" height="{height}"/>')


def bars_picture(values: Sequence[float], label: str) -> str:
    """Bars up and down from a line; those down are hollow.

    >>> bars_picture([1.0, -0.5], "two weights").count("<rect")
    2
    """
    largest = max(map(abs, values), default=0.0) or 1.0
    step, middle = (WIDTH - 4) / max(len(values), 1), HEIGHT / 2
    bars = [f'<line x1="0" y1="{middle}" x2="{WIDTH}" y2="{middle}"/>']
    for place, value in enumerate(values):
        height = (middle - 3) * abs(value) / largest
        top, fill = (middle - height, "currentColor") if value >= 0 else (middle, "none")
        size = f'x="{2 + step * (place + 0.15):.1f}" y="{top:.1f}" width="{step * 0.7:.1f}" height="{height:.1f}"'
        bars.append(f'<rect {size} fill="{fill}"/>')
    return svg(label, *bars)


def curves_picture(curves: Sequence[Sequence[float]], label: str) -> str:
    """Curves over their places; the first is solid, the others are dashed."""
    highest = max((value for curve in curves for value in curve), default=0.0) or 1.0
    drawn = []
    for number, curve in enumerate(curves):
        step = (WIDTH - 4) / max(len(curve) - 1, 1)
        points = " ".join(
            f"{2 + step * place:.1f},{HEIGHT - 3 - (HEIGHT - 6) * max(value, 0.0) / highest:.1f}"
            for place, value in enumerate(curve)
        )
        dashes = ' stroke-dasharray="3 3"' if number else ""
        drawn.append(f'<polyline points="{points}"{dashes}/>')
    return svg(label, *drawn)


def _cloud(x: float, filled: bool) -> str:
    """Five points around a place: dots, or rings."""
    fill = "currentColor" if filled else "none"
    around = ((0, 0), (-11, -9), (10, -10), (-8, 10), (11, 9))
    return "".join(f'<circle cx="{x + dx}" cy="{HEIGHT / 2 + dy}" r="3" fill="{fill}"/>' for dx, dy in around)


def clouds_picture(kind: str, label: str) -> str:
    """Two classes of points whose separation is of this kind, and a line between them unless they overlap."""
    middle, gap, line = WIDTH / 2, CLOUD_GAPS[kind], kind != "overlap"
    between = f'<line x1="{middle}" y1="2" x2="{middle}" y2="{HEIGHT - 2}" stroke-width="2"/>' if line else ""
    return svg(label, _cloud(middle - gap, True), _cloud(middle + gap, False), between)
