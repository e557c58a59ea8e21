"""Firth's bias reduction: the logistic loss with Jeffreys' penalty, as Newton's method sees it.

With the Fisher information A(z) = sum_i s_i p_i (1 - p_i) x_i x_i^T the objective is

    sum_i s_i loss_i + 1/2 log(det A(0) / det A(z)).

The second term is 0 at z = 0 and grows with z, so there is an optimum even where the classes are separated. Let
h_i = s_i p_i (1 - p_i) x_i^T A^-1 x_i be the leverage of row i, an entry of the hat matrix's diagonal. The gradient is
that of the loss with h_i / 2 more of a success and h_i / 2 more of a failure for each row (Firth, 1993), which the
`pull` of an iterate counts, too. Steps by the inverse of A, which is known, leave out how the leverages change and
converge linearly, by a factor of about columns / rows. Small designs use the whole Hessian instead.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from ... import _core
from ...foundation.errors import TooLarge
from ...foundation.types import Floats, Mask, Places
from .convergence import DOUBTFUL_NORM, DOUBTFUL_STEPS, MAX_LEFT_TO_FALL
from .hessian import MIN_PIVOT
from .iterate import Iterate
from .jeffreys_penalty import JeffreysPenalty, is_positive_definite
from .newton_state import NewtonState
from .smooth_objective import Inverse, StepWatch

MAX_PAIRS = 1 << 16  # of coordinates, times rows: more make the whole Hessian slower than the steps it saves
WORK_AT_ONCE = 1 << 26  # rows times pairs of coordinates: steps that take about 20 ms
PASSES_PER_EVALUATION = 4  # scores, information, leverages and gradient
NONE_HELD: Places = np.empty(0, np.intp)
MAX_ROWS_PER_COORDINATE = 100  # with more rows the steps without it converge as quickly


@dataclass(eq=False)
class JeffreysIterate(Iterate):
    """Weights z with L^-1 for the information A = L L^T there, and for each row h_i / s_i.

    `slope` is the gradient, where the core has computed it with the rest, and `of_rows` the memory that it filled.
    """

    inverse: Floats
    share: Floats
    slope: Floats | None = None
    of_rows: Floats | None = None

    @classmethod
    def filled(cls, value: float, of_rows: Floats, of_weights: Floats) -> "JeffreysIterate":
        """The iterate in the memory that the core has filled."""
        scores, pull, curvature, share = of_rows
        z, slope, inverse = of_weights[0], of_weights[1], of_weights[2:]
        return cls(z, value, scores, pull, curvature, inverse, share, slope, of_rows)


@dataclass
class JeffreysObjective(JeffreysPenalty):
    """sum_i s_i loss_i + 1/2 log(det A(0) / det A(z)) over rows in memory, for two classes."""

    _free_memory: list[Floats] = field(default_factory=list, init=False, repr=False)

    def log_determinant_at_zero(self) -> float:
        """log det A(0), from the iterate of weights 0, where Newton's method begins."""
        self._zero, largest = self._evaluated(np.zeros(self.size))
        if not math.isfinite(largest):
            self.quarter_information()  # names the columns, or raises TooLarge
            raise TooLarge
        return largest

    def _evaluated(self, z: Floats) -> tuple["JeffreysIterate", float]:
        """The iterate of these weights, its value without the penalty, and log det A(z)."""
        of_rows, of_weights = self._take_memory()
        of_weights[0] = z
        loss, log_determinant = _core.jeffreys_at(self.problem, MIN_PIVOT, of_rows, of_weights)
        self.passes += 2
        return JeffreysIterate.filled(loss, of_rows, of_weights), log_determinant

    def _take_memory(self) -> tuple[Floats, Floats]:
        """Uninitialised memory for an iterate. Used memory comes first: new pages are slow."""
        of_rows = self._free_memory.pop() if self._free_memory else np.empty((4, self.rows.count))
        size = self.size
        return of_rows, np.empty((size + 2, size))

    def at(self, z: Floats) -> JeffreysIterate:
        iterate, log_determinant = self._evaluated(z)
        if math.isnan(log_determinant):
            raise TooLarge
        self.passes += 1  # of the scores
        iterate.value += self.penalty_of(log_determinant)
        return iterate

    def gradient(self, iterate: Iterate) -> Floats:
        assert isinstance(iterate, JeffreysIterate)
        if iterate.slope is None:
            return super().gradient(iterate)
        self.passes += 1
        return iterate.slope.copy()

    def with_scores(self, z: Floats, scores: Floats) -> JeffreysIterate:
        pull, curvature, share = self.take_buffer(), self.take_buffer(), self.take_buffer()
        inverse = np.empty((self.size, self.size))
        loss, log_determinant = _core.jeffreys_terms(self.problem, scores, MIN_PIVOT, pull, curvature, share, inverse)
        if math.isnan(log_determinant):
            raise TooLarge
        self.passes += 2
        value = loss + self.penalty_of(log_determinant)
        return JeffreysIterate(z, value, scores, pull, curvature, inverse, share)

    def at_zero(self) -> Iterate:
        return self._zero

    @property
    def used(self) -> Mask:
        """Which coordinates are not 0 in every row."""
        used: Mask = np.diagonal(self._zero.inverse) > 0
        return used

    def release(self, iterate: Iterate) -> None:
        if iterate is self._zero:
            return
        assert isinstance(iterate, JeffreysIterate)
        if iterate.of_rows is not None:
            self._free_memory.append(iterate.of_rows)
            return
        super().release(iterate)
        self.release_buffers(iterate.share)

    def leverages(self, iterate: JeffreysIterate) -> Floats:
        """h_i of every row: the diagonal of the hat matrix."""
        return self._weighted(iterate.share)

    # Steps

    @property
    def held(self) -> Places:
        """Coordinates that do not move."""
        return NONE_HELD

    def take_plain_steps(self, state: NewtonState, tol: float, max_iter: int, watch: StepWatch) -> bool:
        """Take steps by the inverse of the information, as many as take about 20 ms."""
        iterate = state.iterate
        if self.uses_whole_hessian:
            return False
        assert isinstance(iterate, JeffreysIterate)
        most = min(max(1, WORK_AT_ONCE // (self.count * self.size**2)), max_iter - state.steps)
        of_rows, of_weights = self._take_memory()
        held, trace = self.held, np.empty((3, most))
        taken, value, to_fall = _core.jeffreys_steps(
            self.problem,
            self._largest_log_determinant,
            MIN_PIVOT,
            held,
            tol * state.first_norm,
            MAX_LEFT_TO_FALL * tol,
            DOUBTFUL_STEPS - state.steps if state.steps < DOUBTFUL_STEPS else 0,
            DOUBTFUL_NORM * state.first_norm,
            iterate.value,
            iterate.z,
            state.gradient,
            iterate.curvature,
            iterate.inverse,
            of_rows,
            of_weights,
            trace,
        )
        if taken:
            self._move(state, JeffreysIterate.filled(value, of_rows, of_weights), len(held) > 0)
            self._note_steps(state, trace[:, :taken], watch)
        else:
            self._free_memory.append(of_rows)
        if taken or math.isfinite(to_fall):
            state.to_fall = to_fall
        return taken > 0 or math.isfinite(to_fall)

    def _move(self, state: NewtonState, moved: JeffreysIterate, some_held: bool) -> None:
        """Take the iterate and its gradient, which says nothing of coordinates that were held."""
        assert moved.slope is not None
        self.release(state.iterate)
        state.iterate, state.gradient, state.scores_exact = moved, moved.slope, True
        if some_held:
            moved.slope = None

    def _note_steps(self, state: NewtonState, trace: Floats, watch: StepWatch) -> None:
        """Count the steps, and tell the watch about all but the last, which the caller reports."""
        values, norms, evaluations = trace.tolist()
        first, state.steps, state.gradient_norm = state.steps + 1, state.steps + len(values), norms[-1]
        for step, (value, norm, count) in enumerate(zip(values, norms, evaluations, strict=True), first):
            self.passes += PASSES_PER_EVALUATION * int(count)
            if step < state.steps:
                watch(step, value, norm / state.first_norm)

    # The Hessian

    @property
    def uses_whole_hessian(self) -> bool:
        """Whether the design is small enough for second derivatives of the penalty."""
        rows, size = self.count, self.size
        return rows * size * (size + 1) // 2 <= MAX_PAIRS and rows <= MAX_ROWS_PER_COORDINATE * size

    def hessian_matrix(self, iterate: Iterate) -> Floats:
        """The whole Hessian of a small design where it is positive definite; else the information."""
        if self.uses_whole_hessian:
            assert isinstance(iterate, JeffreysIterate)
            whole = self.whole_hessian(iterate)
            if is_positive_definite(whole):
                return whole
        return self.loss_matrix(iterate.curvature)

    def known_inverse(self, iterate: Iterate) -> Inverse | None:
        """A^-1 = L^-T L^-1, which multiplies without BLAS: its bits do not depend on the processor."""
        if self.uses_whole_hessian:
            return None
        assert isinstance(iterate, JeffreysIterate)
        inverse = iterate.inverse
        return lambda b: (inverse * (inverse * b).sum(axis=1)[:, None]).sum(axis=0)

    def whole_hessian(self, iterate: JeffreysIterate) -> Floats:
        """The second derivatives of the loss and of the penalty.

        With w_i = s_i p_i (1 - p_i), w_i' = w_i (1 - 2 p_i) and Z_i = L^-1 x_i those of the penalty are
        -1/2 sum_i w_i'' |Z_i|^2 x_i x_i^T + 1/2 sum_jk (sum_i w_i' Z_ij Z_ik x_i) (sum_i w_i' Z_ij Z_ik x_i)^T.
        """
        plain, share = iterate.curvature, iterate.share
        along = plain + share * (3 * plain - 0.5 * self._weighted(np.ones(self.count)))
        matrix = self.loss_matrix(np.maximum(along, 0))
        if along.min() < 0:
            matrix -= self.loss_matrix(np.maximum(-along, 0))
        pairs, counts = self._changes_of_information(iterate)
        for j in range(self.size):
            matrix[j] += 0.5 * (pairs * (counts * pairs[:, j])[:, None]).sum(axis=0)
        return matrix

    def _changes_of_information(self, iterate: JeffreysIterate) -> tuple[Floats, Floats]:
        """sum_i w_i' Z_ij Z_ik x_i for each j >= k, and how often each counts."""
        j, k = np.tril_indices(self.size)
        products = self._products(iterate.inverse)
        slope = 2 * iterate.curvature * self._from_half(iterate)
        return self._sums(slope[:, None] * products[:, j] * products[:, k]), np.where(j == k, 1.0, 2.0)

    def _from_half(self, iterate: JeffreysIterate) -> Floats:
        """1/2 - p_i of every row. Its pull is s_i (y_i - p_i) + h_i (1/2 - p_i), y_i = 0 or 1."""
        assert self.labels.signs is not None
        pull = iterate.pull if self.weights is None else iterate.pull / self.weights
        from_half: Floats = (pull - 0.5 * self.labels.signs) / (1 + iterate.share)
        return from_half
