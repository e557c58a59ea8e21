"""What the penalised classifiers share: an objective, a choice of solvers, and attributes that prove the result."""

from dataclasses import replace
from math import isnan
from operator import attrgetter
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from ..engine.class_problems import ClassProblem
from ..engine.result import TrainingResult
from ..engine.stream import Stream
from ..foundation.collinear_columns import ADVICE as COLLINEAR_ADVICE
from ..foundation.collinear_columns import CollinearColumns
from ..parts.features import IDENTITY, as_features
from ..parts.recipe import Recipe
from ..parts.sklearn_names import our_value, our_values
from ..solvers.defaults import resolve_multi_class, row_step
from ..solvers.penalised_plan import DEFAULTS, PARAMETERS, penalised_plan, plan_of_values
from ..solvers.separation_check import kind_of_separation
from ..solvers.training_plan import TrainingPlan
from .encoded_tables import REFERENCE_LEVEL_ADVICE
from .linear import LinearClassifier
from .messages import ENDINGS_WITH_ADVICE, kind_of_planes, warn_of_descent
from .strength_search import AUTO, TunedStrength, check_auto, choose_strength, clock_start
from .training_problem import TrainingProblem

values_of = attrgetter(*PARAMETERS)


def can_stream(model: "PenalisedClassifier") -> bool:
    """Whether partial_fit is available: it needs solver="sgd", and a penalty that does not count rows."""
    if model.solver == "sgd" and model.penalty == "l2" and model.alpha is not None:
        return True  # the usual case, decided for every row of a stream
    if model.solver != "sgd":
        raise AttributeError("partial_fit takes rows one after the other: set solver='sgd'.")
    if model.penalty == "jeffreys":
        raise AttributeError(f"partial_fit does not go with penalty={model.penalty!r}, which needs all rows at once.")
    if our_values({"C": model.C, "penalty": model.penalty})["penalty"] is not None and model.alpha is None:
        raise AttributeError("partial_fit needs alpha, or penalty=None: C counts all rows, and a stream has no end.")
    return True


class PenalisedClassifier(TunedStrength, LinearClassifier):
    """Minimises C sum_i s_i loss_i + 1/2 ||w||^2. Abstract: a named classifier picks the loss and the defaults."""

    algorithm: str  # its name in the catalogue, which offers its losses
    solver: str
    penalty: str | None
    l1_ratio: float | None
    # None leaves a choice to the solver.
    C: float | str | None  # type: ignore[assignment]
    alpha: float | None  # type: ignore[assignment]
    tol: float | None  # type: ignore[assignment]
    max_iter: int | None  # type: ignore[assignment]
    order: str | None  # type: ignore[assignment]
    step: str | None  # type: ignore[assignment]
    eta0: float | None  # type: ignore[assignment]
    keep: str | None  # type: ignore[assignment]
    criterion: str | None  # type: ignore[assignment]
    bounds: Any
    early_stopping: bool
    validation_fraction: float

    # Training

    def _prepared(self, problem: TrainingProblem) -> TrainingProblem:
        if self.C == AUTO:
            return choose_strength(self, problem)
        return (
            problem.hold_out(self.validation_fraction, as_features(self.features)) if self.early_stopping else problem
        )

    def _train(self, problem: TrainingProblem, **how: Any) -> TrainingResult:
        plan, intercept, features = problem.plan, bool(self.fit_intercept), as_features(self.features)
        if how["trace"] and plan.solver == "optimum":
            raise ValueError("trace=True does not go with solver='optimum': choose 'sgd' or 'gd' to follow every move.")
        try:

            def judge(planes: ClassProblem) -> str:
                return kind_of_separation(problem.data.X, intercept, planes, features=features)

            how["began"] = clock_start(problem, how.get("began"))
            learned = super()._train(problem, **how, held_out=problem.held_out, judge=judge)
        except CollinearColumns as error:
            advice = COLLINEAR_ADVICE if problem.data.encoder is None else REFERENCE_LEVEL_ADVICE
            raise error.named(self._column_names(problem), advice) from None
        if problem.tuning is not None:
            cut = learned.interrupted or problem.tuning.ended == "interrupted"
            learned = replace(learned, tuning=problem.tuning, interrupted=cut)
        if learned.trace is not None and problem.kept is not None:
            learned.trace["row"][:] = np.where(learned.trace["row"] < 0, -1, problem.kept[learned.trace["row"]])
        return learned

    def _column_names(self, problem: TrainingProblem) -> list[str] | None:
        """The names of the columns that the solver sees; None for plain columns without names."""
        features, names = as_features(self.features), problem.data.names
        known = None if names is None else [str(name) for name in names]
        return None if known is None and features == IDENTITY else features.named(problem.data.columns, known)

    def _sees_all_rows(self, recipe: Recipe) -> bool:
        return False

    def _warn(self, learned: TrainingResult, recipe: Recipe, weighted: bool) -> None:
        if learned.status.reason in ENDINGS_WITH_ADVICE:
            solver = our_value("solver", self.solver)
            warn_of_descent(type(self).__name__, learned.status, solver, kind_of_planes(learned))

    @available_if(can_stream)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit each row once, in the order given. Call again as more rows arrive.

        Available with `solver="sgd"` and `alpha` or `penalty=None`. The first call's rows set an `eta0` of None.
        See `Perceptron.partial_fit`.
        """
        if self.early_stopping:
            raise ValueError(
                "partial_fit does not go with early_stopping=True: it visits every row and holds out none; set "
                "early_stopping=False."
            )
        return super().partial_fit(X, y, classes, sample_weight)

    def _new_stream(self, data: Any) -> Stream:
        recipe = replace(self._recipe(), alpha=self.alpha or 0.0)
        if self.eta0 is None:
            recipe = replace(recipe, eta0=row_step(data.rows, data.weights, recipe))
        return Stream(recipe, data.rows.columns, self._multi_class(), self._seed(), data.label_form)

    def _is_recipe_of(self, stream: Stream) -> bool:
        """Unchanged parameters are known again: to make the recipe takes longer than to learn from a row."""
        given = self._given()
        if stream.parameters != given and self._makes_recipe_of(stream):
            stream.parameters = given
        return stream.parameters == given

    def _makes_recipe_of(self, stream: Stream) -> bool:
        wanted = replace(self._recipe(), alpha=self.alpha or 0.0, stops=stream.recipe.stops)
        if self.eta0 is None:
            wanted = replace(wanted, eta0=stream.recipe.eta0)
        return wanted == stream.recipe and self._multi_class() == ("joint" if stream.joint else "ovr")

    # What was learned

    @property
    def objective_(self) -> float:
        return self._proof("objective_", "objective", "after fit")

    @property
    def gradient_norm_(self) -> float:
        return self._proof("gradient_norm_", "gradient_norm", "after solver='optimum' with a smooth loss")

    @property
    def duality_gap_(self) -> float:
        when = "after solver='optimum' with loss='hinge', or with penalty='l1' or 'elasticnet'"
        return self._proof("duality_gap_", "duality_gap", when)

    def _proof(self, name: str, field: str, when: str) -> float:
        value = float(getattr(self._fitted(name), field, np.nan))
        if isnan(value):
            raise AttributeError(f"there is no {name}: it is there {when}.")
        return value

    # Parameters

    def _plan(self) -> TrainingPlan:
        if self.C != AUTO:
            return plan_of_values(self.algorithm, values_of(self))
        plan = penalised_plan(self.algorithm, **self._given())
        check_auto(plan)
        return plan

    def _given(self) -> dict[str, Any]:
        """The parameters of the plan. A C of "auto" is chosen once the rows are known."""
        given = {"loss": self.loss, **{name: getattr(self, name) for name in DEFAULTS}}
        return given | ({"C": None} if self.C == AUTO else {})

    def _multi_class(self) -> str:
        return resolve_multi_class(self.multi_class, self.loss, self.solver)

    def _recipe(self) -> Recipe:
        """The recipe of the plan. Its alpha and eta0 are set when the rows are known."""
        return self._plan().recipe
