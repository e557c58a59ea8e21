"""Several labels a row: every label is a plane of its own, with the bits of a fit of its column alone."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from label_rows import LISTS, WEIGHTS, X, Y, alone
from sklearn.base import clone

from rosenblatt import (
    ALMA,
    AROW,
    AveragedPerceptron,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    SecondOrderPerceptron,
    VotedPerceptron,
    load,
    save,
)
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.stops import Stops
from rosenblatt.reference import train_labels

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FAMILY = [
    Perceptron(max_iter=20),
    Perceptron(max_iter=20, features="polynomial-2"),
    Perceptron(order="working-set", max_iter=20, n_jobs=1),
    AveragedPerceptron(multi_class="auto"),
    AveragedPerceptron(class_weight="balanced"),
    PocketPerceptron(max_iter=30),
    PassiveAggressive(),
    ALMA(),
    AROW(),
    SecondOrderPerceptron(),
    LinearSVM(),
    LinearSVM(class_weight="balanced", alpha=0.01),
    LinearSVM(loss="squared-hinge"),
    LinearSVM(penalty="l1"),
    LinearSVM(solver="gd", max_iter=50),
    LinearSVM(solver="sgd", class_weight="balanced", alpha=0.01, max_iter=50),
    LogisticRegression(),
    LogisticRegression(n_jobs=1),
    LogisticRegression(penalty="l1"),
    LogisticRegression(penalty="elasticnet", l1_ratio=0.4),
    LogisticRegression(penalty="jeffreys"),
    LogisticRegression(bounds=(-0.5, 0.5)),
    LogisticRegression(solver="sgd", early_stopping=True),
]


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weights"])
@pytest.mark.parametrize("model", FAMILY, ids=repr)
def test_each_label_has_the_bits_of_its_column_alone(model, weights):
    model = clone(model).set_params(random_state=3).fit(X, Y, weights)
    assert model.multilabel_
    assert model.multi_class_ == "ovr"
    assert model.coef_.shape[0] == 3
    for k in range(3):
        one = alone(model, k, weights)
        np.testing.assert_array_equal(model.coef_[k], one.coef_[0])
        assert model.intercept_[k] == one.intercept_[0]
        np.testing.assert_array_equal(model.predict(X)[:, k], one.predict(X))
        if hasattr(model, "predict_proba"):
            np.testing.assert_array_equal(model.predict_proba(X)[:, k], one.predict_proba(X)[:, 1])
            np.testing.assert_array_equal(model.predict_log_proba(X)[:, k], one.predict_log_proba(X)[:, 1])


@pytest.mark.parametrize("calibration", ["platt", "isotonic"])
def test_each_label_has_the_calibration_of_its_column_alone(calibration, tmp_path):
    model = LinearSVM(calibration=calibration, random_state=3).fit(X, Y)
    save(model, tmp_path / "model")
    for k in range(3):
        expected = alone(model, k).predict_proba(X)[:, 1]
        np.testing.assert_array_equal(model.predict_proba(X)[:, k], expected)
        np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X)[:, k], expected)
    errors = [alone(model, k).calibration_error_ for k in range(3)]
    assert model.calibration_error_ == pytest.approx(np.mean(errors))


@pytest.mark.parametrize("options", [{}, {"budget": 10}, {"kernel": "linear", "keep": "average"}])
def test_kernels_share_the_support_of_all_labels(options):
    model = KernelPerceptron(**options, max_iter=10, random_state=3).fit(X, Y)
    for k in range(3):
        one, alphas, expected = alone(model, k), np.zeros(80), np.zeros(80)
        alphas[model.support_] = model.dual_coef_[k]
        expected[one.support_] = one.dual_coef_[0]
        np.testing.assert_array_equal(alphas, expected)
        np.testing.assert_array_equal(model.predict(X)[:, k], one.predict(X))


@pytest.mark.parametrize("rows", [X, sp.csr_matrix(X)], ids=["dense", "sparse"])
def test_votes_are_those_of_each_label(rows, tmp_path):
    model = VotedPerceptron(max_iter=5, random_state=3).fit(rows, Y)
    save(model, tmp_path / "model")
    for k in range(3):
        expected = VotedPerceptron(max_iter=5, random_state=3).fit(rows, Y[:, k]).decision_function(rows)
        np.testing.assert_array_equal(model.decision_function(rows)[:, k], expected)
        np.testing.assert_array_equal(load(tmp_path / "model").decision_function(rows)[:, k], expected)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_bits(threads):
    model = AveragedPerceptron(random_state=0, n_jobs=threads).fit(X, Y)
    np.testing.assert_array_equal(model.coef_, AveragedPerceptron(random_state=0).fit(X, Y).coef_)


@given(st.permutations(range(3)), st.integers(0, 50))
def test_permuted_labels_are_permuted_planes(order, seed):
    model = Perceptron(max_iter=5, random_state=seed)
    plain, permuted = clone(model).fit(X, Y), clone(model).fit(X, Y[:, order])
    np.testing.assert_array_equal(permuted.coef_, plain.coef_[order])
    np.testing.assert_array_equal(permuted.intercept_, plain.intercept_[order])


LABEL_SETS = st.lists(st.sets(st.integers(0, 3)), min_size=4, max_size=12)


@given(LABEL_SETS, st.integers(0, 2**31), st.data())
def test_the_reference_trains_a_learner_a_label(labels, seed, data):
    rows = [[float(data.draw(st.integers(-3, 3))) for _ in range(2)] for _ in labels]
    if not any(labels):
        labels[0] = {2}
    recipe = Recipe(order="shuffle", stops=Stops(max_iter=4, n_iter_no_change=4))
    learners = train_labels(rows, labels, 4, recipe, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Perceptron(max_iter=4, n_iter_no_change=4)
        model._seed = lambda: seed
        model.fit(rows, labels)
    for place, label in enumerate(model.classes_.tolist()):
        if 0 < sum(label in has for has in labels) < len(labels):
            np.testing.assert_array_equal([*model.coef_[place], model.intercept_[place]], learners[label].returned()[0])


CONSTANT = np.column_stack([np.zeros(80, int), Y[:, 1], np.ones(80, int)])


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(max_iter=20),
        Perceptron(max_iter=20, fit_intercept=False),
        VotedPerceptron(max_iter=3),
        KernelPerceptron(max_iter=5),
        LinearSVM(calibration="platt", random_state=0),
        LogisticRegression(),
        LogisticRegression(early_stopping=True, solver="sgd"),
    ],
    ids=repr,
)
def test_a_label_of_all_rows_or_none_is_constant(model, tmp_path):
    model = clone(model).set_params(random_state=0)
    always = pytest.warns(UserWarning, match=r"every row has the label 2: it is always predicted\.")
    with always, pytest.warns(UserWarning, match=r"no row has the label 0: it is never predicted\."):
        model.fit(X, CONSTANT)
    found = model.predict(X)
    assert (found[:, 0] == 0).all()
    assert (found[:, 2] == 1).all()
    np.testing.assert_array_equal(found[:, 1], alone(model, 1).predict(X))
    if hasattr(model, "predict_proba"):  # the rule of succession
        np.testing.assert_allclose(model.predict_proba(X)[:, [0, 2]], [[1 / 82, 81 / 82]] * 80)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").decision_function(X), model.decision_function(X))


def test_labels_that_are_all_constant():
    with pytest.warns(UserWarning, match="no row has the 3 labels 0, 1, 2: they are never predicted"):
        model = Perceptron(random_state=0).fit(X, 0 * Y, trace=True)
    assert not model.predict(X).any()
    assert model.status_.mistakes == 0
    assert len(model.trace_["row"]) == 0


def test_status_history_and_trace_are_of_all_labels():
    model = Perceptron(max_iter=6, random_state=0).fit(X, Y, trace=True)
    each = [clone(model).fit(X, Y[:, k], trace=True) for k in range(3)]
    assert model.status_.mistakes == (model.predict(X) != Y).any(axis=1).sum()
    assert model.n_updates_ == sum(one.n_updates_ for one in each)
    np.testing.assert_array_equal(model.history_["updates"], sum(one.history_["updates"] for one in each))
    for k in range(3):
        np.testing.assert_array_equal(model.trace_["row"][model.trace_["class"] == k], each[k].trace_["row"])
    logistic = LogisticRegression().fit(X, Y)
    each = [clone(logistic).fit(X, Y[:, k]) for k in range(3)]
    assert logistic.objective_ == pytest.approx(sum(one.objective_ for one in each))
    assert logistic.gradient_norm_ == max(one.gradient_norm_ for one in each)
    separable = Perceptron(random_state=0).fit(X, X[:, :2] > 0)
    assert "(all 2 labels)" in separable.status_ or "(the last of 2 labels to end)" in separable.status_


def test_a_dict_of_class_weights_multiplies_the_rows_that_have_the_label():
    model = AveragedPerceptron(class_weight={"red": 3.0}, random_state=0).fit(X, LISTS)
    for k, weight in enumerate((None, None, {1: 3.0})):
        one = AveragedPerceptron(class_weight=weight, random_state=0).fit(X, Y[:, k])
        np.testing.assert_array_equal(model.coef_[k], one.coef_[0])
    with pytest.raises(ValueError, match="class_weight names 'rde', which is not among the labels"):
        AveragedPerceptron(class_weight={"rde": 3.0}).fit(X, LISTS)


def test_a_failed_fit_changes_nothing():
    model = Perceptron(max_iter=3, random_state=0).fit(X, Y)
    before = model.coef_
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(np.arange(4) == 2, np.nan, X), Y)
    assert model.coef_ is before or (model.coef_ == before).all()


@pytest.mark.usefixtures("ctrl_c_amid_training")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_fit_leaves_planes_of_all_labels(threads):
    model = Perceptron(max_iter=10**9, n_iter_no_change=10**9, n_jobs=threads)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert model.status_.reason == "interrupted"
    assert model.predict(X).shape == (80, 3)


@pytest.mark.parametrize(
    "model", [Perceptron(max_iter=10**9, n_iter_no_change=10**9), LogisticRegression(tol=0)], ids=repr
)
def test_one_clock_limits_all_labels(model):
    model = clone(model).set_params(max_seconds=1e-9, n_jobs=1).fit(X, Y)
    assert model.status_.reason == "max_seconds"
    assert "max_seconds=1e-09 reached" in model.status_


def test_scores_of_lists_count_rows_whose_labels_are_all_right():
    model = LogisticRegression().fit(X, LISTS)
    found = model.predict(X)
    assert model.score(X, [has[::-1] for has in found]) == 1
    assert model.score(X, [{*has, "amber"} for has in found[:8]] + found[8:]) == 0.9
    assert model.score(X, [{*has, "amber"} for has in found[:8]] + found[8:], [0] * 8 + [1] * 72) == 1
    with pytest.raises(ValueError, match="y must hold the labels of each row in a list"):
        model.score(X, Y)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_one_label_ends_all(threads):
    with pytest.raises(ValueError, match="sums with them overflow"):
        PassiveAggressive(n_jobs=threads, max_iter=10**6).fit(X * 1e300, Y)
    with pytest.raises(ValueError, match="NaN"):
        Perceptron(n_jobs=threads).fit(X * np.nan, 0 * Y)


def test_tables_with_categories():
    table = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(X[:, 0] > 0, "up", "down"))
    model = LogisticRegression(encode=True).fit(table, LISTS)
    for k in range(3):
        one = LogisticRegression(encode=True).fit(table, Y[:, k])
        np.testing.assert_array_equal(model.coef_[k], one.coef_[0])
    assert model.predict(table)[:2] == [tuple(sorted(has)) for has in LISTS[:2]] or model.score(table, LISTS) > 0.7
