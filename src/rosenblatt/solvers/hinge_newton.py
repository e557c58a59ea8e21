"""Newton steps on the augmented Lagrangian of a hinge, and the duality gap as proof, wherever the rows are.

See docs/decisions/0009-the-hinge-optimum.md. A step solves with the Hessian, or by conjugate gradients.
"""

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from .. import _core
from ..engine.resume import NO_BOOKMARK, Bookmark, Tree
from ..foundation.types import Floats
from .gap_solver import GapSolver
from .newton.conjugate_gradient import conjugate_gradient_direction
from .newton.euclidean_norm import euclidean_norm
from .newton.hessian import CholeskyFactor
from .newton.iterate import Iterate
from .newton.line_search import line_search
from .newton.preconditioner import Preconditioner, diagonal_inverse
from .newton.smoothed_hinge import SmoothedHinge

MAX_INNER_STEPS = 50
INNER_ACCURACY = 0.01  # the square of the gradient, relative to how far the shares are from the multipliers
MAX_RELATIVE_RESIDUAL = 0.1  # of a direction by conjugate gradients
FIRST_ROUNDS = 20  # that conjugate gradients are expected to take, until they have been tried
MIN_GAP_GAIN, MAX_STALLS = 0.9, 5  # so many gaps in a row that rounding leaves above this share of the last are final
SAVED = ("steps", "inner_steps", "stalls", "rounds", "at_rounding", "primal", "dual", "best")


class HingeProof(GapSolver):
    """The proof of a hinge: primal and dual values, compared with the best before."""

    objective: SmoothedHinge

    def __init__(self, objective: SmoothedHinge) -> None:
        self.objective = objective
        self.primal, self.dual = objective.factor * objective.total, 0.0  # of weights 0, and of multipliers 0
        self.best = np.zeros(objective.size)  # the weights of the primal value

    @abstractmethod
    def compare(self, z: Floats, shares: Floats) -> None:
        """Compute the primal value of weights and the dual value of multipliers, and keep the better of each."""


class HingeNewton(HingeProof):
    """A hinge problem that is solved by Newton steps."""

    def __init__(self, objective: SmoothedHinge) -> None:
        super().__init__(objective)
        self.iterate = objective.at_zero()
        self.gradient = objective.gradient(self.iterate)
        self.steps = self.inner_steps = self.stalls = 0
        self.rounds = FIRST_ROUNDS  # of the last conjugate gradients
        self.at_rounding = False  # the last step fell by less than rounding hides

    def minimise(
        self, tol: float, max_iter: int, pause: Callable[[], None] = lambda: None, bookmark: Bookmark = NO_BOOKMARK
    ) -> str:
        """Steps until the gap is at most tol times the objective. Returns why they ended: "gap", "max_iter" or
        "precision". `pause` is called between passes and may raise.
        """
        saved = bookmark.take() or {}
        if saved:
            self._restore(saved)
        direction = saved.get("direction")
        while True:
            pause()
            if direction is None:
                bookmark.save_if_due(self._saved, lambda: self.objective.passes, step=True)
                if self._is_accurate():
                    before = self.gap
                    self.prove()
                    if self.gap <= tol * self.primal:
                        return "gap"
                    self.stalls = self.stalls + 1 if self.at_rounding and self.gap > MIN_GAP_GAIN * before else 0
                    if self.stalls == MAX_STALLS:
                        return "precision"
                    self._update_multipliers()
                if self.steps >= max_iter:
                    return "max_iter"
            self._take_step(pause, bookmark.nested("direction", self._saved, direction))
            direction = None

    def prove(self) -> None:
        """Compute the scores from the weights, and the values of both."""
        self._move_to(self.objective.at(self.iterate.z))
        self.compare(self.iterate.z, self.iterate.curvature)

    def _is_accurate(self) -> bool:
        """Whether the weights are accurate enough for the present multipliers.

        Every weight has curvature at least 1, so the squared gradient bounds twice the possible gain.
        """
        if self.at_rounding or self.inner_steps >= MAX_INNER_STEPS:
            return True
        objective = self.objective
        distance = objective.factor / objective.sharpness * objective.moved_shares(self.iterate)
        norm = euclidean_norm(self.gradient)
        return norm * norm <= INNER_ACCURACY * distance  # norm**2 would raise an OverflowError

    def _update_multipliers(self) -> None:
        """Multipliers take the shares that the scores suggest. Fewer inner steps mean a larger rise in sharpness."""
        objective, inner = self.objective, self.inner_steps
        objective.recentre(self.iterate)
        objective.sharpness *= 4.0 if inner <= 5 else 2.5 if inner <= 10 else 1.5 if inner < MAX_INNER_STEPS else 0.5
        self.inner_steps, self.at_rounding = 0, False
        self._move_to(objective.with_scores(self.iterate.z, self.iterate.scores))

    def _take_step(self, pause: Callable[[], None], bookmark: Bookmark) -> None:
        p, along = self._direction(pause, bookmark)
        slope = _core.dot(self.gradient, p)
        new = self._search(p, along, slope) if slope < 0 else None
        self.at_rounding = new is None
        self.steps += 1
        self.inner_steps += 1
        if new is not None:
            self._move_to(new)

    def _search(self, p: Floats, along: Floats, slope: float) -> Iterate | None:
        """An iterate along p where the objective falls enough; None where rounding hides it."""
        return line_search(self.objective, self.iterate, p, along, slope)

    def _direction(self, pause: Callable[[], None], bookmark: Bookmark) -> tuple[Floats, Floats]:
        """The Newton direction, and the scores that it gives."""
        objective, iterate = self.objective, self.iterate
        if objective.prefers_matrix(iterate, self.rounds):
            p = CholeskyFactor(objective.hessian_matrix(iterate)).solve(-self.gradient)
            return p, objective.scores(p)
        preconditioner = Preconditioner(diagonal_inverse(objective.hessian_diagonal(iterate)))
        most = MAX_RELATIVE_RESIDUAL * euclidean_norm(self.gradient)
        found = conjugate_gradient_direction(objective, iterate, self.gradient, preconditioner, most, pause, bookmark)
        self.rounds = preconditioner.first_rounds
        return found

    def _move_to(self, iterate: Iterate) -> None:
        self.iterate, self.gradient = iterate, self.objective.gradient(iterate)

    def _saved(self) -> Tree:
        """The tree of a checkpoint. Its keys are part of the file format."""
        objective = self.objective
        place = {"z": self.iterate.z, "scores": self.iterate.scores, "gradient": self.gradient}
        multipliers = {"sharpness": objective.sharpness, "passes": objective.passes}
        return {
            **place,
            **objective.saved_multipliers(),
            **multipliers,
            **{name: getattr(self, name) for name in SAVED},
        }

    def _restore(self, saved: Tree) -> None:
        objective = self.objective
        objective.restore_multipliers(saved)
        objective.sharpness, objective.passes = saved["sharpness"], saved["passes"]
        self.iterate, self.gradient = objective.with_scores(saved["z"], saved["scores"]), saved["gradient"]
        for name in SAVED:
            setattr(self, name, saved[name])
