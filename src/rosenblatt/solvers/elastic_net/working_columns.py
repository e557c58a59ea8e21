"""The columns that take part in the steps of a method for l1 penalties: those with a weight, or with cause for one."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from .elastic_net_objective import Columns, ElasticNetObjective

ALL_COORDINATES = 300  # all columns take part where they have no more weights than this
FIRST_COLUMNS = 50  # join at first; later as many as there are with weights


class WorkingColumns:
    """The chosen columns, the objective over them, and where their weights lie.

    `coordinates` are those of z that a step may change. The objective of all columns serves itself where all take part.
    """

    objective: ElasticNetObjective
    coordinates: npt.NDArray[np.intp]

    def __init__(self, whole: ElasticNetObjective) -> None:
        self._whole = whole
        self._takes_all = whole.size <= ALL_COORDINATES or not whole.rows.stored
        self.chosen: Columns = np.empty(0, np.uint32)
        if self._takes_all:
            self.choose(np.arange(whole.columns, dtype=np.uint32))

    def choose(self, chosen: Columns) -> None:
        """Take these columns."""
        self.chosen = chosen
        everything = len(chosen) == self._whole.columns
        self.objective = self._whole if everything else self._whole.of_columns(chosen)
        self.coordinates = self._whole.coordinates(chosen)

    def update(self, z: Floats, gradient: Callable[[], Floats], tol: float) -> bool:
        """Let columns join whose weights should change. Return whether there were none outside.

        A column at fault by less than a tenth of `tol` times l1 is as good as right: it lowers the proof by so much.
        """
        if self._takes_all:
            return True
        fault, used = self._faults(z, gradient())
        outside = np.ones(self._whole.columns, np.bool_)
        outside[self.chosen] = False
        if len(self.chosen) and not (outside & (fault > 0.1 * tol * self._whole.l1)).any():
            return True
        self.choose(self._chosen_by(used, fault))
        return False

    def _faults(self, z: Floats, gradient: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """How far each column is from optimal: the largest of its subgradients of least size. Which have weights?"""
        planes, l1 = self._whole.planes, self._whole.l1
        weights, slopes = (each[:-planes].reshape(planes, -1) for each in (z, gradient))
        of_used = np.abs(slopes + l1 * np.sign(weights))
        of_others = np.maximum(np.abs(slopes) - l1, 0.0)
        faults: Floats = np.where(weights != 0, of_used, of_others).max(axis=0)
        return faults, (weights != 0).any(axis=0)

    def _chosen_by(self, used: npt.NDArray[np.bool_], fault: Floats) -> Columns:
        """Columns with weights, and those most at fault: as many more. If that is too much, only the latter."""
        most, weighted = self._whole.max_columns, int(used.sum())
        wanted = min(most, 2 * weighted + FIRST_COLUMNS)
        first = used if weighted < most else np.zeros_like(used)
        candidates = np.flatnonzero(used | (fault > 0))
        if not len(candidates):
            candidates = np.zeros(1, np.intp)
        rank = np.lexsort((candidates, -fault[candidates], ~first[candidates]))
        return np.sort(candidates[rank[:wanted]]).astype(np.uint32)
