"""The one path from parameters to a solver: classifiers, tables and the command line all make a `TrainingPlan`.

A plan is a recipe and, for penalised losses, the solver that minimises the objective. `plan.train` runs it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from .. import _core
from ..engine.class_problems import ClassProblem
from ..engine.held_out import HeldOut
from ..engine.result import TrainingResult, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark
from ..engine.train import train
from ..foundation.types import Codes, Floats
from ..parts.recipe import Recipe
from .gradient_descent import descend, prepare_recipe
from .objective import Objective, to_optimum

SMALLEST, LARGEST = 1e-150, 1e150  # of C times the weight of all rows, so that its square is a float

Judge = Callable[
    [ClassProblem], str
]  # tells the kind of separation, where an unpenalised loss seems to have no optimum


@dataclass(frozen=True)
class TrainingPlan:
    """A recipe and how to train it. `solver` is None for the perceptron family, whose recipe is all there is.

    `C` or `alpha` is the strength of the penalty; both are None for C = 1. `eta0`, `tol` and `max_iter` are what the
    user gave; where they are None the solver chooses.
    """

    recipe: Recipe
    multi_class: str = "ovr"
    solver: str | None = None
    penalty: str | None = "l2"
    C: float | None = None
    alpha: float | None = None
    eta0: float | None = None
    tol: float | None = None
    max_iter: int | None = None

    @property
    def is_random(self) -> bool:
        """Whether training draws random numbers."""
        return self.solver != "optimum"

    def objective(self, total: float) -> Objective:
        """The objective for rows whose weights add up to `total`."""
        C = 1.0 if self.C is None else float(self.C)
        if self.alpha is not None:
            C = 1.0 / (float(self.alpha) * total)
        if self.penalty is None:
            C = inf
        elif not SMALLEST < C * total < LARGEST:
            given = f"C={self.C!r}" if self.alpha is None else f"alpha={self.alpha!r}"
            raise ValueError(f"{given} is too small or too large for sums with it: choose one nearer to 1.")
        recipe = self.recipe
        return Objective(
            recipe.loss,
            C,
            bool(recipe.fit_intercept),
            float(recipe.intercept_scaling),
            bool(recipe.penalize_intercept),
        )

    def loop(
        self, rows: _core.Rows, classes: int, weights: Floats | None, total: float, threads: int
    ) -> tuple[Recipe, Floats | None]:
        """The recipe that the training loop follows, with alpha and eta0 put in, and each row's weight in it."""
        if self.solver is None:
            return self.recipe, weights
        joint = self.multi_class == "joint" and classes > 2
        objective = self.objective(total)
        return prepare_recipe(rows, self.recipe, objective, self.solver, self.eta0, joint, weights, total, threads)

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
        judge: Judge | None = None,
        bookmark: Bookmark = NO_BOOKMARK,
    ) -> TrainingResult:
        """Train on rows whose classes are numbered 0 .. classes-1. `total` is the sum of the rows' weights."""
        if self.solver == "optimum":
            return to_optimum(
                rows,
                codes,
                classes,
                self.objective(total),
                joint=self.multi_class == "joint",
                weights=weights,
                tol=self.tol,
                max_iter=self.max_iter,
                max_seconds=self.recipe.stops.max_seconds,
                threads=threads,
                start=start,
                watch=watch,
                judge=judge,
                bookmark=bookmark,
            )
        if self.solver is None:
            return train(
                rows,
                codes,
                classes,
                self.recipe,
                multi_class=self.multi_class,
                weights=weights,
                seed=seed,
                threads=threads,
                start=start,
                trace=trace,
                watch=watch,
                held_out=held_out,
                bookmark=bookmark,
            )
        return descend(
            rows,
            codes,
            classes,
            self.recipe,
            self.objective(total),
            self.solver,
            eta0=self.eta0,
            multi_class=self.multi_class,
            weights=weights,
            total=total,
            seed=seed,
            threads=threads,
            start=start,
            trace=trace,
            watch=watch,
            held_out=held_out,
            bookmark=bookmark,
        )
