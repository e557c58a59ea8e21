"""Firth's bias reduction: the logistic loss with Jeffreys' penalty, as Newton's method sees it.

With the Fisher information A(z) = sum_i s_i p_i (1 - p_i) x_i x_i^T the objective is

    sum_i s_i loss_i + 1/2 log(det A(0) / det A(z)).

The second term is 0 at z = 0 and grows with z, so there is an optimum even where the classes are separated. Let
h_i = s_i p_i (1 - p_i) x_i^T A^-1 x_i be the leverage of row i, an entry of the hat matrix's diagonal. The gradient is
that of the loss with h_i / 2 more of a success and h_i / 2 more of a failure for each row (Firth, 1993). `pull` and
`curvature` of an iterate count these, too. Such a curvature leaves out how the leverages themselves change, so that
steps converge linearly, by a factor of about columns / rows. Small designs use the whole Hessian instead.
"""

from dataclasses import dataclass

import numpy as np

from ...foundation.types import Floats
from .information import Information
from .iterate import Iterate
from .jeffreys_penalty import NUMBERS_AT_ONCE, JeffreysPenalty, is_positive_definite

MAX_PAIRS = 1 << 16  # of coordinates, times rows: more make the whole Hessian slower than the steps it saves
MAX_ROWS_PER_COORDINATE = 100  # with more rows the steps without it converge as quickly


@dataclass(eq=False)
class JeffreysIterate(Iterate):
    """Weights z with the information there, and for each row s_i p_i (1 - p_i), s_i (1/2 - p_i) and h_i / s_i."""

    information: Information
    plain_curvature: Floats
    from_half: Floats
    share: Floats


@dataclass
class JeffreysObjective(JeffreysPenalty):
    """sum_i s_i loss_i + 1/2 log(det A(0) / det A(z)) over rows in memory, for two classes."""

    def with_scores(self, z: Floats, scores: Floats) -> JeffreysIterate:
        pull, plain = self.take_buffer(), self.take_buffer()
        loss = self.slopes(scores, pull, plain)
        information = self.information(plain)
        share = self.leverages(information, plain)
        if self.weights is not None:
            share /= self.weights
        assert self.labels.signs is not None
        halves: Floats = 0.5 * self.labels.signs.astype(np.float64)
        from_half = pull - self._weighted(halves)  # the pull is s_i (y_i - p_i), y_i = 0 or 1
        pull += share * from_half
        return JeffreysIterate(
            z,
            loss + self.penalty_of(information),
            scores,
            pull,
            plain * (1 + share),
            information,
            plain,
            from_half,
            share,
        )

    # The information

    def information(self, curvature: Floats) -> Information:
        """The Fisher information of rows with this curvature s_i p_i (1 - p_i)."""
        return Information(self.loss_matrix(curvature))

    def leverages(self, information: Information, curvature: Floats) -> Floats:
        """h_i = curvature_i ||L^-1 x_i||^2 of every row, where A = L L^T: the diagonal of the hat matrix."""
        total, step = np.zeros(self.count), max(1, NUMBERS_AT_ONCE // self.count)
        for begin in range(0, self.size, step):
            products = self._products(information.inverse[begin : begin + step])
            total += np.square(products, out=products).sum(axis=1)
        self.passes += 1
        total *= curvature
        return total

    # The Hessian

    def hessian_matrix(self, iterate: Iterate) -> Floats:
        """The whole Hessian of a small design where it is positive definite; else that with leverages held fixed."""
        pairs = self.count * self.size * (self.size + 1) // 2
        if pairs <= MAX_PAIRS and self.count <= MAX_ROWS_PER_COORDINATE * self.size:
            assert isinstance(iterate, JeffreysIterate)
            whole = self.whole_hessian(iterate)
            if is_positive_definite(whole):
                return whole
        return super().hessian_matrix(iterate)

    def whole_hessian(self, iterate: JeffreysIterate) -> Floats:
        """The second derivatives of the loss and of the penalty.

        With w_i = s_i p_i (1 - p_i), w_i' = w_i (1 - 2 p_i) and Z_i = L^-1 x_i those of the penalty are
        -1/2 sum_i w_i'' |Z_i|^2 x_i x_i^T + 1/2 sum_jk (sum_i w_i' Z_ij Z_ik x_i) (sum_i w_i' Z_ij Z_ik x_i)^T.
        """
        plain, share = iterate.plain_curvature, iterate.share
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
        products = self._products(iterate.information.inverse)
        slope = iterate.plain_curvature * 2 * iterate.from_half
        if self.weights is not None:
            slope /= self.weights
        return self._sums(slope[:, None] * products[:, j] * products[:, k]), np.where(j == k, 1.0, 2.0)
