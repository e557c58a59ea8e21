"""Sets of points to begin with."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.errors import InputError
from .run_request import choice, is_number, shown

Points = list[list[float | int]]
Random = np.random.Generator


class Preset(NamedTuple):
    """A name to read, what there is to see, and how points are made; `margin` where a gap can be chosen."""

    title: str
    rule: str
    make: Callable[[Random, float], tuple[npt.NDArray[Any], npt.NDArray[Any]]]
    margin: float | None = None
    dimension: int = 2


def _three(random: Random, margin: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    return np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, 0])


def _gap(random: Random, margin: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Two clouds with a street of a chosen width: half of it on each side of a line that misses the origin."""
    normal = np.array([0.6, 0.8])
    X, y = random.normal(size=(60, 2)) * 1.3, np.repeat([0, 1], 30)
    side = np.where(y == 1, 1.0, -1.0)
    along = np.abs(X @ normal) + margin
    along[[0, 30]] = margin
    return X - (X @ normal)[:, None] * normal + (side * along + 0.5)[:, None] * normal, y


def _overlapping(random: Random, margin: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    X, y = random.normal(size=(80, 2)) * 1.2, np.repeat([0, 1], 40)
    return X + np.where(y == 1, 1.1, -1.1)[:, None], y


def _xor(random: Random, margin: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    return np.array([[-2.0, -2.0], [-2.0, 2.0], [2.0, -2.0], [2.0, 2.0]]), np.array([0, 1, 1, 0])


def _circles(random: Random, margin: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    y = np.repeat([0, 1], 40)
    radius = np.where(y == 1, 1.5, 4.0) + random.normal(size=80) * 0.25
    angle = random.uniform(0, 2 * np.pi, 80)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def _moons(random: Random, margin: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    angle = np.linspace(0, np.pi, 40)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    lower = np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)])
    X = (np.vstack([upper, lower]) - [0.5, 0.25]) * 2.8
    return X + random.normal(size=X.shape) * 0.2, np.repeat([0, 1], 40)


def _spirals(random: Random, margin: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    turn = np.linspace(0.35, 1.0, 60) * 3 * np.pi
    arm = (turn / turn[-1] * 4.6)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    X = np.vstack([arm, -arm])
    return X + random.normal(size=X.shape) * 0.06, np.repeat([0, 1], 60)


def _flat(random: Random, margin: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Two rows of points along lines a hair apart: separable, but only just."""
    along = np.linspace(-4.5, 4.5, 10)
    X = np.vstack([np.column_stack([along, 0.2 * along + margin]), np.column_stack([along, 0.2 * along - margin])])
    return X + np.array([0.0, 1.0]), np.repeat([1, 0], 10)


def _three_classes(random: Random, margin: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    y = np.repeat([0, 1, 2], 25)
    angle = np.pi / 2 + y * 2 * np.pi / 3
    centre = 2.7 * np.column_stack([np.cos(angle), np.sin(angle)])
    return centre + random.normal(size=(75, 2)) * 0.75, y


def _axis(random: Random, margin: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    x = np.array([-4.0, -3.0, -1.5, -0.5, 1.0, 2.0, 3.5, 4.5])
    return np.column_stack([x, np.zeros(8)]), np.array([0, 0, 0, 0, 1, 1, 1, 1])


PRESETS: Mapping[str, Preset] = {
    "three": Preset("Three points", "two of one class, one of the other: seven mistakes by hand", _three),
    "gap": Preset("Blobs with a margin", "separable, with the margin you choose", _gap, 0.5),
    "overlap": Preset("Overlapping blobs", "no line is right everywhere", _overlapping),
    "xor": Preset("Exclusive or", "four points that no line separates", _xor),
    "circles": Preset("Circles", "no line, but a circle", _circles),
    "moons": Preset("Moons", "a line comes near", _moons),
    "spirals": Preset("Spirals", "a line is of no use", _spirals),
    "flat": Preset("A nearly flat margin", "separable by a hair: many mistakes first", _flat, 0.05),
    "classes": Preset("Three classes", "one plane each", _three_classes),
    "axis": Preset("One dimension", "points on an axis: the boundary is a point", _axis, dimension=1),
}
WIDEST = 3.0


def points(content: Mapping[str, Any]) -> dict[str, Any]:
    """The points of a preset, by its name, with a margin and a seed if given.

    >>> points({"preset": "three"})["points"]
    [[3.0, 3.0, 1], [4.0, 3.0, 1], [1.0, 1.0, 0]]
    """
    preset = PRESETS[choice(content, "preset", PRESETS)]
    margin, seed = content.get("margin"), content.get("seed", 0)
    if margin is None:
        margin = preset.margin or 0.0
    if not is_number(margin) or not 0 <= margin <= WIDEST:
        raise InputError(f"margin must be a number from 0 to {WIDEST:g}, not {shown(margin)}.")
    if type(seed) is not int or not 0 <= seed < 2**31:
        raise InputError(f"seed must be a whole number of at least 0, not {shown(seed)}.")
    X, y = preset.make(np.random.default_rng(seed), float(margin))
    placed: Points = [[*row, label] for row, label in zip(X.round(3).tolist(), y.tolist(), strict=True)]
    return {"points": placed, "dimension": preset.dimension}


def as_content() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "title": preset.title,
            "rule": preset.rule,
            "margin": preset.margin,
            "dimension": preset.dimension,
        }
        for name, preset in PRESETS.items()
    ]
