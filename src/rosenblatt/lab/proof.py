"""Proofs that take longer than a run: the audit of a trace in exact arithmetic, and the fewest mistakes possible."""

from typing import Any

import numpy as np

from ..classifiers.kernel import KernelClassifier
from ..foundation.errors import InputError
from ..prove.mistakes.audit import audit
from ..prove.mistakes.minimum_mistakes import minimum_mistakes
from .run_request import Request, parsed
from .traced_run import fitted

SECONDS = 1.0  # for the fewest mistakes
MOST_AUDITED = 1000  # updates


def prove(content: object) -> dict[str, Any]:
    """The audit, where the theorem is about the run, and the fewest mistakes, where that can be found.

    >>> prove({"points": [[3, 3, 1], [4, 3, 1], [1, 1, 0]], "parameters": {"order": "cyclic"}})["audit"]["ok"]
    True
    """
    request = parsed(content)
    return {"audit": _audit(request), "fewest": _fewest(request)}


def _audit(request: Request) -> dict[str, Any] | None:
    model, _ = fitted(request)
    if isinstance(model, KernelClassifier):
        return None
    try:
        if len(model.trace_["row"]) > MOST_AUDITED:
            return None
        found = audit(model, request.X, request.y)
    except (AttributeError, ValueError):  # no trace, or not one that the theorem is about
        return None
    if not found.bound:
        return None
    return {"ok": found.ok, "mistakes": found.mistakes, "why_not": found.why_not}


def _fewest(request: Request) -> dict[str, Any] | None:
    if len(np.unique(request.y)) != 2:
        return None
    through_origin = request.model().fit_intercept is False
    try:
        found = minimum_mistakes(request.X, request.y, fit_intercept=not through_origin, time_limit=SECONDS)
    except (ValueError, InputError):
        return None
    plane = None if found.hyperplane is None else [*found.hyperplane.coef.tolist(), found.hyperplane.intercept]
    return {
        "mistakes": int(found.mistakes),
        "lower_bound": int(found.lower_bound),
        "proved": bool(found.proved),
        "plane": plane,
    }
