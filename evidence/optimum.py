"""The penalised classifiers held to the optimum that other libraries find, and SGD to the optimum itself."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression as ScikitLogisticRegression
from sklearn.svm import LinearSVC

from rosenblatt import LinearSVM, LogisticRegression

from .checks import Finding, fit_seconds

# The files, and the labels of the upper class where there are more than two.
FILES: dict[str, tuple[str, ...]] = {
    "a9a.svm.xz": (),
    "ijcnn1.svm.xz": (),
    "breast_cancer_wdbc.csv.xz": (),
    "mnist.parquet": ("5", "6", "7", "8", "9"),
    "imdb50k.tsv.xz": (),
}
AGREED = 1e-6  # relative in the objective
EXACT = {"tol": 1e-10, "max_iter": 100_000, "random_state": 0}
LIMITED = {"tol": 1e-10, "max_iter": 50, "random_state": 0}  # where LIBLINEAR would take an hour to the hinge optimum
ENDLESS = "mnist.parquet"
SQUARE = 5000  # columns up to which a peer can make a square matrix of them

DESCENT = "a9a.svm.xz"  # whose optimum SGD is to come near to
EPOCHS, DESCENT_GAPS = 20, {"logistic": 0.01, "hinge": 0.03}

LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "logistic": lambda margins: np.logaddexp(0, -margins),
    "hinge": lambda margins: np.maximum(0, 1 - margins),
    "squared-hinge": lambda margins: np.maximum(0, 1 - margins) ** 2,
}


def check_optima(file: str, X: Any, y: np.ndarray) -> Iterator[Finding]:
    if file not in FILES:
        return
    y = np.where(np.isin(y, FILES[file]) if FILES[file] else y == np.unique(y)[1], 1, -1)
    if sparse.issparse(X):
        X = sparse.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)  # for LIBLINEAR
    solver = "newton-cholesky" if X.shape[1] <= SQUARE else "newton-cg"
    yield agrees("logistic", ScikitLogisticRegression(solver=solver, **EXACT), solver, X, y)
    yield agrees("squared-hinge", LinearSVC(dual=X.shape[1] > SQUARE, **EXACT), "LIBLINEAR", X, y)
    if file == ENDLESS:
        yield proves(LinearSVC(loss="hinge", **LIMITED), X, y)
    else:
        yield agrees("hinge", LinearSVC(loss="hinge", **EXACT), "LIBLINEAR", X, y)
    if file == DESCENT:
        for loss, gap in DESCENT_GAPS.items():
            yield comes_near(loss, gap, X, y)


def ours(loss: str, **parameters: Any) -> LogisticRegression | LinearSVM:
    return LogisticRegression(**parameters) if loss == "logistic" else LinearSVM(loss, **parameters)


def objective(loss: str, penalize_intercept: bool, model: Any, X: Any, y: np.ndarray) -> float:
    """Afresh, with C = 1, of any library's model."""
    w, b = model.coef_.ravel(), float(model.intercept_[0])
    losses = LOSSES[loss](y * (X @ w + b))
    return float(losses.sum() + (w @ w + b * b * penalize_intercept) / 2)


def against(loss: str, tol: float, peer: Any, X: Any, y: np.ndarray) -> tuple[Any, float, float]:
    """Ours on the objective of the peer, the seconds it took, and how far it is above the peer, relative to it."""
    penalised = isinstance(peer, LinearSVC)
    model = ours(loss, tol=tol, penalize_intercept=penalised)
    seconds = fit_seconds(model, X, y)
    fit_seconds(peer, X, y)
    return model, seconds, objective(loss, penalised, model, X, y) / objective(loss, penalised, peer, X, y) - 1


def agrees(loss: str, peer: Any, name: str, X: Any, y: np.ndarray) -> Finding:
    _, seconds, above = against(loss, 1e-7, peer, X, y)
    return Finding(f"{loss} optimum", f"as {name}", f"{above:+.0e}, relative", seconds, abs(above) <= AGREED)


def proves(peer: Any, X: Any, y: np.ndarray) -> Finding:
    """Not above a peer that has not arrived, and near the optimum by its own proof."""
    model, seconds, above = against("hinge", AGREED, peer, X, y)
    found = f"duality gap {model.duality_gap_:.0e}, {above:+.0e} of LIBLINEAR after {peer.n_iter_} epochs"
    return Finding("hinge optimum", "proved", found, seconds, model.duality_gap_ <= AGREED and above <= AGREED)


def comes_near(loss: str, gap: float, X: Any, y: np.ndarray) -> Finding:
    """SGD after a few epochs, its averaged weights."""
    model = ours(loss, solver="sgd", max_iter=EPOCHS, tol=0.0, random_state=0)
    seconds = fit_seconds(model, X, y)
    above = objective(loss, False, model, X, y) / ours(loss, tol=1e-7).fit(X, y).objective_ - 1
    claimed = f"optimum within {gap:.0%}"
    return Finding(f"{loss}, SGD", claimed, f"{above:+.2%} after {model.n_iter_} epochs", seconds, above <= gap)
