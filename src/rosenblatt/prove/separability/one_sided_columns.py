"""Rows that one column alone shows to be in S: they are peeled off before any linear program.

A column is one-sided if its numbers in the signed rows a_i are all >= 0 or all <= 0, as those of a word that occurs in
one class only. A w with just that column is above 0 on the rows that have it and 0 on the others, so these rows are in
S. Without them more columns are one-sided, and so on in rounds. Only signs are read, so nothing is rounded. What is
left is a smaller problem with the same T.
"""

from typing import NamedTuple

import numpy as np

from ...foundation.types import Places
from ..exact.linear_algebra import IntVector
from ..exact.problem import ExactProblem


class Round(NamedTuple):
    """The one-sided columns of a round, and the integer sign that makes each of them >= 0 in the rows it sees.

    Every number of theirs in a row peeled off is at least 2^floor in scaled columns.
    """

    columns: list[int]
    signs: list[int]
    floor: int


class Peeling(NamedTuple):
    """The rounds, and the rows and columns that are left. Columns that are 0 in all rows left are not among them."""

    rounds: list[Round]
    rows: Places
    columns: Places


def peel_rows(problem: ExactProblem) -> Peeling:
    """Peel rows off until no column is one-sided.

    >>> peeling = peel_rows(ExactProblem([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]], [0, 0, 1], True))
    >>> peeling.rounds, peeling.rows.tolist(), peeling.columns.tolist()
    ([Round(columns=[1], signs=[-1], floor=-1)], [0, 2], [0])
    """
    left = np.ones(problem.rows, dtype=np.bool_)
    rows, columns, signs, floors = problem.signed_entries()
    rounds: list[Round] = []
    while True:
        above = np.bincount(columns[signs == 1], minlength=problem.size) > 0
        below = np.bincount(columns[signs == -1], minlength=problem.size) > 0
        one_sided = above != below
        if not one_sided.any():
            return Peeling(rounds, np.flatnonzero(left), np.flatnonzero(above[: problem.columns]))
        chosen, peeling = np.flatnonzero(one_sided), one_sided[columns]
        rounds.append(Round(chosen.tolist(), np.where(above[chosen], 1, -1).tolist(), int(floors[peeling].min())))
        left[rows[peeling]] = False
        stay = left[rows]
        rows, columns, signs, floors = rows[stay], columns[stay], signs[stay], floors[stay]


def add_peeled_columns(peeling: Peeling, w: IntVector) -> IntVector:
    """A w that is above 0 on the rows peeled off, and has the margins of the given w on those left.

    The rows peeled off in a round may have the columns of later rounds with any sign. The weight of the round outweighs
    all of them: no scaled number exceeds 1, so all later weights together change a margin by at most their sum.
    """
    w = list(w)
    for step in reversed(peeling.rounds):
        later = sum(map(abs, w))
        weight = 1 << (later.bit_length() - step.floor)
        for column, sign in zip(step.columns, step.signs, strict=True):
            w[column] += sign * weight
    return w
