"""Which coefficients are infinite: against the rays of the cone, listed one by one in exact arithmetic."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.prove.exact.linear_algebra import dot, null_space, rank
from rosenblatt.prove.separability.infinite_coefficients import infinite_coefficients
from rosenblatt.prove.time_limit import OutOfTime


def kinds_by_rays(X, y):
    """The kinds from all extreme rays of {d : a_i . d >= 0}: null vectors of rows that leave one dimension."""
    rows = [[(2 * int(label) - 1) * int(value) for value in (*x, 1)] for x, label in zip(X, y, strict=True)]
    size, rays = len(rows[0]), []
    assert rank(rows) == size, "the cone has a line"
    for chosen in combinations(sorted(set(map(tuple, rows))), size - 1):
        null = null_space([list(row) for row in chosen], size)
        for sign in (1, -1):
            ray = [sign * value for value in null[0]]
            if len(null) == 1 and all(dot(row, ray) >= 0 for row in rows):
                rays.append(ray)
    certain = [any(dot(row, ray) > 0 for ray in rays) for row in rows]
    signs = [{(ray[place] > 0) - (ray[place] < 0) for ray in rays} - {0} for place in range(size)]
    return [
        {1: "+inf", -1: "-inf"}[min(one)] if len(one) == 1 else "any" if one else "finite" for one in signs
    ], certain


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_small_designs_agree_with_the_rays_of_their_cone(columns):
    dice, seen = np.random.default_rng(columns), set()
    for _ in range(60):
        rows = int(dice.integers(columns + 3, columns + 7))
        X = dice.integers(-2, 3, (rows, columns))
        y = dice.integers(0, 2, rows)
        if dice.random() < 0.6:  # else most designs overlap
            y = (X @ dice.integers(-1, 2, columns) + dice.random(rows) > 0.5).astype(int)
        if len(set(y)) < 2 or np.linalg.matrix_rank(np.column_stack([X, np.ones(rows)])) <= columns:
            continue
        found = infinite_coefficients(X.astype(float), y)
        kinds, certain = kinds_by_rays(X, y)
        assert (found.kinds, found.certain.tolist()) == (kinds, certain)
        seen.update(kinds)
    assert {"finite", "+inf", "-inf"} <= seen
    assert columns == 1 or "any" in seen


def test_rows_that_overlap_by_a_billionth():
    """A verdict in floats calls these separated."""
    found = infinite_coefficients([[1.0], [2.0 + 1e-9], [2.0], [4.0]], [0, 0, 1, 1])
    assert (found.kinds, found.separated) == (["finite", "finite"], False)
    assert infinite_coefficients([[1.0], [2.0 - 1e-9], [2.0], [4.0]], [0, 0, 1, 1]).kinds == ["+inf", "-inf"]


def test_a_column_far_from_zero():
    """Both coefficients are infinite, however far away the rows are."""
    for far in (0.0, 1e5, 1e12):
        X = far + np.array([[1.0], [2.0], [3.0], [4.0]])
        assert infinite_coefficients(X, [0, 0, 1, 1]).kinds == ["+inf", "-inf"]


def test_scales_change_nothing():
    X, y = np.array([[0.0, 3], [0, 4], [0, 5], [1, 4]]), [0, 1, 0, 1]
    for scale in ([1, 1], [1e-200, 1e200], [-1, 3]):
        kinds = infinite_coefficients(X * scale, y).kinds
        assert kinds == [("+inf" if scale[0] > 0 else "-inf"), "finite", "finite"]


def test_sparse_rows_and_no_intercept():
    X, y = np.array([[1.0, 0], [2, 1], [-1, 0], [-2, 3]]), [1, 1, 0, 0]
    for rows in (X, sparse.csr_matrix(X)):
        assert infinite_coefficients(rows, y, fit_intercept=False).kinds == ["+inf", "any"]


def test_a_time_limit_is_told():
    X = np.random.default_rng(0).normal(size=(200, 20))
    with pytest.raises(OutOfTime):
        infinite_coefficients(X, np.arange(200) % 2, time_limit=1e-9)
