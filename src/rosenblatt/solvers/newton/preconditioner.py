"""Preconditioners of the conjugate gradients: the factored Hessian of a sample of the rows, or the diagonal."""

from dataclasses import dataclass

import numpy as np

from ... import _core
from ...engine.resume import Tree
from ...foundation.types import Floats
from .hessian import CholeskyFactor, Inverse, sampled_hessian_matrix
from .iterate import Iterate
from .smooth_objective import SmoothObjective


@dataclass
class Preconditioner:
    """An approximate inverse of the Hessian, and what its age has cost.

    `sample_curvature` is the curvature of the sampled rows when it was made; None for the diagonal. `first_rounds` is
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
        curvature, sample = iterate.curvature, objective.sampled_rows
        return cls.of_sample(objective, curvature[sample] if len(curvature) > len(sample) else curvature.copy())

    @classmethod
    def of_sample(cls, objective: SmoothObjective, sample_curvature: Floats) -> "Preconditioner":
        """The preconditioner made of the curvature of the sampled rows."""
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
        rows = objective.rows.count
        return 0 < made_of < rows and self.extra_rounds * rows * 8 <= made_of * objective.size

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
    columns, planes = objective.rows.columns, objective.planes
    diagonal, of_plane = np.empty(objective.size), np.empty(columns + 1)
    for k in range(planes):
        _core.hessian_diagonal(objective.problem, objective.plane_curvature(iterate.curvature, k), of_plane)
        diagonal[k * columns : (k + 1) * columns] = of_plane[:-1]
        diagonal[planes * columns + k] = of_plane[-1]
    diagonal = objective.factor * diagonal + objective.ridge
    inverse = 1 / np.where(diagonal > 0, diagonal, 1.0)
    return lambda r: inverse * r
