"""The two faces of a problem agree: floats where they are sure, exact arithmetic elsewhere."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from rosenblatt.prove.exact import problem as problems
from rosenblatt.prove.exact.exact_matrix import column_names
from rosenblatt.prove.exact.problem import ExactProblem


def exact_signs(X, labels, w, fit_intercept, exponents):
    signs = []
    for row, label in zip(np.asarray(X, dtype=np.float64).tolist(), labels, strict=True):
        numbers = [Fraction(x) / Fraction(2) ** int(e) for x, e in zip(row, exponents, strict=True)]
        total = sum(a * b for a, b in zip([*numbers, *[Fraction(1)] * fit_intercept], w, strict=True))
        signs.append(int(label) * ((total > 0) - (total < 0)))
    return np.array(signs)


SCALES = {
    "plain": [1.0, 0.1, 3.0],
    "far": [1e-300, 1e300, 5e-324],
    "rows": [1.0, 1.0, 1.0],
}


def rows_of(scale, rng, count):
    X = rng.integers(-3, 4, (count, 3)) * np.array(SCALES[scale])
    return X * 10.0 ** rng.integers(-200, 100, (count, 1)) if scale == "rows" else X


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("scale", SCALES)
def test_sides_are_exact(scale, fit_intercept, convert):
    rng = np.random.default_rng(5)
    X, y = rows_of(scale, rng, 60), np.arange(60) % 2
    problem = ExactProblem(convert(X), y, fit_intercept)
    exponents = np.frexp(np.abs(X).max(axis=0))[1]
    for size in (2, 5, 2**40):
        w = [int(value) for value in rng.integers(-size, size + 1, problem.size)]
        expected = exact_signs(X, problem.labels, w, fit_intercept, exponents)
        sides = problem.nonpositive_rows(w)
        assert sides.rows.tolist() == np.flatnonzero(expected <= 0).tolist()
        assert (sides.sign == expected[expected <= 0]).all()
        assert (problem.in_span([w], np.arange(60)) == (expected == 0)).all()
        known = expected == 0
        assert problem.nonpositive_rows(w, known).rows.tolist() == np.flatnonzero(expected < 0).tolist()


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array])
def test_equal_rows_are_worked_out_once(convert, monkeypatch):
    worked_out = []
    together = ExactProblem._limb_margins_of_block
    monkeypatch.setattr(
        ExactProblem,
        "_limb_margins_of_block",
        lambda p, ws, limbs, rows, used: worked_out.extend(rows) or together(p, ws, limbs, rows, used),
    )
    X = np.array([[0.1, 0.2], [0.3, 0.6], [0.7, 1.4]])[np.arange(3 * problems.MIN_ROWS_TO_DEDUPLICATE) % 3]
    problem = ExactProblem(convert(X), np.arange(len(X)) % 2, True)
    plane = problem.scale_weights([Fraction(0), Fraction(0), Fraction(0)])
    normals = [[1, -1, 0], [-2, 2, 0]]  # the second column is twice the first
    assert problem.in_span(normals, np.arange(len(X))).all()
    assert len(worked_out) == 3
    assert len(problem.nonpositive_rows(plane).rows) == len(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_are_taken_without_a_copy(dtype):
    X = np.arange(8, dtype=dtype).reshape(4, 2)
    problem = ExactProblem(X, [0, 1, 0, 1], True)
    assert np.shares_memory(problem._X, X)
    assert problem.floats([3]).tolist() == [[0.75, 0.875, 1.0]]


def test_names_of_columns():
    table = {"width": [1.0, 2.0], "length": [3.0, 4.0]}
    assert column_names(pd.DataFrame(table)) == column_names(pl.DataFrame(table)) == ["width", "length"]
    assert column_names(pd.DataFrame([[1.0]])) is None
    assert column_names(np.eye(2)) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array])
def test_equal_rows_are_in_one_group(convert, dtype):
    X = np.array([[0.0, 1.0], [1.0, 0.0], [-0.0, 1.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1e-30]], dtype=dtype)
    problem = ExactProblem(convert(X), [0, 1, 0, 1, 0, 1], True)
    assert problem.row_groups().tolist() == [0, 1, 0, 2, 1, 3]


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array])
def test_integers_that_floats_would_round_are_refused(convert):
    """Every integer up to 2^53 is a float, and the next one is not."""
    limit = ExactProblem(convert(np.array([[2**53], [-(2**53)]])), [0, 1], True)
    assert limit.scale_weights([Fraction(1), Fraction(0)]) == [1, 0]
    for number in (2**53 + 1, -(2**53) - 1):
        with pytest.raises(ValueError, match="no float64 equals"):
            ExactProblem(convert(np.array([[1], [number]])), [0, 1], True)
