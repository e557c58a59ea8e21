"""The l1 penalty in the training loop: the cumulative rule, its account in saved states, and what it leaves at 0."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import LinearSVM, LogisticRegression, load, save
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.engine.native_state import restore_state
from rosenblatt.engine.run_learner import NativeLearner
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.recipe import Recipe

SPARSE = {"solver": "sgd", "penalty": "l1", "random_state": 0}


def rows_of(rows, columns, used=3, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, columns)) * (random.random((rows, columns)) < 0.3)
    scores = X[:, :used] @ np.array([3.0, -2.0, 2.0])[:used]
    return X, (scores + random.logistic(size=rows) > 0).astype(int)


def learner_of(X, y, l1_ratio=0.6):
    recipe = Recipe(loss="logistic", step="1/sqrt(t)", alpha=0.05, l1_ratio=l1_ratio, eta0=0.3)
    return NativeLearner(as_rows(X), whole_problem(y.astype(np.int32), 2), recipe, seed=3)


@pytest.mark.parametrize("solver", [LogisticRegression, LinearSVM], ids=["logistic", "hinge"])
def test_it_comes_near_to_the_optimum_with_zeros_in_its_places(solver):
    X, y = rows_of(4000, 40)
    near = solver(**SPARSE, C=0.01, max_iter=200, tol=1e-9, criterion="loss", n_iter_no_change=1000)
    with pytest.warns(match="max_iter reached"):
        near.fit(X, y)
    best = solver(penalty="l1", C=0.01).fit(X, y)
    assert best.objective_ <= near.objective_ * (1 + 1e-9)
    assert near.objective_ <= 1.01 * best.objective_
    zeros = best.coef_[0] == 0
    assert zeros.sum() > 30
    assert (near.coef_[0][zeros] == 0).mean() > 0.9
    assert near.history_["objective"][-1] == pytest.approx(near.objective_)


@pytest.mark.parametrize("ratio", [1.0, 0.6])
def test_a_state_saved_at_any_visit_goes_on_to_the_same_bits(ratio):
    X, y = rows_of(50, 8)
    whole, part = learner_of(X, y, ratio), learner_of(X, y, ratio)
    whole.advance(400, 400)
    for visit in range(7, 401, 7):
        part.advance(400, visit)
        part.restore(pickle.loads(pickle.dumps(part.state.__getstate__())))
    part.advance(400, 400)
    for mine, other in zip(part.state.kept(), whole.state.kept(), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_a_trace_does_not_change_the_bits():
    X, y = rows_of(50, 8)
    plain = LogisticRegression(**SPARSE, C=0.1, max_iter=3, order="cyclic", criterion="mistakes", tol=0)
    with pytest.warns():
        coef = plain.fit(X, y).coef_.copy()
    with pytest.warns():
        traced = plain.fit(X, y, trace=True)
    np.testing.assert_array_equal(traced.coef_, coef)
    assert traced.trace_["norm"][-1] == pytest.approx(np.linalg.norm(coef), rel=0.3)


def test_dense_and_sparse_rows_agree():
    X, y = rows_of(300, 20)
    dense, sparse = (
        LogisticRegression(**SPARSE, alpha=0.01, max_iter=5, tol=0).partial_fit(form(X), y)
        for form in (np.asarray, sp.csr_matrix)
    )
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(sparse.coef_ == 0, dense.coef_ == 0)
    assert (dense.coef_ == 0).any()


def test_a_stream_saved_to_a_file_goes_on_to_the_same_bits(tmp_path):
    X, y = rows_of(200, 10)
    model = LogisticRegression(**SPARSE, alpha=0.02, eta0=0.2).partial_fit(X[:100], y[:100])
    save(model, tmp_path / "model.rosenblatt")
    again = load(tmp_path / "model.rosenblatt")
    np.testing.assert_array_equal(again.coef_, model.coef_)
    for each in (model, again):
        each.partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(again.coef_, model.coef_)
    whole = LogisticRegression(**SPARSE, alpha=0.02, eta0=0.2).partial_fit(X, y)
    np.testing.assert_array_equal(whole.coef_, model.coef_)


def test_a_new_class_begins_a_new_account():
    X, y = rows_of(200, 10)
    model = LogisticRegression(**SPARSE, alpha=0.02).partial_fit(X, y)
    before = model.coef_.copy()
    model.partial_fit(X[:1], [2])
    assert model.coef_.shape == (3, 10)
    np.testing.assert_allclose(model.coef_[1], before[0], atol=0.5)
    assert ((before[0] == 0) <= (model.coef_[1] == 0)).mean() > 0.5


def test_a_warm_start_begins_with_the_weights_of_the_model():
    X, y = rows_of(200, 10)
    model = LogisticRegression(**SPARSE, C=0.05, warm_start=True, max_iter=1, eta0=1e-12, tol=0)
    with pytest.warns():
        first = model.fit(X, y).set_params(eta0=0.5).fit(X, y).coef_.copy()
    with pytest.warns():
        second = model.set_params(eta0=1e-12).fit(X, y).coef_
    np.testing.assert_allclose(second, first, atol=1e-9)


def test_a_state_with_an_average_is_refused_by_the_core():
    X, y = rows_of(20, 4)
    learner = learner_of(X, y)
    averaged = NativeLearner(as_rows(X), whole_problem(y.astype(np.int32), 2), Recipe(loss="logistic", keep="average"))
    saved = restore_state(averaged.state.__getstate__())
    with pytest.raises(ValueError, match="differ in what they keep"):
        saved.advance(learner.problem, 1, 1)
