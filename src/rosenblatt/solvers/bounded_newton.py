"""The optimum within bounds of the weights, by projected Newton steps (Bertsekas, SIAM J. Control 20, 1982).

Weights at a bound that the gradient pushes against stay there. A Newton step of the others is projected into the
bounds, and shortened until the objective falls. What is left of the gradient at weights that could still move is 0 at
the optimum (Karush, Kuhn and Tucker), and nowhere else, because the objective is convex.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import _core
from ..foundation.errors import TooLarge
from ..foundation.types import Floats, Mask
from .newton.convergence import MAX_LEFT_TO_FALL
from .newton.euclidean_norm import euclidean_norm
from .newton.hessian import CholeskyFactor
from .newton.iterate import Iterate
from .newton.smooth_objective import SmoothObjective

SUFFICIENT_FALL = 1e-4  # of the objective, as a share of what the slope promises
SHORTEST_STEP = 2.0**-40
HIDDEN_FALL = 1e-12  # of the objective, relative to it: rounding may hide a smaller one
MAX_HIDDEN_RISE = 1e-14  # of the objective, relative to it, that rounding explains
MAX_STALLS = 3  # so many steps without a smaller gradient, after which the objective does not show a fall, are final
NEAR_BOUND = 1e-3  # weights as near to a bound as this, or nearer, count as there if the gradient pushes them on
RESIDUAL_LEFT = 0.01  # of conjugate gradients, relative to the first product
Note = Callable[[int, float, float], None]  # step, objective, relative norm of the gradient left; it may raise


class ProjectedStep(NamedTuple):
    """A direction, the slope along its free weights, the gradient at the others, and the fall that they predict."""

    p: Floats
    slope: float
    fixed: Floats
    to_fall: float


@dataclass
class BoundedNewton:
    """A smooth objective of one plane with bounds; `low` and `high` have one number for each weight, the offset last.

    >>> from rosenblatt.engine.class_problems import whole_problem
    >>> from rosenblatt.foundation.matrices import as_rows
    >>> from rosenblatt.solvers.newton.rows_objective import RowsObjective
    >>> problem = whole_problem(np.array([0, 0, 1, 1], dtype=np.int32), classes=2)
    >>> rows = as_rows([[0.0, 1.0], [1.0, 0.0], [2.0, -1.0], [3.0, 0.0]])
    >>> objective = RowsObjective(rows, problem, "logistic", 1.0)
    >>> solver = BoundedNewton(objective, np.array([0.0, 0.0, -np.inf]), np.full(3, np.inf))
    >>> solver.minimise(1e-9, 100, lambda *line: None), solver.iterate.z.round(3).tolist()
    ('gradient', [0.958, 0.0, -1.437])
    """

    objective: SmoothObjective
    low: Floats
    high: Floats
    start: Floats | None = None

    def __post_init__(self) -> None:
        objective = self.objective
        zero = objective.at_zero()
        self.first_norm = euclidean_norm(objective.gradient(zero))
        objective.release(zero)
        z = np.zeros(objective.size) if self.start is None else self.start
        self.iterate = objective.at(np.clip(z, self.low, self.high))
        self.steps, self.relative_norm = 0, np.inf

    def minimise(self, tol: float, max_iter: int, note: Note) -> str:
        """Steps until the gradient left is at most tol times that at w = 0, and the Hessian predicts next to no fall of
        the objective. Returns why they ended.
        """
        stalls, least, value = 0, np.inf, np.inf
        while True:
            gradient = self.objective.gradient(self.iterate)
            left = euclidean_norm(self._left(gradient))
            self.relative_norm = left / self.first_norm if self.first_norm else 0.0
            note(self.steps, self.iterate.value, self.relative_norm)
            step = self._projected_step(gradient)
            if self.relative_norm <= tol and step.to_fall <= MAX_LEFT_TO_FALL * tol * self.iterate.value:
                return "gradient"
            if self.steps >= max_iter:
                return "max_iter"
            gained = self.relative_norm < least or self.iterate.value < value * (1 - HIDDEN_FALL)
            stalls, least, value = 0 if gained else stalls + 1, min(least, self.relative_norm), self.iterate.value
            if stalls == MAX_STALLS or not self._move(step):
                return "precision"
            self.steps += 1

    def _left(self, gradient: Floats) -> Floats:
        """The gradient where weights could still move."""
        z = self.iterate.z
        stuck = ((z <= self.low) & (gradient > 0)) | ((z >= self.high) & (gradient < 0))
        return np.where(stuck, 0.0, gradient)

    def _projected_step(self, gradient: Floats) -> ProjectedStep:
        """A Newton step of the free weights, and one along the gradient of the others."""
        free, p = self._free(gradient), -gradient
        p[free] = self._direction(free, gradient)
        slope, fixed = _core.dot(gradient[free], p[free]), np.where(free, 0.0, gradient)
        if not np.isfinite(slope):
            raise TooLarge
        z = self.iterate.z
        along_fixed = _core.dot(fixed, np.clip(z + p, self.low, self.high) - z)
        return ProjectedStep(p, slope, fixed, -(slope / 2 + along_fixed))

    def _move(self, step: ProjectedStep) -> bool:
        """Move along a projected step, if the objective falls."""
        objective, z, size = self.objective, self.iterate.z, 1.0
        while size >= SHORTEST_STEP:
            target = np.clip(z + size * step.p, self.low, self.high)
            new = objective.at(target)
            promised = size * step.slope + _core.dot(step.fixed, target - z)
            if self._falls(new.value, promised):
                objective.release(self.iterate)
                self.iterate = new
                return True
            objective.release(new)
            size /= 2
        return False

    def _falls(self, value: float, promised: float) -> bool:
        """Whether the objective falls by enough, or promises too little of a fall for rounding to show it."""
        before = self.iterate.value
        if -promised <= HIDDEN_FALL * before:
            return value <= before * (1 + MAX_HIDDEN_RISE)
        return value <= before + SUFFICIENT_FALL * promised

    def _free(self, gradient: Floats) -> Mask:
        """The weights that the gradient does not push against a bound that they have nearly reached."""
        z = self.iterate.z
        near = min(NEAR_BOUND, euclidean_norm(z - np.clip(z - gradient, self.low, self.high)))
        pushed = ((z <= self.low + near) & (gradient > 0)) | ((z >= self.high - near) & (gradient < 0))
        return np.asarray(~pushed & (self.low < self.high))

    def _direction(self, free: Mask, gradient: Floats) -> Floats:
        """The Newton step of the free weights."""
        if not free.any():
            return np.empty(0)
        if self.objective.computes_hessian:
            matrix = np.ascontiguousarray(self.objective.hessian_matrix(self.iterate)[np.ix_(free, free)])
            return CholeskyFactor(matrix).solve(-gradient[free])
        return self._conjugate_gradient(free, gradient, self.iterate)

    def _conjugate_gradient(self, free: Mask, gradient: Floats, iterate: Iterate) -> Floats:
        """The same where there are too many weights for a matrix: one pass over the rows each round."""
        objective = self.objective
        diagonal = objective.hessian_diagonal(iterate)[free]
        scale = 1 / np.where(diagonal > 0, diagonal, 1.0)
        p, residual = np.zeros(len(scale)), -gradient[free]
        search = scale * residual
        first = product = _core.dot(residual, search)
        along = objective.take_buffer()
        for _ in range(len(p) + 50):
            whole = np.zeros(objective.size)
            whole[free] = search
            image = objective.hessian_product(iterate, whole, along)[free]
            curvature = _core.dot(search, image)
            if not (curvature > 0 and product > RESIDUAL_LEFT**2 * min(1.0, self.relative_norm) * first):
                break
            p += product / curvature * search
            residual -= product / curvature * image
            product, before = _core.dot(residual, scale * residual), product
            search = scale * residual + product / before * search
        objective.release_buffers(along)
        return p if p.any() else -scale * gradient[free]
