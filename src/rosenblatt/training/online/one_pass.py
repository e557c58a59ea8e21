"""The plan for rows that pass only once: the algorithms that allow it, and the options that need all rows."""

from dataclasses import replace
from typing import Any

from ... import _core
from ...engine.stream import Stream
from ...foundation.errors import InputError
from ...solvers.defaults import row_step
from ..request import AGGRESSIVE, AUTO, NamedPlan, Request

DEFAULTS = Request()
DEFAULT_ALPHA = 1e-6  # if the user gives none: a stream has so many rows that it needs little penalty
NEED_ALL_ROWS = ("C", "max_iter", "tol", "n_iter_no_change", "criterion", "order", "solver", "features")


def option_needing_all_rows(request: Request) -> str | None:
    """The first option that needs all rows at once; None if rows may pass once.

    >>> option_needing_all_rows(Request(folds=5)), option_needing_all_rows(Request(algorithm="averaged"))
    ('folds', None)
    """
    for name in ("tune", "folds", "split_column", "early_stopping", "test_fraction"):
        if getattr(request, name) != getattr(DEFAULTS, name):
            return name
    if request.class_weight == "balanced":
        return "class_weight"
    if request.multi_class == "joint" and request.algorithm == "logistic":
        return "multi_class"
    for name in NEED_ALL_ROWS:
        given = request.parameters.get(name)
        if given is not None and not _works_in_one_pass(request, name, given):
            return name
    return None


def _works_in_one_pass(request: Request, name: str, given: Any) -> bool:
    aggressiveness = name == "C" and request.algorithm in AGGRESSIVE
    return aggressiveness or (name, given) in (("order", "cyclic"), ("solver", "sgd"), ("features", "identity"))


def plan_one_pass(request: Request, texts: bool) -> NamedPlan:
    """The plan that learns from each row once; `texts` says that all columns are words."""
    name = request.algorithm
    parameters = {key: value for key, value in request.parameters.items() if value is not None and key != "max_seconds"}
    if name == AUTO:
        name, chosen = _automatic(texts, parameters)
        parameters = {**chosen, **parameters}
    penalised = name in ("svm", "logistic")
    if penalised:
        parameters = {"alpha": DEFAULT_ALPHA, **parameters, "solver": "sgd"}
    try:
        return NamedPlan.of(name, parameters, request.multi_class or "auto", early_stopping=False)
    except ValueError as error:
        raise InputError(str(error)) from None


def _automatic(texts: bool, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The algorithm with the best progressive accuracy among those without a step size to tune."""
    if "alpha" in parameters:
        return "logistic", {}
    return ("passive-aggressive", {"C": 1.0, "keep": "average"}) if texts else ("averaged", {})


def start_stream(plan: NamedPlan, rows: _core.Rows, seed: int) -> Stream:
    """A stream before its first row; a step size that the user leaves open comes from the first rows."""
    recipe = plan.recipe
    if plan.solver is not None:
        recipe = replace(recipe, alpha=plan.alpha or 0.0)
        if plan.eta0 is None:
            recipe = replace(recipe, eta0=row_step(rows, None, recipe))
    return Stream(recipe, rows.columns, plan.multi_class, seed)
