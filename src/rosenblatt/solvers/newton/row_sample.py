"""Which rows stand for all in the Hessian of a preconditioner.

A row matters as much as it adds to the Hessian: its curvature times its squared length, each column in units of the
Hessian's diagonal. Rows are drawn in proportion to that, and count in inverse proportion. Evenly spread rows would miss
the few that hold a rare column, or that are still uncertain of their class.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats

EVEN_SHARE = 0.3  # of the sample is spread evenly, so that no row counts too much


@dataclass(frozen=True)
class RowSample:
    """Rows, how many rows each stands for, and their curvature (for joint classes, their probabilities)."""

    rows: npt.NDArray[np.uint32]
    counts: Floats
    curvature: Floats

    @classmethod
    def of_all(cls, curvature: Floats, planes: int) -> "RowSample":
        """All rows of this curvature."""
        rows = np.arange(len(curvature) // planes, dtype=np.uint32)
        return cls(rows, np.ones(len(rows)), curvature.copy())

    @classmethod
    def drawn(cls, curvature: Floats, importance: Floats, size: int) -> "RowSample":
        """At most `size` rows of this curvature, drawn by their importance."""
        rows, counts = draw(importance, size)
        return cls(rows, counts, curvature.reshape(len(importance), -1)[rows].ravel())


def draw(importance: Floats, size: int) -> tuple[npt.NDArray[np.uint32], Floats]:
    """At most `size` rows, none twice, and how many rows each stands for.

    >>> rows, counts = draw(np.array([0.0, 0.0, 5.0, 0.0, 0.0]), 2)
    >>> 2 in rows
    True
    """
    total, rows = importance.sum(), len(importance)
    shares = importance / total if total > 0 else np.full(rows, 1 / rows)
    chances = np.minimum(1.0, size * (EVEN_SHARE / rows + (1 - EVEN_SHARE) * shares))
    reached = np.cumsum(chances)
    drawn = np.unique(np.searchsorted(reached, np.arange(0.5, reached[-1])))
    return drawn.astype(np.uint32), 1 / chances[drawn]


def by_plane(z: Floats, planes: int) -> Floats:
    """The coordinates of each plane in a row, its offset last."""
    return np.column_stack([z[:-planes].reshape(planes, -1), z[-planes:]])
