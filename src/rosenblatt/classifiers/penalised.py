"""What the penalised classifiers share: an objective, a choice of solvers, and attributes that prove the result."""

from dataclasses import replace
from functools import partial
from math import inf, isnan
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from ..engine.run import HeldOut, Trained
from ..engine.stream import Stream
from ..foundation.errors import TooLarge
from ..foundation.matrices import as_rows
from ..foundation.splitting import split
from ..foundation.threads import thread_count
from ..foundation.types import Floats
from ..parts.features import Features, chosen
from ..parts.losses import LOSSES
from ..parts.part import choose
from ..parts.penalties import PENALTIES
from ..parts.recipe import Recipe, positive, refuse
from ..parts.steps import PASSIVE_AGGRESSIVE, STEPS
from ..parts.stops import Stops
from ..solvers.defaults import SOLVERS, check_joint, row_step, suitable
from ..solvers.gradient_descent import descend, prepared
from ..solvers.objective import Objective, to_optimum
from ..solvers.separation_check import kind_of_separation
from .linear import MULTI_CLASS, Lesson, LinearClassifier
from .messages import Watcher, warn_of_descent

OPEN_STEPS = {name: part for name, part in STEPS.items() if name not in PASSIVE_AGGRESSIVE}
TINY, HUGE = 1e-150, 1e150  # C times the weight of the rows, whose squares are floats
DESCENTS_ONLY = ("order", "step", "eta0", "keep", "criterion")


def can_stream(model: "PenalisedClassifier") -> bool:
    """Rows that come one after the other need a solver that takes them so, and a penalty that does not count them."""
    if model.solver != "sgd":
        raise AttributeError("partial_fit takes rows one after the other: set solver='sgd'.")
    if model.penalty is not None and model.alpha is None:
        raise AttributeError("partial_fit needs alpha, or penalty=None: C counts all rows, and a stream has no end.")
    return True


class PenalisedClassifier(LinearClassifier):
    """Minimises C sum_i s_i loss_i + 1/2 ||w||^2. Abstract: a named classifier picks the loss and the defaults."""

    losses: tuple[str, ...]  # to choose from
    solver: str
    penalty: str | None
    # None leaves a choice to the solver.
    C: float | None  # type: ignore[assignment]
    alpha: float | None  # type: ignore[assignment]
    tol: float | None  # type: ignore[assignment]
    max_iter: int | None  # type: ignore[assignment]
    order: str | None  # type: ignore[assignment]
    step: str | None  # type: ignore[assignment]
    eta0: float | None  # type: ignore[assignment]
    keep: str | None  # type: ignore[assignment]
    criterion: str | None  # type: ignore[assignment]
    early_stopping: bool
    validation_fraction: float

    # Training

    def _train(self, recipe: Recipe, lesson: Lesson, trace: bool) -> Trained:
        watch = Watcher(type(self).__name__, recipe, self.verbose)
        if self.solver != "optimum":
            return self._descend(recipe, lesson, trace, watch)
        if trace:
            raise ValueError("trace=True does not go with solver='optimum': choose 'sgd' or 'gd' to follow every move.")
        data, classes, codes, weights = lesson
        return to_optimum(
            data.rows,
            codes,
            len(classes),
            self._objective(total_weight(lesson)),
            joint=self.multi_class == "joint",
            weights=weights,
            tol=self.tol,
            max_iter=self.max_iter,
            max_seconds=self.max_seconds,
            threads=thread_count(self.n_jobs),
            start=self._start(data, classes),
            watch=watch,
            judge=partial(kind_of_separation, data.X, bool(self.fit_intercept), features=chosen(self.features)),
        )

    def _descend(self, recipe: Recipe, lesson: Lesson, trace: bool, watch: Watcher) -> Trained:
        """By single rows or by all: the recipe's loop on the mean loss, whose penalty is alpha."""
        seed, held_out, numbers = self._seed(), None, None
        if self.early_stopping:
            lesson, held_out, numbers = parted(lesson, self.validation_fraction, seed, chosen(self.features))
        (data, classes, codes, weights), total = lesson, total_weight(lesson)
        learned = descend(
            data.rows,
            codes,
            len(classes),
            recipe,
            self._objective(total),
            self.solver,
            eta0=self.eta0,
            multi_class=self.multi_class,
            weights=weights,
            total=total,
            seed=seed,
            threads=thread_count(self.n_jobs),
            start=self._start(data, classes),
            trace=trace,
            watch=watch,
            held_out=held_out,
        )
        if learned.trace is not None and numbers is not None:
            learned.trace["row"][:] = np.where(learned.trace["row"] < 0, -1, numbers[learned.trace["row"]])
        return learned

    def _descent(self, recipe: Recipe, lesson: Lesson) -> tuple[Recipe, Floats | None]:
        """The recipe that the loop follows, alpha and eta0 put in, and how much each row weighs in it."""
        (data, classes, _, weights), total = lesson, total_weight(lesson)
        joint, threads = self.multi_class == "joint" and len(classes) > 2, thread_count(self.n_jobs)
        objective = self._objective(total)
        return prepared(data.rows, recipe, objective, self.solver, self.eta0, joint, weights, total, threads)

    def _sees_all_rows(self, recipe: Recipe) -> bool:
        return False

    def _warn(self, learned: Trained, recipe: Recipe, weighted: bool) -> None:
        warn_of_descent(type(self).__name__, learned.status, self.solver)

    @available_if(can_stream)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit each row once, in the order given; call again as more rows come.

        There with `solver="sgd"`, and `alpha` or `penalty=None`. Where `eta0` is None the first call's rows set it. See
        `Perceptron.partial_fit`.
        """
        return super().partial_fit(X, y, classes, sample_weight)

    def _new_stream(self, data: Any) -> Stream:
        recipe = replace(self._recipe(), alpha=self.alpha or 0.0)
        if self.eta0 is None:
            recipe = replace(recipe, eta0=row_step(data.rows, data.weights, recipe))
        return Stream(recipe, data.rows.columns, self.multi_class, self._seed())

    def _is_recipe_of(self, stream: Stream) -> bool:
        wanted = replace(self._recipe(), alpha=self.alpha or 0.0, stops=stream.recipe.stops)
        if self.eta0 is None:
            wanted = replace(wanted, eta0=stream.recipe.eta0)
        return wanted == stream.recipe and self.multi_class == ("joint" if stream.joint else "ovr")

    # What was learned

    @property
    def objective_(self) -> float:
        return self._proof("objective_", "objective", "after fit")

    @property
    def gradient_norm_(self) -> float:
        return self._proof("gradient_norm_", "gradient_norm", "after solver='optimum' with a smooth loss")

    @property
    def duality_gap_(self) -> float:
        return self._proof("duality_gap_", "duality_gap", "after solver='optimum' with loss='hinge'")

    def _proof(self, name: str, field: str, when: str) -> float:
        value = float(getattr(self._fitted(name), field, np.nan))
        if isnan(value):
            raise AttributeError(f"there is no {name}: it is there {when}.")
        return value

    # Parameters

    def _recipe(self) -> Recipe:
        """The recipe of a descent, or of what an optimum would be, refused if its parts do not go together.

        Its alpha and eta0 are put in when the rows are known.
        """
        choose("loss", self.loss, {name: LOSSES[name] for name in self.losses})
        choose("solver", self.solver, SOLVERS)
        choose("multi_class", self.multi_class, MULTI_CLASS)
        self._check_penalty()
        self._check_solver()
        stops = Stops(
            self._part("criterion", "gradient"),
            self._part("tol", 0.0),
            self._part("max_iter", 1),
            self.n_iter_no_change,
            self.max_seconds,
        )
        return Recipe(
            loss=self.loss,
            order=self._part("order", "batch"),
            step=self._part("step", "constant"),
            keep=self._part("keep", "last"),
            features=self.features,
            eta0=1.0 if self.eta0 is None else self.eta0,
            alpha=0.0 if self.penalty is None else 1.0,
            fit_intercept=true_or_false("fit_intercept", self.fit_intercept),
            intercept_scaling=self.intercept_scaling,
            penalize_intercept=true_or_false("penalize_intercept", self.penalize_intercept),
            stops=stops,
        )

    def _part(self, name: str, for_optimum: Any) -> Any:
        """A parameter as given, or what suits the solver."""
        value = getattr(self, name)
        if value is not None:
            return value
        if self.early_stopping and name in ("criterion", "tol"):
            return {"criterion": "loss", "tol": 1e-4}[name]
        return suitable(self.solver, self.loss).get(name, for_optimum)

    def _check_penalty(self) -> None:
        given = [name for name in ("C", "alpha") if getattr(self, name) is not None]
        for name in given:
            positive(name, getattr(self, name))
        if len(given) == 2:
            raise ValueError(
                f"C={self.C!r} and alpha={self.alpha!r} say the same thing, alpha = 1 / (C sum of weights): give one."
            )
        if self.penalty is None and given:
            raise ValueError(f"{given[0]} does not go with penalty=None: it is the strength of the penalty.")
        if self.penalty not in (None, *PENALTIES):
            raise ValueError(f"penalty must be {', '.join(map(repr, PENALTIES))} or None, not {self.penalty!r}.")

    def _check_solver(self) -> None:
        true_or_false("early_stopping", self.early_stopping)
        if self.solver == "optimum":
            if self.loss == "hinge" and self.penalty is None:
                raise ValueError(
                    "penalty=None does not go with solver='optimum' for the hinge loss, which has no one optimum: "
                    "choose 'sgd' or 'gd', or a penalty."
                )
            given = [name for name in DESCENTS_ONLY if getattr(self, name) is not None]
            if given or self.early_stopping:
                name = (given or ["early_stopping"])[0]
                raise ValueError(
                    f"{name}={getattr(self, name)!r} does not go with solver='optimum', which chooses its own way; "
                    "it is for 'sgd' and 'gd'."
                )
        if self.solver == "gd" and self.order is not None and self.order != "batch":
            refuse("order", self.order, "solver", self.solver, "gradient descent takes all rows at once")
        if self.solver == "sgd" and self.order == "batch":
            refuse("order", self.order, "solver", self.solver, "all rows at once are solver='gd'")
        if self.step is not None:
            choose("step", self.step, OPEN_STEPS)
        if self.multi_class == "joint":
            check_joint(self.loss, self.solver)
        if self.early_stopping:
            self._check_early_stopping()

    def _check_early_stopping(self) -> None:
        if self.criterion not in (None, "loss", "mistakes"):
            refuse("criterion", self.criterion, "early_stopping", "True", "the rows held out have a loss and mistakes")
        positive("validation_fraction", self.validation_fraction)
        if self.validation_fraction >= 1:
            raise ValueError(f"validation_fraction must be below 1, not {self.validation_fraction!r}.")

    def _objective(self, total: float) -> Objective:
        C = 1.0 if self.C is None else float(self.C)
        if self.alpha is not None:
            C = 1.0 / (float(self.alpha) * total)
        if self.penalty is None:
            C = inf
        elif not TINY < C * total < HUGE:
            given = f"C={self.C!r}" if self.alpha is None else f"alpha={self.alpha!r}"
            raise ValueError(f"{given} is too small or too large for sums with it: choose one nearer to 1.")
        return Objective(
            self.loss, C, bool(self.fit_intercept), float(self.intercept_scaling), bool(self.penalize_intercept)
        )


def true_or_false(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, not {value!r}.")
    return bool(value)


def total_weight(lesson: Lesson) -> float:
    with np.errstate(over="ignore"):
        total = float(lesson.data.rows.count if lesson.weights is None else lesson.weights.sum())
    if not np.isfinite(total):
        raise TooLarge
    return total


def parted(lesson: Lesson, fraction: float, seed: int, features: Features) -> tuple[Lesson, HeldOut, Any]:
    """Rows to learn from, rows held out (a share of each class), and the numbers of the former."""
    data, classes, codes, weights = lesson
    kept, out = split(codes, fraction, seed)
    if not len(out):
        raise ValueError(
            f"validation_fraction={fraction!r} of {len(codes)} rows holds out none of any class: raise it, "
            "or set early_stopping=False."
        )
    taken = data._replace(X=data.X[kept], rows=features.lifted(as_rows(data.X[kept])))
    held_out = HeldOut(features.lifted(as_rows(data.X[out])), codes[out], None if weights is None else weights[out])
    return Lesson(taken, classes, codes[kept], None if weights is None else weights[kept]), held_out, kept
