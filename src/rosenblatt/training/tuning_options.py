"""What `tune` chooses, and what does not go with it."""

from collections.abc import Mapping
from typing import Any

from ..foundation.errors import InputError

TUNED = ("penalty", "C", "features", "ngrams")
PENALISED = ("auto", "logistic", "svm")


def open_choices(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The choices that a user leaves open: what is given stays as it is.

    >>> open_choices({"C": 1.0, "penalty": None})
    ('penalty', 'features', 'ngrams')
    """
    return tuple(name for name in TUNED if given.get(name) is None)


def check_tuning(tune: Any, algorithm: str, parameters: Mapping[str, Any], early_stopping: bool) -> None:
    """Refuse what tuning cannot choose, and options that contradict it."""
    if not isinstance(tune, tuple) or not set(tune) <= set(TUNED):
        raise InputError(f"tune must be True or False, not {tune!r}.")
    if algorithm not in PENALISED:
        raise InputError(f"tune chooses a penalty, and algorithm {algorithm!r} has none: choose 'logistic' or 'svm'.")
    if parameters.get("alpha") is not None:
        raise InputError("alpha does not go with tune, which chooses C: leave it out, or give C instead.")
    if early_stopping or parameters.get("solver", "optimum") != "optimum":
        raise InputError("tune compares optima: leave out early stopping, and the solver or choose 'optimum'.")
    if "penalty" in parameters and parameters["penalty"] in (None, "none", "jeffreys"):
        name = parameters["penalty"] or "none"
        raise InputError(f"penalty {name!r} has no strength to tune: choose another, or leave out tune.")
    if parameters.get("l1_ratio") is not None and "penalty" not in parameters:
        raise InputError("l1_ratio goes with one of the penalties that tune tries: give penalty='elasticnet', too.")
