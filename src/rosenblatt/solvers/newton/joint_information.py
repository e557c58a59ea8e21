"""Softmax relative to one class, the reference: its Fisher information, which is the Hessian of its loss.

A plane added to those of all classes changes no probability, so the plane of the reference does not move. With the
probabilities p_ia the information is a sum over pairs of classes a, b,

    sum_i s_i p_ia p_ib (e_a - e_b) (e_a - e_b)^T (x) x_i x_i^T,

where the unit vector of the reference is 0.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.types import Floats
from .information import Information
from .iterate import Iterate
from .rows_objective import RowsObjective


@dataclass
class JointInformation(RowsObjective):
    """Several classes together, with steps that leave the plane of the reference alone.

    Without a choice it is the class with the most rows.
    """

    reference: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        codes = self.labels.codes
        assert codes is not None
        if self.reference is None:
            self.reference = int(np.bincount(codes, self.weights, minlength=self.planes).argmax())
        self._free: npt.NDArray[np.intp] = np.delete(np.arange(self.planes), self.reference)
        self._pairs = np.triu_indices(self.planes, 1)
        last = self.planes * self.columns  # where the offsets of all planes begin
        planes = [np.append(np.arange(self.columns) + k * self.columns, last + k) for k in self._free]
        self._places: npt.NDArray[np.intp] = np.concatenate(planes)

    def information(self, p: Floats) -> Information:
        """The information of the free planes, factored, at these probabilities of each row."""
        return Information(self._pair_sums(self._pair_weights(p)))

    def hessian_matrix(self, iterate: Iterate) -> Floats:
        return self._placed(self._pair_sums(self._pair_weights(iterate.curvature.reshape(-1, self.planes))))

    def _weighted_rows(self, values: Floats) -> Floats:
        return values if self.weights is None else values * self.weights[:, None]

    def _pair_weights(self, p: Floats) -> Floats:
        """s_i p_ia p_ib of each row, for each pair of classes."""
        a, b = self._pairs
        return self._weighted_rows(p[:, a] * p[:, b])

    def _pair_sums(self, weights: Floats) -> Floats:
        """sum_i weight_i (e_a - e_b) (e_a - e_b)^T (x) x_i x_i^T over all pairs of classes, without the reference."""
        blocks = np.empty((weights.shape[1], self.columns + 1, self.columns + 1))
        _core.plane_hessians(self.problem, np.ascontiguousarray(weights).ravel(), None, blocks)
        self.passes += 1
        blocks += np.tril(blocks, -1).transpose(0, 2, 1)
        place = {int(k): index for index, k in enumerate(self._free)}
        total = np.zeros((len(self._free), self.columns + 1) * 2)
        for a, b, block in zip(*self._pairs, blocks, strict=True):
            ends = [place[int(k)] for k in (a, b) if int(k) in place]
            for end in ends:
                total[end, :, end] += block
            if len(ends) == 2:
                total[ends[0], :, ends[1]] = total[ends[1], :, ends[0]] = -block
        return total.reshape(len(self._places), -1)

    def _placed(self, matrix: Floats) -> Floats:
        """A matrix of the free planes among all weights; the rest is 0, where steps are 0, too."""
        placed = np.zeros((self.size, self.size))
        placed[np.ix_(self._places, self._places)] = matrix
        return placed
