"""Penalised losses at the edge: zeros, constant columns, odd scales, numbers that are too large."""

import numpy as np
import pytest
from penalised_learners import LEARNERS, SMOOTH, hinge, overlapping, quietly
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import LinearSVM, LogisticRegression
from rosenblatt.foundation.errors import TooLarge


@quietly
@pytest.mark.parametrize("solver", ["optimum", "gd", "sgd"])
@pytest.mark.parametrize("learner", LEARNERS)
class TestEdges:
    def fitted(self, learner, solver, X, y, **parameters):
        model = learner(solver=solver, random_state=0, max_iter=200, **parameters).fit(X, y)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.objective_)
        return model

    def test_all_zero_matrix(self, learner, solver):
        model = self.fitted(learner, solver, np.zeros((10, 3)), [0, 0, 0, 1, 1, 1, 1, 1, 1, 1])
        assert not model.coef_.any()
        assert model.intercept_[0] > 0
        without = self.fitted(learner, solver, np.zeros((4, 3)), [0, 1, 1, 1], fit_intercept=False)
        assert not without.coef_.any()

    def test_constant_column(self, learner, solver):
        X, y = overlapping()
        plain = self.fitted(learner, solver, X, y)
        model = self.fitted(learner, solver, np.column_stack([X, np.full(len(X), 3.0)]), y)
        assert model.score(np.column_stack([X, np.full(len(X), 3.0)]), y) == pytest.approx(plain.score(X, y), abs=0.02)

    def test_columns_of_very_different_scales(self, learner, solver):
        X, y = overlapping()
        model = self.fitted(learner, solver, X * [1e-12, 1e12, 1, 1, 1], y)
        if solver == "optimum":
            assert model.score(X * [1e-12, 1e12, 1, 1, 1], y) > 0.6

    def test_more_columns_than_rows(self, learner, solver):
        X = np.random.default_rng(0).normal(size=(20, 100))
        y = np.arange(20) % 2
        assert self.fitted(learner, solver, X, y).score(X, y) == 1.0

    def test_one_row(self, learner, solver):
        with pytest.raises(ValueError, match="y has only one class"):
            learner(solver=solver).fit([[1.0]], [1])

    def test_weights_that_sum_to_zero(self, learner, solver):
        with pytest.raises(ValueError, match=r"(?i)sample.weights? .*(zero for every row|non-zero)"):
            learner(solver=solver).fit([[0.0], [1.0]], [0, 1], sample_weight=[0, 0])

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_numbers_that_are_not_finite(self, learner, solver, bad):
        X, y = overlapping(20)
        X[3, 2] = bad
        with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity) in column 2, row 3"):
            learner(solver=solver).fit(X, y)

    def test_numbers_too_large(self, learner, solver):
        if solver == "optimum" and learner is hinge:
            return  # the hinge's dual ends at max_iter instead, and says so
        X, y = overlapping(20)
        with pytest.raises(ValueError, match="so large that sums with them overflow"):
            learner(solver=solver).fit(X * 1e200, y)


@pytest.mark.parametrize(
    "offset",
    [
        {"fit_intercept": False},
        {"intercept_scaling": 5.0},
        {"intercept_scaling": 0.5, "penalize_intercept": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("learner", SMOOTH)
def test_the_gradient_criterion_takes_the_offset_as_it_is(learner, offset):
    X, y = overlapping()
    model = learner(solver="gd", tol=1e-7, max_iter=20_000, **offset).fit(X, y)
    best = learner(tol=1e-10, **offset).fit(X, y)
    assert model.status_.reason == "gradient"
    np.testing.assert_allclose(model.coef_, best.coef_, rtol=1e-4)
    np.testing.assert_allclose(model.intercept_, best.intercept_, rtol=1e-3)


def test_an_offset_of_large_scale_is_refused_like_other_large_numbers():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    with pytest.raises(TooLarge):
        LogisticRegression(solver="sgd", intercept_scaling=1e200).fit(X, y)


@pytest.mark.parametrize("columns", [2, 1100])
def test_rows_whose_squares_overflow_are_refused_by_the_hinge(columns):
    X, y = np.random.default_rng(0).standard_normal((8, columns)), [0, 1] * 4
    with pytest.raises(TooLarge):
        LinearSVM().fit(1e155 * X, y)


def test_columns_that_drown_in_rounding_give_a_warning():
    X = np.random.default_rng(0).standard_normal((60, 4))
    for shift in (1e7, 1e9):
        with pytest.warns(ConvergenceWarning, match="centre and scale them"):
            assert not LogisticRegression().fit(X + shift, X[:, 0] > np.median(X[:, 0])).status_.converged
