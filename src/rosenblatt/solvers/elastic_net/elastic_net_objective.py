"""The objective with an l1 penalty: a smooth part, which Newton's method knows, and l1 times the sum of |w_j|.

The smooth part of r ||w||_1 + (1 - r) / 2 ||w||^2 keeps the form C' sum_i s_i loss_i + 1/2 ||w||^2 if everything is
divided by 1 - r, or by C where r = 1 and no square is left. `scale` is that divisor.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.types import Floats
from ...parts.losses import LOSSES
from ..newton.iterate import Iterate
from ..newton.rows_objective import RowsObjective

MAX_COORDINATES = 3000  # of a step for one plane: their Hessian takes 72 MB
MAX_JOINT_SIZE = 1200  # of the Hessian of joint classes; larger ones are made of blocks
MAX_BLOCK_ENTRIES = 1 << 25  # of these blocks together: 268 MB
MAX_SPARSE_COORDINATES = 2000  # of one plane of sparse rows: for more of them columns are read instead
WIDE, WIDE_SHARE = 1000, 16  # of dense rows with more columns, where weights have at most a sixteenth, only these

Columns = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class ElasticNetTerms:
    """C', l1 and scale of an elastic net.

    >>> ElasticNetTerms.of(C=2.0, l1_ratio=1.0)
    ElasticNetTerms(C=inf, l1=0.5, scale=2.0)
    >>> ElasticNetTerms.of(C=2.0, l1_ratio=0.75)
    ElasticNetTerms(C=8.0, l1=3.0, scale=0.25)
    """

    C: float
    l1: float
    scale: float

    @classmethod
    def of(cls, C: float, l1_ratio: float) -> "ElasticNetTerms":
        if l1_ratio == 1:
            return cls(math.inf, 1 / C, C)
        return cls(C / (1 - l1_ratio), l1_ratio / (1 - l1_ratio), 1 - l1_ratio)


@dataclass
class ElasticNetObjective(RowsObjective):
    """The objective divided by `scale`. Values count the l1 penalty; gradients and Hessians are of the smooth part."""

    l1: float = 0.0
    scale: float = 1.0

    def with_scores(self, z: Floats, scores: Floats) -> Iterate:
        iterate = super().with_scores(z, scores)
        iterate.value += self.l1 * self.l1_norm(z)
        return iterate

    def l1_norm(self, z: Floats) -> float:
        """The sum of |w_j|, offsets included where they have a penalty."""
        return float(np.abs(z if self.penalize_offset else z[: -self.planes]).sum())

    @property
    def l1_weights(self) -> Floats:
        """The penalty of each coordinate's absolute value."""
        weights = np.full(self.size, self.l1)
        if not self.penalize_offset:
            weights[-self.planes :] = 0.0
        return weights

    def scores(self, p: Floats) -> Floats:
        """The scores that weights give. Of wide dense rows only the columns with weights are read."""
        if self.rows.sparse or not self.rows.stored or self.columns < WIDE:
            return super().scores(p)
        used = np.flatnonzero(p[: -self.planes].reshape(self.planes, -1).any(axis=0)).astype(np.uint32)
        if WIDE_SHARE * len(used) > self.columns or not len(used):
            return super().scores(p)
        part = self.of_columns(used)
        self.passes += 1
        return part.scores(p[self.coordinates(used)])

    # Some of the columns

    def of_columns(self, chosen: Columns) -> "ElasticNetObjective":
        """The same objective over these columns, whose numbers are copied."""
        return replace(self, rows=self.rows.choose_columns(chosen, self.threads))

    def coordinates(self, chosen: Columns) -> npt.NDArray[np.intp]:
        """Where the weights of these columns and all offsets lie in z."""
        planes = np.arange(self.planes)
        weights = planes[:, None] * self.columns + chosen
        return np.concatenate([weights.ravel(), self.planes * self.columns + planes])

    # The model of a step

    def models(self, iterate: Iterate) -> Iterator[tuple[npt.NDArray[np.intp], Floats]]:
        """Groups of coordinates and a Hessian over each; both triangles of it.

        One group is all of them. Where the Hessian of joint classes is too large each plane is a group, with twice its
        block of the Hessian: together these are nowhere below the Hessian.
        """
        if self.planes == 1:
            yield np.arange(self.size), both_triangles(self.hessian_matrix(iterate))
        elif self.size <= MAX_JOINT_SIZE:
            yield np.arange(self.size), self._joint_hessian(iterate)
        else:
            bend = 2 * self.plane_curvature(iterate.curvature.reshape(-1, self.planes))
            places = self._by_plane()
            for coordinates, block in zip(places, self._blocks(bend), strict=True):
                block.ravel()[:: len(coordinates) + 1] += self.plane_ridge
                yield coordinates, both_triangles(block)

    def with_more_curvature(self, iterate: Iterate, damping: float) -> Iterate:
        """The iterate with a share `damping` of the largest possible curvature in that of each row."""
        if damping == 0 or self.planes > 1:
            return self.damped(iterate, damping)
        bound = LOSSES[self.loss].curvature
        assert bound is not None
        most = bound if self.weights is None else bound * self.weights
        return replace(iterate, curvature=(1 - damping) * iterate.curvature + damping * most)

    def _joint_hessian(self, iterate: Iterate) -> Floats:
        """Blocks of pairs of planes: sum_i s_i p_ik ([k = l] - p_il) x_i x_i^T."""
        probabilities, places = iterate.curvature.reshape(-1, self.planes), self._by_plane()
        first, second = np.tril_indices(self.planes)
        same = first == second  # blocks off the diagonal are negative, and the core takes positive ones
        bend = probabilities[:, first] * np.where(same, 1 - probabilities[:, second], probabilities[:, second])
        if self.weights is not None:
            bend *= self.weights[:, None]
        matrix = np.empty((self.size, self.size))
        for k, other, block in zip(first, second, self._blocks(bend), strict=True):
            full = both_triangles(block) * (1.0 if k == other else -1.0)
            matrix[np.ix_(places[k], places[other])] = full
            matrix[np.ix_(places[other], places[k])] = full
        matrix.ravel()[:: self.size + 1] += self.ridge
        return matrix

    def _blocks(self, bend: Floats) -> Floats:
        """C' sum_i bend_ik x_i x_i^T for each k; lower triangles."""
        blocks = np.empty((bend.shape[1], self.columns + 1, self.columns + 1))
        _core.plane_hessians(self.problem, np.ascontiguousarray(bend).ravel(), None, blocks)
        self.passes += 1
        blocks *= self.factor
        return blocks

    def _by_plane(self) -> npt.NDArray[np.intp]:
        """Where the weights of each plane and its offset lie in z: a row for each plane."""
        weights = np.arange(self.planes * self.columns).reshape(self.planes, -1)
        return np.column_stack([weights, self.planes * self.columns + np.arange(self.planes)])

    @property
    def by_columns(self) -> bool:
        """Whether a step reads columns, because the Hessian would be larger than the rows."""
        return self.planes == 1 and self.rows.sparse and self.rows.stored and self.size > MAX_SPARSE_COORDINATES

    @property
    def max_columns(self) -> int:
        """How many columns a model may have."""
        if self.by_columns:
            return self.columns
        return MAX_COORDINATES if self.planes == 1 else math.isqrt(MAX_BLOCK_ENTRIES // self.planes) - 1

    # Weights 0

    def constant_weights(self) -> Floats:
        """Weights 0, with the offsets that are best for them where offsets are free."""
        z = np.zeros(self.size)
        if self.offset_value and not self.penalize_offset:
            z[-self.planes :] = self._best_offsets() / self.offset_value
        return z

    def _best_offsets(self) -> Floats:
        weights = np.ones(self.count) if self.weights is None else self.weights
        if self.labels.codes is not None:
            shares = np.bincount(self.labels.codes, weights, minlength=self.planes) / weights.sum()
            return np.log(shares) if shares.all() else np.zeros(self.planes)
        assert self.labels.signs is not None
        share = np.array([weights[self.labels.signs > 0].sum() / weights.sum()])
        return LOSSES[self.loss].best_offset(share) if 0 < share[0] < 1 else np.zeros(1)


def both_triangles(matrix: Floats) -> Floats:
    """A symmetric matrix, completed in place from its lower triangle.

    >>> both_triangles(np.array([[1.0, 7.0], [2.0, 3.0]])).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    _core.fill_upper_triangle(matrix)
    return matrix
