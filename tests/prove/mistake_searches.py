"""Searches for the fewest mistakes: rows, a clock that counts questions, and the truth by brute force."""

from fractions import Fraction
from itertools import combinations

import numpy as np
from slow_truth import in_whole_numbers, positive_dependence

from rosenblatt.prove.exact.lifted_problem import make_problem
from rosenblatt.prove.mistakes.hyperplane_search import HyperplaneSearch, ProgressPrinter
from rosenblatt.prove.time_limit import Clock


class CountingClock(Clock):
    """Time is up after so many questions, whatever the real time is. A part of it has a tenth of the questions."""

    def __init__(self, questions, whole=None):
        super().__init__(None)
        self.questions, self.whole, self.asked = questions, whole, 0

    def seconds_left(self):
        self.asked += 1
        left = 1000.0 if self.asked <= self.questions else 0.0
        return left if self.whole is None else min(left, self.whole.seconds_left())

    def at_most(self, seconds):
        return CountingClock(self.questions // 10, self)


def by_brute_force(X, y, fit_intercept=True):
    """Rows are right for some w unless 0 is in their hull, and then at most D + 1 of them are a clash (Gordan and
    Caratheodory). So the fewest mistakes are the fewest rows that meet every clash."""
    signs = np.where(np.asarray(y) == np.unique(y)[1], 1, -1).tolist()
    X = np.asarray(X, dtype=float).tolist()
    rows = [[s * Fraction(v) for v in [*x, *([1] if fit_intercept else [])]] for x, s in zip(X, signs, strict=True)]
    rows = in_whole_numbers(rows)
    clashes = []
    for size in range(1, len(rows[0]) + 2):
        for chosen in combinations(range(len(rows)), size):
            if positive_dependence([rows[i] for i in chosen]):
                clashes.append(sum(1 << i for i in chosen))
    for size in range(len(rows) + 1):
        for chosen in combinations(range(len(rows)), size):
            mask = sum(1 << i for i in chosen)
            if all(mask & clash for clash in clashes):
                return size
    raise AssertionError("all rows together meet every clash")


def draw(random, rows, columns, kind):
    """Rows on a small grid, with duplicates and many on one line; or anywhere; or on one line but for rounding."""
    while True:
        y = random.integers(0, 2, rows)
        if len(set(y.tolist())) == 2:
            break
    if kind == "grid":
        X = random.integers(-1, 3, (rows, columns)).astype(float)
    elif kind == "line":
        X = np.outer(random.integers(0, 5, rows), random.integers(-2, 3, columns)) / 3.0
    else:
        X = random.standard_normal((rows, columns))
        X[: rows // 3] = X[0]
    return X, y


def mistakes_of(plane, X, y):
    """Counted with fractions, apart from the library."""
    positive = np.asarray(y) == np.unique(y)[1]
    wrong = 0
    for x, right in zip(np.asarray(X, dtype=float).tolist(), positive, strict=True):
        score = sum((w * Fraction(v) for w, v in zip(plane.weights, x, strict=True)), plane.offset)
        wrong += (score if right else -score) <= 0
    return wrong


def overlapping(rows, columns, noise=1.0, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, columns))
    return X, X @ np.ones(columns) + noise * random.standard_normal(rows) > 0


def bounds_after(questions, X, y):
    """The answer after so many questions to the clock."""
    clock = CountingClock(questions)
    search = HyperplaneSearch(make_problem(X, y, True, None, "identity"), clock, ProgressPrinter(0))
    search.run()
    assert questions <= clock.asked < questions + 20
    return search.result()
