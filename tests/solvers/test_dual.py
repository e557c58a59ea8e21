"""The hinge optimum: compared with a slow reference, its proof, and its bits for every slice and thread count."""

import highspy
import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from rosenblatt import _core
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.stops import Stops
from rosenblatt.solvers import dual
from rosenblatt.solvers.dual import HingeOptimum, HingeSolver, minimise_hinge

WAYS = ["newton", "descent"]
OFFSETS = [
    {"penalize_intercept": True},
    {"penalize_intercept": False},
    {"penalize_intercept": False, "intercept_scaling": 2.5},
    {"penalize_intercept": True, "intercept_scaling": 2.5},
    {"fit_intercept": False},
]


def two_classes(signs):
    return whole_problem((signs > 0).astype(np.int32), classes=2)


def table(n: int = 120, d: int = 6, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    y = np.where(X[:, 0] + random.standard_normal(n) > 0.4, 1, -1).astype(np.int8)
    return X, y


def objective(w, b, X, y, C, weights=None, penalize_intercept=False, fit_intercept=True, intercept_scaling=1.0):
    loss = np.maximum(0, 1 - y * (X @ w + b))
    penalised = b / intercept_scaling if penalize_intercept and fit_intercept else 0.0
    return C * np.sum(loss if weights is None else weights * loss) + (w @ w + penalised**2) / 2


def solve(
    X, y, C=1.0, tol=1e-8, max_iter=20000, weights=None, way="newton", slices=None, threads=1, **parts
) -> HingeOptimum:
    recipe = Recipe(loss="hinge", C=C, stops=Stops(tol=tol, max_iter=max_iter), **parts)
    solver = HingeSolver(as_rows(X), two_classes(y), recipe, weights, seed=3, threads=threads)
    solver.uses_newton = way == "newton"
    if slices is None:
        return minimise_hinge(solver)
    while not solver.gap_within(tol):
        solver.advance(slices, tol)
    return solver.optimum("gap")


def slow_optimum(X, y, C, weights, penalize_intercept=False, fit_intercept=True, intercept_scaling=1.0) -> float:
    """The quadratic program with one slack a row, by HiGHS."""
    value = intercept_scaling if fit_intercept else 0.0
    cost = C * (np.ones(len(X)) if weights is None else weights)
    X, y, cost = X[cost > 0], y[cost > 0], cost[cost > 0]
    n, d = X.shape
    A = np.hstack([y[:, None] * np.column_stack([X, np.full(n, value)]), np.eye(n)])
    solver, infinite = highspy.Highs(), highspy.kHighsInf
    solver.setOptionValue("output_flag", False)
    lower = np.concatenate([np.full(d + 1, -infinite), np.zeros(n)])
    solver.addVars(d + 1 + n, lower, np.full(d + 1 + n, infinite))
    solver.changeColsCost(d + 1 + n, np.arange(d + 1 + n, dtype=np.int32), np.concatenate([np.zeros(d + 1), cost]))
    for row in A:
        at = np.flatnonzero(row).astype(np.int32)
        solver.addRow(1.0, infinite, len(at), at, row[at])
    squares = d + int(penalize_intercept)
    starts = np.minimum(np.arange(d + 1 + n), squares).astype(np.int32)
    solver.passHessian(d + 1 + n, squares, 1, starts, np.arange(squares, dtype=np.int32), np.ones(squares))
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return float(solver.getInfo().objective_function_value)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("offset", OFFSETS, ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_agrees_with_a_general_method(way, offset, C, weighted):
    X, y = table(60, 4)
    weights = np.random.default_rng(1).integers(0, 4, 60).astype(float) if weighted else None
    found = solve(X, y, C, weights=weights, way=way, **offset)
    expected = slow_optimum(X, y, C, weights, **offset)
    assert found.reason == "gap"
    assert found.primal == pytest.approx(expected, rel=1e-6)
    assert found.dual <= expected * (1 + 1e-9)
    assert objective(found.coef, found.intercept, X, y, C, weights, **offset) == pytest.approx(found.primal, rel=1e-12)


@pytest.mark.parametrize("penalised", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_the_optimum_lies_between_the_two_values_at_any_time(way, penalised):
    X, y = table(300, 5)
    best = solve(X, y, tol=1e-10, penalize_intercept=penalised).primal
    solver = HingeSolver(as_rows(X), two_classes(y), Recipe(loss="hinge", penalize_intercept=penalised))
    solver.uses_newton = way == "newton"
    gaps = []
    while not solver.gap_within(1e-6):
        solver.advance(40)
        solver.state.prove_gap(solver.problem)
        assert solver.state.dual <= best * (1 + 1e-9)
        assert solver.state.primal >= best * (1 - 1e-9)
        gaps.append(solver.state.primal - solver.state.dual)
    assert gaps == sorted(gaps, reverse=True)


@pytest.mark.parametrize("rows", [400, 20_000])
@pytest.mark.parametrize("penalised", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_same_bits_for_every_instruction_set_slice_and_thread_count(way, penalised, rows):
    X, y = table(rows, 9)
    before, found = _core.target(), []
    try:
        for target in _core.targets():
            _core.set_target(target)
            for slices, threads in [(None, 1), (1 << 30, 2), (997, 1)]:
                found.append(
                    solve(X, y, tol=1e-3, way=way, slices=slices, threads=threads, penalize_intercept=penalised)
                )
    finally:
        _core.set_target(before)
    for other in found[1:]:
        assert other.coef.tobytes() == found[0].coef.tobytes()
        assert (other.intercept, other.primal, other.dual) == (found[0].intercept, found[0].primal, found[0].dual)


@pytest.mark.parametrize("penalised", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_sparse_and_narrow_rows_give_the_same_optimum(way, penalised):
    X, y = table(500, 12, seed=4)
    X[np.abs(X) < 1] = 0
    X = X.astype(np.float32).astype(np.float64)
    dense = solve(X, y, way=way, penalize_intercept=penalised)
    for form in (scipy.sparse.csr_matrix(X), X.astype(np.float32), scipy.sparse.csr_matrix(X.astype(np.float32))):
        other = solve(form, y, way=way, penalize_intercept=penalised)
        assert other.primal == pytest.approx(dense.primal, rel=1e-7)
        np.testing.assert_allclose(other.coef, dense.coef, atol=1e-3)


def test_liblinear_reaches_the_same_objective():
    X, labels = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), np.where(labels == 1, 1, -1).astype(np.int8)
    found = solve(X, y, tol=1e-8, penalize_intercept=True)
    peer = LinearSVC(loss="hinge", C=1.0, tol=1e-8, max_iter=1_000_000, random_state=0).fit(X, y)
    theirs = objective(peer.coef_[0], peer.intercept_[0], X, y, 1.0, penalize_intercept=True)
    assert found.primal == pytest.approx(theirs, rel=1e-6)
    assert found.dual <= theirs


def test_a_sample_of_the_rows_leads_to_the_optimum_of_all():
    X, y = table(40_000, 3, seed=2)
    assert solve(X, y, tol=1e-6).primal == pytest.approx(solve(X, y, tol=1e-6, way="descent").primal, rel=2e-6)


@pytest.mark.parametrize("penalised", [True, False])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "name", ["zeros", "zero rows", "constant column", "one row", "one class", "wide", "duplicates", "no weight"]
)
def test_hard_tables(name, way, penalised):
    X, y = table(40, 3)
    weights = None
    if name == "zeros":
        X = np.zeros_like(X)
    elif name == "zero rows":
        X[::2] = 0
    elif name == "constant column":
        X[:, 1] = 7.0
    elif name == "one row":
        X, y = X[:1], y[:1]
    elif name == "one class":
        y = np.ones_like(y)
    elif name == "wide":
        X, y = table(15, 60)
    elif name == "duplicates":
        X, y = np.repeat(X, 5, axis=0), np.repeat(y, 5)
    elif name == "no weight":
        weights = np.zeros(len(y))
    found = solve(X, y, tol=1e-6, weights=weights, way=way, penalize_intercept=penalised)
    assert found.reason == "gap"
    assert found.gap <= 1e-6 * found.primal
    assert objective(found.coef, found.intercept, X, y, 1.0, weights, penalised) == pytest.approx(found.primal)


def test_rows_of_weight_zero_are_as_if_they_were_not_there():
    X, y = table(200, 4)
    weights = np.where(np.arange(200) % 3 == 0, 0.0, 1.5)
    with_them = solve(X, y, weights=weights)
    without = solve(X[weights > 0], y[weights > 0], C=1.5)
    assert with_them.primal == pytest.approx(without.primal, rel=1e-7)


@pytest.mark.parametrize("penalised", [True, False])
@pytest.mark.parametrize("C", [1e-8, 1e-4, 1e4, 1e8])
def test_newton_steps_reach_it_whatever_C(C, penalised):
    X, y = table(20_000, 7)
    X[:, 1:] = np.round(X[:, 1:])  # many rows alike
    assert solve(X, y, C, tol=1e-5, max_iter=200, penalize_intercept=penalised).reason == "gap"


@pytest.mark.parametrize("C", [1e-8, 1e8])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scaled", [False, True])
def test_ends_honestly_whatever_the_scale(scaled, way, C):
    X, y = table(200, 4)
    if scaled:
        X = X * np.array([1e-12, 1.0, 1.0, 1e12])
    found = solve(X, y, C, tol=1e-6, max_iter=300, way=way)
    assert np.isfinite(found.primal)
    assert found.dual <= found.primal * (1 + 1e-12)
    assert objective(found.coef, found.intercept, X, y, C) == pytest.approx(found.primal, rel=1e-6)
    if found.reason == "gap":
        assert found.gap <= 1e-6 * found.primal
    else:
        assert found.reason == "max_iter"
        assert found.epochs >= 300


def test_newton_steps_find_what_descent_cannot():
    X, y = table(2000, 5)
    X[:, 1] *= 1e4
    assert solve(X, y, C=100.0, tol=1e-6, max_iter=500).reason == "gap"
    assert solve(X, y, C=100.0, tol=1e-6, max_iter=500, way="descent").reason == "max_iter"


def test_limits_and_ctrl_c_leave_a_proof():
    X, y = table(20_000, 5)
    for stops in (Stops(tol=1e-12, max_iter=1), Stops(tol=1e-12, max_iter=10**6, max_seconds=1e-3)):
        found = minimise_hinge(HingeSolver(as_rows(X), two_classes(y), Recipe(loss="hinge", stops=stops)))
        assert found.reason == ("max_iter" if stops.max_seconds is None else "max_seconds")
        assert 0 < found.gap <= found.primal
    seen = []

    def interrupt(epochs: float, gap: float, step: bool) -> None:
        seen.append((epochs, gap))
        if len(seen) == 2:
            raise KeyboardInterrupt

    found = minimise_hinge(HingeSolver(as_rows(X), two_classes(y), Recipe(loss="hinge")), interrupt)
    assert found.reason == "interrupted"
    assert found.dual <= found.primal < np.inf


def test_a_state_refuses_other_rows():
    X, y = table()
    solver = HingeSolver(as_rows(X), two_classes(y), Recipe(loss="hinge"))
    other = HingeSolver(as_rows(X[:50]), two_classes(y[:50]), Recipe(loss="hinge"))
    with pytest.raises(ValueError, match="differ in shape"):
        solver.state.step_newton(other.problem)


def test_columns_decide_the_way():
    X, y = np.zeros((2, dual.NEWTON_COLUMNS)), np.array([-1, 1], dtype=np.int8)
    assert not HingeSolver(as_rows(X), two_classes(y), Recipe(loss="hinge")).uses_newton
    assert HingeSolver(as_rows(X[:, 1:]), two_classes(y), Recipe(loss="hinge")).uses_newton
