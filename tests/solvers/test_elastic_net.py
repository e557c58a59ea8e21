"""Penalties that make weights exactly 0: the optimum, its zeros and its proof."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import LinearSVM, LogisticRegression, regularization_path
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.errors import TooLarge
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.features import as_features
from rosenblatt.reference.elastic_net import elastic_net_objective, elastic_net_plane
from rosenblatt.solvers.elastic_net.elastic_net_objective import ElasticNetObjective, ElasticNetTerms
from rosenblatt.solvers.elastic_net.elastic_net_proof import lower_bound
from rosenblatt.solvers.elastic_net.proximal_newton import ProximalNewton

SMOOTH = {"logistic": LogisticRegression, "squared-hinge": lambda **given: LinearSVM(loss="squared-hinge", **given)}


def classes_of(rows, columns, count=2, seed=0, noise=1.0):
    """Rows of which the first columns decide, and the numbers of their classes."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, columns))
    scores = X[:, : min(4, columns)] @ random.standard_normal((min(4, columns), count))
    return X, (scores + noise * random.standard_normal((rows, count))).argmax(axis=1)


def subgradient_norm(X, y, model, C, ratio, weights=None, free=True):
    """The largest violation of the conditions of an optimum, computed from the scores; two or joint classes."""
    scores = model.decision_function(X)
    s = np.ones(len(y)) if weights is None else weights
    if scores.ndim == 1:
        m = np.where(y == 1, 1, -1) * scores
        push = 1 / (1 + np.exp(m)) if isinstance(model, LogisticRegression) else 2 * np.maximum(0, 1 - m)
        pull = (s * push * np.where(y == 1, 1, -1))[:, None]
    else:
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        pull = s[:, None] * (np.eye(len(model.classes_))[y] - chances)
    w = model.coef_
    slope = -C * np.asarray(pull.T @ X) + (1 - ratio) * w
    fault = np.where(w != 0, np.abs(slope + ratio * np.sign(w)), np.maximum(np.abs(slope) - ratio, 0))
    return max(fault.max(), C * np.abs(pull.sum(axis=0)).max() if free else 0.0)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("ratio", [1.0, 0.3])
def test_it_finds_what_the_reference_finds(loss, ratio):
    X, y = classes_of(25, 4)
    weights = np.random.default_rng(1).uniform(0.5, 2, 25)
    model = SMOOTH[loss](penalty="elasticnet", l1_ratio=ratio, C=0.4, tol=1e-12).fit(X, y, sample_weight=weights)
    signs, s = (2 * y - 1).tolist(), weights.tolist()
    plane = elastic_net_plane(X.tolist(), signs, 0.4, ratio, loss, s)
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], plane, atol=1e-6)
    ours = [*model.coef_[0].tolist(), *model.intercept_.tolist()]
    assert model.objective_ == pytest.approx(elastic_net_objective(X.tolist(), signs, ours, 0.4, ratio, loss, s))


@pytest.mark.parametrize("C", [0.02, 0.3, 30.0])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("shape", [(200, 12), (60, 700)], ids=["narrow", "wide"])
def test_the_conditions_of_an_optimum_hold(loss, ratio, C, shape):
    X, y = classes_of(*shape)
    model = SMOOTH[loss](penalty="elasticnet", l1_ratio=ratio, C=C, tol=1e-10).fit(X, y)
    assert model.status_.reason == "gap"
    assert 0 <= model.duality_gap_ <= 1e-10
    assert subgradient_norm(X, y, model, C, ratio) < 1e-4
    assert np.abs(model.coef_).min() == 0 or C > 1


@pytest.mark.parametrize("columns", [6, 150])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_joint_classes_have_their_own_optimum(columns, ratio):
    X, y = classes_of(150, columns, count=5)
    model = LogisticRegression(penalty="elasticnet", l1_ratio=ratio, C=0.5, tol=1e-10).fit(X, y)
    assert model.status_.reason == "gap"
    assert subgradient_norm(X, y, model, 0.5, ratio) < 1e-4
    assert 0 < (model.coef_ != 0).sum() < model.coef_.size


def test_a_large_hessian_of_joint_classes_is_made_of_blocks(monkeypatch):
    X, y = classes_of(200, 30, count=3)  # with an even number the weights of a column have no one optimum
    together = LogisticRegression(penalty="l1", C=0.5, tol=1e-8).fit(X, y)
    monkeypatch.setattr("rosenblatt.solvers.elastic_net.elastic_net_objective.MAX_JOINT_SIZE", 10)
    by_plane = LogisticRegression(penalty="l1", C=0.5, tol=1e-8).fit(X, y)
    assert by_plane.status_.reason == "gap"
    np.testing.assert_allclose(by_plane.coef_, together.coef_, atol=1e-3)
    assert by_plane.objective_ == pytest.approx(together.objective_, rel=1e-8)


def test_several_classes_against_the_rest_are_several_problems():
    X, y = classes_of(150, 8, count=3)
    model = LogisticRegression(penalty="l1", C=0.2, multi_class="ovr", tol=1e-10).fit(X, y)
    for k in range(3):
        alone = LogisticRegression(penalty="l1", C=0.2, tol=1e-10).fit(X, y == k)
        np.testing.assert_array_equal(model.coef_[k], alone.coef_[0])


@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("loss", SMOOTH)
def test_steps_that_read_columns_find_the_same_optimum(loss, ratio, monkeypatch):
    X, y = classes_of(120, 400)
    X = sp.csr_matrix(X * (np.abs(X) > 0.7))
    model = SMOOTH[loss](penalty="elasticnet", l1_ratio=ratio, C=2.0, tol=1e-10)
    by_hessian = model.fit(X, y).coef_
    limit = "rosenblatt.solvers.elastic_net.elastic_net_objective.MAX_SPARSE_COORDINATES"
    monkeypatch.setattr(limit, 10)
    model.fit(X, y)
    assert model.status_.reason == "gap"
    assert subgradient_norm(X, y, model, 2.0, ratio) < 1e-4
    np.testing.assert_allclose(model.coef_, by_hessian, atol=1e-5)
    np.testing.assert_array_equal(model.coef_ != 0, by_hessian != 0)


FORMS = {"csr": sp.csr_matrix, "float32": lambda X: X.astype(np.float32), "by columns": np.asfortranarray}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("columns", [9, 400])
def test_rows_of_every_form_give_the_same_weights(form, columns):
    X, y = classes_of(80, columns)
    X = np.round(X, 3).astype(np.float32).astype(np.float64) * (np.abs(X) > 0.7)
    plain = LogisticRegression(penalty="l1", C=1.0, tol=1e-11).fit(X, y)
    other = LogisticRegression(penalty="l1", C=1.0, tol=1e-11).fit(FORMS[form](X), y)
    np.testing.assert_allclose(other.coef_, plain.coef_, atol=1e-7)
    np.testing.assert_array_equal(other.coef_ != 0, plain.coef_ != 0)


@pytest.mark.parametrize("columns", [9, 400])
def test_threads_do_not_change_the_bits(columns):
    X, y = classes_of(3000, columns)
    one, two = (LogisticRegression(penalty="l1", C=0.01, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_weights_count_as_copies_of_rows():
    X, y = classes_of(60, 6)
    counts = np.random.default_rng(2).integers(0, 4, 60)
    weighted = LogisticRegression(penalty="l1", C=0.3, tol=1e-11).fit(X, y, sample_weight=counts)
    copied = LogisticRegression(penalty="l1", C=0.3, tol=1e-11).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.coef_, copied.coef_, atol=1e-7)


@pytest.mark.parametrize("loss", SMOOTH)
def test_a_penalised_offset_is_one_more_weight(loss):
    X, y = classes_of(80, 5, seed=3)
    inside = SMOOTH[loss](penalty="l1", C=0.2, penalize_intercept=True, tol=1e-11).fit(X + 0.5, y)
    column = np.column_stack([X + 0.5, np.ones(80)])
    outside = SMOOTH[loss](penalty="l1", C=0.2, fit_intercept=False, tol=1e-11).fit(column, y)
    np.testing.assert_allclose([*inside.coef_[0], *inside.intercept_], outside.coef_[0], atol=1e-6)


def test_all_weights_are_0_where_the_penalty_is_strong():
    X, y = classes_of(90, 500)
    model = LogisticRegression(penalty="l1", C=1e-3).fit(X, y)
    assert not model.coef_.any()
    assert model.status_.reason == "gap"
    assert model.intercept_[0] == pytest.approx(np.log(y.mean() / (1 - y.mean())), rel=1e-6)


def test_separated_classes_have_an_optimum():
    X, y = classes_of(50, 300, noise=0.0)
    model = LogisticRegression(penalty="l1", C=1e4, tol=1e-9).fit(X, y)
    assert model.status_.reason == "gap"
    assert model.score(X, y) == 1


def test_rows_far_on_the_wrong_side_do_not_throw_the_steps():
    X, y = classes_of(300, 4)
    X, y = np.vstack([X, 50 * X[:5]]), np.concatenate([y, 1 - y[:5]])
    for C in (0.1, 10.0, 1000.0):
        model = LogisticRegression(penalty="l1", C=C, tol=1e-9).fit(X, y)
        assert model.status_.reason == "gap"
        assert subgradient_norm(X, y, model, C, 1.0) < 1e-3 * C


@pytest.mark.parametrize("columns", [5, 400])
def test_numbers_too_large_to_multiply_are_refused(columns):
    X, y = classes_of(60, columns)
    for count in (y, np.arange(60) % 3):
        with pytest.raises(TooLarge):
            LogisticRegression(penalty="l1").fit(1e200 * X, count)


def test_lifted_rows_can_have_the_penalty():
    X, y = classes_of(60, 3)
    lifted = as_features("polynomial-2").transform(X)
    model = LogisticRegression(penalty="l1", C=0.5, tol=1e-11, features="polynomial-2").fit(X, y)
    by_hand = LogisticRegression(penalty="l1", C=0.5, tol=1e-11).fit(lifted, y)
    np.testing.assert_allclose(model.coef_, by_hand.coef_, atol=1e-7)


# The proof


@given(seed=st.integers(0, 2**32 - 1), spread=st.floats(0, 3), ratio=st.sampled_from([1.0, 0.5, 0.01]))
@pytest.mark.parametrize("planes", [1, 3])
@pytest.mark.parametrize("offset", [(False, 1.0), (True, 1.0), (False, 0.0), (False, 2.5)], ids=str)
@pytest.mark.parametrize("loss", SMOOTH)
def test_no_weights_lie_below_the_bound_of_any_others(seed, spread, ratio, planes, offset, loss):
    if planes > 1 and loss != "logistic":
        return  # the squared hinge has no joint classes
    X, y = classes_of(20, 3, count=max(planes, 2), seed=seed % 1000)
    random = np.random.default_rng(seed)
    penalize, value = offset
    terms = ElasticNetTerms.of(random.uniform(0.05, 5), ratio)
    problem = whole_problem(y.astype(np.int32), classes=max(planes, 2))
    weights = random.uniform(0, 2, 20)
    objective = ElasticNetObjective(as_rows(X), problem, loss, terms.C, weights, penalize, value, 1, terms.l1)
    some, others = (objective.at(spread * random.standard_normal(objective.size)) for _ in range(2))
    if value == 0:
        some, others = (objective.at(np.append(each.z[:-planes], np.zeros(planes))) for each in (some, others))
    solver = ProximalNewton(objective)
    solver.minimise(1e-6, 200)
    bound = lower_bound(objective, some, lambda: objective.gradient(some))
    assert bound <= min(others.value, some.value, objective.at(solver.best).value) * (1 + 1e-12)


def test_the_gap_is_the_distance_that_is_left():
    X, y = classes_of(100, 10)
    best = LogisticRegression(penalty="l1", C=0.5, tol=1e-12).fit(X, y)
    for steps in range(1, 6):
        with pytest.warns():
            rough = LogisticRegression(penalty="l1", C=0.5, max_iter=steps, tol=1e-14).fit(X, y)
        assert rough.objective_ - best.objective_ <= rough.duality_gap_ * rough.objective_ * (1 + 1e-9)


def test_an_interrupted_run_goes_on_to_the_same_bits():
    X, y = classes_of(80, 600)
    problem, terms = whole_problem(y.astype(np.int32), classes=2), ElasticNetTerms.of(2.0, 1.0)

    def solver():
        return ProximalNewton(ElasticNetObjective(as_rows(X), problem, "logistic", terms.C, l1=terms.l1))

    whole, part, rest = solver(), solver(), solver()
    assert whole.minimise(1e-10, 100) == "gap"
    assert part.minimise(1e-10, 3) == "max_iter"
    rest._restore(part._saved())
    assert rest.minimise(1e-10, 100) == "gap"
    np.testing.assert_array_equal(rest.best, whole.best)
    assert rest.steps == whole.steps


# The path and the parameters


def test_a_path_begins_with_zeros_and_gains_weights():
    X, y = classes_of(100, 30)
    path = regularization_path(X, y, LogisticRegression(penalty="l1"), Cs=[1e-3, 0.05, 0.1, 1.0])
    used = (path.coef[:, 0] != 0).sum(axis=1)
    assert used[0] == 0 < used[1] <= used[2] <= used[3]
    alone = LogisticRegression(penalty="l1", C=0.1).fit(X, y)
    np.testing.assert_allclose(path.coef[2], alone.coef_, atol=1e-4)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LinearSVM(penalty="l1", multi_class="joint"), "multi_class='joint' does not go with penalty='l1'"),
        (LogisticRegression(penalty="l1", solver="gd", alpha=1.0), "penalty='l1' does not go with solver='gd'"),
        (
            LogisticRegression(penalty="l1", solver="sgd", keep="average"),
            "keep='average' does not go with penalty='l1'",
        ),
        (
            LogisticRegression(penalty="l1", solver="sgd", step="pegasos"),
            "step='pegasos' does not go with penalty='l1'",
        ),
        (
            LogisticRegression(penalty="l1", solver="sgd", penalize_intercept=True),
            "penalize_intercept=True does not go with penalty='l1'",
        ),
        (LinearSVM(loss="modified-huber", penalty="l1"), "loss='modified-huber' does not go with solver='optimum'"),
        (LogisticRegression(penalty="elasticnet"), "penalty='elasticnet' needs l1_ratio"),
        (LogisticRegression(penalty="elasticnet", l1_ratio=1.5), "l1_ratio must be a number from 0 to 1, not 1.5"),
        (LogisticRegression(penalty="elasticnet", l1_ratio="x"), "l1_ratio must be a number from 0 to 1, not 'x'"),
        (LogisticRegression(l1_ratio=0.5), "l1_ratio=0.5 does not go with penalty='l2'"),
    ],
    ids=str,
)
def test_parameters_that_do_not_go_together_are_refused(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit([[0.0], [1.0]], [0, 1])


def test_an_elastic_net_without_l1_is_the_square():
    X, y = classes_of(60, 5)
    net = LogisticRegression(penalty="elasticnet", l1_ratio=0.0).fit(X, y)
    np.testing.assert_array_equal(net.coef_, LogisticRegression().fit(X, y).coef_)
