"""Slow truth with fractions alone: an independent checker of certificates, and the split into S and T."""

import itertools
import math
from fractions import Fraction


def signed_rows(X, y, classes, fit_intercept):
    sign = {classes[0]: -1, classes[1]: 1}
    ones = [Fraction(1)] * fit_intercept
    return [[sign[label] * value for value in [*map(Fraction, row), *ones]] for row, label in zip(X, y, strict=True)]


def reduced(rows):
    """Gaussian elimination without division: the rows that remain, each with the column of its pivot."""
    remaining = []
    for row in rows:
        for pivot, other in remaining:
            if row[pivot]:
                lead, other_lead = row[pivot], other[pivot]
                row = [a * other_lead - lead * b for a, b in zip(row, other, strict=True)]
        pivot = next((j for j, value in enumerate(row) if value), None)
        if pivot is not None:
            remaining.append((pivot, row))
    return remaining


def independent_verdict(certificate, X, y):
    """The kind that a certificate proves; None if it proves nothing. Only `fractions` is needed."""
    rows = signed_rows(X, y, certificate["classes"], certificate["fit_intercept"])
    w = [Fraction(value) for value in certificate["weights"]]
    w += [Fraction(certificate["offset"])] * certificate["fit_intercept"]
    margins = [sum(a * b for a, b in zip(row, w, strict=True)) for row in rows]
    on_plane = [row for row, margin in zip(rows, margins, strict=True) if margin == 0]
    numbers = certificate["clash"]["rows"]
    multipliers = [Fraction(value) for value in certificate["clash"]["multipliers"]]
    if min(margins) < 0 or any(value <= 0 for value in multipliers):
        return None
    if len(set(numbers)) != len(multipliers) or not all(0 <= number < len(rows) for number in numbers):
        return None
    clash = [rows[number] for number in numbers]
    if any(sum(m * row[j] for m, row in zip(multipliers, clash, strict=True)) for j in range(len(w))):
        return None
    rank = len(reduced(clash))
    if rank != len(reduced(on_plane)) or len(clash) > 2 * rank:
        return None
    return "complete" if not on_plane else "overlap" if len(on_plane) == len(rows) else "quasi"


def positive_dependence(rows):
    """Whether just one dependence of the rows exists, and all its numbers have one sign."""
    count = len(rows)
    extended = [[*row, *(int(i == j) for j in range(count))] for i, row in enumerate(rows)]
    width = len(rows[0])
    dependences = [row[width:] for pivot, row in reduced(extended) if pivot >= width]
    return len(dependences) == 1 and (min(dependences[0]) > 0 or max(dependences[0]) < 0)


def in_whole_numbers(rows):
    """Each column multiplied by what makes it whole: the dependences of the rows remain the same."""
    scales = [math.lcm(*(value.denominator for value in column)) for column in zip(*rows, strict=True)]
    return [[int(value * scale) for value, scale in zip(row, scales, strict=True)] for row in rows]


def brute_kind(X, y, fit_intercept=True):
    """T is the union of the smallest clashes: try every subset of rows that is small enough."""
    rows = in_whole_numbers(signed_rows(X, y, sorted(set(y)), fit_intercept))
    different = sorted(set(map(tuple, rows)))
    in_t = {row for row in different if not any(row)}
    for count in range(2, len(rows[0]) + 2):
        for subset in itertools.combinations(different, count):
            if not in_t.issuperset(subset) and positive_dependence(subset):
                in_t.update(subset)
    return "complete" if not in_t else "overlap" if len(in_t) == len(different) else "quasi"
