"""Merge rows of the same direction, and cancel pairs of opposite rows.

A row a_i and a positive multiple of it are right or wrong together. A row and a negative multiple of it are never both
right: every w makes a mistake in such a pair, and a w that is not orthogonal to them makes just one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...foundation.types import Places
from .linear_algebra import primitive_vector
from .problem import ExactProblem

MAX_ROWS_COMPARED_BY_DIRECTION = 20_000  # with more rows, only equal ones are merged


@dataclass
class MergedRows:
    """`members` lists the rows of each remaining direction, `pairs` the cancelled pairs, `zeros` the rows of zeros.

    Every w makes a mistake in each pair and in each row of zeros.

    >>> rows = ExactProblem([[1.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], True)
    >>> merge_rows(rows, range(4))
    MergedRows(members=[[1], [3]], pairs=[(0, 2)], zeros=[])
    """

    members: list[list[int]]
    pairs: list[tuple[int, int]]
    zeros: list[int]

    @property
    def rows(self) -> list[int]:
        """One row of each direction."""
        return [rows[0] for rows in self.members]

    @property
    def weights(self) -> npt.NDArray[np.int32]:
        """How many rows each direction has."""
        return np.array([len(rows) for rows in self.members], dtype=np.int32)

    @property
    def unavoidable_mistakes(self) -> int:
        """How many mistakes every w makes in the pairs and in the rows of zeros."""
        return len(self.pairs) + len(self.zeros)


def merge_rows(problem: ExactProblem, rows: Sequence[int] | Places) -> MergedRows:
    """Merge some of the rows of a problem."""
    places = np.asarray(rows, dtype=np.intp)
    zero = problem.zero_rows()[places]
    zeros, places = places[zero].tolist(), places[~zero]
    kinds, signs = _directions(problem, places)
    order = np.argsort(kinds, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(kinds[order]) != 0, True)) + 1 if len(places) else np.zeros(0, np.intp)
    starts = np.append(0, ends)[: len(ends)]
    alone = ends - starts == 1
    members, pairs = [[row] for row in np.sort(places[order[starts[alone]]]).tolist()], []
    for start, end in zip(starts[~alone].tolist(), ends[~alone].tolist(), strict=True):
        group = order[start:end]
        positive, negative = places[group[signs[group] == 1]].tolist(), places[group[signs[group] == -1]].tolist()
        pairs += list(zip(positive, negative, strict=False))
        left = positive[len(negative) :] or negative[len(positive) :]
        if left:
            members.append(left)
    members.sort()
    return MergedRows(members, [(min(pair), max(pair)) for pair in pairs], zeros)


def _directions(problem: ExactProblem, places: Places) -> tuple[Places, npt.NDArray[np.int8]]:
    """For each row, the number of its line through the origin, and which of the two directions it has."""
    if problem.fit_intercept or len(places) > MAX_ROWS_COMPARED_BY_DIRECTION:
        return problem.row_groups()[places], problem.labels[places].astype(np.int8)
    numbers: dict[tuple[int, ...], int] = {}
    kinds, signs = np.empty(len(places), dtype=np.intp), np.empty(len(places), dtype=np.int8)
    for k, row in enumerate(places.tolist()):
        direction = primitive_vector(problem.integer_row(row))
        sign = 1 if next(value for value in direction if value) > 0 else -1
        kinds[k] = numbers.setdefault(tuple(sign * value for value in direction), len(numbers))
        signs[k] = sign
    return kinds, signs
