"""What rows that pass only once are learned by: the algorithms that can, and the options that need all rows."""

from dataclasses import replace
from typing import Any

from ... import _core
from ...engine.stream import Stream
from ...foundation.errors import InputError
from ...solvers.defaults import row_step
from ..request import AUTO, NamedPlan, Request

DEFAULTS = Request()
DEFAULT_ALPHA = 1e-6  # of a penalty that was left open: a stream has rows enough to do with little
NEED_ALL_ROWS = ("C", "max_iter", "tol", "n_iter_no_change", "criterion", "order", "solver", "features")


def option_needing_all_rows(request: Request) -> str | None:
    """The first option that can only be followed when all rows are there; None where rows may pass once.

    >>> option_needing_all_rows(Request(folds=5)), option_needing_all_rows(Request(algorithm="averaged"))
    ('folds', None)
    """
    for name in ("folds", "split_column", "early_stopping", "test_fraction"):
        if getattr(request, name) != getattr(DEFAULTS, name):
            return name
    if request.class_weight == "balanced":
        return "class_weight"
    if request.multi_class == "joint" and request.algorithm == "logistic":
        return "multi_class"
    for name in NEED_ALL_ROWS:
        given = request.parameters.get(name)
        if given is not None and not _goes_along(request, name, given):
            return name
    return None


def _goes_along(request: Request, name: str, given: Any) -> bool:
    aggressiveness = name == "C" and request.algorithm == "passive-aggressive"
    return aggressiveness or (name, given) in (("order", "cyclic"), ("solver", "sgd"), ("features", "identity"))


def plan_one_pass(request: Request, texts: bool) -> NamedPlan:
    """The algorithm, and its parts, that learn from each row once; `texts` says that all columns are words."""
    name = request.algorithm
    parameters = {key: value for key, value in request.parameters.items() if value is not None and key != "max_seconds"}
    if name == AUTO:
        name, chosen = _automatic(texts, parameters)
        parameters = {**chosen, **parameters}
    penalised = name in ("svm", "logistic")
    if penalised:
        parameters = {"alpha": DEFAULT_ALPHA, **parameters, "solver": "sgd"}
    joint = (request.multi_class or ("ovr" if name == "logistic" else "joint")) == "joint"
    try:
        return NamedPlan.of(name, parameters, "joint" if joint else "ovr", early_stopping=False)
    except ValueError as error:
        raise InputError(str(error)) from None


def _automatic(texts: bool, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Whatever predicted rows to come best, of what needs no step to be tuned."""
    if "alpha" in parameters:
        return "logistic", {}
    return ("passive-aggressive", {"C": 1.0, "keep": "average"}) if texts else ("averaged", {})


def start_stream(learner: NamedPlan, rows: _core.Rows, seed: int) -> Stream:
    """A stream that has seen nothing yet; where steps are left open they come from the first rows."""
    recipe = learner.recipe
    if learner.solver is not None:
        recipe = replace(recipe, alpha=learner.alpha or 0.0)
        if learner.eta0 is None:
            recipe = replace(recipe, eta0=row_step(rows, None, recipe))
    return Stream(recipe, rows.columns, learner.multi_class, seed)
