"""The one path from parameters to a solver. Classifiers, tables and the command line all make a `TrainingPlan`.

A plan is a recipe and, for penalised losses, the solver that minimises the objective. `plan.train` runs it.
"""

from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any

from .. import _core
from ..engine.held_out import HeldOut
from ..engine.result import TrainingResult, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark
from ..engine.train import train
from ..foundation.types import Codes, Floats
from ..parts.bounds import Bounds
from ..parts.parameter_checks import refuse_together
from ..parts.recipe import Recipe
from ..parts.steps import ALMA
from .gradient_descent import descend, prepare_recipe
from .objective import Objective
from .penalised_optimum import ProblemJudge, train_to_optimum
from .separation_check import is_proved_inseparable

MIN_TOTAL, MAX_TOTAL = 1e-150, 1e150  # of C times the weight of all rows, so that its square is a float


@dataclass(frozen=True)
class TrainingPlan:
    """A recipe and how to train it. `solver` is None for the perceptron family, which needs only the recipe.

    `C` or `alpha` is the strength of the penalty; both are None for C = 1. `eta0`, `tol` and `max_iter` are what the
    user gave; where they are None the solver chooses.
    """

    recipe: Recipe
    multi_class: str = "ovr"
    solver: str | None = None
    penalty: str | None = "l2"
    l1_ratio: float = 0.0
    C: float | None = None
    alpha: float | None = None
    eta0: float | None = None
    tol: float | None = None
    max_iter: int | None = None
    bounds: Bounds | None = None

    def __post_init__(self) -> None:
        if self.recipe.keep == "vote" and self.is_joint:
            why = "planes that are trained together do not vote one by one"
            refuse_together("multi_class", "joint", "keep", "vote", why)

    @property
    def is_random(self) -> bool:
        """Whether training draws random numbers."""
        return self.solver != "optimum"

    @property
    def is_joint(self) -> bool:
        """Whether several classes are trained together."""
        return self.multi_class == "joint"

    def objective(self, total: float) -> Objective:
        """The objective for rows whose weights add up to `total`."""
        C = 1.0 if self.C is None else float(self.C)
        if self.alpha is not None:
            C = 1.0 / (float(self.alpha) * total)
        if self.penalty in (None, "jeffreys"):
            C = inf
        elif not MIN_TOTAL < C * total < MAX_TOTAL:
            given = f"C={C if self.C is None else self.C!r}" if self.alpha is None else f"alpha={self.alpha!r}"
            raise ValueError(
                f"{given} is too small or too large for sums with it: C times the sum of all weights, {total:g}, "
                f"must lie between {MIN_TOTAL:g} and {MAX_TOTAL:g}, so choose it nearer to 1, or scale the weights."
            )
        recipe = self.recipe
        return Objective(
            recipe.loss,
            C,
            bool(recipe.fit_intercept),
            float(recipe.intercept_scaling),
            bool(recipe.penalize_intercept),
            jeffreys=self.penalty == "jeffreys",
            l1_ratio=self.l1_ratio,
            bounds=self.bounds,
        )

    def loop(
        self, rows: _core.Rows, classes: int, weights: Floats | None, total: float, threads: int
    ) -> tuple[Recipe, Floats | None]:
        """The recipe of the training loop, with its alpha and eta0, and the weight of each row in it."""
        if self.solver is None:
            return self.recipe, self._relative(weights)
        joint = self.is_joint and classes > 2
        objective = self.objective(total)
        return prepare_recipe(rows, self.recipe, objective, self.solver, self.eta0, joint, weights, total, threads)

    def _relative(self, weights: Floats | None) -> Floats | None:
        """The weights; as shares of the largest where w stays in the unit ball, because longer steps would erase it."""
        return weights if weights is None or self.recipe.step not in ALMA else weights / weights.max()

    def train(
        self,
        rows: _core.Rows,
        codes: Codes,
        classes: int,
        *,
        weights: Floats | None = None,
        total: float,
        seed: int = 0,
        threads: int = 1,
        start: tuple[Floats, Floats] | None = None,
        trace: bool = False,
        watch: Watch | None = None,
        held_out: HeldOut | None = None,
        judge: ProblemJudge | None = None,
        bookmark: Bookmark = NO_BOOKMARK,
        began: float | None = None,
    ) -> TrainingResult:
        """Train on rows whose classes are numbered 0 .. classes-1. `total` is the sum of the rows' weights.

        `began` is when the clock of max_seconds started, if not now.
        """
        if self.solver == "optimum":
            return train_to_optimum(
                rows,
                codes,
                classes,
                self.objective(total),
                joint=self.is_joint,
                weights=weights,
                tol=self.tol,
                max_iter=self.max_iter,
                max_seconds=self.recipe.stops.max_seconds,
                threads=threads,
                start=start,
                watch=watch,
                judge=judge,
                bookmark=bookmark,
                began=began,
            )
        shared: dict[str, Any] = {"weights": weights, "threads": threads, "start": start, "watch": watch}
        shared |= {"bookmark": bookmark, "began": began}
        shared |= {"multi_class": self.multi_class, "seed": seed, "trace": trace, "held_out": held_out}
        if self.solver is None:
            prove = partial(is_proved_inseparable, self.recipe.lifted(rows), bool(self.recipe.fit_intercept))
            shared["weights"] = self._relative(weights)
            learned = train(rows, codes, classes, self.recipe, is_inseparable=prove, **shared)
        else:
            shared |= {"eta0": self.eta0, "total": total}
            learned = descend(rows, codes, classes, self.recipe, self.objective(total), self.solver, **shared)
        return replace(learned, joint=self.is_joint)
