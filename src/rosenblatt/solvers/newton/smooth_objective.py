"""The objective C sum_i s_i loss_i + 1/2 ||w||^2 of a smooth loss: what Newton's method asks about it.

The method does not know where the rows are. `rows_objective.py` answers from rows in memory, and
`distributed/block_objective.py` from sums over blocks of rows that other processes hold.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from ...engine.resume import Tree
from ...foundation.types import Floats
from .iterate import Iterate

SMOOTH_TOL, JOINT_TOL = 1e-6, 1e-9  # Newton with the full Hessian comes far below its own
MAX_HESSIAN_COORDINATES = 600  # the Hessian is computed in full up to this size
MAX_HESSIAN_PASSES = 12  # and up to this cost, in passes over the rows
MAX_SAMPLED_COORDINATES = 2000  # up to this size the Hessian of a sample preconditions conjugate gradients
MAX_FACTOR_ROUNDS = 50  # of conjugate gradients, which cost no more than factoring that Hessian
MIN_SAMPLED_ROWS = 2000
SAMPLED_ROWS_PER_COORDINATE = 4
JOINT_SAMPLED_ROWS_PER_COORDINATE = 2  # for joint classes, which need a Hessian for each plane
MAX_SAMPLED_ENTRIES = 1 << 24  # of these Hessians together: 134 MB

StepWatch = Callable[[int, float, float], None]  # called with steps, objective and relative gradient norm
Inverse = Callable[[Floats], Floats]  # multiplies by the inverse of the Hessian, or nearly so
Sample = Tree  # what decides the Hessian over a sample of the rows; only the objective that made it reads it


def plane_hessian_entries(columns: int, planes: int) -> int:
    """The entries of the Hessians that precondition joint classes, one for each plane; 0 where they are too large.

    >>> plane_hessian_entries(784, 10), plane_hessian_entries(100_000, 20)
    (6162250, 0)
    """
    size = columns + 1
    return planes * size**2 if size <= MAX_SAMPLED_COORDINATES and planes * size**2 <= MAX_SAMPLED_ENTRIES else 0


def factor_rounds(size: int, stored_values: int) -> float:
    """How many rounds of conjugate gradients cost as much as one Cholesky factor: size^3 / 6 products to 8 a value.

    >>> factor_rounds(785, 60_000 * 784) < 1, round(factor_rounds(2_000, 3_000))
    (True, 55556)
    """
    return size**3 / (48 * max(stored_values, 1))


class SmoothObjective(ABC):
    """C sum_i s_i loss_i + 1/2 ||w||^2 as a function of the weights z = (w, offsets).

    C is infinite where there is no penalty. `passes` counts passes over the rows. `rank_deficient` says that rounding
    removed a penalised coordinate from the last Hessian.
    """

    loss: str
    C: float
    penalize_offset: bool
    offset_value: float
    threads: int
    planes: int
    passes: int
    rank_deficient: bool

    # The rows

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of rows."""

    @property
    @abstractmethod
    def columns(self) -> int:
        """The number of columns."""

    @property
    @abstractmethod
    def stored_values(self) -> int:
        """The number of stored values."""

    @property
    @abstractmethod
    def sparse(self) -> bool:
        """Whether rows store only some of their values."""

    @abstractmethod
    def may_subsample(self, stride: int) -> bool:
        """Whether every stride-th row is found cheaply, and enough of them."""

    @abstractmethod
    def subsample(self, stride: int) -> "SmoothObjective":
        """The objective of about every stride-th row, with C raised so that these rows stand for all."""

    # Iterates

    @abstractmethod
    def at_zero(self) -> Iterate:
        """The iterate of weights 0."""

    @abstractmethod
    def at(self, z: Floats) -> Iterate:
        """The iterate of these weights, its scores computed from the rows."""

    @abstractmethod
    def with_scores(self, z: Floats, scores: Floats) -> Iterate:
        """The iterate of these weights, whose scores are known."""

    @abstractmethod
    def damped(self, iterate: Iterate, damping: float) -> Iterate:
        """The iterate with a damped Hessian: the probabilities of joint classes are mixed with equal ones.

        A Hessian knows rows only by their curvature, which is nearly 0 where a class is nearly certain. Its directions
        would throw such rows to the wrong side. Equal probabilities have the largest curvature.
        """

    @abstractmethod
    def scores(self, p: Floats) -> Floats:
        """The scores that weights p give to the rows in memory."""

    @abstractmethod
    def take_buffer(self) -> Floats:
        """Uninitialised memory for one number per plane and row in memory."""

    @abstractmethod
    def release_buffers(self, *buffers: Floats) -> None:
        """Take back buffers that nothing refers to any more."""

    def release(self, iterate: Iterate) -> None:
        """Take back the memory of an iterate that is not used afterwards."""
        self.release_buffers(iterate.scores, iterate.pull, iterate.curvature)

    # Derivatives

    @abstractmethod
    def gradient(self, iterate: Iterate) -> Floats:
        """The gradient at an iterate."""

    @abstractmethod
    def hessian_product(self, iterate: Iterate, p: Floats, along: Floats) -> Floats:
        """H p. Writes the scores that p gives to the rows in memory into `along`."""

    @abstractmethod
    def hessian_matrix(self, iterate: Iterate) -> Floats:
        """The Hessian over all rows; its upper triangle may be anything."""

    def take_plain_steps(self, state: Any, tol: float, max_iter: int, watch: StepWatch) -> bool:
        """Let the core take steps by itself. False where it takes none, and the next one is taken pass by pass."""
        return False

    def known_inverse(self, iterate: Iterate) -> Inverse | None:
        """The inverse of the Hessian where the iterate has it; None where the Hessian must be factored."""
        return None

    @abstractmethod
    def hessian_diagonal(self, iterate: Iterate) -> Floats:
        """The diagonal of the Hessian over all rows."""

    # A sample of the rows, which preconditions

    @abstractmethod
    def sample(self, iterate: Iterate, diagonal: Floats) -> Sample:
        """A sample of the rows at an iterate whose Hessian has this diagonal, drawn by what rows add to it."""

    @abstractmethod
    def sampled_count(self, sample: Sample) -> int:
        """The number of sampled rows."""

    @abstractmethod
    def sampled_hessian(self, sample: Sample) -> Floats:
        """The Hessian over the sampled rows, each of which counts for as many as it stands for."""

    @abstractmethod
    def sampled_plane_hessians(self, sample: Sample) -> Floats:
        """The diagonal blocks of the Hessian of joint classes, over the sampled rows; one where all are the same."""

    @abstractmethod
    def sample_ratio(self, now: Iterate, sample: Sample) -> float:
        """The least factor by which the curvature of a sampled row has changed; for joint classes, that of a plane."""

    # What a step did to single rows

    @abstractmethod
    def curvature_ratio(self, now: Iterate, before: Iterate) -> float:
        """The least factor by which the curvature of a row has changed."""

    @abstractmethod
    def largest_move(self, now: Iterate, before: Iterate) -> float:
        """The largest change of a score."""

    @abstractmethod
    def least_margin(self, iterate: Iterate) -> float:
        """The least margin of a row; for joint classes, that to its best rival."""

    @abstractmethod
    def total_pull(self, iterate: Iterate) -> float:
        """The sum of the absolute derivatives of the losses by their scores."""

    @abstractmethod
    def largest_values(self) -> Floats:
        """The largest absolute value of each column."""

    # The penalty

    @property
    def unpenalised(self) -> bool:
        return math.isinf(self.C)

    @property
    def bounds_weights(self) -> bool:
        """Whether another penalty than 1/2 ||w||^2 keeps the weights finite."""
        return False

    @property
    def default_tol(self) -> float:
        """The tolerance where none is given."""
        return SMOOTH_TOL if self.planes == 1 else JOINT_TOL

    @property
    def factor(self) -> float:
        """What the losses are multiplied by."""
        return 1.0 if self.unpenalised else self.C

    @property
    def size(self) -> int:
        """The number of weights and offsets."""
        return self.planes * (self.columns + 1)

    @property
    def ridge(self) -> Floats:
        """The second derivatives of the penalty by the weights."""
        ridge = np.full(self.size, 0.0 if self.unpenalised else 1.0)
        if not self.penalize_offset:
            ridge[-self.planes :] = 0.0
        return ridge

    @property
    def plane_ridge(self) -> Floats:
        """The penalty's second derivatives by the weights of one plane, its offset last."""
        return np.append(self.ridge[: self.columns], self.ridge[-1])

    def penalty(self, z: Floats) -> float:
        return 0.0 if self.unpenalised else 0.5 * _core.dot(self._penalised(z), z)

    def _penalised(self, z: Floats) -> Floats:
        """z with offsets of 0 where they have no penalty."""
        if self.penalize_offset:
            return z
        z = z.copy()
        z[-self.planes :] = 0.0
        return z

    def _with_ridge(self, factor: float, x: Floats, z: Floats) -> Floats:
        """factor * x + ridge * z, in the memory of x."""
        offsets = factor * x[-self.planes :]
        if self.unpenalised:
            x *= factor
        else:
            _core.add_scaled(z, factor, x, self.threads, x)
        if not self.penalize_offset:
            x[-self.planes :] = offsets
        return x

    @property
    def first_damping(self) -> float:
        """The damping of the first step. Without a penalty, separation is told by how far undamped steps go."""
        return float(self.planes > 1 and not self.unpenalised)

    # Which Hessian is worth computing

    @property
    def computes_hessian(self) -> bool:
        """Whether the Hessian is small enough and cheap enough to compute and factor at each step."""
        stored = self.stored_values / max(self.count, 1)
        cost = stored / 4 if self.sparse else self.columns / 16
        return self.planes == 1 and self.size <= MAX_HESSIAN_COORDINATES and cost <= MAX_HESSIAN_PASSES

    @property
    def samples_hessian(self) -> bool:
        """Whether the Hessian of a sample of the rows, or that of each plane, is small and cheap enough to factor.

        Dense columns may be of so different scales that rounds without a factor do not end.
        """
        if self.sparse and factor_rounds(self.columns + 1, self.stored_values) > MAX_FACTOR_ROUNDS:
            return False
        if self.planes == 1:
            return self.size <= MAX_SAMPLED_COORDINATES
        return plane_hessian_entries(self.columns, self.planes) > 0 and not self.unpenalised

    @property
    def sample_size(self) -> int:
        """The rows of that sample, at most."""
        each = SAMPLED_ROWS_PER_COORDINATE if self.planes == 1 else JOINT_SAMPLED_ROWS_PER_COORDINATE
        return min(self.count, max(each * (self.columns + 1), MIN_SAMPLED_ROWS))
