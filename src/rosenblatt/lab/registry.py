"""What can be chosen in the lab. Menus, URLs, checks of requests and the snippet all read this one registry.

It is made from the classifiers themselves: their signatures name the parameters, their docstrings say which members of
a part they take, and the parts have the rules. So a new classifier or a new part turns up here by itself.
"""

import re
from collections.abc import Mapping
from functools import cache
from inspect import getdoc, signature
from typing import Any, NamedTuple

from .. import classifiers
from ..classifiers.docstrings import paragraphs
from ..classifiers.linear import MULTI_CLASS, LinearClassifier
from ..parts.catalogue import ALGORITHMS, CLASS_NAMES
from ..parts.features import FEATURES
from ..parts.keeps import KEEPS
from ..parts.losses import LOSSES
from ..parts.orders import ORDERS
from ..parts.part import Part
from ..parts.penalties import PENALTIES
from ..parts.steps import STEPS
from ..parts.stops import CRITERIA
from ..solvers.defaults import SOLVERS

MEMBERS: Mapping[str, Mapping[str, Part]] = {
    "loss": LOSSES,
    "penalty": PENALTIES,
    "order": ORDERS,
    "step": STEPS,
    "keep": KEEPS,
    "criterion": CRITERIA,
    "features": FEATURES,
    "solver": SOLVERS,
    "multi_class": MULTI_CLASS,
}
NUMBERS = ("eta0", "C", "alpha", "tol", "max_iter", "n_iter_no_change", "intercept_scaling", "random_state")
HIDDEN = (
    *("class_weight", "warm_start", "n_jobs", "verbose", "max_seconds", "early_stopping", "validation_fraction"),
    "cache_size",
)
UNSUITABLE = ("precomputed",)  # members that need more than points
OTHERS = {"polynomial-2": ("polynomial-3", "polynomial-4")}  # members that a docstring has by one of their numbers
WHOLE = ("max_iter", "n_iter_no_change", "random_state")
LIMITS = {"max_iter": 1000, "random_state": 2**31 - 2, "n_iter_no_change": 1000}
HERE = {"max_iter": 100, "random_state": 0, "solver": "sgd"}  # defaults that suit a page: short, repeatable, traceable


class Parameter(NamedTuple):
    """One control: a choice (`options`, each with its rule), a number or a switch. None, where it may be, is open."""

    name: str
    kind: str
    default: Any
    optional: bool
    options: dict[str, str]
    help: str
    most: float | None = None


class Learner(NamedTuple):
    """A classifier, and what can be chosen for it."""

    name: str
    rule: str
    parameters: dict[str, Parameter]

    def make(self, given: Mapping[str, Any]) -> LinearClassifier:
        """The classifier with its defaults here, and what was given."""
        defaults = {parameter.name: parameter.default for parameter in self.parameters.values()}
        model: LinearClassifier = getattr(classifiers, self.name)(**{**defaults, **given})
        return model


@cache
def learners() -> dict[str, Learner]:
    """All classifiers that can be followed, by name.

    >>> list(learners())[:2]
    ['Perceptron', 'AveragedPerceptron']
    >>> sorted(learners()["PassiveAggressive"].parameters["step"].options)
    ['pa', 'pa1', 'pa2']
    """
    rules = {algorithm.class_name: algorithm.rule for algorithm in ALGORITHMS.values()}
    return {name: _learner(name, rules.get(name)) for name in CLASS_NAMES}


def _learner(name: str, rule: str | None) -> Learner:
    classifier = getattr(classifiers, name)
    rule = rule or (getdoc(classifier) or name).splitlines()[0].rstrip(".")
    told = _told(classifier)
    shown = (parameter for parameter in signature(classifier).parameters.values() if parameter.name not in HIDDEN)
    found = (_parameter(one.name, one.default, told.get(one.name, "")) for one in shown)
    return Learner(name, rule, {one.name: one for one in found if one is not None})


def _told(classifier: type) -> dict[str, str]:
    """The paragraph about each parameter in a classifier's docstring."""
    section = re.search(r"^Parameters\n-+\n(.*?)\n\n", getdoc(classifier) or "", re.DOTALL | re.MULTILINE)
    return paragraphs(section[1]) if section else {}


def _parameter(name: str, default: Any, paragraph: str) -> Parameter | None:
    heading, _, text = paragraph.partition("\n")
    optional = default is None or heading.endswith("or None")
    default, help_text = HERE.get(name, default), _first_sentence(text)
    braces = re.search(r"\{(.*)\}", heading)
    if braces:
        rules = MEMBERS.get(name, {})
        members = [member for member in re.findall(r'"([^"]+)"', braces[1]) if member not in UNSUITABLE]
        options = {}
        for member in members:
            rule = rules[member].rule if member in rules else ""
            options[member] = rule
            options |= {other: rule.replace("2", other[-1]) for other in OTHERS.get(member, ())}
        return Parameter(name, "choice", default, optional, options, help_text)
    if isinstance(default, bool) or re.search(r": bool\b", heading):
        return Parameter(name, "switch", default, optional, {}, help_text)
    if name in NUMBERS or isinstance(default, int | float) or re.search(r": (int|float)\b", heading):
        whole = name in WHOLE or heading.startswith(f"{name} : int")
        optional = optional and name not in HERE
        return Parameter(name, "whole" if whole else "number", default, optional, {}, help_text, LIMITS.get(name))
    return None


def _first_sentence(text: str) -> str:
    """
    >>> _first_sentence("  The step,\\n  or so. More.")
    'The step, or so.'
    """
    return re.split(r"(?<=[.;]) ", " ".join(text.split()))[0].replace("`", "").replace(";", ".")


def as_content() -> list[dict[str, Any]]:
    """The registry as plain content for JSON."""
    return [
        {
            "name": learner.name,
            "rule": learner.rule,
            "parameters": [parameter._asdict() for parameter in learner.parameters.values()],
        }
        for learner in learners().values()
    ]
