"""Which rows are combinations of some others, exactly."""

import numpy as np

from ...foundation.types import Places
from .linear_algebra import IntVector, in_span, independent_rows, null_space
from .problem import ExactProblem

NORMALS_PER_SOLUTION = 8  # as many normals are found in the time of one solution


def rows_outside_span(problem: ExactProblem, vectors: list[IntVector], rows: Places) -> Places:
    """The rows that are not in the span of the vectors. Few rows are solved for; many are multiplied by the normals.

    >>> problem = ExactProblem([[1.0], [2.0], [3.0]], [0, 1, 1], True)
    >>> rows_outside_span(problem, [problem.integer_row(0)], np.arange(3)).tolist()
    [1, 2]
    """
    normals = problem.size - len(independent_rows(vectors))
    if NORMALS_PER_SOLUTION * len(rows) < normals:
        found = in_span(vectors, [problem.integer_row(row) for row in rows.tolist()])
        rows = rows[~np.array(found, dtype=np.bool_)]
    return rows[~problem.in_span(null_space(vectors, problem.size), rows)] if len(rows) else rows
