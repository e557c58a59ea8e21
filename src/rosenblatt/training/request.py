"""What a model from a table should be: refused where it makes no sense, before anything is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..foundation.errors import InputError
from ..parts import catalogue as named
from ..parts.losses import LOSSES
from ..parts.part import choose
from ..parts.recipe import Recipe, positive
from ..parts.stops import Stops
from ..solvers.defaults import SOLVERS, check_joint, suitable
from ..tables.encode.column_options import ColumnOptions

AUTO = "auto"
MULTI_CLASS = ("ovr", "joint")
LOOSE = 0.1  # of the gradient at the start: nearer to the optimum no new row is predicted better

# Of a table with more numbers than LARGE the optimum takes seconds. Few columns are learned as well by SGD in a few
# epochs (census_income_kdd: 95.3 % either way, in 0.3 s rather than 1.1 s), but many, those of words, are not (IMDB:
# 87.5 % rather than 88.9 %). Three classes or more go to the averaged perceptron (MNIST: 92.5 % in 2 s, not 60 s).
LARGE, MANY = 3_000_000, 5_000
EPOCHS, JOINT_EPOCHS = 3, 20
FOR_TEXTS = {"C": 0.3, "keep": "average", "max_iter": 5}  # docs/decisions/0014-words.md has the figures
STOPS = ("criterion", "tol", "max_iter", "n_iter_no_change", "max_seconds")


@dataclass(frozen=True, kw_only=True)
class Request(ColumnOptions):
    """What to learn, from which rows, and by which classifier. `parameters` are the classifier's own."""

    target: str | None = None
    algorithm: str = AUTO
    parameters: Mapping[str, Any] = field(default_factory=dict)
    multi_class: str | None = None
    seed: int = 0
    class_weight: Mapping[str, float] | str | None = None
    early_stopping: bool = False
    test_fraction: float = 0.2
    folds: int | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in (AUTO, *named.ALGORITHMS):
            names = ", ".join(map(repr, (AUTO, *named.ALGORITHMS)))
            raise InputError(f"algorithm must be one of {names}, not {self.algorithm!r}.")
        if self.multi_class not in (None, *MULTI_CLASS):
            raise InputError(f"multi-class must be one of 'ovr', 'joint', not {self.multi_class!r}.")
        if not 0 <= self.test_fraction < 1:
            raise InputError(f"test-fraction must be at least 0 and below 1, not {self.test_fraction:g}.")
        if not 0 <= self.seed < 2**32:
            raise InputError(f"seed must be a whole number from 0 to {2**32 - 1}, not {self.seed}.")
        if self.folds is not None and self.folds < 2:
            raise InputError(f"folds must be a whole number of at least 2, not {self.folds}.")
        if self.folds is not None and self.split_column is not None:
            raise InputError("folds do not go with a split column, which says which rows to hold out: give one.")
        super().__post_init__()
        for column, why in ((self.target, "the target"), (self.split_column, "the split column")):
            if column is not None and (column in self.drop or column in self.kinds):
                raise InputError(f"{column!r} is {why}, so it is not dropped or given a kind: drop one of the options.")
        self.learner(classes=2)

    @property
    def automatic(self) -> bool:
        """Whether the classifier and its limits were left to us."""
        return self.algorithm == AUTO and "max_iter" not in self.parameters

    def learner(self, classes: int, stored: int = 0, columns: int = 1, texts: bool = False) -> "Learner":
        """The algorithm and its parts, for so many classes, and for a table of so many numbers and columns.

        `texts` says that all columns are words.
        """
        name, joint = self.algorithm, self.multi_class == "joint"
        parameters = {key: value for key, value in self.parameters.items() if value is not None}
        if name == AUTO:
            name, parameters = self._automatic(classes, stored, columns, texts, parameters)
            joint = classes > 2 if self.multi_class is None else joint
        multi_class = "joint" if joint else "ovr"
        try:
            return Learner.of(name, parameters, multi_class, self.early_stopping)
        except ValueError as error:
            raise InputError(str(error)) from None

    def _automatic(
        self, classes: int, stored: int, columns: int, texts: bool, parameters: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Logistic regression where it is quick, else what comes to the same sooner; for texts, what does better."""
        if "order" in parameters:
            return "averaged", parameters
        if {"C", "alpha", "solver", "tol"} & parameters.keys() or self.early_stopping:
            return "logistic", parameters
        if texts:
            return "passive-aggressive", {**FOR_TEXTS, **parameters}
        if classes > 2 and stored * classes > LARGE:
            return "averaged", {"max_iter": JOINT_EPOCHS, **parameters}
        if stored > LARGE and columns < MANY:
            return "logistic", {"solver": "sgd", "max_iter": EPOCHS, **parameters}
        return "logistic", parameters


@dataclass(frozen=True)
class Learner:
    """A named algorithm with all its parts. `solver` is None for the perceptron family; C None where alpha is given."""

    algorithm: str
    recipe: Recipe
    solver: str | None
    C: float | None
    alpha: float | None
    eta0: float | None
    multi_class: str
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, name: str, parameters: Mapping[str, Any], multi_class: str, early_stopping: bool) -> "Learner":
        """
        >>> Learner.of("logistic", {"alpha": 0.1}, "ovr", False).solver
        'optimum'
        """
        _, parts, _, solver = named.ALGORITHMS[name]
        given: dict[str, Any] = {**parameters, "multi_class": multi_class}
        if solver is None:
            recipe = _family(name, parameters, early_stopping)
            return cls(name, recipe, None, None, None, None, multi_class, given)
        choice = dict(parameters)
        loss = choice.pop("loss", parts["loss"])
        choose(
            "loss",
            loss,
            {key: LOSSES[key] for key in (("logistic",) if name == "logistic" else ("hinge", "squared-hinge"))},
        )
        solver = choice.pop("solver", None) or ("sgd" if early_stopping else "optimum")
        choose("solver", solver, SOLVERS)
        C, alpha = choice.pop("C", None), choice.pop("alpha", None)
        for key, value in (("C", C), ("alpha", alpha)):
            if value is not None:
                positive(key, value)
        if C is not None and alpha is not None:
            raise ValueError(
                f"C={C:g} and alpha={alpha:g} say the same thing, alpha = 1 / (C sum of weights): give one."
            )
        if multi_class == "joint":
            check_joint(loss, solver)
        if solver == "optimum":
            return cls(name, _optimum(name, loss, choice, early_stopping), solver, C, alpha, None, multi_class, given)
        defaults = suitable(solver, loss)
        if early_stopping:
            given |= {"early_stopping": True}
            defaults |= {"criterion": "loss", "tol": 1e-4}
        chosen = {**defaults, **choice}
        stops = Stops(**{key: chosen.pop(key) for key in STOPS if key in chosen})
        recipe = Recipe(loss=loss, alpha=1.0, stops=stops, **{**chosen, "eta0": choice.get("eta0", 1.0)})
        return cls(name, recipe, solver, C, alpha, choice.get("eta0"), multi_class, {**given, "solver": solver})


def _family(name: str, parameters: Mapping[str, Any], early_stopping: bool) -> Recipe:
    strange = {"alpha", "solver", "loss"} & parameters.keys()
    if name != "passive-aggressive":
        strange |= {"C"} & parameters.keys()
    if strange:
        raise ValueError(
            f"{min(strange)} does not go with algorithm {name!r}, which has no penalty: choose 'logistic' or 'svm'."
        )
    return named.recipe(name, **parameters)


def _optimum(name: str, loss: str, choice: Mapping[str, Any], early_stopping: bool) -> Recipe:
    if early_stopping:
        raise ValueError("early stopping does not go with solver='optimum', which goes to the end: choose 'sgd'.")
    for key in ("order", "step", "eta0", "keep", "criterion"):
        if key in choice:
            raise ValueError(f"{key}={choice[key]!r} does not go with algorithm {name!r}, which finds its own way.")
    return named.recipe(name, **{**choice, "loss": loss})
