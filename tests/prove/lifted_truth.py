"""Verdicts after a lift by fractions alone: all products of a row, their rank, and what a certificate proves."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod

import numpy as np
from scipy import sparse

FORMS = {"dense": np.asarray, "csr": sparse.csr_matrix}


def lifted(x, degree):
    """All products of up to `degree` numbers, as fractions."""
    x = [Fraction(float(value)) for value in x]
    return [prod(term) for d in range(1, degree + 1) for term in combinations_with_replacement(x, d)]


def rank(rows):
    pivots = []
    for row in rows:
        for place, other in pivots:
            row = [a - row[place] / other[place] * b for a, b in zip(row, other, strict=True)]
        place = next((j for j, value in enumerate(row) if value), None)
        pivots += [] if place is None else [(place, row)]
    return len(pivots)


def proved_kind(certificate, X, y, degree):
    """The kind that a certificate proves, by fractions alone."""
    one = [Fraction(1)] * certificate["fit_intercept"]
    positive = certificate["classes"][1]
    a = [[(1 if label == positive else -1) * v for v in lifted(x, degree) + one] for x, label in zip(X, y, strict=True)]
    w = [Fraction(text) for text in certificate["weights"] + [certificate["offset"]] * len(one)]
    values = [sum(v * u for v, u in zip(row, w, strict=True)) for row in a]
    clash = [a[row] for row in certificate["clash"]["rows"]]
    factors = [Fraction(text) for text in certificate["clash"]["multipliers"]]
    assert min(values) >= 0
    assert all(factor > 0 for factor in factors)
    assert not any(sum(f * row[j] for f, row in zip(factors, clash, strict=True)) for j in range(len(w)))
    on_plane = [row for row, value in zip(a, values, strict=True) if value == 0]
    assert rank(clash) == rank(on_plane)
    assert len(clash) <= 2 * rank(on_plane)
    return "complete" if not on_plane else "overlap" if len(on_plane) == len(a) else "quasi"
