"""The optimum for many penalties, each found from the last."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from ..distributed.dask_rows import is_dask
from ..engine.result import TrainingResult
from ..foundation.label_sets import refuse_label_sets
from ..foundation.threads import thread_count
from ..solvers.penalty_path import L2_RANGE, C_range, RegularizationPath, path_values
from .encoded_tables import refuse_encoding
from .linear_svm import LinearSVM
from .logistic_regression import LogisticRegression
from .penalised import PenalisedClassifier
from .training_problem import TrainingProblem

BY_LOSS = {
    "logistic": LogisticRegression(),
    "hinge": LinearSVM(),
    "squared-hinge": LinearSVM(loss="squared-hinge"),
}


def regularization_path(
    X: Any, y: Any, model: PenalisedClassifier | str = "logistic", Cs: Iterable[float] | int | None = None, **fit: Any
) -> RegularizationPath:
    """Fit a classifier for many values of C, each from the solution of the one before.

    Parameters
    ----------
    X, y : as in `fit`
    model : LogisticRegression, LinearSVM, or the name of a loss: "logistic", "hinge", "squared-hinge"
        Its C and alpha are left aside; it is not changed.
    Cs : numbers above 0, or how many; None is 100 of them
        A number of values has equal ratios. With `penalty="l1"` or `"elasticnet"` they rise 1,000-fold from the largest
        C at which all weights are 0. `penalty="l2"` leaves no weight at 0, so that no C is the
        first: the values rise from 1e-4 to 1e4.
    **fit : sample_weight, for `fit`

    Returns
    -------
    RegularizationPath
        `C` in rising order, with `coef`, `intercept`, `objective`, `mistakes`, `visits`, `status`, and the proofs
        `duality_gap` or `gradient_norm` of each. `plots.path` draws it.

    Examples
    --------
    >>> from rosenblatt import LogisticRegression, regularization_path
    >>> path = regularization_path([[0.0], [1.0], [1.5], [3.0]], [0, 0, 1, 1], "squared-hinge", Cs=[10.0, 0.1])
    >>> path.C.tolist(), path.coef.shape, path.mistakes.tolist()
    ([0.1, 10.0], (2, 1, 1), [0, 0])
    >>> bool(path.coef[0, 0, 0] < path.coef[1, 0, 0])          # a weaker penalty allows larger weights
    True
    >>> X, y = [[0, 3], [1, 2], [2, 1], [3, 1], [4, 2]], [0, 0, 1, 0, 1]
    >>> path = regularization_path(X, y, LogisticRegression(penalty="l1"))
    >>> len(path.C), (path.coef[:2, 0] != 0).tolist()          # the second C is the first that moves a weight
    (100, [[False, False], [True, False]])
    """
    learner = clone(_as_model(model)).set_params(alpha=None, C=None, warm_start=True)
    refuse_encoding(learner, "regularization_path", "which names columns as they are given")
    learner.calibration = None
    if is_dask(X):
        values = path_values(Cs, lambda: L2_RANGE)
        found = [_learned(learner.set_params(C=C).fit(X, y, **fit)) for C in values]
        return RegularizationPath.of(values, found, learner.classes_, None)
    refuse_label_sets(y)
    problem = learner.training_problem(X, y, **fit)
    values = path_values(Cs, lambda: _range(learner, problem))
    found = [_solve(learner, problem, C) for C in values]
    return RegularizationPath.of(values, found, learner.classes_, learner._column_names(problem))


def _as_model(model: PenalisedClassifier | str) -> PenalisedClassifier:
    if isinstance(model, str):
        if model not in BY_LOSS:
            raise ValueError(f"model must be a classifier or one of {', '.join(map(repr, BY_LOSS))}, not {model!r}.")
        model = BY_LOSS[model]
    if not isinstance(model, PenalisedClassifier) or model.penalty in (None, "none", "jeffreys"):
        raise ValueError(f"model must be a LogisticRegression or LinearSVM with a penalty, not {model!r}.")
    return model


def _range(learner: PenalisedClassifier, problem: TrainingProblem) -> tuple[float, float]:
    """The first C and the last."""
    objective, threads = problem.plan.objective(problem.total_weight), thread_count(learner.n_jobs)
    classes, joint = len(problem.classes), problem.plan.is_joint
    return C_range(problem.rows, problem.codes, classes, objective, joint, problem.weights, threads)


def _solve(learner: PenalisedClassifier, problem: TrainingProblem, C: float) -> TrainingResult:
    return _learned(learner._fit_problem(replace(problem, plan=replace(problem.plan, C=C))))


def _learned(learner: PenalisedClassifier) -> TrainingResult:
    assert isinstance(learner._learned, TrainingResult)
    return learner._learned
