"""Firth's bias reduction for several classes together: softmax with Jeffreys' penalty, as Newton's method sees it.

A plane added to those of all classes changes no probability. So the information A has a block for each pair of classes
but one, the reference: sum_i s_i (p_ia [a = b] - p_ia p_ib) x_i x_i^T. Its determinant does not depend on which class
that is. With A = L L^T let Z_ia = L^-1 (e_a (x) x_i), which is 0 for the reference, and Y_ia = Z_ia - sum_b p_ib Z_ib.
The penalty adds to the score of row i and class c

    p_ic / 2 (|Y_ic|^2 - sum_a p_ia |Y_ia|^2),

as if the row were p_ic |Y_ic|^2 / 2 more rows of each class c. sum_a s_i p_ia |Y_ia|^2 is the leverage of row i. As for
two classes, large designs hold these numbers fixed in a Hessian, and small ones use the whole Hessian.
"""

import math
from dataclasses import dataclass

import numpy as np

from ...foundation.types import Floats
from .information import Information
from .iterate import Iterate
from .jeffreys_penalty import NUMBERS_AT_ONCE, JeffreysPenalty, is_positive_definite
from .joint_information import JointInformation

MAX_NUMBERS = 1 << 18  # rows times changes of the information: more make the whole Hessian slower than what it saves


@dataclass(eq=False)
class JointJeffreysIterate(Iterate):
    """Weights z with the information there, and |Y_ic|^2 for each row and class."""

    information: Information
    lengths: Floats


@dataclass
class JointJeffreysObjective(JointInformation, JeffreysPenalty):
    """sum_i s_i loss_i + 1/2 log(det A(0) / det A(z)) over rows in memory, for several classes together."""

    def log_determinant_at_zero(self) -> float:
        """log det A(0), where A(0) = (I / K - 1 1^T / K^2) (x) sum_i s_i x_i x_i^T for K classes."""
        quarter = self.quarter_information()
        weights, K = int(quarter.used.sum()), self.planes
        return (K - 1) * (quarter.log_determinant + weights * math.log(4 / K)) - weights * math.log(K)

    def with_scores(self, z: Floats, scores: Floats) -> JointJeffreysIterate:
        pull, probabilities = self.take_buffer(), self.take_buffer()
        loss = self.slopes(scores, pull, probabilities)
        p = probabilities.reshape(self.count, -1)
        information = self.information(p)
        lengths = self._lengths(information, p)
        half = 0.5 * p * (lengths - leverages(p, lengths)[:, None])
        pull += self._weighted_rows(half).ravel()
        value = loss + self.penalty_of(information.log_determinant)
        return JointJeffreysIterate(z, value, scores, pull, probabilities, information, lengths)

    def _lengths(self, information: Information, p: Floats) -> Floats:
        """|Y_ic|^2 of every row and class."""
        total, step = np.zeros((self.count, self.planes)), max(1, NUMBERS_AT_ONCE // (self.count * self.planes))
        for begin in range(0, len(self._places), step):
            Y = self._deviations(information.inverse[begin : begin + step], p)
            total += np.square(Y, out=Y).sum(axis=2)
        self.passes += 1
        return total

    def _deviations(self, inverse: Floats, p: Floats) -> Floats:
        """These coordinates of Y_ic: an array of rows, classes and coordinates."""
        planes = inverse.reshape(len(inverse), len(self._free), -1).transpose(1, 0, 2)
        Y = np.zeros((self.count, self.planes, len(inverse)))
        Y[:, self._free] = self._products(planes.reshape(-1, self.columns + 1)).reshape(self.count, -1, len(inverse))
        Y -= (p[:, :, None] * Y).sum(axis=1, keepdims=True)
        return Y

    # The Hessian

    @property
    def uses_whole_hessian(self) -> bool:
        """Whether the design is small enough for second derivatives of the penalty."""
        pairs = len(self._places) * (len(self._places) + 1) // 2
        return self.count * len(self._free) * pairs <= MAX_NUMBERS

    def hessian_matrix(self, iterate: Iterate) -> Floats:
        """The whole Hessian of a small design where it is positive definite; else that with leverages held fixed."""
        assert isinstance(iterate, JointJeffreysIterate)
        if self.uses_whole_hessian:
            whole = self.whole_hessian(iterate)
            if is_positive_definite(whole):
                return self._placed(whole)
        p = iterate.curvature.reshape(self.count, -1)
        weights = self._pair_weights(p) * (1 + leverages(p, iterate.lengths))[:, None]
        return self._placed(self._pair_sums(weights))

    def whole_hessian(self, iterate: JointJeffreysIterate) -> Floats:
        """The second derivatives of the loss and of the penalty by the free planes.

        With u_c = (|Y_c|^2 - sum_a p_a |Y_a|^2) / 2 the loss and the penalty's part that is linear in A^-1 have the
        pair weights s p_a p_b (1 - u_a - u_b - Y_a . Y_b). The other part is made of the changes of the information.
        """
        p, (a, b) = iterate.curvature.reshape(self.count, -1), self._pairs
        Y = self._deviations(iterate.information.inverse, p)
        u = 0.5 * (iterate.lengths - leverages(p, iterate.lengths)[:, None])
        weights = self._pair_weights(p) * (1 - u[:, a] - u[:, b] - (Y[:, a] * Y[:, b]).sum(axis=2))
        matrix = self._pair_sums(np.maximum(weights, 0)) - self._pair_sums(np.maximum(-weights, 0))
        changes, counts = self._changes_of_information(Y, p)
        for j in range(len(matrix)):
            matrix[j] += 0.5 * (changes * (counts * changes[j])).sum(axis=1)
        return matrix

    def _changes_of_information(self, Y: Floats, p: Floats) -> tuple[Floats, Floats]:
        """L^-1 (dA / dz) L^-T for each coordinate of the free planes, its lower triangle as a row; and how each counts.

        By the score of class c, row i changes it by s_i p_ic (Y_ic Y_ic^T - sum_a p_ia Y_ia Y_ia^T).
        """
        j, k = np.tril_indices(Y.shape[2])
        products = Y[:, :, j] * Y[:, :, k]
        products -= (p[:, :, None] * products).sum(axis=1, keepdims=True)
        of_rows = (self._weighted_rows(p)[:, :, None] * products)[:, self._free]
        sums = self._sums(of_rows.reshape(self.count, -1)).reshape(len(self._free), len(j), -1)
        changes = np.ascontiguousarray(sums.transpose(0, 2, 1)).reshape(-1, len(j))
        return changes, np.where(j == k, 1.0, 2.0)


def leverages(p: Floats, lengths: Floats) -> Floats:
    """sum_a p_ia |Y_ia|^2 of each row."""
    total: Floats = (p * lengths).sum(axis=1)
    return total
