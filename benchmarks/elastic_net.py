"""Logistic regression with an l1 penalty: one optimum to a relative gap of 1e-6, and a path of 100 values.

C is 1. A peer minimises its own objective, whose offset may be free, penalised or absent; ours is free. A peer runs the
fewest iterations that reach the gap. The path has no offset, like celer's, and both sides take our values of C. The
tolerance of celer is the loosest power of ten that brings all objectives to the gap. C rises 1,000-fold, on IMDB
30-fold: there celer takes minutes for more.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as ScikitLogisticRegression

from benchmarks import datasets
from benchmarks.optimum import SQUARE, Objective, race_to
from benchmarks.other_solvers import CelerL1, GlumL1, SkglmL1, by_columns
from benchmarks.peers import NoPeer, cached
from benchmarks.tasks import Goal, Pair, Task, faster, task
from benchmarks.timing import stopwatch
from rosenblatt import LogisticRegression, regularization_path
from rosenblatt.solvers.penalty_path import RegularizationPath

GAP = 1e-6
LEAST = 0.8  # of the peer's speed, on every dataset
RANGE = {"IMDB": 30.0}  # from the first C of a path to the last; 1,000 elsewhere
PEERS = "the fastest of liblinear, saga, skglm, celer and glum"
ROWS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "breast cancer": datasets.breast_cancer,
    "leukemia": datasets.leukemia,
    "ijcnn1": datasets.ijcnn1,
    "a9a": datasets.a9a,
    "w8a": datasets.w8a,
    "IMDB": datasets.imdb,
}


@dataclass(frozen=True)
class SparseObjective(Objective):
    """sum_i loss_i + ||w||_1."""

    fit_intercept: bool = True

    def ours(self, tol: float) -> LogisticRegression:
        offset = {"fit_intercept": self.fit_intercept, "penalize_intercept": self.penalize_intercept}
        return LogisticRegression(penalty="l1", tol=tol, **offset)

    def value(self, model: Any) -> float:
        w, b = np.ravel(model.coef_), float(model.intercept_[0])
        penalty = np.abs(w).sum() + abs(b) * self.penalize_intercept
        return float(np.logaddexp(0, -self.y * (self.X @ w + b)).sum() + penalty)


def peers_of(free: SparseObjective) -> Mapping[str, tuple[Any, SparseObjective]]:
    """The peers, likely winners first. glum needs a square matrix of all columns."""
    X, y = free.X, free.y
    scikit = partial(ScikitLogisticRegression, penalty="l1")
    peers = {
        "liblinear": (scikit(solver="liblinear"), replace(free, penalize_intercept=True)),
        "skglm": (SkglmL1(X, y), free),
        "celer": (CelerL1(X, y), replace(free, fit_intercept=False)),
        "saga": (scikit(solver="saga"), free),
    }
    return peers if X.shape[1] > SQUARE else {**peers, "glum": (GlumL1(X, y), free)}


def race(name: str) -> Pair:
    return race_to(SparseObjective(*ROWS[name](), "logistic", within=GAP), f"l1, {name}", peers_of)


def objectives(X: Any, y: np.ndarray, Cs: np.ndarray, planes: np.ndarray) -> np.ndarray:
    """C sum_i loss_i + ||w||_1 of each plane."""
    losses = np.array([np.logaddexp(0, -y * (X @ w)).sum() for w in planes])
    return Cs * losses + np.abs(planes).sum(axis=1)


def values_of(name: str, X: Any, y: np.ndarray, model: LogisticRegression) -> np.ndarray | None:
    """The values of C; None for those that a path has by itself."""
    if name not in RANGE:
        return None
    first = regularization_path(X, y, model, Cs=1).C[0]
    return np.geomspace(first, RANGE[name] * first, 100)


def race_along_path(name: str) -> Pair:
    X, y = ROWS[name]()
    model, columns = LogisticRegression(penalty="l1", fit_intercept=False, tol=GAP), by_columns(X)
    Cs = values_of(name, X, y, model)
    found: dict[str, Any] = {}

    def ours() -> RegularizationPath:
        return regularization_path(X, y, model, Cs)

    def theirs() -> np.ndarray:
        from celer import celer_path

        weights = celer_path(columns, y, "logreg", alphas=1 / found["C"], tol=found["tol"], max_iter=1000)[1]
        return weights.T

    def worst_of_theirs(digits: int) -> float:
        found["tol"] = 10.0**-digits
        return float((objectives(X, y, found["C"], theirs()) / found["least"] - 1).max())

    def loosest_tolerance() -> tuple[int, float]:
        for digits in range(3, 12):
            if (worst := worst_of_theirs(digits)) <= GAP:
                return digits, worst
        raise NoPeer("celer does not come to the gap")

    def choose_tolerance() -> None:
        exact = regularization_path(X, y, clone(model).set_params(tol=1e-9), Cs)
        found.update(C=exact.C, least=exact.objective)
        digits, found["worst"] = cached("path-tolerances.json", f"l1 path to {GAP:.0e}, {name}", loosest_tolerance)
        found["tol"] = 10.0**-digits

    def remark() -> str:
        worst = float((ours().objective / found["least"] - 1).max())
        return f"objectives within {worst:.0e}, celer {found['worst']:.0e} with tol={found['tol']:.0e}"

    return Pair(stopwatch(ours), stopwatch(theirs), remark, choose_tolerance)


def tasks(kind: str, work: str, peer: str, make: Callable[[str], Pair]) -> tuple[Task, ...]:
    return tuple(
        task(f"{kind}-{name.replace(' ', '-').lower()}", f"{work}, {name}", peer, faster(LEAST))(partial(make, name))
        for name in ROWS
    )


optimum = Goal("l1 optimum, geometric mean", PEERS, faster(2), tasks("l1", "l1 optimum", PEERS, race))
path = Goal(
    "l1 path, geometric mean", "celer", faster(3), tasks("l1-path", "l1 path, 100 values", "celer", race_along_path)
)
