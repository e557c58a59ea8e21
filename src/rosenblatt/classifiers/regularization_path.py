"""The optimum for many penalties, each found from the last."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..foundation.types import Floats, Labels
from ..parts.parameter_checks import check_positive
from ..parts.stops import Status
from .linear_svm import LinearSVM
from .logistic_regression import LogisticRegression
from .penalised import PenalisedClassifier

BY_LOSS = {
    "logistic": LogisticRegression(),
    "hinge": LinearSVM(),
    "squared-hinge": LinearSVM(loss="squared-hinge"),
}


@dataclass(frozen=True)
class RegularizationPath:
    """One entry a penalty, from the strongest, the smallest C, to the weakest."""

    C: Floats
    coef: Floats  # penalties x planes x columns
    intercept: Floats  # penalties x planes
    objective: Floats
    mistakes: Floats
    visits: Floats  # dot products of rows, a measure of the work
    status: list[Status]
    classes: Labels


def regularization_path(
    X: Any, y: Any, model: PenalisedClassifier | str = "logistic", Cs: Iterable[float] | None = None, **fit: Any
) -> RegularizationPath:
    """Fit a classifier for many values of C, each from the solution of the one before.

    Parameters
    ----------
    X, y : as in `fit`
    model : LogisticRegression, LinearSVM, or the name of a loss: "logistic", "hinge", "squared-hinge"
        Its C and alpha are left aside; it is not changed.
    Cs : numbers above 0; None is 10 of them from 1e-4 to 1e4
    **fit : sample_weight, for `fit`

    Returns
    -------
    RegularizationPath
        `C` in rising order, with `coef`, `intercept`, `objective`, `mistakes`, `visits` and `status` of each.

    Examples
    --------
    >>> from rosenblatt import regularization_path
    >>> path = regularization_path([[0.0], [1.0], [1.5], [3.0]], [0, 0, 1, 1], "squared-hinge", Cs=[10.0, 0.1])
    >>> path.C.tolist(), path.coef.shape, path.mistakes.tolist()
    ([0.1, 10.0], (2, 1, 1), [0, 0])
    >>> bool(path.coef[0, 0, 0] < path.coef[1, 0, 0])          # a weaker penalty allows larger weights
    True
    """
    if isinstance(model, str):
        if model not in BY_LOSS:
            raise ValueError(f"model must be a classifier or one of {', '.join(map(repr, BY_LOSS))}, not {model!r}.")
        model = BY_LOSS[model]
    if not isinstance(model, PenalisedClassifier) or model.penalty is None:
        raise ValueError(f"model must be a LogisticRegression or LinearSVM with a penalty, not {model!r}.")
    values = np.logspace(-4, 4, 10).tolist() if Cs is None else list(Cs)
    for C in values:
        check_positive("Cs", C)
    if not values:
        raise ValueError("Cs is empty: give at least one number above 0.")
    learner, found = clone(model).set_params(alpha=None, warm_start=True), []
    for C in sorted(map(float, values)):
        learner.set_params(C=C).fit(X, y, **fit)
        found.append(learner._learned)
    return RegularizationPath(
        C=np.array(sorted(map(float, values))),
        coef=np.array([learned.coef for learned in found]),
        intercept=np.array([learned.intercept for learned in found]),
        objective=np.array([learned.objective for learned in found]),
        mistakes=np.array([learned.status.mistakes for learned in found]),
        visits=np.array([learned.n_visits for learned in found]),
        status=[learned.status for learned in found],
        classes=learner.classes_,
    )
