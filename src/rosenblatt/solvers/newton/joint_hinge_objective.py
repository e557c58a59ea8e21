"""The augmented Lagrangian of the joint hinge: a smooth objective for each choice of multipliers."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ... import _core
from ...engine.resume import Tree
from ...foundation.types import Floats
from .iterate import Iterate
from .rows_objective import RowsObjective
from .smoothed_hinge import FIRST_SHARPNESS, SmoothedHinge

MAX_MATRIX_SIZE = 1500  # the Hessian is computed in full up to this size: 18 MB


@dataclass
class JointHinge(RowsObjective, SmoothedHinge):
    """C sum_i s_i loss_i + 1/2 ||w||^2, where each loss is smoothed around the shares `centres`.

    See `core/solvers/joint_hinge.hpp`. The curvature of an iterate holds the shares that its scores suggest.
    """

    loss: str = "hinge"
    C: float = 1.0
    sharpness: float = FIRST_SHARPNESS
    centres: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.centres = np.full(self.rows.count * self.planes, 1 / self.planes)
        self.total = float(self.rows.count if self.weights is None else self.weights.sum())

    def slopes(self, scores: Floats, pull: Floats, curvature: Floats) -> float:
        return _core.joint_hinge(self.problem, scores, self.centres, self.sharpness, pull, curvature)

    # The multipliers

    def moved_shares(self, iterate: Iterate) -> float:
        moved = iterate.curvature - self.centres
        weighted = moved if self.weights is None else moved * np.repeat(self.weights, self.planes)
        return _core.dot(weighted, moved)

    def recentre(self, iterate: Iterate) -> None:
        self.centres = iterate.curvature.copy()

    def saved_multipliers(self) -> Tree:
        return {"centres": self.centres}

    def restore_multipliers(self, saved: Tree) -> None:
        self.centres = saved["centres"]

    # Derivatives

    def hessian_product(self, iterate: Iterate, p: Floats, along: Floats) -> Floats:
        out = self.loss_product(iterate.curvature, p, along)
        return self.factor * self.sharpness * out + self.step_ridge * p

    def hessian_matrix(self, iterate: Iterate) -> Floats:
        """The lower triangle of the Hessian, with zeros above."""
        self.passes += 1
        matrix = np.empty((self.size, self.size))
        _core.joint_hinge_hessian(self.problem, iterate.curvature, matrix)
        matrix *= self.factor * self.sharpness
        matrix.ravel()[:: self.size + 1] += self.step_ridge
        return matrix

    def plane_curvature(self, probabilities: Floats, rows: npt.NDArray[np.uint32] | None = None) -> Floats:
        """The same for shares instead of probabilities: a row bends between the classes that have a share of it."""
        curvature: Floats = self.sharpness * (probabilities > 0) * (1 - 1 / self.support(probabilities))[:, None]
        if self.weights is not None:
            curvature *= (self.weights if rows is None else self.weights[rows])[:, None]
        return curvature

    def support(self, shares: Floats) -> Floats:
        """How many classes have a share of each row."""
        support: Floats = (shares.reshape(-1, self.planes) > 0).sum(axis=1, dtype=np.float64)
        return support

    def prefers_matrix(self, iterate: Iterate, rounds: int) -> bool:
        """The same: where few classes share a row."""
        if self.size > MAX_MATRIX_SIZE:
            return False
        support, stored = self.support(iterate.curvature), self.rows.stored_values / max(self.rows.count, 1)
        bending = support[support > 1]
        work = float((bending * (bending + 1)).sum()) / 2 * stored**2 + self.size**3 / 3
        return work <= rounds * 4 * self.rows.stored_values * self.planes
