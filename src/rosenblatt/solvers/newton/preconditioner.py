"""Preconditioners of the conjugate gradients: the factored Hessian of a sample of the rows, or the diagonal.

A sample may miss the rows where a column is not 0. So the Hessian of a sample gets the diagonal of all rows wherever
its own is smaller. Without this, a rare column in small units has no curvature at all, and directions take many rounds.
Joint classes have a factored Hessian for each plane. It leaves out how planes depend on each other, except that a
shift of all planes by the same weights changes no probability: along such shifts the Hessian is the penalty alone.
"""

from dataclasses import dataclass

import numpy as np

from ...engine.resume import Tree
from ...foundation.types import Floats
from .hessian import CholeskyFactor, PlaneFactors
from .iterate import Iterate
from .row_sample import by_plane
from .smooth_objective import Inverse, Sample, SmoothObjective


@dataclass
class Preconditioner:
    """An approximate inverse of the Hessian, and what its age has cost.

    `sample` and `diagonal`, that of the Hessian of all rows, are what it was made of; None where it is only the
    diagonal. `first_rounds` is the number of conjugate gradient rounds of its first direction, `extra_rounds` what
    later directions took beyond it.
    """

    inverse: Inverse
    sample: Sample | None = None
    diagonal: Floats | None = None
    first_rounds: int = 0
    extra_rounds: int = 0

    @classmethod
    def at(cls, objective: SmoothObjective, iterate: Iterate) -> "Preconditioner":
        """The preconditioner at an iterate, which may be damped."""
        diagonal = objective.hessian_diagonal(iterate)
        if not objective.samples_hessian:
            return cls(diagonal_inverse(diagonal))
        return cls.of_sample(objective, objective.sample(iterate, diagonal), diagonal)

    @classmethod
    def of_sample(cls, objective: SmoothObjective, sample: Sample, diagonal: Floats) -> "Preconditioner":
        """The preconditioner made of a sample of the rows, and of the diagonal of all rows."""
        if objective.planes > 1:
            return cls(plane_inverse(objective, sample, diagonal), sample, diagonal)
        matrix = objective.sampled_hessian(sample)
        raise_diagonal(matrix, diagonal)
        return cls(CholeskyFactor(matrix).solve, sample, diagonal)

    def count_rounds(self, rounds: int) -> None:
        """Note how many rounds a direction took."""
        self.first_rounds = self.first_rounds or rounds
        self.extra_rounds += max(0, rounds - self.first_rounds)

    def is_worth_keeping(self, objective: SmoothObjective) -> bool:
        """Whether its age has cost fewer rounds than making a new one would.

        One of all rows is exact where it was made and cheap to make, so it is never kept. Nor is the diagonal.
        """
        if self.sample is None:
            return False
        made_of, rows, size = objective.sampled_count(self.sample), objective.count, objective.columns + 1
        if objective.planes > 1:  # a product of two passes that compute 4 numbers where a Hessian needs 1
            return self.extra_rounds * rows * 4 <= (made_of + size / 3) * size
        return made_of < rows and self.extra_rounds * rows * 8 <= made_of * size

    def saved(self) -> Tree | None:
        """What `restored` needs; None for a diagonal, which is made anew at each step."""
        if self.sample is None:
            return None
        made_of = {"sample": self.sample, "diagonal": self.diagonal}
        return {**made_of, "first_rounds": self.first_rounds, "late": self.extra_rounds}

    @classmethod
    def restored(cls, objective: SmoothObjective, saved: Tree) -> "Preconditioner":
        made = cls.of_sample(objective, saved["sample"], saved["diagonal"])
        made.first_rounds, made.extra_rounds = saved["first_rounds"], saved["late"]
        return made


def diagonal_inverse(diagonal: Floats) -> Inverse:
    """The inverse of a diagonal; coordinates without curvature stay as they are."""
    inverse = 1 / np.where(diagonal > 0, diagonal, 1.0)
    return lambda r: inverse * r


def raise_diagonal(matrix: Floats, diagonal: Floats) -> None:
    """Raise the entries on a matrix's diagonal to these, where they are smaller."""
    entries = matrix.ravel()[:: len(matrix) + 1]
    np.maximum(entries, diagonal, out=entries)


def plane_inverse(objective: SmoothObjective, sample: Sample, diagonal: Floats) -> Inverse:
    """The inverse of the Hessian's blocks of single planes, and of the penalty along shifts of all planes alike."""
    planes, ridge = objective.planes, objective.plane_ridge
    matrices = objective.sampled_plane_hessians(sample)
    for matrix, entries in zip(matrices, by_plane(diagonal, planes), strict=False):  # one matrix may serve all planes
        raise_diagonal(matrix, entries)
    factors = PlaneFactors(matrices, objective.threads)
    inverse_ridge = np.divide(1, ridge, out=np.zeros_like(ridge), where=ridge > 0)

    def inverse(r: Floats) -> Floats:
        residuals = by_plane(r, planes)
        shift = residuals.mean(axis=0)
        x = factors.solve(residuals - shift)
        x += inverse_ridge * shift - x.mean(axis=0)
        return np.concatenate([x[:, :-1].ravel(), x[:, -1]])

    return inverse
