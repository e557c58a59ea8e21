"""Which planes separate two classes of points in the plane, by trying every plane through two points, in integers.

A plane u = (u1, u2, offset) has no row on its wrong side if s_i u.(x_i, 1) >= 0 for all rows with signs s_i. Such u
form a cone. If the rows span three dimensions, its edges are planes that two rows lie on: cross products find them.
"""

from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import numpy as np

from rosenblatt import separability
from rosenblatt.prove.separability.infinite_coefficients import ANY, FINITE, MINUS, PLUS, infinite_coefficients

Vector = tuple[int, int, int]


def integer_rows(X: Any) -> list[Vector]:
    """Rows with a constant, as integers: the floats times a common denominator, one for each column."""
    columns = [[Fraction(float(value)) for value in column] for column in np.asarray(X).T]
    scaled = []
    for column in columns:
        factor = lcm(*(value.denominator for value in column))
        scaled.append([int(value * factor) for value in column])
    return [(a, b, 1) for a, b in zip(*scaled, strict=True)]


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def edges(rows: list[Vector], signs: list[int]) -> list[tuple[Vector, list[int]]]:
    """The edges of the cone, with the signed products of all rows."""
    found = []
    for a, b in combinations(rows, 2):
        for side in (1, -1):
            u = tuple(side * value for value in cross(a, b))
            products = [
                sign * sum(p * q for p, q in zip(u, row, strict=True)) for row, sign in zip(rows, signs, strict=True)
            ]
            if any(u) and min(products) >= 0 and any(products):
                found.append((u, products))
    return found


def verdict(X: Any, y: Any) -> tuple[str, list[Any]]:
    """The kind of separation, and for each coefficient whether its estimate is finite."""
    found = edges(integer_rows(X), [1 if one else -1 for one in y])
    if not found:
        return "overlap", [FINITE] * 3
    inside = [sum(products) for products in zip(*(products for _, products in found), strict=True)]
    kinds = []
    for place in range(3):
        values = [u[place] for u, _ in found]
        low, high = min(values) < 0, max(values) > 0
        kinds.append(ANY if low and high else PLUS if high else MINUS if low else FINITE)
    return "complete" if min(inside) > 0 else "quasi", kinds


def design(seed: int) -> tuple[Any, Any]:
    """Rows that are completely, quasi-completely or not separated, or nearly one of these, far from 0 or not."""
    dice = np.random.default_rng(seed)
    rows = int(dice.integers(4, 13))
    X = dice.integers(0, 6, (rows, 2)).astype(float) if seed % 2 else dice.normal(size=(rows, 2))
    score = X @ dice.integers(-2, 3, 2)
    y = np.where(score == np.median(score), dice.integers(0, 2, rows), score > np.median(score)).astype(int)
    if seed % 3 == 0:
        y = dice.integers(0, 2, rows)
    if seed % 5 == 0:
        X[0] = X[-1] + dice.choice([0, 1e-9, -1e-9], 2)  # near: rows that differ by a billionth, or not at all
    return X + (100_000 if seed % 7 == 0 else 0), y


def compare_verdicts(count: int) -> bool:
    """Print how many verdicts of `separability` and of each coefficient are wrong."""
    tried, wrong, names = {"complete": 0, "quasi": 0, "overlap": 0}, [0, 0], 0
    for seed in range(10 * count):
        X, y = design(seed)
        if sum(tried.values()) == count:
            break
        if len(set(y.tolist())) < 2 or not _spans(X):
            continue
        kind, kinds = verdict(X, y)
        tried[kind] += 1
        wrong[kind != "overlap"] += (separability(X, y).kind == "overlap") != (kind == "overlap")
        names += separability(X, y).kind != kind or list(infinite_coefficients(X, y, True).kinds) != kinds
    print(f"{', '.join(f'{number} {kind}' for kind, number in tried.items())}")
    print(f"false alarms {wrong[0]}, misses {wrong[1]}, other wrong kinds or coefficients {names}")
    return not (sum(wrong) or names)


def _spans(X: Any) -> bool:
    rows = integer_rows(X)
    return any(sum(p * q for p, q in zip(cross(a, b), c, strict=True)) for a, b, c in combinations(rows, 3))
