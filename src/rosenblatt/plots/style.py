"""Colours, markers and line styles. Classes differ by colour and shape; colour-blind readers can tell them apart."""

from typing import Any

from ..foundation.extras import needs_extra

# The colours of Okabe and Ito.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")


def axes_or_new(ax: Any) -> Any:
    """The given axes, or new ones."""
    with needs_extra("plot", "rosenblatt.plots"):
        from matplotlib import pyplot
    return pyplot.subplots()[1] if ax is None else ax


def colour(place: int) -> str:
    """The colour of the class or curve number `place`; colours repeat after the last."""
    return COLOURS[place % len(COLOURS)]


def marker(place: int) -> str:
    """The marker of the class or curve number `place`."""
    return MARKERS[place % len(MARKERS)]


def line_style(place: int) -> dict[str, str]:
    """Colour and dashes of the curve number `place`, as arguments of `plot`."""
    return {"color": colour(place), "linestyle": LINES[place % len(LINES)]}


def ring_style(place: int | None = None) -> dict[str, Any]:
    """A ring around a point, as arguments of `scatter`: black, or in the colour of a curve."""
    if place is None:
        return {"s": 160, "facecolors": "none", "edgecolors": "black"}
    return {"s": 160, "facecolors": "none", "edgecolors": colour(place), "linewidths": 1.5}
