"""Separability with certificates, against a linear program that only says yes or no, and against one pass X @ w."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from benchmarks.datasets import MARGIN, gaussian
from benchmarks.tasks import Pair, faster, task, within
from benchmarks.timing import stopwatch
from rosenblatt import separability

PATIENCE = 20.0  # the time limit of the linear program in seconds
LINPROG = "scipy linprog, HiGHS, feasibility"


def feasibility(X: Any, y: np.ndarray) -> Callable[[], Any]:
    """The peer: is there a (w, b) with y (w.x + b) >= 1 for every row? Its matrix is built before the timing."""
    ones = np.ones((X.shape[0], 1))
    signs = -np.where(y > 0, 1.0, -1.0)
    rows = (
        sparse.diags(signs) @ sparse.hstack([X, ones]).tocsr()
        if sparse.issparse(X)
        else signs[:, None] * np.hstack([X, ones])
    )
    nothing, ones = np.zeros(rows.shape[1]), -np.ones(X.shape[0])
    options = {"time_limit": PATIENCE}
    return lambda: linprog(nothing, A_ub=rows, b_ub=ones, bounds=(None, None), method="highs", options=options)


def proof(X: Any, y: np.ndarray) -> Pair:
    peer = feasibility(X, y)

    def remark() -> str:
        answer, other = separability(X, y), peer().status
        word = {0: "separable", 1: f"stopped after {PATIENCE:g} s", 2: "not separable"}.get(other, f"status {other}")
        return f"{answer.kind}, certificate verified: {answer.verify(X, y)}; peer: {word}"

    return Pair(stopwatch(lambda: separability(X, y)), stopwatch(peer), remark)


def flip_labels(X: np.ndarray, y: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Flip the labels of some rows, after moving them half-way to the mean of their class.

    In 50 columns a random row is most likely a corner of its class, and the classes would stay separable.
    """
    X, y = X.copy(), y.copy()
    rows = np.random.default_rng(1).choice(len(y), count, replace=False)
    X[rows] = 0.5 * X[rows] + 0.5 * np.where(y[rows, None] > 0, X[y > 0].mean(axis=0), X[y < 0].mean(axis=0))
    y[rows] *= -1
    return X, y


def shrink_margin(X: np.ndarray, y: np.ndarray, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """Move the rows towards the hyperplane that labelled them, until the margin relative to the radius is `margin`."""
    normal = np.random.default_rng(0).standard_normal(X.shape[1])  # as `gaussian` draws it
    normal /= np.linalg.norm(normal)
    radius = np.linalg.norm(X, axis=1).max()
    return X - np.outer((1 - margin * radius / MARGIN) * (X @ normal), normal), y


def sparse_counts(
    rows: int = 3845,
    columns: int = 1617,
    per_row: int = 148,
    positives: int = 135,
    plain: int = 1700,
    common: int = 350,
    seed: int = 0,
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Counts of features, about `per_row` in a row, that are quasi-completely separated.

    Plain rows have the common columns alone, and four fifths of the positive rows are among them at random: they
    overlap. The other rows have rare columns too. Some common columns are copies or sums of others.
    """
    random = np.random.default_rng(seed)
    often = np.clip(0.75 * random.beta(0.8, 1.6, common), 0.01, 0.95)
    counts = (random.random((rows, common)) < often) * random.choice([1.0, 1.0, 1.0, 2.0, 3.0], (rows, common))
    few = common // 15
    counts[:, -few:] = counts[:, :few]
    counts[:, -2 * few : -few] = counts[:, few : 2 * few] + counts[:, 2 * few : 3 * few]
    y, mixed = np.zeros(rows, dtype=int), positives * 4 // 5
    y[random.choice(plain, mixed, replace=False)] = 1
    y[plain + random.choice(rows - plain, positives - mixed, replace=False)] = 1
    share = (per_row * rows - np.count_nonzero(counts)) / ((rows - plain) * (columns - common))
    rare = (random.random((rows, columns - common)) < share * random.uniform(0.2, 1.8, columns - common)) * 1.0
    rare[:plain] = 0.0
    order = random.permutation(rows)
    return sparse.csr_matrix(np.hstack([counts, rare])[order]), y[order]


@task("separable", "separability, 100,000 x 50", LINPROG, faster(50))
def separable() -> Pair:
    return proof(*gaussian(100_000, 50))


@task("five-flipped", "separability, 100,000 x 50, five labels flipped", LINPROG, faster(50))
def five_flipped() -> Pair:
    return proof(*flip_labels(*gaussian(100_000, 50), count=5))


@task("small-margin", "separability, 100,000 x 50, relative margin 1e-6", LINPROG, faster(10))
def small_margin() -> Pair:
    return proof(*shrink_margin(*gaussian(100_000, 50), margin=1e-6))


@task("one-flipped", "separability, 100,000 x 50, one label flipped", LINPROG, faster(10))
def one_flipped() -> Pair:
    return proof(*flip_labels(*gaussian(100_000, 50), count=1))


@task("sparse-counts", "separability, 3,845 x 1,617 sparse counts, quasi-complete", LINPROG, within(2))
def counts() -> Pair:
    return proof(*sparse_counts())


@task("separable-large", "separability, 1,000,000 x 100", "X @ w", within(20))
def large() -> Pair:
    X, y = gaussian(1_000_000, 100)
    w = np.ones(100)
    return Pair(stopwatch(lambda: separability(X, y)), stopwatch(lambda: X @ w), lambda: separability(X, y).kind)


@task("verify", "verify a certificate, 100,000 x 50", "X @ w", within(5))
def verify() -> Pair:
    X, y = gaussian(100_000, 50)
    w, answer = np.ones(50), separability(X, y)
    return Pair(stopwatch(lambda: answer.verify(X, y)), stopwatch(lambda: X @ w), lambda: f"{answer.verify(X, y)}")
