"""The optimum by Newton's method, compared with other solvers, finite differences and its own variants."""

import math

import numpy as np
import pytest
from optimum_problems import SMOOTH, breast_cancer, overlapping, solve
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression as ScikitLogistic
from sklearn.svm import LinearSVC

from rosenblatt import _core
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers.newton import smooth_objective
from rosenblatt.solvers.newton.rows_objective import RowsObjective
from rosenblatt.solvers.optimum import find_optimum


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_logistic_agrees_with_newton_cholesky(C):
    for X, signs in [breast_cancer(), overlapping(500, 20)]:
        peer = ScikitLogistic(C=C, solver="newton-cholesky", tol=1e-10).fit(X, signs)
        found = solve(X, signs, C=C)
        np.testing.assert_allclose(found.coef, peer.coef_, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(found.intercept, peer.intercept_, rtol=1e-6, atol=1e-7)
        assert found.reason == "gradient"
        assert found.gradient_norm <= 1e-10


def test_squared_hinge_agrees_with_liblinear():
    for X, signs in [breast_cancer(), overlapping(500, 20)]:
        peer = LinearSVC(loss="squared_hinge", tol=1e-12, max_iter=100_000, dual=False).fit(X, signs)
        found = solve(X, signs, "squared-hinge", penalize_offset=True)
        np.testing.assert_allclose(found.coef, peer.coef_, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(found.intercept, peer.intercept_, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("penalize_offset", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0, 1000.0])
def test_a_start_from_the_dual_leads_to_the_optimum_of_newton(monkeypatch, penalize_offset, C):
    X, signs = overlapping(300, 30, seed=4)
    weights = np.random.default_rng(4).choice([0.0, 0.5, 1.0, 7.0], 300)
    options = {"weights": weights, "penalize_offset": penalize_offset, "offset_value": 3.0}
    expected = solve(X, signs, "squared-hinge", C, **options)
    monkeypatch.setattr(smooth_objective, "MAX_SAMPLED_COORDINATES", 5)
    monkeypatch.setattr(smooth_objective, "MAX_HESSIAN_COORDINATES", 5)
    for tol in (1e-2, 1e-4, 1e-10):
        found = solve(sparse.csr_matrix(X), signs, "squared-hinge", C, tol=tol, **options)
        assert found.reason == "gradient"
        assert found.gradient_norm <= tol
        assert found.objective == pytest.approx(expected.objective, rel=tol)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_joint_classes_agree_with_softmax_of_scikit_learn(C):
    X, y = load_digits(return_X_y=True)
    X = X / 16
    codes = y.astype(np.int32)
    peer = ScikitLogistic(C=C, solver="newton-cg", tol=1e-9, max_iter=1000).fit(X, y)
    found = find_optimum(as_rows(X), whole_problem(codes, 10), "logistic", C, tol=1e-9)
    np.testing.assert_allclose(found.coef, peer.coef_, atol=1e-5)


@pytest.mark.parametrize(("loss", "joint"), [("logistic", False), ("squared-hinge", False), ("logistic", True)])
def test_gradient_is_the_slope_of_the_objective(loss, joint):
    rng = np.random.default_rng(3)
    X, classes = rng.standard_normal((40, 3)), 3 if joint else 2
    labels = whole_problem(rng.integers(0, classes, 40, dtype=np.int32), classes)
    weights = rng.uniform(0.5, 2, 40)
    objective = RowsObjective(as_rows(X), labels, loss, 0.7, weights, penalize_offset=True, offset_value=2.0)
    z = rng.standard_normal(objective.size)

    at = objective.at
    here = at(z)
    gradient = objective.gradient(here)
    for k, unit in enumerate(np.eye(objective.size)):
        measured = (at(z + 1e-6 * unit).value - at(z - 1e-6 * unit).value) / 2e-6
        assert gradient[k] == pytest.approx(measured, rel=1e-6, abs=1e-6)
        along = np.empty(len(here.scores))
        bent = objective.hessian_product(here, unit, along)
        there, before = at(z + 1e-6 * unit), at(z - 1e-6 * unit)
        change = objective.gradient(there) - objective.gradient(before)
        np.testing.assert_allclose(bent, change / 2e-6, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6, math.inf])
def test_objective_is_as_low_as_a_general_minimiser_gets_it(loss, C):
    X, signs = overlapping(120, 4, seed=1)
    found = solve(X, signs, loss, C, tol=1e-9)
    factor, ridge = (1.0, 0.0) if math.isinf(C) else (C, 1.0)

    def objective(z):
        m = signs * (X @ z[:-1] + z[-1])
        each = np.logaddexp(0, -m) if loss == "logistic" else np.maximum(0, 1 - m) ** 2
        return factor * each.sum() + 0.5 * ridge * z[:-1] @ z[:-1]

    z = np.append(found.coef, found.intercept)
    assert found.objective == pytest.approx(objective(z), rel=1e-12)
    general = minimize(objective, np.zeros(5), method="BFGS", options={"gtol": 1e-9})
    assert found.objective <= general.fun * (1 + 1e-9)


@pytest.mark.parametrize("loss", SMOOTH)
def test_sparse_dense_float32_threads_and_targets_agree(loss):
    X, signs = overlapping(3000, 30, seed=2)
    X = np.where(np.abs(X) < 1, 0, X).astype(np.float32)
    expected = solve(X.astype(np.float64), signs, loss)
    for form in (X, sparse.csr_matrix(X), sparse.csr_matrix(X.astype(np.float64))):
        np.testing.assert_allclose(solve(form, signs, loss).coef, expected.coef, rtol=1e-6, atol=1e-8)
    before = _core.target()
    try:
        for target in _core.targets():
            _core.set_target(target)
            for threads in (1, 2):
                again = solve(X.astype(np.float64), signs, loss, threads=threads)
                assert np.array_equal(again.coef, expected.coef)
                assert again.objective == expected.objective
    finally:
        _core.set_target(before)


@pytest.mark.parametrize("columns", [40, 700, 2300])
def test_every_kind_of_direction_leads_to_the_same_optimum(columns, monkeypatch):
    """The full Hessian, and conjugate gradients preconditioned by a sample's Hessian or the diagonal."""
    X, signs = overlapping(2500, columns, seed=4)
    X /= np.sqrt(columns)
    expected = ScikitLogistic(C=1.0, solver="lbfgs", tol=1e-9, max_iter=10_000).fit(X, signs)
    ways = []
    for small, guided in [(10_000, 0), (0, 10_000), (0, 0)]:
        if small and columns > 700:
            continue
        monkeypatch.setattr(smooth_objective, "MAX_HESSIAN_COORDINATES", small)
        monkeypatch.setattr(smooth_objective, "MAX_HESSIAN_PASSES", math.inf)
        monkeypatch.setattr(smooth_objective, "MAX_SAMPLED_COORDINATES", guided)
        ways.append(solve(X, signs, tol=1e-8))
    for way in ways:
        assert way.reason == "gradient"
        np.testing.assert_allclose(way.coef, expected.coef_, atol=1e-5)


def test_a_start_from_a_subsample_saves_steps_and_changes_nothing_else():
    X, signs = overlapping(20_000, 5, seed=5)
    thinned = solve(X, signs)
    cold = solve(X, signs, start=(np.zeros((1, 5)), np.zeros(1)))
    np.testing.assert_allclose(thinned.coef, cold.coef, rtol=1e-8)
    assert thinned.steps < cold.steps


def test_a_warm_start_at_the_optimum_takes_no_step():
    X, signs = breast_cancer()
    first = solve(X, signs, tol=1e-6)
    again = solve(X, signs, tol=1e-6, start=(first.coef, first.intercept))
    assert again.steps == 0


def test_weights_are_copies_of_rows():
    X, signs = overlapping(60, 3, seed=6)
    copies = np.random.default_rng(0).integers(1, 4, 60)
    weighted = solve(X, signs, weights=copies.astype(float))
    repeated = solve(np.repeat(X, copies, axis=0), np.repeat(signs, copies))
    np.testing.assert_allclose(weighted.coef, repeated.coef, rtol=1e-8)


def test_ctrl_c_and_limits_leave_the_best_so_far():
    X, signs = breast_cancer()

    def interrupt(progress):
        if progress.epochs >= 6:
            raise KeyboardInterrupt

    stopped = solve(X, signs, watch=interrupt)
    assert stopped.reason == "interrupted"
    assert stopped.coef.any()
    large, sides = overlapping(20_000, 5, seed=5)
    for passes in (3, 6, 9):  # while a subsample finds the start, and later
        calls = 0

        def interrupt_later(progress, passes=passes):
            nonlocal calls
            calls += 1
            if calls == passes:
                raise KeyboardInterrupt

        stopped = solve(large, sides, watch=interrupt_later)
        assert stopped.reason == "interrupted"
        assert stopped.coef.any()
    assert solve(X, signs, max_iter=2).reason == "max_iter"
    assert solve(X, signs, max_seconds=1e-9).reason == "max_seconds"


def test_ctrl_c_works_during_a_start_from_the_dual(monkeypatch):
    X, signs = breast_cancer()
    monkeypatch.setattr(smooth_objective, "MAX_SAMPLED_COORDINATES", 5)
    monkeypatch.setattr(smooth_objective, "MAX_HESSIAN_COORDINATES", 5)
    whole = solve(X, signs, "squared-hinge")
    for passes in (2, 5):
        calls = 0

        def interrupt(progress, passes=passes):
            nonlocal calls
            calls += 1
            if calls == passes:
                raise KeyboardInterrupt

        stopped = solve(X, signs, "squared-hinge", watch=interrupt)
        assert stopped.reason == "interrupted"
        assert stopped.coef.any()
        assert whole.objective < stopped.objective < len(signs)


def test_history_falls():
    X, signs = breast_cancer()
    found = solve(X, signs)
    assert (np.diff(found.history["objective"]) < 0).all()
    assert (np.diff(found.history["visits"]) > 0).all()
    assert len(found.history["objective"]) == found.steps + 1


def wide_classes(form):
    """Rows of 5 classes: 240 x 70 dense, or 150 x 3,000 sparse, which is too wide for the Hessians of planes."""
    rng = np.random.default_rng(8)
    rows, columns = (240, 70) if form is np.asarray else (150, 3000)
    codes = rng.integers(0, 5, rows).astype(np.int32)
    X = rng.standard_normal((rows, columns)) * (rng.random((rows, columns)) < 900 / (columns + 900))
    X[np.arange(rows), codes] += 1.0
    return form(X), codes


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_joint_classes_of_wide_rows_reach_the_optimum_of_scikit_learn(form):
    X, codes = wide_classes(form)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(codes))
    peer = ScikitLogistic(C=0.5, solver="newton-cg", tol=1e-10, max_iter=1000).fit(X, codes, sample_weight=weights)
    found = find_optimum(as_rows(X), whole_problem(codes, 5), "logistic", 0.5, weights=weights, tol=1e-10)
    assert found.reason == "gradient"
    np.testing.assert_allclose(found.coef, peer.coef_, atol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_joint_classes_have_the_same_bits_with_any_threads_and_instruction_set(form):
    X, codes = wide_classes(form)
    before, found = _core.target(), []
    try:
        for target in _core.targets():
            _core.set_target(target)
            for threads in (1, 2, 3):
                found.append(find_optimum(as_rows(X), whole_problem(codes, 5), "logistic", 1.0, threads=threads))
    finally:
        _core.set_target(before)
    for other in found[1:]:
        np.testing.assert_array_equal(other.coef, found[0].coef)
        np.testing.assert_array_equal(other.intercept, found[0].intercept)


def test_joint_classes_return_from_a_start_that_shifts_all_planes():
    X, codes = wide_classes(np.asarray)
    expected = find_optimum(as_rows(X), whole_problem(codes, 5), "logistic", 1.0)
    start = np.full((5, 70), 3.0), np.zeros(5)
    found = find_optimum(as_rows(X), whole_problem(codes, 5), "logistic", 1.0, start=start)
    assert found.reason == "gradient"
    np.testing.assert_allclose(found.coef, expected.coef, atol=1e-6)
