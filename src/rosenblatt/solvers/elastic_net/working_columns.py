"""The columns that take part in the steps of a method for l1 penalties: those with a weight, or with cause for one."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from .elastic_net_objective import Columns, ElasticNetObjective

ALL_COORDINATES = 300  # all columns take part where they have no more weights than this
ALL_SPARSE_COORDINATES = 700  # of sparse rows, whose Hessian costs by what they store
NEAR = 0.93  # of l1: columns with a steeper slope join, too, where there is room
FIRST_COLUMNS = 50  # join at first; later as many as there are with weights


class WorkingColumns:
    """The chosen columns, the objective over them, and where their weights lie.

    `coordinates` are those of z that a step may change. The objective of all columns serves itself where all take part.
    `has_weights` tells whether all columns with weights take part, and `has_all_near` whether all others do, too, whose
    slopes are nearly as steep as the penalty: then others will hardly join.
    """

    objective: ElasticNetObjective
    coordinates: npt.NDArray[np.intp]

    def __init__(self, whole: ElasticNetObjective) -> None:
        self._whole = whole
        most = ALL_SPARSE_COORDINATES if whole.rows.sparse and whole.planes == 1 else ALL_COORDINATES
        self._takes_all = whole.size <= most or not whole.rows.stored
        self.chosen: Columns = np.empty(0, np.uint32)
        self.has_weights, self.has_all_near = False, self._takes_all
        if self._takes_all:
            self.choose(np.arange(whole.columns, dtype=np.uint32), np.zeros(whole.size))

    def choose(self, chosen: Columns, z: Floats) -> None:
        """Take these columns, where z are the present weights."""
        self.chosen = chosen
        everything = len(chosen) == self._whole.columns
        self.objective = self._whole if everything else self._whole.of_columns(chosen)
        self.coordinates = self._whole.coordinates(chosen)
        planes = self._whole.planes
        self.has_weights = everything or np.count_nonzero(z[:-planes]) == np.count_nonzero(
            z[self.coordinates[:-planes]]
        )

    def update(self, z: Floats, gradient: Callable[[], Floats], tol: float) -> bool:
        """Let columns join whose weights should change. Return whether there were none outside.

        A column at fault by less than a tenth of `tol` times l1 is as good as right: it lowers the proof by so much.
        """
        if self._takes_all:
            return True
        excess, used = self._excess(z, gradient())
        outside = np.ones(self._whole.columns, np.bool_)
        outside[self.chosen] = False
        if len(self.chosen) and not (outside & (excess > 0.1 * tol * self._whole.l1)).any():
            return True
        self.choose(self._chosen_by(used, excess), z)
        return False

    def _excess(self, z: Floats, gradient: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """How far each column is from optimal: the largest of its subgradients of least size. Which have weights?

        Negative where slopes are not as steep as the penalty.
        """
        planes, l1 = self._whole.planes, self._whole.l1
        weights, slopes = (each[:-planes].reshape(planes, -1) for each in (z, gradient))
        if planes == 1:
            weights, slopes = weights[0], slopes[0]
            excess, used = np.abs(slopes), np.flatnonzero(weights)
            excess -= l1
            excess[used] = np.abs(slopes[used] + l1 * np.sign(weights[used]))
            return excess, weights != 0
        of_used = np.abs(slopes + l1 * np.sign(weights))
        largest: Floats = np.where(weights != 0, of_used, np.abs(slopes) - l1).max(axis=0)
        return largest, (weights != 0).any(axis=0)

    def _chosen_by(self, used: npt.NDArray[np.bool_], excess: Floats) -> Columns:
        """Columns with weights, and those most at fault: as many more. If that is too much, only the latter."""
        most, weighted = self._whole.max_columns, int(used.sum())
        wanted = min(most, 2 * weighted + FIRST_COLUMNS)
        first = used if weighted < most else np.zeros_like(used)
        candidates = np.flatnonzero(used | (excess > (NEAR - 1) * self._whole.l1))
        if not len(candidates):
            candidates = np.zeros(1, np.intp)
        self.has_all_near = len(candidates) <= wanted
        rank = np.lexsort((candidates, -excess[candidates], ~first[candidates]))
        return np.sort(candidates[rank[:wanted]]).astype(np.uint32)
