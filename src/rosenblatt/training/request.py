"""The user's request for a model of a table, checked before anything is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ..foundation.errors import InputError
from ..foundation.suggestions import closest_name, unknown_choice
from ..parts import catalogue
from ..parts.losses import LOSSES
from ..parts.recipe import Recipe
from ..parts.stops import Stops
from ..solvers.defaults import MULTI_CLASS, resolve_multi_class
from ..solvers.penalised_plan import DEFAULTS, penalised_plan
from ..solvers.training_plan import TrainingPlan
from ..tables.survey.table_task import SplitOptions
from .tuning_options import check_tuning

AUTO = "auto"

# The optimum of a table with more stored values takes seconds. With few columns a few epochs of SGD predict as well
# (census_income_kdd: 95.3 % either way, in 0.3 s instead of 1.1 s), with the many columns of words they do not (IMDB:
# 87.5 % instead of 88.9 %). Three or more classes use the averaged perceptron (MNIST: 92.5 % in 2 s, not 60 s).
MAX_OPTIMUM_VALUES, MIN_TEXT_COLUMNS = 3_000_000, 5_000

# Tables of at most so many stored values, times the classes where these are joint, go to the optimum. On one core that
# took 0.4 s instead of 0.09 s for 6,000 rows of 26 classes and 16 columns (2.5 million), 0.07 s instead of 0.03 s for
# 100,000 x 30 of two classes. Larger ones named by the user stop at these shares of the first gradient or of the
# objective.
EARLY_TOLERANCE = {"newton": 0.1, "dual": 0.01}
SGD_EPOCHS, JOINT_EPOCHS = 3, 20
TEXT_PARAMETERS = {"C": 0.3, "keep": "average", "max_iter": 5}  # docs/decisions/0014-text-defaults.md has the figures
WITH_MARGIN = ("perceptron", "alma")  # algorithms whose margin can be chosen
OF_CLASSIFIERS = {  # parameters for arrays, and what a table has instead
    "calibration": "the model of a table is calibrated without it.",
    "encode": "the columns of a table are encoded without it.",
}
AGGRESSIVE = ("passive-aggressive", "second-order", "arow")  # algorithms whose C bounds each step
STOPS = tuple(field.name for field in fields(Stops))
RECIPE_PARAMETERS = tuple(
    field.name for field in fields(Recipe) if field.name not in ("loss", "alpha", "l1_ratio", "stops")
)


@dataclass(frozen=True, kw_only=True)
class Request(SplitOptions):
    """What to learn, from which rows, and by which classifier. `parameters` are the classifier's own."""

    target: str | None = None
    algorithm: str = AUTO
    parameters: Mapping[str, Any] = field(default_factory=dict)
    multi_class: str | None = None
    class_weight: Mapping[str, float] | str | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in (AUTO, *catalogue.ALGORITHMS):
            raise InputError(unknown_choice("algorithm", self.algorithm, (AUTO, *catalogue.ALGORITHMS)))
        if self.multi_class not in (None, *MULTI_CLASS):
            raise InputError(unknown_choice("multi_class", self.multi_class, MULTI_CLASS))
        if not 0 <= self.test_fraction < 1:
            raise InputError(f"test_fraction must be at least 0 and below 1, not {self.test_fraction:g}.")
        if not 0 <= self.seed < 2**32:
            raise InputError(f"seed must be a whole number from 0 to {2**32 - 1}, not {self.seed}.")
        if self.folds is not None and self.folds < 2:
            raise InputError(f"folds must be a whole number of at least 2, not {self.folds}.")
        if self.folds is not None and self.split_column is not None:
            raise InputError("folds do not go with a split column, which says which rows to hold out: give one.")
        super().__post_init__()
        for column, why in ((self.target, "the target"), (self.split_column, "the split column")):
            if column is not None and (column in self.drop or column in self.kinds):
                raise InputError(
                    f"{column!r} is {why}, so it cannot be dropped or given a kind: remove one of the options."
                )
        if self.parameters.get("C") == "auto":
            raise InputError("C='auto' is for classifiers: for a table, tune=True chooses C.")
        if self.tune:
            check_tuning(self.tune, self.algorithm, self.parameters, self.early_stopping)
        self.plan(classes=2)

    @property
    def automatic(self) -> bool:
        """Whether the library chooses the classifier and its limits."""
        return self.algorithm == AUTO and "max_iter" not in self.parameters

    def plan(self, classes: int, stored: int = 0, columns: int = 1, texts: bool = False) -> "NamedPlan":
        """The plan for so many classes, and for a table of so many stored values and columns.

        `texts` says that all columns are words.
        """
        given = {key: value for key, value in self.parameters.items() if value is not None}
        large = stored * (classes if classes > 2 else 1) > MAX_OPTIMUM_VALUES
        chooses_penalty = bool(self.early_stopping or self.tune or {"C", "alpha", "solver", "tol"} & given.keys())
        name = self.algorithm
        if name == AUTO:
            name = self._automatic(classes > 2 and large, texts, chooses_penalty)
        suits: Mapping[str, Any] = {}  # what suits this table better than the algorithm's own defaults
        if texts and name == "passive-aggressive":
            suits = TEXT_PARAMETERS
        elif large and classes > 2 and name == "averaged" and "order" not in given:
            suits = {"max_iter": JOINT_EPOCHS}
        elif large and classes == 2 and name == "logistic" and columns < MIN_TEXT_COLUMNS and not chooses_penalty:
            suits = {"solver": "sgd", "max_iter": SGD_EPOCHS}
        multi_class = self.multi_class or ("auto" if classes > 2 else "ovr")
        try:
            plan = NamedPlan.of(name, {**suits, **given}, multi_class, self.early_stopping)
        except ValueError as error:
            raise InputError(str(error)) from None
        if classes == 2 and self.multi_class is None:  # a model of two classes says nothing about several
            plan = replace(plan, parameters={k: v for k, v in plan.parameters.items() if k != "multi_class"})
        return plan.stopped_early(classes) if large else plan

    def _automatic(self, large: bool, texts: bool, chooses_penalty: bool) -> str:
        """Logistic regression if it is fast, else an algorithm as accurate and faster; for texts a better one."""
        if self.parameters.get("order") is not None:
            return "averaged"
        if chooses_penalty:
            return "logistic"
        if texts:
            return "passive-aggressive"
        return "averaged" if large else "logistic"


@dataclass(frozen=True)
class NamedPlan(TrainingPlan):
    """The plan of a named algorithm, and the parameters that a model file keeps with it."""

    algorithm: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    early: bool = False  # stops before the optimum, because the table is large

    @classmethod
    def of(cls, name: str, parameters: Mapping[str, Any], multi_class: str, early_stopping: bool) -> "NamedPlan":
        """
        >>> NamedPlan.of("logistic", {"alpha": 0.1}, "ovr", False).solver
        'optimum'
        """
        if catalogue.ALGORITHMS[name].solver is None:
            recipe = _family_recipe(name, parameters)
            multi_class = resolve_multi_class(multi_class, recipe.loss)
            kept = {**parameters, "multi_class": multi_class}
            return cls(recipe, multi_class, algorithm=name, parameters=kept)
        _check_names(name, parameters, (*DEFAULTS, "loss"))
        given = {"loss": catalogue.ALGORITHMS[name].parts["loss"], **parameters, "multi_class": multi_class}
        given["solver"] = given.get("solver") or ("sgd" if early_stopping else "optimum")
        plan = penalised_plan(name, **given, early_stopping=early_stopping)
        kept = {**parameters, "multi_class": plan.multi_class}
        if plan.solver != "optimum":
            kept |= {"solver": plan.solver, **({"early_stopping": True} if early_stopping else {})}
        return cls(**vars(plan), algorithm=name, parameters=kept)

    def stopped_early(self, classes: int) -> "NamedPlan":
        """The plan for a large table: a solver whose optimum takes seconds stops before it, unless the user says when.

        The optimum of the hinge for two classes is always found: its solver is fast to the end.
        """
        method = LOSSES[self.recipe.loss].optimum
        fast = method == "dual" and (classes == 2 or not self.is_joint)
        if self.solver != "optimum" or method is None or fast or self.tol is not None:
            return self
        return replace(self, tol=EARLY_TOLERANCE[method], early=True)


def _family_recipe(name: str, parameters: Mapping[str, Any]) -> Recipe:
    strange = {"alpha", "solver", "loss"} & parameters.keys()
    if name not in AGGRESSIVE:
        strange |= {"C"} & parameters.keys()
    if strange:
        raise ValueError(
            f"{min(strange)} does not go with algorithm {name!r}, which has no penalty: choose 'logistic' or 'svm'."
        )
    known = [other for other in RECIPE_PARAMETERS if other != "margin" or name in WITH_MARGIN]
    _check_names(name, parameters, (*known, *STOPS))
    return catalogue.recipe(name, **parameters)


def _check_names(algorithm: str, parameters: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in parameters:
        if name not in known:
            options = sorted(field.name for field in fields(Request) if field.name != "parameters")
            close = closest_name(name, (*known, *options))
            advice = f"it has {', '.join(sorted(known))}." if close is None else f"did you mean {close!r}?"
            if name in options:
                advice = f"{name} is an option of its own."
            advice = OF_CLASSIFIERS.get(name, advice)
            raise ValueError(f"algorithm {algorithm!r} has no parameter {name!r}: {advice}")
