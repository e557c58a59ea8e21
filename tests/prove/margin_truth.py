"""Slow truth about margins, with fractions alone, and small problems to compare with it."""

import itertools
from fractions import Fraction

import numpy as np

NOTES = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]


def solved(matrix, right):
    """The solution of square equations by elimination; None if there is not just one."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(len(rows)):
        pivot = next((r for r in range(column, len(rows)) if rows[r][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for r in range(len(rows)):
            if r != column and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column], strict=True)]
    return [row[-1] for row in rows]


def dot(left, right):
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def brute_square(X, y, fit_intercept):
    """The square of the widest margin, or None: of all w that give some rows margin 1 exactly and no row less, the
    shortest, of length 1 / margin."""
    rows = [[int(label) * Fraction(value) for value in row] for row, label in zip(X, y, strict=True)]
    best = None
    for size in range(1, min(len(rows), len(rows[0]) + 1) + 1):
        for subset in itertools.combinations(range(len(rows)), size):
            gram = [[dot(rows[i], rows[j]) for j in subset] for i in subset]
            right = [Fraction(1)] * size
            if fit_intercept:
                gram = [[*line, Fraction(int(y[i]))] for line, i in zip(gram, subset, strict=True)]
                gram.append([*(Fraction(int(y[i])) for i in subset), Fraction(0)])
                right.append(Fraction(0))
            answer = solved(gram, right)
            if answer is None:
                continue
            w = [sum(c * rows[i][j] for c, i in zip(answer, subset, strict=False)) for j in range(len(rows[0]))]
            b = answer[-1] if fit_intercept else Fraction(0)
            if all(dot(row, w) + int(label) * b >= 1 for row, label in zip(rows, y, strict=True)):
                best = dot(w, w) if best is None else min(best, dot(w, w))
    return None if not best else 1 / best


def attained_square(plane, X, y):
    """The square of the margin of a hyperplane, times its sign."""
    least = min(
        int(label) * (dot(plane.weights, map(Fraction, row)) + plane.offset) for row, label in zip(X, y, strict=True)
    )
    return least * abs(least) / dot(plane.weights, plane.weights)


def gaussian(seed, rows=200, columns=10, gap=0.5):
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((rows, columns)), rng.standard_normal(columns)
    w /= np.linalg.norm(w)
    side = np.where(X @ w > 0, 1, -1)
    return X + gap * side[:, None] * w, side
