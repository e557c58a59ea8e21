"""Firth's bias reduction, against firthmodels with numba: the fit alone, and all tests and profile intervals.

Both sides iterate until their score is about 1e-10 of its start. The peer is compiled before its first timed run, and
its BLAS has one thread: matrices this small are slower with two. A fit alone takes less than a millisecond, so that 20
in a row are timed, as in a simulation. The last task compares with one fit without a penalty.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.tasks import Pair, faster, task, within
from benchmarks.timing import Stopwatch, stopwatch
from rosenblatt import LogisticRegression, summary

ROWS = 1000
FITS = 20  # in a row


def rows_of(count: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns of which two matter."""
    dice = np.random.default_rng(0)
    X = dice.normal(size=(count, columns))
    return X, (X[:, 0] - X[:, 1] + dice.logistic(size=count) > 1).astype(np.int64)


def peer() -> Any:
    from firthmodels import FirthLogisticRegression

    return FirthLogisticRegression(backend="numba", gtol=1e-8, xtol=1e-8, max_iter=100)


def compiled(work: Callable[[], object], calls: int = 1) -> Stopwatch:
    """Time work of numba that has been compiled, with one thread for BLAS."""
    work()

    def seconds() -> float:
        with threadpool_limits(limits=1):
            return stopwatch(work, calls)()

    return seconds


def fits(columns: int) -> Pair:
    X, y = rows_of(ROWS, columns)
    other, ours = peer(), LogisticRegression(penalty="jeffreys")

    def remark() -> str:
        away = np.abs(ours.fit(X, y).coef_[0] - other.fit(X, y).coef_).max()
        return f"mean of {FITS} fits in a row; coefficients differ by {away:.0e}"

    return Pair(stopwatch(lambda: ours.fit(X, y), FITS), compiled(lambda: other.fit(X, y), FITS), remark)


def inferences(columns: int) -> Pair:
    X, y = rows_of(ROWS, columns)
    other, ours = peer(), LogisticRegression(penalty="jeffreys")

    def theirs() -> Any:
        return other.fit(X, y).lrt().conf_int(method="pl", max_iter=100, tol=1e-8)

    def remark() -> str:
        ends = [(one.lower, one.upper) for one in summary(ours.fit(X, y), X, y).coefficients[1:]]
        return f"ends of intervals differ by {np.abs(np.array(ends) - theirs()[:-1]).max():.0e}"

    return Pair(stopwatch(lambda: summary(ours.fit(X, y), X, y)), compiled(theirs), remark)


def _named(kind: str, words: str, make: Callable[[int], Pair], columns: int) -> Any:
    return task(f"firth-{kind}-{columns}", f"{words}, {ROWS:,} x {columns}", "firthmodels, numba", faster(3))(
        lambda: make(columns)
    )


fit_5, fit_20, fit_50 = (_named("fit", "penalty='jeffreys'", fits, columns) for columns in (5, 20, 50))
tests_5, tests_20, tests_50 = (_named("tests", "fit and summary", inferences, columns) for columns in (5, 20, 50))


@task("firth-large", "penalty='jeffreys', 100,000 x 50", "ours without a penalty", within(20))
def large() -> Pair:
    X, y = rows_of(100_000, 50)
    firth, plain = LogisticRegression(penalty="jeffreys"), LogisticRegression(penalty=None)
    return Pair(stopwatch(lambda: firth.fit(X, y)), stopwatch(lambda: plain.fit(X, y)))
