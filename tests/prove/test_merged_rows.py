"""Rows of one direction are merged, and opposite ones cancelled, so that no count of mistakes changes."""

from itertools import product

import numpy as np
import pytest

from rosenblatt.prove.exact.merged_rows import merge_rows
from rosenblatt.prove.exact.problem import ExactProblem


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_mistakes_are_counted_as_before(seed, fit_intercept):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, (30, 2)).astype(float), np.arange(30) % 2
    problem = ExactProblem(X, y, fit_intercept)
    merged = merge_rows(problem, range(30))
    used = [
        *(row for rows in merged.members for row in rows),
        *(row for pair in merged.pairs for row in pair),
        *merged.zeros,
    ]
    assert sorted(used) == list(range(30))
    rows = np.array([problem.integer_row(row) for row in range(30)])
    for w in product(range(-3, 4), repeat=problem.size):
        margins = rows @ w
        if (np.delete(margins, merged.zeros) == 0).any():
            continue  # then w is wrong about both rows of a pair
        wrong = (margins <= 0).astype(int)
        fewer = (margins[merged.rows] <= 0) @ merged.weights + merged.unavoidable_mistakes
        assert fewer == wrong.sum()


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_no_two_directions_are_on_one_line(fit_intercept):
    X = np.array([[1.0, 2], [2, 4], [-1, -2], [1, 2], [0, 0], [3, 1], [-3, -1]])
    y = np.array([1, 1, 0, 0, 1, 1, 1])
    merged = merge_rows(ExactProblem(X, y, fit_intercept), range(len(X)))
    if fit_intercept:
        assert (merged.members, merged.pairs, merged.zeros) == ([[1], [2], [4], [5], [6]], [(0, 3)], [])
    else:  # rows 0, 1 and 2 push alike; row 3 is opposite to them, row 6 to row 5
        assert (merged.members, merged.pairs, merged.zeros) == ([[1, 2]], [(0, 3), (5, 6)], [4])
