"""Preconditioners of the conjugate gradients: the factored Hessian of a sample of the rows, or the diagonal.

Joint classes have a factored Hessian for each plane. It leaves out how planes depend on each other, except that a
shift of all planes by the same weights changes no probability: along such shifts the Hessian is the penalty alone.
"""

from dataclasses import dataclass

import numpy as np

from ... import _core
from ...engine.resume import Tree
from ...foundation.types import Floats
from .hessian import CholeskyFactor, Inverse, PlaneFactors, sampled_hessian_matrix, sampled_plane_hessians
from .iterate import Iterate
from .smooth_objective import SmoothObjective


@dataclass
class Preconditioner:
    """An approximate inverse of the Hessian, and what its age has cost.

    `sample_curvature` is the curvature of the sampled rows when it was made (for joint classes, their probabilities);
    None for the diagonal. `first_rounds` is
    the number of conjugate gradient rounds of its first direction, `extra_rounds` what later directions took beyond it.
    """

    inverse: Inverse
    sample_curvature: Floats | None = None
    first_rounds: int = 0
    extra_rounds: int = 0

    @classmethod
    def at(cls, objective: SmoothObjective, iterate: Iterate) -> "Preconditioner":
        if not objective.samples_hessian:
            return cls(diagonal_inverse(objective, iterate))
        return cls.of_sample(objective, sampled_curvature(objective, iterate))

    @classmethod
    def of_sample(cls, objective: SmoothObjective, sample_curvature: Floats) -> "Preconditioner":
        """The preconditioner made of the curvature of the sampled rows."""
        if objective.planes > 1:
            return cls(plane_inverse(objective, sample_curvature.reshape(-1, objective.planes)), sample_curvature)
        factor = CholeskyFactor(sampled_hessian_matrix(objective, sample_curvature))
        return cls(factor.solve, sample_curvature)

    def count_rounds(self, rounds: int) -> None:
        """Note how many rounds a direction took."""
        self.first_rounds = self.first_rounds or rounds
        self.extra_rounds += max(0, rounds - self.first_rounds)

    def is_worth_keeping(self, objective: SmoothObjective) -> bool:
        """Whether its age has cost fewer rounds than making a new one would.

        One of all rows is exact where it was made and cheap to make, so it is never kept. Nor is the diagonal.
        """
        made_of = 0 if self.sample_curvature is None else len(self.sample_curvature)
        rows, size = objective.rows.count, objective.rows.columns + 1
        if objective.planes > 1 and made_of:  # a product of two passes that compute 4 numbers where a Hessian needs 1
            return self.extra_rounds * rows * 4 <= (len(objective.sampled_rows) + size / 3) * size
        return 0 < made_of < rows and self.extra_rounds * rows * 8 <= made_of * size

    def saved(self) -> Tree | None:
        """What `restored` needs; None for a diagonal, which is made anew at each step."""
        if self.sample_curvature is None:
            return None
        return {"curvature": self.sample_curvature, "rounds": self.first_rounds, "late": self.extra_rounds}

    @classmethod
    def restored(cls, objective: SmoothObjective, saved: Tree) -> "Preconditioner":
        made = cls.of_sample(objective, saved["curvature"])
        made.first_rounds, made.extra_rounds = saved["rounds"], saved["late"]
        return made


def diagonal_inverse(objective: SmoothObjective, iterate: Iterate) -> Inverse:
    """The inverse of the Hessian's diagonal."""
    curvature, diagonal = iterate.curvature, np.empty(objective.size)
    if objective.planes > 1:
        curvature = objective.plane_curvature(curvature.reshape(-1, objective.planes)).ravel()
    _core.hessian_diagonal(objective.problem, curvature, diagonal)
    diagonal *= objective.factor
    diagonal += objective.ridge
    diagonal[diagonal <= 0] = 1.0
    inverse = np.divide(1, diagonal, out=diagonal)
    return lambda r: inverse * r


def sampled_curvature(objective: SmoothObjective, iterate: Iterate) -> Floats:
    """The curvature of the sampled rows; for joint classes, their probabilities."""
    sampled: Floats = iterate.curvature.reshape(-1, objective.planes)[objective.sampled_rows]
    return sampled.ravel()


def plane_inverse(objective: SmoothObjective, probabilities: Floats) -> Inverse:
    """The inverse of the Hessian's blocks of single planes, and of the penalty along shifts of all planes alike."""
    planes, ridge = objective.planes, objective.plane_ridge
    factors = PlaneFactors(sampled_plane_hessians(objective, probabilities), objective.threads)
    inverse_ridge = np.divide(1, ridge, out=np.zeros_like(ridge), where=ridge > 0)

    def inverse(r: Floats) -> Floats:
        by_plane = np.column_stack([r[:-planes].reshape(planes, -1), r[-planes:]])
        shift = by_plane.mean(axis=0)
        x = factors.solve(by_plane - shift)
        x += inverse_ridge * shift - x.mean(axis=0)
        return np.concatenate([x[:, :-1].ravel(), x[:, -1]])

    return inverse
