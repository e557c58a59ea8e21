"""The hinge with an l1 penalty: the optimum of a linear program, its zeros and its proof."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.datasets import load_iris

from rosenblatt import LinearSVM, regularization_path
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers.elastic_net.elastic_net_objective import ElasticNetTerms
from rosenblatt.solvers.elastic_net.elastic_net_proof import lower_bound
from rosenblatt.solvers.elastic_net.hinge_net import HingeNet, HingeNetObjective


def rows_of(rows, columns, seed=0, noise=1.0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, columns))
    return X, np.where(X[:, 0] - X[:, 1] + noise * random.standard_normal(rows) > 0.3, 1, -1)


def least_objective(X, y, C, weights=None, intercept=True):
    """The optimum of C sum_i s_i xi_i + ||w||_1 as a linear program."""
    n, d = X.shape
    signed = y[:, None] * X
    constant = y[:, None] * float(intercept)
    rows = np.hstack([-signed, signed, -constant, -np.eye(n)])
    costs = np.concatenate([np.ones(2 * d), [0.0], C * (np.ones(n) if weights is None else weights)])
    bounds = [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * n
    return linprog(costs, A_ub=rows, b_ub=-np.ones(n), bounds=bounds).fun


@pytest.mark.parametrize("C", [0.02, 0.5, 20.0])
@pytest.mark.parametrize("shape", [(80, 6), (40, 400)], ids=["narrow", "wide"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_the_optimum_is_that_of_the_linear_program(C, shape, form):
    X, y = rows_of(*shape)
    model = LinearSVM(penalty="l1", C=C).fit(form(X), y)
    assert model.status_.reason == "gap"
    assert 0 <= model.duality_gap_ <= 1e-8
    assert model.objective_ == pytest.approx(least_objective(X, y, C), rel=2e-8)
    margins = y * model.decision_function(X)
    value = C * np.maximum(0, 1 - margins).sum() + np.abs(model.coef_).sum()
    assert model.objective_ == pytest.approx(value, rel=1e-12)


def test_weights_of_rows_and_classes_and_no_offset():
    X, y = rows_of(60, 5)
    weights = np.random.default_rng(1).uniform(0, 2, 60)
    model = LinearSVM(penalty="l1", C=0.3, fit_intercept=False, class_weight={1: 2.0, -1: 0.5})
    model.fit(X, y, sample_weight=weights)
    both = weights * np.where(y == 1, 2.0, 0.5)
    assert model.objective_ == pytest.approx(least_objective(X, y, 0.3, both, intercept=False), rel=2e-8)


def test_columns_that_do_not_help_have_weights_of_exactly_0():
    X, y = rows_of(200, 30, noise=0.3)
    model = LinearSVM(penalty="l1", C=0.05).fit(X, y)
    assert set(np.flatnonzero(model.coef_[0])) == {0, 1}
    assert not LinearSVM(penalty="l1", C=1e-4).fit(X, y).coef_.any()


def test_an_elastic_net_of_the_hinge_fulfils_the_conditions_of_an_optimum():
    X, y = rows_of(100, 8)
    C, r = 0.2, 0.4
    model = LinearSVM(penalty="elasticnet", l1_ratio=r, C=C, tol=1e-11).fit(X, y)
    least = LinearSVM(C=C / (1 - 1e-12)).fit(X, y)  # the square alone, by the dual solver
    w = model.coef_[0]
    shares = (y * model.decision_function(X) < 1 - 1e-5).astype(float)
    on_margin = np.abs(y * model.decision_function(X) - 1) <= 1e-5
    # q = C sum a y x with free shares on the margin must be r sign(w) + (1 - r) w, within r where w is 0
    target = (1 - r) * w + r * np.sign(w)
    free = C * (y[:, None] * X)[on_margin]
    fixed = C * (shares * y) @ X
    moved = linprog(
        np.zeros(on_margin.sum() + 8),
        A_eq=np.vstack([np.hstack([free.T, -r * np.diag(w == 0)]), np.append(y[on_margin], np.zeros(8))]),
        b_eq=np.append(target - fixed, -(shares * y).sum()),
        bounds=[(0, 1)] * on_margin.sum() + [(-1, 1)] * 8,
        options={"primal_feasibility_tolerance": 1e-6},
    )
    assert moved.status == 0
    assert model.objective_ < least.objective_ + r * np.abs(least.coef_).sum()


@given(seed=st.integers(0, 2**32 - 1), spread=st.floats(0, 3), ratio=st.sampled_from([1.0, 0.5, 0.01]))
@settings(max_examples=40, deadline=None)
def test_no_weights_lie_below_the_bound_of_any_shares(seed, spread, ratio):
    X, y = rows_of(20, 3, seed=seed % 1000)
    random = np.random.default_rng(seed)
    terms = ElasticNetTerms.of(random.uniform(0.05, 5), ratio)
    problem = whole_problem((y > 0).astype(np.int32), classes=2)
    weights = random.uniform(0, 2, 20)
    objective = HingeNetObjective(as_rows(X), problem, "hinge", terms.C, weights, l1=terms.l1)
    objective.centres, objective.sharpness = random.uniform(0, 1, 20), 10 ** random.uniform(-1, 3)
    some, others = (objective.at(spread * random.standard_normal(objective.size)) for _ in range(2))
    bound = lower_bound(objective, some, lambda: objective.gradient(some))
    solver = HingeNet(objective)
    assert solver.minimise(1e-6, 500) == "gap"
    best = objective.hinge_value(objective.at(solver.best))
    assert bound <= min(objective.hinge_value(others), best) * (1 + 1e-12)


def test_an_interrupted_run_goes_on_to_the_same_bits():
    X, y = rows_of(80, 600)
    problem, terms = whole_problem((y > 0).astype(np.int32), classes=2), ElasticNetTerms.of(2.0, 1.0)

    def solver():
        return HingeNet(HingeNetObjective(as_rows(X), problem, "hinge", terms.C, l1=terms.l1))

    whole, part, rest = solver(), solver(), solver()
    assert whole.minimise(1e-9, 500) == "gap"
    assert part.minimise(1e-9, 9) == "max_iter"
    rest._restore(part._saved())
    assert rest.minimise(1e-9, 500) == "gap"
    np.testing.assert_array_equal(rest.best, whole.best)
    assert rest.steps == whole.steps


def test_several_classes_are_trained_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    model = LinearSVM(penalty="l1", C=0.1).fit(X, y)
    for k in range(3):
        alone = LinearSVM(penalty="l1", C=0.1).fit(X, y == k)
        np.testing.assert_array_equal(model.coef_[k], alone.coef_[0])


def test_a_path_begins_with_zeros():
    X, y = rows_of(60, 9)
    path = regularization_path(X, y, LinearSVM(penalty="l1"), Cs=5)
    assert not path.coef[0].any()
    assert path.coef[1:].any(axis=(1, 2)).all()
    assert (path.duality_gap <= 1e-8).all()
    assert path.objective[-1] == pytest.approx(least_objective(X, y, path.C[-1]), rel=2e-8)
