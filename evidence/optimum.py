"""Penalised classifiers against the optimum that other libraries find, and SGD against our optimum."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression as ScikitLogisticRegression
from sklearn.svm import LinearSVC

from rosenblatt import LinearSVM, LogisticRegression

from .checks import Finding, fit_seconds

# The files, and the labels of the positive class where there are more than two.
FILES: dict[str, tuple[str, ...]] = {
    "a9a.svm.xz": (),
    "ijcnn1.svm.xz": (),
    "breast_cancer_wdbc.csv.xz": (),
    "mnist.parquet": ("5", "6", "7", "8", "9"),
    "imdb50k.tsv.xz": (),
}
AGREED = 1e-6  # the allowed relative difference of the objective
EXACT = {"tol": 1e-10, "max_iter": 100_000, "random_state": 0}
LIMITED = {"tol": 1e-10, "max_iter": 50, "random_state": 0}  # LIBLINEAR would need an hour for this hinge optimum
LONG_FILE = "mnist.parquet"
SQUARE = 5000  # the most columns for a peer that needs a square matrix of them

SGD_FILE = "a9a.svm.xz"  # the file for SGD
EPOCHS, SGD_GAPS = 20, {"logistic": 0.01, "hinge": 0.03}

LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "logistic": lambda margins: np.logaddexp(0, -margins),
    "hinge": lambda margins: np.maximum(0, 1 - margins),
    "squared-hinge": lambda margins: np.maximum(0, 1 - margins) ** 2,
}


def check_optimum(file: str, X: Any, y: np.ndarray) -> Iterator[Finding]:
    if file not in FILES:
        return
    y = np.where(np.isin(y, FILES[file]) if FILES[file] else y == np.unique(y)[1], 1, -1)
    if sparse.issparse(X):
        X = sparse.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)  # for LIBLINEAR
    solver = "newton-cholesky" if X.shape[1] <= SQUARE else "newton-cg"
    yield check_agreement("logistic", ScikitLogisticRegression(solver=solver, **EXACT), solver, X, y)
    yield check_agreement("squared-hinge", LinearSVC(dual=X.shape[1] > SQUARE, **EXACT), "LIBLINEAR", X, y)
    if file == LONG_FILE:
        yield check_duality_gap(LinearSVC(loss="hinge", **LIMITED), X, y)
    else:
        yield check_agreement("hinge", LinearSVC(loss="hinge", **EXACT), "LIBLINEAR", X, y)
    if file == SGD_FILE:
        for loss, gap in SGD_GAPS.items():
            yield check_sgd(loss, gap, X, y)


def ours(loss: str, **parameters: Any) -> LogisticRegression | LinearSVM:
    return LogisticRegression(**parameters) if loss == "logistic" else LinearSVM(loss, **parameters)


def objective(loss: str, penalize_intercept: bool, model: Any, X: Any, y: np.ndarray) -> float:
    """The objective with C = 1 of a model of any library."""
    w, b = model.coef_.ravel(), float(model.intercept_[0])
    losses = LOSSES[loss](y * (X @ w + b))
    return float(losses.sum() + (w @ w + b * b * penalize_intercept) / 2)


def fit_both(loss: str, tol: float, peer: Any, X: Any, y: np.ndarray) -> tuple[Any, float, float]:
    """Our model of the peer's objective, its seconds, and its objective relative to the peer's, minus 1."""
    penalised = isinstance(peer, LinearSVC)
    model = ours(loss, tol=tol, penalize_intercept=penalised)
    seconds = fit_seconds(model, X, y)
    fit_seconds(peer, X, y)
    return model, seconds, objective(loss, penalised, model, X, y) / objective(loss, penalised, peer, X, y) - 1


def check_agreement(loss: str, peer: Any, name: str, X: Any, y: np.ndarray) -> Finding:
    _, seconds, above = fit_both(loss, 1e-7, peer, X, y)
    return Finding(f"{loss} optimum", f"as {name}", f"{above:+.0e} relative difference", seconds, abs(above) <= AGREED)


def check_duality_gap(peer: Any, X: Any, y: np.ndarray) -> Finding:
    """Where the peer stops before the optimum: ours is not above it, and its duality gap is small."""
    model, seconds, above = fit_both("hinge", AGREED, peer, X, y)
    result = f"duality gap {model.duality_gap_:.0e}, {above:+.0e} relative to LIBLINEAR after {peer.n_iter_} epochs"
    return Finding("hinge optimum", "proved", result, seconds, model.duality_gap_ <= AGREED and above <= AGREED)


def check_sgd(loss: str, gap: float, X: Any, y: np.ndarray) -> Finding:
    """The averaged weights of SGD after a few epochs are near the optimum."""
    model = ours(loss, solver="sgd", max_iter=EPOCHS, tol=0.0, random_state=0)
    seconds = fit_seconds(model, X, y)
    above = objective(loss, False, model, X, y) / ours(loss, tol=1e-7).fit(X, y).objective_ - 1
    claim = f"optimum within {gap:.0%}"
    return Finding(f"{loss}, SGD", claim, f"{above:+.2%} after {model.n_iter_} epochs", seconds, above <= gap)
