"""Colours, markers and line styles. Classes differ by colour and shape, also for those who see no red or green."""

from typing import Any

from ..foundation.extras import needs_extra

# The colours and markers of the lab (`lab/static/lab.css`, the light theme), in the order of the classes.
COLOURS = (
    *("#b84a00", "#0a5fa5", "#37806d", "#b600ed", "#92925b"),
    *("#803737", "#121292", "#5b92b6", "#802400", "#5b0037"),
)
MARKERS = ("s", "o", "^", "D", "v", "P", "X", "*", "<", ">")
LINES = ("-", "--", "-.", ":")


def axes_or_new(ax: Any) -> Any:
    """The given axes, or new ones."""
    with needs_extra("plot", "rosenblatt.plots"):
        from matplotlib import pyplot
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax  # which cuts no long names


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
