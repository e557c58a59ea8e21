"""What a worker computes of one block for the hinge. Multipliers follow from the weights at which they were updated.

The multiplier of row i, relative to C s_i, starts at 1/2. Each update of the augmented Lagrangian, at weights z and
with a sharpness, moves it by sharpness * (1 - margin of z), between 0 and 1. So a task names the few z of the past, and
no process keeps a number per row.
"""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.types import Floats
from ..solvers.newton.iterate import Iterate
from ..solvers.newton.rows_objective import RowsObjective
from .block import LoadedBlock
from .block_problem import BlockProblem

FIRST_SHARE = 0.5


@dataclass
class HingeRows(RowsObjective):
    """The smoothed hinge of the rows of a block. The scores of an iterate suggest multipliers, its `pull`."""

    sharpness: float = field(default=1.0, kw_only=True)
    centres: Floats = field(init=False, repr=False)  # the multipliers

    def replay(self, past: Floats, sharpnesses: Floats) -> None:
        """Update the multipliers at each of the past weights. The rows are read once."""
        self.centres = np.full(self.count, FIRST_SHARE)
        if not len(past):
            return
        scores = np.empty((self.count, len(past)))
        offsets = past[:, -1] * self.offset_value
        _core.scores_into(self.rows, np.ascontiguousarray(past[:, :-1]), offsets, 1, scores.reshape(-1))
        for column, sharpness in zip(scores.T, sharpnesses.tolist(), strict=True):
            self.centres = self.suggested(column, sharpness)

    def suggested(self, scores: Floats, sharpness: float) -> Floats:
        """The multipliers that scores suggest."""
        found: Floats = np.clip(self.centres + sharpness * self.shortfalls(scores), 0.0, 1.0)
        return found

    def shortfalls(self, scores: Floats) -> Floats:
        missing: Floats = 1.0 - self.signs * scores
        return missing

    @property
    def signs(self) -> npt.NDArray[np.int8]:
        assert self.labels.signs is not None
        return self.labels.signs

    @property
    def row_weights(self) -> Floats:
        return np.ones(self.count) if self.weights is None else self.weights

    def slopes(self, scores: Floats, pull: Floats, curvature: Floats) -> float:
        shares = self.suggested(scores, self.sharpness)
        moved = shares - self.centres
        weights = self.row_weights
        pull[:] = weights * shares * self.signs
        curvature[:] = self.sharpness * weights * ((shares > 0) & (shares < 1))
        values = shares * self.shortfalls(scores) - moved * moved / (2 * self.sharpness)
        return _core.dot(weights, values)

    def hessian_matrix(self, iterate: Iterate) -> Floats:
        """The Hessian, from the rows near their corner only."""
        rows = np.flatnonzero(iterate.curvature).astype(np.uint32)
        if not len(rows):
            return np.zeros((self.size, self.size))
        return self.loss_matrix(np.ascontiguousarray(iterate.curvature[rows]), rows)


@dataclass(frozen=True)
class HingeProblem(BlockProblem):
    """One problem of several classes, and the multipliers of its rows: the past weights, and the sharpness of each."""

    past: Floats
    sharpnesses: Floats  # the present one last

    def of(self, block: LoadedBlock) -> HingeRows:
        rows, aim = self.recipe.rows(block), self.objective
        labels, penalised = self.labels.relabel(block.codes), bool(aim.penalize_intercept)
        hinge = HingeRows(rows.rows, labels, aim.loss, math.inf, rows.weights, penalised, aim.offset_value)
        hinge.replay(self.past, self.sharpnesses[:-1])
        hinge.sharpness = float(self.sharpnesses[-1])
        return hinge


@dataclass(frozen=True)
class HingeSums:
    """Sums over rows at some weights: the smoothed loss, and all that the next step and the gap need.

    `loss` is the hinge itself, `moved` is that of SmoothedHinge.moved_shares. `shares` and `pulls` are sums of s_i a_i
    and of s_i a_i (x_i, offset) over the negative rows, and over the positive ones.
    """

    smoothed: float
    loss: float
    moved: float
    shares: Floats
    pulls: Floats
    hessian: Floats | None

    def __add__(self, other: "HingeSums") -> "HingeSums":
        hessian = None if self.hessian is None or other.hessian is None else self.hessian + other.hessian
        return HingeSums(
            self.smoothed + other.smoothed,
            self.loss + other.loss,
            self.moved + other.moved,
            self.shares + other.shares,
            self.pulls + other.pulls,
            hessian,
        )


def evaluate_hinge(block: LoadedBlock, problem: HingeProblem, z: Floats, with_hessian: bool) -> HingeSums:
    """The sums of a block at weights z."""
    hinge = problem.of(block)
    iterate, weights = hinge.at(z), hinge.row_weights
    moved = hinge.suggested(iterate.scores, hinge.sharpness) - hinge.centres
    loss = _core.dot(weights, np.maximum(hinge.shortfalls(iterate.scores), 0.0))
    pulls = np.empty((2, hinge.size))
    shares = np.empty(2)
    for place, sign in enumerate((-1, 1)):
        own = np.maximum(sign * iterate.pull, 0.0)
        _core.transpose_product(hinge.problem, own, pulls[place])
        shares[place] = _core.dot(own, np.ones(hinge.count))
    hessian = hinge.hessian_matrix(iterate) if with_hessian else None
    return HingeSums(iterate.value, loss, _core.dot(weights * moved, moved), shares, pulls, hessian)


def loss_slopes(block: LoadedBlock, problem: HingeProblem, z: Floats, p: Floats, steps: Floats) -> Floats:
    """The derivative of the sum of the smoothed losses of a block by t, at z + t p for each step t."""
    hinge = problem.of(block)
    at, along = hinge.scores(z), hinge.scores(p)
    change = along * hinge.signs * hinge.row_weights
    return np.array([-_core.dot(hinge.suggested(at + t * along, hinge.sharpness), change) for t in steps.tolist()])
