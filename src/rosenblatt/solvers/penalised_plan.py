"""The `TrainingPlan` of a penalised classifier, from its parameters. Contradictory parameters are refused."""

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

from ..parts.bounds import checked_bounds
from ..parts.losses import LOSSES, losses_of
from ..parts.parameter_checks import check_bool, check_positive, check_share, refuse_together
from ..parts.part import choose
from ..parts.penalties import PENALTIES, penalties_of
from ..parts.recipe import Recipe
from ..parts.sklearn_names import our_values
from ..parts.steps import SCHEDULES
from ..parts.stops import Stops
from .defaults import SOLVERS, default_parts, resolve_multi_class
from .training_plan import TrainingPlan

DESCENT_ONLY = ("order", "step", "eta0", "keep", "criterion")
EARLY_STOPPING: Mapping[str, Any] = {"criterion": "loss", "tol": 1e-4}
OPTIMUM: Mapping[str, Any] = {"criterion": "gradient", "tol": 0.0, "max_iter": 1, "order": "batch"}

# The default of each parameter. None leaves the choice to the solver.
DEFAULTS: Mapping[str, Any] = {
    **{"solver": "optimum", "penalty": "l2", "l1_ratio": None, "C": None, "alpha": None},
    **dict.fromkeys(("order", "step", "eta0", "keep", "criterion", "tol", "max_iter")),
    **{"n_iter_no_change": None, "max_seconds": None, "features": "identity", "multi_class": "auto"},
    **{"fit_intercept": True, "intercept_scaling": 1.0, "penalize_intercept": False},
    **{"early_stopping": False, "validation_fraction": 0.1, "bounds": None},
}
PARAMETERS = ("loss", *DEFAULTS)
BOUNDS = PARAMETERS.index("bounds")


def penalised_plan(algorithm: str, **parameters: Any) -> TrainingPlan:
    """The plan of the algorithm "svm" or "logistic" with these parameters.

    >>> penalised_plan("logistic", loss="logistic", alpha=0.1).solver
    'optimum'
    >>> penalised_plan("svm", loss="hinge", solver="gd", order="cyclic")
    Traceback (most recent call last):
        ...
    ValueError: order='cyclic' does not go with solver='gd': gradient descent takes all rows at once.
    """
    given = {**DEFAULTS, **parameters}
    return plan_of_values(algorithm, tuple(given[name] for name in PARAMETERS))


def plan_of_values(algorithm: str, values: tuple[Any, ...]) -> TrainingPlan:
    """The same plan from the value of each of `PARAMETERS`. It is made once: on small data checks take as long as fits.

    1 and True are equal and have one hash, so that a known plan is known by the types of its values, too.
    """
    if values[BOUNDS] is None:
        try:
            return _known_plan(algorithm, values, tuple(map(type, values)))
        except TypeError:  # of a parameter without a hash, which is refused by name, or of one that is refused
            pass
    return _make_plan(algorithm, values)


@lru_cache(maxsize=64)
def _known_plan(algorithm: str, values: tuple[Any, ...], types: tuple[type, ...]) -> TrainingPlan:
    return _make_plan(algorithm, values)


def _make_plan(algorithm: str, values: tuple[Any, ...]) -> TrainingPlan:
    given = our_values(dict(zip(PARAMETERS, values, strict=True)))
    choose("loss", given["loss"], losses_of(algorithm))
    choose("solver", given["solver"], SOLVERS)
    _check_penalty(given)
    _check_solver(given)
    if given["bounds"] is not None:
        _check_bounds(given)
    given["multi_class"] = _multi_class(given)
    limits = {field.name: _part(given, field.name) for field in fields(Stops)}
    recipe = Recipe(
        **{name: _part(given, name) for name in ("order", "step", "keep")},
        loss=given["loss"],
        features=given["features"],
        eta0=1.0 if given["eta0"] is None else given["eta0"],
        alpha=0.0 if given["penalty"] in (None, "jeffreys") else 1.0,
        l1_ratio=0.0 if given["solver"] == "optimum" else _l1_ratio(given),
        fit_intercept=check_bool("fit_intercept", given["fit_intercept"]),
        intercept_scaling=given["intercept_scaling"],
        penalize_intercept=check_bool("penalize_intercept", given["penalize_intercept"]),
        stops=Stops(**limits),
    )
    own = {name: given[name] for name in ("multi_class", "solver", "penalty", "C", "alpha", "eta0", "tol", "max_iter")}
    own |= {"l1_ratio": _l1_ratio(given), "bounds": checked_bounds(given["bounds"])}
    return TrainingPlan(recipe, **own)


def _multi_class(given: Mapping[str, Any]) -> str:
    """How several classes are trained. The joint hinge has no solver for an l1 penalty."""
    if _l1_ratio(given) and given["solver"] == "optimum" and LOSSES[given["loss"]].optimum == "dual":
        if given["multi_class"] == "joint":
            refuse_together("multi_class", "joint", "penalty", given["penalty"], "for the hinge choose 'ovr'")
        return resolve_multi_class("ovr", given["loss"], given["solver"])
    if given["bounds"] is not None:
        if given["multi_class"] == "joint":
            refuse_together("multi_class", "joint", "bounds", given["bounds"], "they are those of one plane a class")
        return "ovr"
    return resolve_multi_class(given["multi_class"], given["loss"], given["solver"])


def _check_bounds(given: Mapping[str, Any]) -> None:
    """Refuse what projected Newton steps cannot do."""
    bounds, penalty = given["bounds"], given["penalty"]
    if given["solver"] != "optimum":
        refuse_together("bounds", bounds, "solver", given["solver"], "solver='optimum' keeps them")
    if LOSSES[given["loss"]].optimum != "newton":
        refuse_together("bounds", bounds, "loss", given["loss"], "it has no gradient; choose loss='squared-hinge'")
    if penalty != "l2":
        refuse_together("bounds", bounds, "penalty", penalty, "they go with 'l2', however large C is")


def _part(given: Mapping[str, Any], name: str) -> Any:
    """The given part or limit, or the solver's default."""
    if given[name] is not None:
        return given[name]
    if given["early_stopping"] and name in EARLY_STOPPING:
        return EARLY_STOPPING[name]
    plain = {"step": "constant", "keep": "last", "n_iter_no_change": None, "max_seconds": None}
    sparse = {"keep": "last"} if _l1_ratio(given) else {}  # a mean of weights is seldom 0
    return {**plain, **OPTIMUM, **default_parts(given["solver"], given["loss"]), **sparse}[name]


def _check_penalty(given: Mapping[str, Any]) -> None:
    strengths = [name for name in ("C", "alpha") if given[name] is not None]
    for name in strengths:
        check_positive(name, given[name])
    if len(strengths) == 2:
        raise ValueError(
            f"C={given['C']!r} and alpha={given['alpha']!r} say the same thing, alpha = 1 / (C sum of weights): "
            "give one."
        )
    if given["penalty"] is None and strengths:
        raise ValueError(f"{strengths[0]} does not go with penalty=None: it is the strength of the penalty.")
    _check_name_of_penalty(given["penalty"], given["loss"])
    if given["penalty"] == "jeffreys":
        _check_jeffreys(given, strengths)
    if given["penalty"] in ("l1", "elasticnet") and given["solver"] == "gd":
        why = "a step along the mean gradient leaves no weight at exactly 0, which 'optimum' and 'sgd' do"
        refuse_together("penalty", given["penalty"], "solver", given["solver"], why)
    _check_l1_ratio(given["penalty"], given["l1_ratio"])


def _check_name_of_penalty(penalty: str | None, loss: str) -> None:
    known = penalties_of(loss)
    if penalty in (None, *known):
        return
    if penalty in PENALTIES:
        why = f"it is made for {' and '.join(map(repr, PENALTIES[penalty].losses))}"
        refuse_together("penalty", penalty, "loss", loss, why)
    raise ValueError(f"penalty must be {', '.join(map(repr, known))} or None, not {penalty!r}.")


def _check_l1_ratio(penalty: str | None, ratio: float | None) -> None:
    if penalty == "elasticnet":
        if ratio is None:
            raise ValueError("penalty='elasticnet' needs l1_ratio, the share of ||w||_1: a number from 0 to 1.")
        check_share("l1_ratio", ratio)
    elif ratio is not None:
        refuse_together("l1_ratio", ratio, "penalty", penalty, "it is the share of ||w||_1 in penalty='elasticnet'")


def _l1_ratio(given: Mapping[str, Any]) -> float:
    """The share of ||w||_1 in the penalty."""
    return {"l1": 1.0, "elasticnet": float(given["l1_ratio"] or 0.0)}.get(given["penalty"], 0.0)


def _check_jeffreys(given: Mapping[str, Any], strengths: list[str]) -> None:
    for name in strengths:
        refuse_together(name, given[name], "penalty", "jeffreys", "this penalty has no strength to choose")
    if given["solver"] != "optimum":
        why = "it needs the leverage of every row, which 'optimum' computes"
        refuse_together("penalty", "jeffreys", "solver", given["solver"], why)
    if given["penalize_intercept"]:
        refuse_together("penalize_intercept", True, "penalty", "jeffreys", "it looks at all weights together")


def _check_solver(given: Mapping[str, Any]) -> None:
    solver, order = given["solver"], given["order"]
    check_bool("early_stopping", given["early_stopping"])
    if solver == "optimum":
        _check_optimum(given)
    if solver == "gd" and order not in (None, "batch"):
        refuse_together("order", order, "solver", solver, "gradient descent takes all rows at once")
    if solver == "sgd" and order == "batch":
        refuse_together("order", order, "solver", solver, "all rows at once are solver='gd'")
    if given["step"] is not None:
        choose("step", given["step"], SCHEDULES)
    if given["early_stopping"]:
        _check_early_stopping(given)


def _check_optimum(given: Mapping[str, Any]) -> None:
    method = LOSSES[given["loss"]].optimum
    if method is None:
        refuse_together("loss", given["loss"], "solver", "optimum", "choose 'sgd' or 'gd', which train every loss")
    if method == "dual" and given["penalty"] is None:
        raise ValueError(
            "penalty=None does not go with solver='optimum' for the hinge loss, which has no one optimum: "
            "choose 'sgd' or 'gd', or a penalty."
        )
    known = PENALTIES[given["penalty"]].optimum_losses if given["penalty"] else (given["loss"],)
    if given["loss"] not in known:
        why = f"solver='optimum' finds it for {' and '.join(map(repr, known))}, solver='sgd' for every loss"
        refuse_together("penalty", given["penalty"], "loss", given["loss"], why)
    for name in (*DESCENT_ONLY, "early_stopping"):
        if given[name] not in (None, False):
            raise ValueError(
                f"{name}={given[name]!r} does not go with solver='optimum', which chooses its own way; "
                "it is for 'sgd' and 'gd'."
            )


def _check_early_stopping(given: Mapping[str, Any]) -> None:
    criterion, fraction = given["criterion"], given["validation_fraction"]
    if criterion not in (None, "loss", "mistakes"):
        refuse_together("criterion", criterion, "early_stopping", "True", "the rows held out have a loss and mistakes")
    check_positive("validation_fraction", fraction)
    if fraction >= 1:
        raise ValueError(f"validation_fraction must be below 1, not {fraction!r}.")
