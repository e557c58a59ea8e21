"""The minimum number of mistakes, against a mixed-integer program with one binary variable a row, solved by HiGHS."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from benchmarks.tasks import Pair, faster, task, under
from benchmarks.timing import stopwatch
from rosenblatt import minimum_mistakes

PATIENCE = 120.0  # the time limit of the peer in seconds
LEAST = 1e-4  # the margin that the peer counts as right, because it has no strict inequalities
MILP = "scipy milp, HiGHS, big M"


def overlapping(rows: int, columns: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, columns))
    return X, X @ np.ones(columns) + noise * random.standard_normal(rows) > 0


def big_m(X: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    """The peer: min sum z, a_i . w + M z_i >= LEAST, |w_j| <= 1, z_i in {0, 1}; M is as small as |w_j| <= 1 allows."""
    rows = np.where(y, 1.0, -1.0)[:, None] * np.hstack([X, np.ones((len(X), 1))])
    rows /= np.abs(rows).max(axis=1)[:, None]
    large = np.abs(rows).sum(axis=1) + LEAST
    count, size = rows.shape
    costs = np.append(np.zeros(size), np.ones(count))
    bounds = Bounds(np.append(-np.ones(size), np.zeros(count)), np.ones(size + count))
    limits = LinearConstraint(np.hstack([rows, np.diag(large)]), lb=LEAST)
    return lambda: milp(costs, integrality=costs, bounds=bounds, constraints=limits, options={"time_limit": PATIENCE})


def against_milp(X: np.ndarray, y: np.ndarray) -> Pair:
    peer = big_m(X, y)
    answers = {}

    def ours() -> None:
        answers["ours"] = minimum_mistakes(X, y, time_limit=PATIENCE)

    def theirs() -> None:
        answers["peer"] = peer()

    def remark() -> str:
        answer, other = answers["ours"], answers["peer"]
        word = f"{other.fun:.0f}" if other.status == 0 else f"stopped after {PATIENCE:g} s"
        return f"{answer.mistakes} mistakes, proved: {answer.proved}; peer: {word}"

    return Pair(stopwatch(ours), stopwatch(theirs), remark)


@task("mistakes-few", "minimum_mistakes, 100 x 5, noise 0.5", MILP, faster(10))
def few() -> Pair:
    return against_milp(*overlapping(100, 5, noise=0.5))


@task("mistakes-some", "minimum_mistakes, 100 x 5, noise 1", MILP, faster(10))
def some() -> Pair:
    return against_milp(*overlapping(100, 5, noise=1.0))


@task("mistakes-many", "minimum_mistakes, 100 x 5, noise 2", MILP, faster(10))
def many() -> Pair:
    return against_milp(*overlapping(100, 5, noise=2.0))


@task("mistakes-rows", "minimum_mistakes, 300 x 3", "minimum_mistakes, 100 x 3", under(5000))
def rows() -> Pair:
    more, less = overlapping(300, 3, noise=1.0), overlapping(100, 3, noise=1.0)
    return Pair(
        stopwatch(lambda: minimum_mistakes(*more)),
        stopwatch(lambda: minimum_mistakes(*less)),
        lambda: minimum_mistakes(*more).status,
    )
