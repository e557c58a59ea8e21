"""Which rows stand for all in the Hessian of a preconditioner.

A row matters as much as it adds to the Hessian: its curvature times its squared length, each column in units of the
Hessian's diagonal. Rows are drawn in proportion to that, and count in inverse proportion. Evenly spread rows would miss
the few that hold a rare column, or that are still uncertain of their class.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.types import Floats
from .smooth_objective import SmoothObjective

EVEN_SHARE = 0.3  # of the sample is spread evenly, so that no row counts too much


@dataclass(frozen=True)
class RowSample:
    """Rows, how many rows each stands for, and their curvature (for joint classes, their probabilities)."""

    rows: npt.NDArray[np.uint32]
    counts: Floats
    curvature: Floats

    @classmethod
    def at(cls, objective: SmoothObjective, curvature: Floats, diagonal: Floats) -> "RowSample":
        """A sample for rows of this curvature, whose Hessian has this diagonal."""
        of_row = curvature.reshape(-1, objective.planes)
        if objective.sample_size == objective.rows.count:
            rows = np.arange(objective.rows.count, dtype=np.uint32)
            return cls(rows, np.ones(len(rows)), curvature.copy())
        rows, counts = draw(importance(objective, of_row, diagonal), objective.sample_size)
        return cls(rows, counts, of_row[rows].ravel())

    def curvature_at(self, objective: SmoothObjective, curvature: Floats) -> Floats:
        """The part of all rows' curvature that is of these rows."""
        own: Floats = curvature.reshape(-1, objective.planes)[self.rows].ravel()
        return own


def importance(objective: SmoothObjective, curvature: Floats, diagonal: Floats) -> Floats:
    """What each row adds to the trace of the Hessian, each column in units of the diagonal."""
    planes = objective.planes
    of_column = diagonal if planes == 1 else by_plane(diagonal, planes).mean(axis=0)
    lengths = np.empty(objective.rows.count)
    _core.scaled_squares(objective.problem, 1 / np.where(of_column > 0, of_column, np.inf), lengths)
    if planes > 1:
        curvature = objective.plane_curvature(curvature)
    total: Floats = curvature.sum(axis=1) * lengths
    return total


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
