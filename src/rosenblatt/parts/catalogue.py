"""The named algorithms and the parts that each one picks. `classifiers/` offers the same as scikit-learn classes.

Nothing here needs scikit-learn, nor NumPy until a recipe is made. A test holds every recipe equal to that of the
classifier it names.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

from ..foundation.suggestions import unknown_choice

if TYPE_CHECKING:
    from .recipe import Recipe


class Algorithm(NamedTuple):
    """A classifier's name, and where its recipe differs from the perceptron's."""

    class_name: str
    parts: Mapping[str, Any]
    rule: str
    solver: str | None = None  # for algorithms that minimise an objective


OPTIMUM: Mapping[str, Any] = {"alpha": 1.0, "order": "batch", "criterion": "gradient", "max_iter": 1}

ALGORITHMS = {
    "perceptron": Algorithm("Perceptron", {}, "moves at each mistake until none is left; for separable data"),
    "averaged": Algorithm(
        "AveragedPerceptron", {"keep": "average", "n_iter_no_change": 5}, "the mean of all weights met; steadier"
    ),
    "pocket": Algorithm(
        "PocketPerceptron",
        {"order": "random-mistake", "keep": "best", "n_iter_no_change": 100},
        "keeps the weights with the fewest mistakes",
    ),
    "passive-aggressive": Algorithm(
        "PassiveAggressive",
        {"loss": "hinge", "step": "pa1", "n_iter_no_change": 5},
        "the smallest step that gives each row a margin",
    ),
    "alma": Algorithm(
        "ALMA",
        {"step": "alma", "eta0": 2**0.5, "margin": 0.5, "n_iter_no_change": 5},
        "approaches the widest margin, up to a chosen share",
    ),
    "second-order": Algorithm(
        "SecondOrderPerceptron",
        {"step": "diagonal", "C": 0.5, "n_iter_no_change": 5},
        "smaller steps where mistakes have been corrected",
    ),
    "arow": Algorithm(
        "AROW",
        {"loss": "hinge", "step": "diagonal", "C": 0.5, "n_iter_no_change": 5},
        "smaller steps for weights that are better known; for one pass",
    ),
    "svm": Algorithm("LinearSVM", {"loss": "hinge", **OPTIMUM}, "the widest margin that a penalty allows", "optimum"),
    "logistic": Algorithm(
        "LogisticRegression", {"loss": "logistic", **OPTIMUM}, "classes with their probabilities", "optimum"
    ),
}

KERNEL_NAMES = ("KernelPerceptron",)  # classifiers that keep rows
VOTING_NAMES = ("VotedPerceptron",)  # classifiers that are no planes; they keep rows, too
CLASS_NAMES = (*(algorithm.class_name for algorithm in ALGORITHMS.values()), *KERNEL_NAMES, *VOTING_NAMES)


def recipe(name: str, **changes: Any) -> "Recipe":
    """The recipe of a named algorithm, with some parts or limits changed.

    >>> recipe("pocket", max_iter=20).keep
    'best'
    >>> recipe("pokket")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: algorithm must be one of 'perceptron', ..., 'logistic', not 'pokket': did you mean 'pocket'?
    """
    from .recipe import Recipe
    from .stops import Stops

    if name not in ALGORITHMS:
        raise ValueError(unknown_choice("algorithm", name, ALGORITHMS))
    if ALGORITHMS[name].solver == "optimum" and "order" in changes:
        raise ValueError(f"order={changes['order']!r} does not go with algorithm {name!r}, which finds its own way.")
    chosen = {**ALGORITHMS[name].parts, **changes}
    limits = {field.name: chosen.pop(field.name) for field in fields(Stops) if field.name in chosen}
    return Recipe(**chosen, stops=Stops(**limits))
