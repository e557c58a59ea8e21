"""The user's request for a model of a table, checked before anything is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ..foundation.errors import InputError
from ..foundation.suggestions import closest_name, unknown_choice
from ..parts import catalogue
from ..parts.recipe import Recipe
from ..parts.stops import Stops
from ..solvers.penalised_plan import DEFAULTS, penalised_plan
from ..solvers.training_plan import TrainingPlan
from ..tables.survey.table_task import SplitOptions

AUTO = "auto"
MULTI_CLASS = ("ovr", "joint")
LOOSE_TOLERANCE = 0.1  # of the gradient at the start; a smaller one predicts new rows no better

# The optimum of a table with more stored values takes seconds. With few columns a few epochs of SGD predict as well
# (census_income_kdd: 95.3 % either way, in 0.3 s instead of 1.1 s), with the many columns of words they do not (IMDB:
# 87.5 % instead of 88.9 %). Three or more classes use the averaged perceptron (MNIST: 92.5 % in 2 s, not 60 s).
MAX_OPTIMUM_VALUES, MIN_TEXT_COLUMNS = 3_000_000, 5_000
SGD_EPOCHS, JOINT_EPOCHS = 3, 20
TEXT_PARAMETERS = {"C": 0.3, "keep": "average", "max_iter": 5}  # docs/decisions/0014-text-defaults.md has the figures
STOPS = tuple(field.name for field in fields(Stops))
RECIPE_PARAMETERS = tuple(field.name for field in fields(Recipe) if field.name not in ("loss", "alpha", "stops"))


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
        self.plan(classes=2)

    @property
    def automatic(self) -> bool:
        """Whether the library chooses the classifier and its limits."""
        return self.algorithm == AUTO and "max_iter" not in self.parameters

    def plan(self, classes: int, stored: int = 0, columns: int = 1, texts: bool = False) -> "NamedPlan":
        """The plan for so many classes, and for a table of so many stored values and columns.

        `texts` says that all columns are words.
        """
        name, joint = self.algorithm, self.multi_class == "joint"
        parameters = {key: value for key, value in self.parameters.items() if value is not None}
        if name == AUTO:
            name, parameters = self._automatic(classes, stored, columns, texts, parameters)
            joint = classes > 2 if self.multi_class is None else joint
        multi_class = "joint" if joint else "ovr"
        try:
            return NamedPlan.of(name, parameters, multi_class, self.early_stopping)
        except ValueError as error:
            raise InputError(str(error)) from None

    def _automatic(
        self, classes: int, stored: int, columns: int, texts: bool, parameters: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Logistic regression if it is fast, else an algorithm as accurate and faster; for texts a better one."""
        if "order" in parameters:
            return "averaged", parameters
        if {"C", "alpha", "solver", "tol"} & parameters.keys() or self.early_stopping:
            return "logistic", parameters
        if texts:
            return "passive-aggressive", {**TEXT_PARAMETERS, **parameters}
        if classes > 2 and stored * classes > MAX_OPTIMUM_VALUES:
            return "averaged", {"max_iter": JOINT_EPOCHS, **parameters}
        if stored > MAX_OPTIMUM_VALUES and columns < MIN_TEXT_COLUMNS:
            return "logistic", {"solver": "sgd", "max_iter": SGD_EPOCHS, **parameters}
        return "logistic", parameters


@dataclass(frozen=True)
class NamedPlan(TrainingPlan):
    """The plan of a named algorithm, and the parameters that a model file keeps with it."""

    algorithm: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, parameters: Mapping[str, Any], multi_class: str, early_stopping: bool) -> "NamedPlan":
        """
        >>> NamedPlan.of("logistic", {"alpha": 0.1}, "ovr", False).solver
        'optimum'
        """
        kept = {**parameters, "multi_class": multi_class}
        if catalogue.ALGORITHMS[name].solver is None:
            return cls(_family_recipe(name, parameters), multi_class, algorithm=name, parameters=kept)
        _check_names(name, parameters, (*DEFAULTS, "loss"))
        given = {"loss": catalogue.ALGORITHMS[name].parts["loss"], **parameters, "multi_class": multi_class}
        given["solver"] = given.get("solver") or ("sgd" if early_stopping else "optimum")
        plan = penalised_plan(name, **given, early_stopping=early_stopping)
        if plan.solver != "optimum":
            kept |= {"solver": plan.solver, **({"early_stopping": True} if early_stopping else {})}
        return cls(**vars(plan), algorithm=name, parameters=kept)


def _family_recipe(name: str, parameters: Mapping[str, Any]) -> Recipe:
    strange = {"alpha", "solver", "loss"} & parameters.keys()
    if name != "passive-aggressive":
        strange |= {"C"} & parameters.keys()
    if strange:
        raise ValueError(
            f"{min(strange)} does not go with algorithm {name!r}, which has no penalty: choose 'logistic' or 'svm'."
        )
    _check_names(name, parameters, (*RECIPE_PARAMETERS, *STOPS))
    return catalogue.recipe(name, **parameters)


def _check_names(algorithm: str, parameters: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in parameters:
        if name not in known:
            options = sorted(field.name for field in fields(Request) if field.name != "parameters")
            close = closest_name(name, (*known, *options))
            advice = f"it has {', '.join(sorted(known))}." if close is None else f"did you mean {close!r}?"
            if name in options:
                advice = f"{name} is an option of its own."
            raise ValueError(f"algorithm {algorithm!r} has no parameter {name!r}: {advice}")
