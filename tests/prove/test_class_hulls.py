"""The hulls of two classes: their hardest rows, samples of them, and numbers that they refuse."""

import numpy as np
import pytest
import scipy.sparse
from class_rows import BOTH

from rosenblatt.prove.margin.class_hulls import ClassHulls, rows_of_least_margin, sample_hard_rows


@pytest.mark.parametrize(("count", "most"), [(1000, 100), (101, 100), (57, 12), (400, 7)])
def test_a_sample_has_the_hardest_rows_and_others_from_everywhere(count, most):
    rng = np.random.default_rng(count)
    group, values = np.sort(rng.choice(5 * count, count, replace=False)), rng.standard_normal(5 * count)
    chosen = np.searchsorted(group, sample_hard_rows(values, group, most))
    hardest = np.argsort(values[group])[: most // 4]
    assert set(hardest.tolist()) <= set(chosen.tolist())
    assert np.diff(chosen).max() <= count / (0.75 * most)
    assert count - 1 - chosen[-1] < count / (0.75 * most)
    assert len(chosen) <= most // 4 + 2 * most


def test_a_small_group_is_its_own_sample():
    group = np.array([3, 5, 8])
    assert sample_hard_rows(np.zeros(9), group, 3).tolist() == [3, 5, 8]
    assert rows_of_least_margin(np.zeros(9), group, 3).tolist() == [3, 5, 8]
    assert rows_of_least_margin(np.arange(9.0), group, 2).tolist() == [3, 5]


@BOTH
def test_hard_rows_are_those_of_least_margin_in_each_class(fit_intercept):
    rng = np.random.default_rng(0)
    y, margin = rng.permutation(40) % 4 > 0, rng.standard_normal(40)
    hulls = ClassHulls(rng.standard_normal((40, 2)), y, fit_intercept, None)
    groups = [np.flatnonzero(y), np.flatnonzero(~y)] if fit_intercept else [np.arange(40)]
    wanted = sorted(row for group in groups for row in group[np.argsort(margin[group])][: 12 // len(groups)].tolist())
    assert hulls.hard_rows(margin, 12).tolist() == wanted
    assert hulls.hard_rows(margin, 40).tolist() == list(range(40))


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
def test_rows_of_zeros_have_no_largest_number(form):
    assert ClassHulls(form(np.zeros((3, 2))), [0, 1, 1], True, None).largest == 0.0
    assert ClassHulls(form(np.array([[1.0, -7.0], [0.0, 3.0]])), [0, 1], True, None).largest == 7.0


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused_by_their_place(form, dtype, bad):
    X = np.array([[1.0, 2.0], [3.0, bad], [5.0, 6.0]], dtype=dtype)
    with pytest.raises(ValueError, match="in column 1, row 1"):
        ClassHulls(form(X), [0, 1, 1], True, None)


def test_arrays_of_floats_are_not_copied():
    X = np.random.default_rng(0).standard_normal((6, 2))
    assert ClassHulls(X, [0, 1] * 3, True, None).X is X
