"""Ready-made sets of points to start from."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.errors import InputError
from .run_request import is_finite_number, require_choice, short_repr

Random = np.random.Generator
LabelledPoints = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class Preset(NamedTuple):
    """A set of points: its title, what it shows, and how it is made.

    `margin` is the default margin, None if the margin cannot be chosen.
    """

    title: str
    rule: str
    make: Callable[[Random, float], LabelledPoints]
    margin: float | None = None
    dimension: int = 2
    random: bool = True  # whether another seed gives other points


def _three_points(random: Random, margin: float) -> LabelledPoints:
    return np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, 0])


def _gap(random: Random, margin: float) -> LabelledPoints:
    """Two clouds on both sides of a line that misses the origin, each at least `margin` away from it."""
    normal = np.array([0.6, 0.8])
    X, y = random.normal(size=(60, 2)) * 1.3, np.repeat([0, 1], 30)
    side = np.where(y == 1, 1.0, -1.0)
    along = np.abs(X @ normal) + margin
    along[[0, 30]] = margin
    return X - (X @ normal)[:, None] * normal + (side * along + 0.5)[:, None] * normal, y


def _overlapping(random: Random, margin: float) -> LabelledPoints:
    X, y = random.normal(size=(80, 2)) * 1.2, np.repeat([0, 1], 40)
    return X + np.where(y == 1, 1.1, -1.1)[:, None], y


def _xor(random: Random, margin: float) -> LabelledPoints:
    return np.array([[-2.0, -2.0], [-2.0, 2.0], [2.0, -2.0], [2.0, 2.0]]), np.array([0, 1, 1, 0])


def _circles(random: Random, margin: float) -> LabelledPoints:
    y = np.repeat([0, 1], 40)
    radius = np.where(y == 1, 1.5, 4.0) + random.normal(size=80) * 0.25
    angle = random.uniform(0, 2 * np.pi, 80)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def _moons(random: Random, margin: float) -> LabelledPoints:
    angle = np.linspace(0, np.pi, 40)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    lower = np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)])
    X = (np.vstack([upper, lower]) - [0.5, 0.25]) * 2.8
    return X + random.normal(size=X.shape) * 0.2, np.repeat([0, 1], 40)


def _spirals(random: Random, margin: float) -> LabelledPoints:
    turn = np.linspace(0.35, 1.0, 60) * 3 * np.pi
    arm = (turn / turn[-1] * 4.6)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    X = np.vstack([arm, -arm])
    return X + random.normal(size=X.shape) * 0.06, np.repeat([0, 1], 60)


def _flat(random: Random, margin: float) -> LabelledPoints:
    """Points along two parallel lines that lie close together: separable with a small margin."""
    along = np.linspace(-4.5, 4.5, 10)
    X = np.vstack([np.column_stack([along, 0.2 * along + margin]), np.column_stack([along, 0.2 * along - margin])])
    return X + np.array([0.0, 1.0]), np.repeat([1, 0], 10)


def _three_classes(random: Random, margin: float) -> LabelledPoints:
    y = np.repeat([0, 1, 2], 25)
    angle = np.pi / 2 + y * 2 * np.pi / 3
    centre = 2.7 * np.column_stack([np.cos(angle), np.sin(angle)])
    return centre + random.normal(size=(75, 2)) * 0.75, y


def _axis(random: Random, margin: float) -> LabelledPoints:
    x = np.array([-4.0, -3.0, -1.5, -0.5, 1.0, 2.0, 3.5, 4.5])
    return np.column_stack([x, np.zeros(8)]), np.array([0, 0, 0, 0, 1, 1, 1, 1])


PRESETS: Mapping[str, Preset] = {
    "three": Preset(
        "Three points",
        "two of one class, one of the other: seven mistakes to count by hand",
        _three_points,
        random=False,
    ),
    "gap": Preset("Blobs with a margin", "separable, with the margin you choose", _gap, 0.5),
    "overlap": Preset("Overlapping blobs", "no line separates them", _overlapping),
    "xor": Preset("Exclusive or", "four points that no line separates", _xor, random=False),
    "circles": Preset("Circles", "a circle separates them, no line does", _circles),
    "moons": Preset("Moons", "a line separates most of them", _moons),
    "spirals": Preset("Spirals", "no line comes close", _spirals),
    "flat": Preset(
        "A nearly flat margin", "separable with a small margin: many mistakes before the end", _flat, 0.1, random=False
    ),
    "classes": Preset("Three classes", "one plane for each class", _three_classes),
    "axis": Preset("One dimension", "points on an axis: the boundary is a point", _axis, dimension=1, random=False),
}
MAX_MARGIN = 3.0


def preset_points(content: Mapping[str, Any]) -> dict[str, Any]:
    """The points of a preset, by its name, with a margin and a seed if given.

    >>> preset_points({"preset": "three"})["points"]
    [[3.0, 3.0, 1], [4.0, 3.0, 1], [1.0, 1.0, 0]]
    """
    preset = PRESETS[require_choice(content, "preset", PRESETS)]
    margin, seed = content.get("margin"), content.get("seed", 0)
    if margin is None:
        margin = preset.margin or 0.0
    if not is_finite_number(margin) or not 0 <= margin <= MAX_MARGIN:
        raise InputError(f"margin must be a number from 0 to {MAX_MARGIN:g}, not {short_repr(margin)}.")
    if type(seed) is not int or not 0 <= seed < 2**31:
        raise InputError(f"seed must be a whole number of at least 0, not {short_repr(seed)}.")
    X, y = preset.make(np.random.default_rng(seed), float(margin))
    points: list[list[float | int]] = [
        [*row, label] for row, label in zip(X.round(3).tolist(), y.tolist(), strict=True)
    ]
    return {"points": points, "dimension": preset.dimension}


def presets_content() -> list[dict[str, Any]]:
    """The presets as JSON content for the page's menu."""
    return [
        {
            "name": name,
            "title": preset.title,
            "rule": preset.rule,
            "margin": preset.margin,
            "dimension": preset.dimension,
            "random": preset.random,
        }
        for name, preset in PRESETS.items()
    ]
