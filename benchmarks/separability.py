"""Proving: verdicts with certificates against a linear programme that only says yes or no, and against a bare pass."""

import numpy as np
from scipy.optimize import linprog

from benchmarks.datasets import MARGIN, gaussian
from benchmarks.tasks import Pair, faster, task, within
from benchmarks.timing import stopwatch
from rosenblatt import separability

PATIENCE = 20.0  # seconds after which the linear programme may give up
LINPROG = "scipy linprog, HiGHS, feasibility"


def feasible(X: np.ndarray, y: np.ndarray) -> object:
    """The peer: is there a (w, b) with y (w.x + b) >= 1 for every row? Its matrix is made beforehand."""
    rows = -y[:, None] * np.hstack([X, np.ones((len(X), 1))])
    nothing, ones = np.zeros(rows.shape[1]), -np.ones(len(X))
    options = {"time_limit": PATIENCE}
    return lambda: linprog(nothing, A_ub=rows, b_ub=ones, bounds=(None, None), method="highs", options=options)


def proof(X: np.ndarray, y: np.ndarray) -> Pair:
    peer = feasible(X, y)

    def remark() -> str:
        answer, other = separability(X, y), peer().status
        word = {0: "separable", 1: f"gave up after {PATIENCE:g} s", 2: "not separable"}.get(other, f"status {other}")
        return f"{answer.kind}, certificate verified: {answer.verify(X, y)}; peer: {word}"

    return Pair(stopwatch(lambda: separability(X, y)), stopwatch(peer), remark)


def flipped(X: np.ndarray, y: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels turned round, of rows drawn half-way to the mean of their class: in 50 columns, a row at random would most
    likely be a corner of its class, and still be separable."""
    X, y = X.copy(), y.copy()
    rows = np.random.default_rng(1).choice(len(y), count, replace=False)
    X[rows] = 0.5 * X[rows] + 0.5 * np.where(y[rows, None] > 0, X[y > 0].mean(axis=0), X[y < 0].mean(axis=0))
    y[rows] *= -1
    return X, y


def squeezed(X: np.ndarray, y: np.ndarray, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows drawn towards the hyperplane that labelled them until their margin is so small, relative to the radius."""
    normal = np.random.default_rng(0).standard_normal(X.shape[1])  # as `gaussian` draws it
    normal /= np.linalg.norm(normal)
    radius = np.linalg.norm(X, axis=1).max()
    return X - np.outer((1 - margin * radius / MARGIN) * (X @ normal), normal), y


@task("prove-clear", "separability, 100,000 x 50", LINPROG, faster(50))
def clear() -> Pair:
    return proof(*gaussian(100_000, 50))


@task("prove-five-flipped", "separability, 100,000 x 50, five labels flipped", LINPROG, faster(50))
def five_flipped() -> Pair:
    return proof(*flipped(*gaussian(100_000, 50), count=5))


@task("prove-thin", "separability, 100,000 x 50, relative margin 1e-6", LINPROG, faster(10))
def thin() -> Pair:
    return proof(*squeezed(*gaussian(100_000, 50), margin=1e-6))


@task("prove-one-flipped", "separability, 100,000 x 50, one label flipped", LINPROG, faster(10))
def one_flipped() -> Pair:
    return proof(*flipped(*gaussian(100_000, 50), count=1))


@task("prove-large", "separability, 1,000,000 x 100", "X @ w", within(20))
def large() -> Pair:
    X, y = gaussian(1_000_000, 100)
    w = np.ones(100)
    return Pair(stopwatch(lambda: separability(X, y)), stopwatch(lambda: X @ w), lambda: separability(X, y).kind)


@task("verify", "verify a certificate, 100,000 x 50", "X @ w", within(5))
def verify() -> Pair:
    X, y = gaussian(100_000, 50)
    w, answer = np.ones(50), separability(X, y)
    return Pair(stopwatch(lambda: answer.verify(X, y)), stopwatch(lambda: X @ w), lambda: f"{answer.verify(X, y)}")
