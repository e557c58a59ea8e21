"""Small designs with tiny margins: does an unpenalised logistic regression tell of separation exactly where there is?

The verdict to compare with is found by enumeration in integers, which shares no code with the library. Run
`python -m evidence.separation`; the exit code is 1 if a fit misses a separation or claims one that is not there.
"""

import itertools
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import LogisticRegression

DESIGNS = 2000
FAMILIES = ("complete", "quasi", "overlap", "near", "collinear", "nested")


class Design(NamedTuple):
    """Rows, labels, and how they are fitted: "two" classes, "ovr" or "joint"."""

    X: np.ndarray
    y: np.ndarray
    how: str
    fit_intercept: bool


def designs(count: int, seed: int = 0) -> Iterator[Design]:
    """Random designs of all families, of 7 to 17 rows, with relative margins from 1e-1 to 1e-19."""
    return islice(_endless_designs(np.random.default_rng(seed)), count)


def _endless_designs(rng: Any) -> Iterator[Design]:
    for number in itertools.count():
        how = ("two", "two", "two", "ovr", "joint")[number // len(FAMILIES) % 5]
        X, scores = _rows(rng, FAMILIES[number % len(FAMILIES)], 1 if how == "joint" else int(rng.integers(1, 4)))
        y = (scores > 0).astype(int)
        if how != "two":
            y[X[:, 0] > np.quantile(X[:, 0], rng.uniform(0.5, 0.9))] = 2
            X, y = (X[:8], y[:8]) if how == "joint" else (X, y)
        if len(set(y.tolist())) == (2 if how == "two" else 3):
            yield Design(X, y, how, bool(rng.random() < 0.8))


def _rows(rng: Any, family: str, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a family, and scores whose signs are the labels."""
    count, gap = int(rng.integers(7, 18 if columns < 3 else 12)), 10.0 ** -rng.integers(1, 20)
    X = rng.standard_normal((count, columns)) if rng.random() < 0.7 else rng.integers(-3, 4, (count, columns)) / 1.0
    w = rng.standard_normal(columns)
    scores = X @ w + rng.normal(0, 0.3)
    if family == "overlap":
        scores += rng.standard_normal(count)
    if family == "quasi":
        X[1], X[3] = X[0], X[2]
        scores = X @ w - X[0] @ w
        scores[:2] = -1, 1
    if family == "near":
        close, wanted = rng.choice(count, 3, replace=False), gap * np.array([1.0, -1.0, 1.0])
        scores = X @ w
        X[close] += ((wanted - scores[close]) / (w @ w))[:, None] * w
        scores[close] = wanted
    if family in ("collinear", "nested") and columns > 1:
        noise = rng.standard_normal(count)
        X[:, 1] = X[:, 0] * rng.choice([1.0, -2.0, 0.3]) + gap * noise
        scores = noise + rng.choice([0.0, 0.3]) if family == "collinear" else scores
    return X * 10.0 ** rng.integers(-3, 4), scores


# The verdict by enumeration


def exact_kinds(design: Design) -> set[str]:
    """The kinds, "complete", "quasi" or "overlap", of the problems of a design: several if one-vs-rest."""
    X = [[*map(Fraction, row), *[Fraction(1)] * design.fit_intercept] for row in design.X.tolist()]
    common = max(value.denominator for row in X for value in row)  # a power of two
    rows = np.array([[int(value * common) for value in row] for row in X], dtype=object)
    if design.how == "joint":
        return {kind_of_rows(_differences(rows, design.y))}
    classes = [1] if design.how == "two" else [0, 1, 2]
    return {kind_of_rows(np.where(design.y == label, 1, -1)[:, None] * rows) for label in classes}


def _differences(rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    """One row a_i per row and rival class: its product with the stacked planes is the difference of two scores."""
    zero = np.zeros(rows.shape[1], dtype=object)
    return np.array(
        [
            np.concatenate([row if k == own else -row if k == rival else zero for k in range(3)])
            for row, own in zip(rows, y, strict=True)
            for rival in range(3)
            if rival != own
        ]
    )


def kind_of_rows(rows: np.ndarray) -> str:
    """The kind of integer rows a_i: the sum of all extreme rays of {w : a_i . w >= 0} is above 0 on all of S.

    In coordinates without dependent columns the cone has a vertex at 0, and an extreme ray of it is orthogonal to
    rank - 1 independent rows.
    """
    rows = rows[:, _pivot_columns(rows)]
    distinct = sorted({tuple(row) for row in rows.tolist()})
    rays = [_orthogonal(chosen) for chosen in combinations(distinct, rows.shape[1] - 1)]
    margins = rows @ np.array(rays, dtype=object).T  # one column a ray
    total = margins[:, (margins >= 0).all(axis=0)].sum(axis=1) - margins[:, (margins <= 0).all(axis=0)].sum(axis=1)
    return "complete" if (total > 0).all() else "overlap" if not total.any() else "quasi"


def _pivot_columns(rows: np.ndarray) -> list[int]:
    """The first columns that are independent, by elimination without fractions."""
    left, pivots = rows.copy(), []
    for column in range(rows.shape[1]):
        place = next((place for place in range(len(left)) if left[place, column]), None)
        if place is not None:
            pivot, rest = left[place], np.delete(left, place, axis=0)
            left = rest * pivot[column] - np.outer(rest[:, column], pivot)
            pivots.append(column)
    return pivots


def _orthogonal(rows: Sequence[Sequence[int]]) -> list[int]:
    """The vector orthogonal to k - 1 rows of k numbers, by minors; 0 where the rows are dependent."""
    size = len(rows) + 1
    return [(-1) ** k * _determinant([[*row[:k], *row[k + 1 :]] for row in rows]) for k in range(size)]


def _determinant(rows: list[list[int]]) -> int:
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    if not rows:
        return 1
    first, *rest = rows
    return sum(
        (-1) ** k * value * _determinant([row[:k] + row[k + 1 :] for row in rest]) for k, value in enumerate(first)
    )


# The fit


def told_kind(design: Design) -> str:
    """The kind of separation that the status of a fit tells; "overlap" if it tells of none."""
    multi_class = "joint" if design.how == "joint" else "ovr"
    model = LogisticRegression(penalty=None, fit_intercept=design.fit_intercept, multi_class=multi_class)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        status = model.fit(design.X, design.y).status_
    if status.reason != "separated":
        return "overlap"
    return "quasi" if "quasi-completely" in str(status) else "complete"


def is_told(design: Design) -> bool:
    """Whether the fit tells of a kind that a problem of the design has, and of no separation only where none is."""
    kinds, told = exact_kinds(design), told_kind(design)
    return told in kinds and (told != "overlap" or kinds == {"overlap"})


def main() -> int:
    counts: Counter[tuple[str, str, bool]] = Counter()
    began = time.perf_counter()
    for design in designs(DESIGNS):
        counts[design.how, "/".join(sorted(exact_kinds(design))), is_told(design)] += 1
    for (how, kinds, right), count in sorted(counts.items()):
        print(f"{how:6} {kinds:24} {'told' if right else 'told WRONGLY'} {count:5}")
    wrong = sum(count for (_, _, right), count in counts.items() if not right)
    print(f"{sum(counts.values())} designs, {wrong} told wrongly, {time.perf_counter() - began:.0f} s.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
