"""Proofs that take longer than a run: the exact audit of a trace, and the minimum number of mistakes."""

from typing import Any

import numpy as np

from ..classifiers.kernel import KernelClassifier
from ..foundation.errors import InputError
from ..prove.mistakes.audit import audit
from ..prove.mistakes.minimum_mistakes import minimum_mistakes
from .run_request import RunRequest, parse_request
from .traced_run import fit_with_trace

MINIMUM_MISTAKES_SECONDS = 1.0
MAX_AUDITED_UPDATES = 1000


def prove(content: object) -> dict[str, Any]:
    """The audit, if Novikoff's theorem covers the run, and the minimum mistakes of a line, if they can be found.

    >>> prove({"points": [[3, 3, 1], [4, 3, 1], [1, 1, 0]], "parameters": {"order": "cyclic"}})["audit"]["ok"]
    True
    """
    request = parse_request(content)
    return {"audit": _audit(request), "fewest": _minimum_mistakes(request)}


def _audit(request: RunRequest) -> dict[str, Any] | None:
    model, _ = fit_with_trace(request)
    if isinstance(model, KernelClassifier):
        return None
    try:
        if len(model.trace_["row"]) > MAX_AUDITED_UPDATES:
            return None
        found = audit(model, request.X, request.y)
    except (AttributeError, ValueError):  # there is no trace, or the theorem does not cover it
        return None
    if not found.bound:
        return None
    return {"ok": found.ok, "mistakes": found.mistakes, "why_not": found.why_not}


def _minimum_mistakes(request: RunRequest) -> dict[str, Any] | None:
    if len(np.unique(request.y)) != 2:
        return None
    fit_intercept = request.model().fit_intercept is not False
    try:
        found = minimum_mistakes(request.X, request.y, fit_intercept=fit_intercept, time_limit=MINIMUM_MISTAKES_SECONDS)
    except (ValueError, InputError):
        return None
    plane = None if found.hyperplane is None else [*found.hyperplane.coef.tolist(), found.hyperplane.intercept]
    return {
        "mistakes": int(found.mistakes),
        "lower_bound": int(found.lower_bound),
        "proved": bool(found.proved),
        "plane": plane,
    }
