"""Solvers that prove their optimum by a duality gap: what the report asks of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from ..engine.resume import NO_BOOKMARK, Bookmark
from ..foundation.types import Floats
from .newton.smooth_objective import SmoothObjective


class GapSolver(ABC):
    """A problem that is solved step by step.

    `primal` and `dual` are the best values that were proved, and `best` are the weights of the former.
    """

    unit = "step"  # of its steps
    objective: SmoothObjective
    primal: float
    dual: float
    best: Floats
    steps: int

    @property
    def gap(self) -> float:
        return max(self.primal - self.dual, 0.0)

    @property
    def best_offsets(self) -> Floats:
        """The offsets of the best weights."""
        return self.best[-self.objective.planes :]

    @property
    def visits(self) -> int:
        """Dot products of a row with w."""
        return self.objective.passes * self.objective.count

    @property
    def epochs(self) -> int:
        """What is reported as the number of steps."""
        return self.steps

    @abstractmethod
    def minimise(
        self, tol: float, max_iter: int, pause: Callable[[], None] = lambda: None, bookmark: Bookmark = NO_BOOKMARK
    ) -> str:
        """Solve until the gap is at most tol times the objective. Return why it ended. `pause` may raise."""

    @abstractmethod
    def prove(self) -> None:
        """Compute the objective of the present weights, and a lower bound of it."""
