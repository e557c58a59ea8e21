"""One clash of rows is proved with bounded work: what it says is what `separability` proves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron, separability
from rosenblatt.parts.stops import VISITS_PER_SQUARED_COLUMN
from rosenblatt.prove.separability import overlap
from rosenblatt.prove.separability.overlap import MAX_COLUMNS, proves_overlap


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(1, 4), st.booleans())
def test_it_says_what_separability_proves(seed, rows, columns, fit_intercept):
    random = np.random.default_rng(seed)
    X = random.integers(-2, 3, (rows, columns)) / random.choice([1.0, 3.0])
    signs = np.where(random.permutation(rows) < max(1, rows // 2), 1, -1)
    wanted = separability(X, signs, fit_intercept).kind != "complete"
    assert proves_overlap(X, signs, fit_intercept) == wanted
    assert proves_overlap(sparse.csr_matrix(X), signs, fit_intercept) == wanted


@pytest.mark.parametrize("margin", [1e-1, 1e-4, 1e-8, 1e-12, 1e-15])
def test_a_narrow_margin_is_no_overlap(margin):
    random = np.random.default_rng(3)
    X = random.normal(size=(200, 4))
    signs = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] = np.where(np.arange(200) < 20, signs * margin, X[:, 0] + signs * margin)
    assert not proves_overlap(X, signs, True)


def test_overlap_is_not_proved_beyond_its_limits(monkeypatch):
    xor, signs = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, 1, -1])
    assert proves_overlap(xor, signs, True)
    assert not proves_overlap(np.hstack([xor, np.zeros((4, MAX_COLUMNS))]), signs, True)
    assert not proves_overlap(np.where(xor == 1, [1e-300, 1e300], xor), signs, True)
    assert not proves_overlap(xor, np.ones(4), True)
    monkeypatch.setattr(overlap, "MAX_STEPS", 0)
    assert not proves_overlap(xor, signs, True)


def test_as_many_columns_as_are_allowed_are_asked_about(monkeypatch):
    xor, signs = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, 1, -1])
    for most, asked in ((2, True), (1, False)):
        monkeypatch.setattr(overlap, "MAX_COLUMNS", most)
        assert proves_overlap(xor, signs, True) is asked


def test_one_row_of_zeros_is_never_right_through_the_origin():
    X, signs = np.array([[0.0], [1.0], [-1.0]]), np.array([1, 1, -1])
    assert proves_overlap(X, signs, False)
    assert not proves_overlap(X[1:], signs[1:], False)


def test_a_run_asks_only_after_visits_that_cost_as_much():
    """A proof takes the cube of the columns: on wide rows that are separable after all it would be most of a fit."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((1000, 40)), random.integers(0, 2, 1000)
    model = Perceptron(order="cyclic")
    with pytest.warns(ConvergenceWarning, match="cannot be separated"):
        model.fit(X, y)
    assert model.status_.reason == "overlap"
    assert VISITS_PER_SQUARED_COLUMN * 40**2 <= model.n_visits_ < VISITS_PER_SQUARED_COLUMN * 40**2 + 3000
