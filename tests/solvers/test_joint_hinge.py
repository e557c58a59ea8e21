"""The joint hinge optimum: compared with LIBLINEAR's, its proof in exact arithmetic, and its bits."""

from copy import deepcopy
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from rosenblatt import LinearSVM, _core
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.engine.resume import Bookmark
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers import joint_hinge_descent
from rosenblatt.solvers.joint_hinge import JointHingeNewton
from rosenblatt.solvers.joint_hinge_descent import JointHingeDescent
from rosenblatt.solvers.joint_hinge_proof import balance_shares
from rosenblatt.solvers.newton import joint_hinge_objective
from rosenblatt.solvers.newton.joint_hinge_objective import JointHinge

OFFSETS = [
    {"penalize_offset": True},
    {"penalize_offset": False},
    {"penalize_offset": False, "offset_value": 2.5},
    {"penalize_offset": True, "offset_value": 2.5},
    {"offset_value": 0.0},
]


def table(n=150, d=5, classes=4, seed=0):
    random = np.random.default_rng(seed)
    centres = 1.5 * random.standard_normal((classes, d))
    codes = np.arange(n, dtype=np.int32) % classes
    return centres[codes] + random.standard_normal((n, d)), codes


def solver_of(X, codes, weights=None, threads=1, way=JointHingeNewton, **parts):
    problem = whole_problem(codes, int(codes.max()) + 1)
    return way(JointHinge(as_rows(X), problem, weights=weights, threads=threads, **parts))


def solved(X, codes, tol=1e-9, **parts):
    solver = solver_of(X, codes, **parts)
    assert solver.minimise(tol, 100_000) == "gap"
    return solver


def joint_objective(model, X, y, C=1.0, penalized=False):
    scores = model.decision_function(X)
    own = scores[np.arange(len(y)), y]
    scores = scores + 1.0
    scores[np.arange(len(y)), y] -= 1.0
    offsets = model.intercept_ if penalized else np.zeros(1)
    return C * float((scores.max(axis=1) - own).sum()) + 0.5 * float((model.coef_**2).sum() + offsets @ offsets)


@pytest.mark.parametrize("data", [load_iris, load_wine])
@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_the_optimum_is_that_of_crammer_and_singer_in_liblinear(data, C):
    X, y = data(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = LinearSVM(C=C, penalize_intercept=True, multi_class="joint").fit(X, y)
    theirs = LinearSVC(C=C, multi_class="crammer_singer", tol=1e-10, max_iter=1_000_000).fit(X, y)
    reached = joint_objective(theirs, X, y, C, penalized=True)
    assert ours.objective_ == pytest.approx(joint_objective(ours, X, y, C, penalized=True), rel=1e-12)
    assert ours.objective_ == pytest.approx(reached, rel=1e-6)
    assert ours.objective_ * (1 - ours.duality_gap_) <= reached
    assert ours.duality_gap_ <= 1e-8
    assert ours.status_.reason == "gap"


@pytest.mark.parametrize("offsets", OFFSETS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gap_holds_in_exact_arithmetic(offsets, weighted):
    X, codes = table(n=40, d=3, classes=3)
    X = np.round(4 * X) / 4
    weights = np.random.default_rng(1).integers(0, 4, 40).astype(np.float64) if weighted else np.ones(40)
    solver = solved(X, codes, weights=weights if weighted else None, C=0.5, **offsets)
    penalised = offsets.get("penalize_offset", False)
    value = Fraction(offsets.get("offset_value", 1.0))
    rows = [[Fraction(number) for number in row] + [value] for row in X.tolist()]
    s, C = [Fraction(weight) for weight in weights.tolist()], Fraction(1, 2)
    z = [Fraction(number) for number in solver.best.tolist()]
    planes = [[*z[3 * k : 3 * k + 3], z[9 + k]] for k in range(3)]
    primal = Fraction(0)
    for row, y, weight in zip(rows, codes.tolist(), s, strict=True):
        scores = [sum(a * b for a, b in zip(plane, row, strict=True)) for plane in planes]
        primal += C * weight * (max(scores[k] + (k != y) for k in range(3)) - scores[y])
    primal += sum(number * number for plane in planes for number in plane[: 4 if penalised else 3]) / 2
    assert float(primal) == pytest.approx(solver.primal, rel=1e-12)

    shares = solver.iterate.curvature.reshape(-1, 3)
    if value and not penalised:
        shares = balance_shares(shares, codes, weights)
    exact = [[Fraction(share) for share in row] for row in shares.tolist()]
    exact = [[share / sum(row) for share in row] for row in exact]  # they add up to 1 only up to rounding
    dual = sum((C * w * (1 - a[y]) for w, a, y in zip(s, exact, codes.tolist(), strict=True)), Fraction(0))
    for k in range(3):
        change = [C * w * ((y == k) - a[k]) for w, a, y in zip(s, exact, codes.tolist(), strict=True)]
        pull = [sum(c * row[j] for c, row in zip(change, rows, strict=True)) for j in range(4)]
        dual -= sum(number * number for number in pull[: 4 if penalised else 3]) / 2
        if value and not penalised:
            assert abs(pull[3]) < 1e-9  # the shares of a free offset balance the classes
    assert 0 <= primal - dual <= Fraction(1, 10**8) * primal
    assert float(dual) == pytest.approx(solver.dual, rel=1e-7)


@pytest.mark.parametrize("offsets", OFFSETS)
def test_conjugate_gradients_find_the_same_optimum(offsets, monkeypatch):
    X, codes = table()
    with_matrix = solved(X, codes, **offsets)
    monkeypatch.setattr(joint_hinge_objective, "MAX_MATRIX_SIZE", 0)
    assert solved(X, codes, **offsets).primal == pytest.approx(with_matrix.primal, rel=1e-8)


@pytest.mark.parametrize("offsets", OFFSETS)
@pytest.mark.parametrize("weighted", [False, True])
def test_coordinate_descent_finds_the_same_optimum(offsets, weighted):
    X, codes = table(n=60, d=30)
    weights = np.random.default_rng(1).integers(0, 3, 60).astype(np.float64) if weighted else None
    by_newton = solved(X, codes, weights=weights, **offsets)
    by_descent = solved(X, codes, tol=1e-6, way=JointHingeDescent, weights=weights, **offsets)
    assert by_descent.primal == pytest.approx(by_newton.primal, rel=2e-6)
    assert by_descent.dual <= by_newton.primal * (1 + 1e-12)


def test_many_columns_are_solved_by_descent_whatever_its_slices(monkeypatch):
    X, codes = table(n=80, d=400)
    X[np.random.default_rng(1).random(X.shape) < 0.9] = 0.0
    dense, sparse = (LinearSVM(tol=1e-4).fit(rows, codes) for rows in (X, scipy.sparse.csr_array(X)))
    assert "epoch" in str(dense.status_)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-9)
    monkeypatch.setattr(joint_hinge_descent, "SLICE_VALUES", 1)
    np.testing.assert_array_equal(LinearSVM(tol=1e-4).fit(X, codes).coef_, dense.coef_)


def test_rows_of_zeros_without_an_offset_do_no_harm():
    X, codes = table(n=40, d=400)
    X[:4] = 0.0
    model = LinearSVM(fit_intercept=False, tol=1e-4).fit(X, codes)
    assert np.isfinite(model.coef_).all()
    assert model.duality_gap_ <= 1e-4


def test_the_hessian_is_what_its_products_say():
    X, codes = table(n=60, d=4)
    X[np.random.default_rng(2).random(X.shape) < 0.6] = 0.0
    weights = np.random.default_rng(3).random(60)
    for rows in (X, scipy.sparse.csr_array(X), X.astype(np.float32)):
        solver = solver_of(rows, codes, weights=weights, offset_value=2.0)
        shares, objective = np.random.default_rng(4).dirichlet(np.ones(4), 60), solver.objective
        shares[np.random.default_rng(5).random(shares.shape) < 0.4] = 0.0
        lower = np.empty((20, 20))
        _core.joint_hinge_hessian(objective.problem, shares.ravel(), lower)
        whole, p = lower + np.tril(lower, -1).T, np.random.default_rng(6).standard_normal(20)
        out, along = np.empty(20), np.empty(240)
        _core.hessian_product(objective.problem, shares.ravel(), p, along, out)
        np.testing.assert_allclose(whole @ p, out, rtol=1e-6 if rows.dtype == np.float32 else 1e-11)


def test_forms_of_rows_agree():
    X, codes = table()
    X[np.random.default_rng(1).random(X.shape) < 0.5] = 0.0
    dense = solved(X, codes)
    assert solved(scipy.sparse.csr_array(X), codes).primal == pytest.approx(dense.primal, rel=1e-8)
    assert solved(X.astype(np.float32), codes).primal == pytest.approx(dense.primal, rel=1e-5)


def test_weights_count_as_copies_and_rows_of_weight_0_not_at_all():
    X, codes = table(n=60)
    weights = np.random.default_rng(1).integers(0, 3, 60)
    copies = np.repeat(np.arange(60), weights)
    weighted = solved(X, codes, weights=weights.astype(np.float64))
    assert weighted.primal == pytest.approx(solved(X[copies], codes[copies]).primal, rel=1e-8)


@pytest.mark.parametrize("way", [JointHingeNewton, JointHingeDescent])
def test_bits_do_not_depend_on_threads_or_instruction_sets(way):
    X, codes = table(n=9000, d=3) if way is JointHingeNewton else table(n=100, d=50)
    found = []
    before = _core.target()
    try:
        for target in _core.targets():
            _core.set_target(target)
            found += [solved(X, codes, tol=1e-3, threads=threads, way=way).best.tobytes() for threads in (1, 2)]
    finally:
        _core.set_target(before)
    assert len(set(found)) == 1


class Pages(Bookmark):
    """Keeps every state that a run offers."""

    def __init__(self, saved=None):
        super().__init__(saved)
        self.trees = []

    def due(self, step):
        return True

    def write(self, tree, epochs):
        self.trees.append(deepcopy(tree))


@pytest.mark.parametrize(("way", "matrix"), [(JointHingeNewton, 1500), (JointHingeNewton, 0), (JointHingeDescent, 0)])
def test_a_run_resumes_from_any_step_with_the_same_bits(way, matrix, monkeypatch):
    monkeypatch.setattr(joint_hinge_objective, "MAX_MATRIX_SIZE", matrix)
    monkeypatch.setattr(joint_hinge_descent, "SLICE_VALUES", 400)
    X, codes = table(n=50)
    pages, whole = Pages(), solver_of(X, codes, way=way)
    whole.minimise(1e-6, 1000, bookmark=pages)
    for tree in pages.trees[:: max(1, len(pages.trees) // 8)]:
        resumed = solver_of(X, codes, way=way)
        assert resumed.minimise(1e-6, 1000, bookmark=Bookmark(tree)) == "gap"
        assert resumed.best.tobytes() == whole.best.tobytes()
        assert (resumed.steps, resumed.objective.passes) == (whole.steps, whole.objective.passes)


def test_limits_end_a_run_with_a_gap_that_holds():
    X, y = table(n=300)
    with pytest.warns(UserWarning, match="max_iter"):
        model = LinearSVM(multi_class="joint", max_iter=3).fit(X, y)
    best = LinearSVM(multi_class="joint").fit(X, y).objective_
    assert model.status_.reason == "max_iter"
    assert model.objective_ * (1 - model.duality_gap_) <= best <= model.objective_


def test_a_table_like_letter_is_classified_at_least_as_well_as_by_linearsvc():
    """26 classes of 16 columns, two clusters each, with a covariance of its own."""
    random, X = np.random.default_rng(0), []
    for _ in range(26):
        for centre in 1.1 * random.standard_normal((1, 16)) + 0.6 * random.standard_normal((2, 16)):
            spread = random.standard_normal((16, 16)) * random.gamma(1.0, 0.35, 16)
            X.append(centre + 0.8 * random.standard_normal((100, 16)) @ spread.T)
    X, y = StandardScaler().fit_transform(np.concatenate(X)), np.repeat(np.arange(26), 200)
    ours = LinearSVM(tol=1e-3).fit(X[::2], y[::2])
    assert ours.multi_class_ == "joint"
    assert ours.score(X[1::2], y[1::2]) >= LinearSVC().fit(X[::2], y[::2]).score(X[1::2], y[1::2])
