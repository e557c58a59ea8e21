"""The classifiers and parameters that the lab offers. Menus, URLs, request checks and the snippet read this registry.

It is made from the classifiers: their signatures name the parameters, their docstrings list the members of a part that
they take, and the parts hold the rules. So a new classifier or part appears here without a change.
"""

import re
from collections.abc import Mapping
from functools import cache
from inspect import getdoc, signature
from typing import Any, NamedTuple

from .. import classifiers
from ..classifiers.docstrings import paragraphs
from ..classifiers.linear import LinearClassifier
from ..parts.catalogue import ALGORITHMS, CLASS_NAMES, VOTING_NAMES
from ..parts.features import FEATURES
from ..parts.keeps import KEEPS
from ..parts.losses import LOSSES
from ..parts.orders import ORDERS
from ..parts.part import Part
from ..parts.penalties import PENALTIES
from ..parts.steps import STEPS
from ..parts.stops import CRITERIA
from ..solvers.defaults import MULTI_CLASS, SOLVERS

PART_MEMBERS: Mapping[str, Mapping[str, Part]] = {
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
NUMERIC_PARAMETERS = ("eta0", "C", "alpha", "tol", "max_iter", "n_iter_no_change", "intercept_scaling", "random_state")
HIDDEN_PARAMETERS = (
    *("class_weight", "warm_start", "n_jobs", "verbose", "max_seconds", "early_stopping", "validation_fraction"),
    *("cache_size", "calibration", "l1_ratio", "encode", "bounds"),
)
# A kernel matrix cannot be placed as points, a vote has no plane to draw, and penalties that need "optimum" have no
# single moves to show.
UNSUPPORTED_MEMBERS = ("precomputed", "jeffreys", "l1", "elasticnet", "vote")
EXTRA_MEMBERS = {"polynomial-2": ("polynomial-3", "polynomial-4")}  # members that a docstring names by one example
INTEGER_PARAMETERS = ("max_iter", "n_iter_no_change", "random_state")
PARAMETER_LIMITS = {"max_iter": 1000, "random_state": 2**31 - 2, "n_iter_no_change": 1000}
LAB_DEFAULTS = {"max_iter": 100, "random_state": 0, "solver": "sgd"}  # short, repeatable, traceable runs


class Parameter(NamedTuple):
    """One control of the page. `kind` is "choice" (`options` maps each to its rule), "number", "whole" or "switch".

    An `optional` parameter may be None: the classifier then chooses its value. `most` is the largest value allowed.
    """

    name: str
    kind: str
    default: Any
    optional: bool
    options: dict[str, str]
    help: str
    most: float | None = None


class ClassifierEntry(NamedTuple):
    """A classifier and the parameters that the lab offers for it."""

    name: str
    rule: str
    parameters: dict[str, Parameter]

    def make(self, given: Mapping[str, Any]) -> LinearClassifier:
        """The classifier with the lab's defaults and the given parameters."""
        defaults = {parameter.name: parameter.default for parameter in self.parameters.values()}
        model: LinearClassifier = getattr(classifiers, self.name)(**{**defaults, **given})
        return model


@cache
def classifier_entries() -> dict[str, ClassifierEntry]:
    """All classifiers that the lab can trace, by name.

    >>> list(classifier_entries())[:2]
    ['Perceptron', 'AveragedPerceptron']
    >>> sorted(classifier_entries()["PassiveAggressive"].parameters["step"].options)
    ['pa', 'pa1', 'pa2']
    """
    rules = {algorithm.class_name: algorithm.rule for algorithm in ALGORITHMS.values()}
    return {name: _entry(name, rules.get(name)) for name in CLASS_NAMES if name not in VOTING_NAMES}


def _entry(name: str, rule: str | None) -> ClassifierEntry:
    classifier = getattr(classifiers, name)
    rule = rule or (getdoc(classifier) or name).splitlines()[0].rstrip(".")
    paragraph = _parameter_paragraphs(classifier)
    offered = [one for one in signature(classifier).parameters.values() if one.name not in HIDDEN_PARAMETERS]
    found = (_parameter(one.name, one.default, paragraph.get(one.name, "")) for one in offered)
    return ClassifierEntry(name, rule, {one.name: one for one in found if one is not None})


def _parameter_paragraphs(classifier: type) -> dict[str, str]:
    """The paragraph about each parameter in a classifier's docstring."""
    section = re.search(r"^Parameters\n-+\n(.*?)\n\n", getdoc(classifier) or "", re.DOTALL | re.MULTILINE)
    return paragraphs(section[1]) if section else {}


def _parameter(name: str, default: Any, paragraph: str) -> Parameter | None:
    """A parameter from its paragraph in the docstring; None if the lab has no control for its type."""
    heading, _, text = paragraph.partition("\n")
    optional = default is None or heading.endswith("or None")
    default, help_text = LAB_DEFAULTS.get(name, default), _first_sentence(text)
    braces = re.search(r"\{(.*)\}", heading)
    if braces:
        return Parameter(name, "choice", default, optional, _options(name, braces[1]), help_text)
    if isinstance(default, bool) or re.search(r": bool\b", heading):
        return Parameter(name, "switch", default, optional, {}, help_text)
    if name in NUMERIC_PARAMETERS or isinstance(default, int | float) or re.search(r": (int|float)\b", heading):
        kind = "whole" if name in INTEGER_PARAMETERS or heading.startswith(f"{name} : int") else "number"
        optional = optional and name not in LAB_DEFAULTS
        return Parameter(name, kind, default, optional, {}, help_text, PARAMETER_LIMITS.get(name))
    return None


def _options(name: str, listed: str) -> dict[str, str]:
    """The members that a docstring lists in braces, each with its rule."""
    parts, options = PART_MEMBERS.get(name, {}), {}
    for member in re.findall(r'"([^"]+)"', listed):
        if member in UNSUPPORTED_MEMBERS:
            continue
        options[member] = rule = parts[member].rule if member in parts else ""
        options |= {other: rule.replace("2", other[-1]) for other in EXTRA_MEMBERS.get(member, ())}
    return options


def _first_sentence(text: str) -> str:
    """The first sentence of a docstring's paragraph, without backquotes.

    >>> _first_sentence("  The step,\\n  or so. More.")
    'The step, or so.'
    """
    return re.split(r"(?<=[.;]) ", " ".join(text.split()))[0].replace("`", "").replace(";", ".")


def registry_content() -> list[dict[str, Any]]:
    """The registry as JSON content."""
    return [_entry_content(entry, list(entry.parameters.values())) for entry in classifier_entries().values()]


def table_registry_content() -> list[dict[str, Any]]:
    """The classifiers for tables as JSON content, with their own defaults: what `rosenblatt train` offers."""
    automatic = {"name": "auto", "rule": "what rosenblatt train chooses for this table", "parameters": []}
    names = [algorithm.class_name for algorithm in ALGORITHMS.values()]
    entries = {name: entry for name, entry in classifier_entries().items() if name in names}
    return [automatic, *(_entry_content(entry, _own_defaults(entry)) for entry in entries.values())]


def _own_defaults(entry: ClassifierEntry) -> list[Parameter]:
    defaults = signature(getattr(classifiers, entry.name)).parameters
    named = [parameter for parameter in entry.parameters.values() if parameter.name != "random_state"]
    return [parameter._replace(default=defaults[parameter.name].default) for parameter in named]


def _entry_content(entry: ClassifierEntry, parameters: list[Parameter]) -> dict[str, Any]:
    return {"name": entry.name, "rule": entry.rule, "parameters": [parameter._asdict() for parameter in parameters]}
