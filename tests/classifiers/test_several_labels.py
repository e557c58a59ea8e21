"""Several labels a row: every label is a plane of its own, with the bits of a fit of its column alone."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain

from rosenblatt import (
    ALMA,
    AROW,
    AveragedPerceptron,
    BayesRule,
    KernelPerceptron,
    Lab,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    SecondOrderPerceptron,
    VotedPerceptron,
    audit,
    cross_validated_risk,
    empirical_risk,
    evaluate,
    load,
    margins,
    mistake_bound,
    plots,
    predict,
    regularization_path,
    save,
    separability,
    signed_distance,
    summary,
    to_onnx,
)
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.stops import Stops
from rosenblatt.reference import train_labels

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 4))
Y = (X @ RNG.standard_normal((4, 3)) + 0.3 * RNG.standard_normal((80, 3)) > 0).astype(int)
NAMES = np.array(["blue", "green", "red"])
LISTS = [NAMES[has][::-1].tolist() for has in Y.astype(bool)]
WEIGHTS = RNG.integers(0, 3, 80).astype(float)

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


def alone(model, k, weights=None):
    return clone(model).fit(X, Y[:, k], weights)


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


FORMS = {
    "int": Y,
    "bool": Y.astype(bool),
    "float": Y * 1.0,
    "csr": sp.csr_matrix(Y),
    "csc": sp.csc_array(Y),
    "lists of 0 and 1": Y.tolist(),
    "arrays of 0 and 1": list(Y),
    "data frame": pd.DataFrame(Y, columns=NAMES[::-1]),
    "lists": LISTS,
    "tuples": [tuple(has) for has in LISTS],
    "sets": [set(has) for has in LISTS],
    "series": pd.Series(LISTS),
    "polars series": pl.Series(LISTS),
    "polars frame": pl.DataFrame(Y, schema=NAMES[::-1].tolist()),
    "whole numbers": [np.flatnonzero(has).tolist() for has in Y],
}


def part(y, rows):
    return y.iloc[rows] if hasattr(y, "iloc") else y[rows]


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_several_labels(form, tmp_path):
    y, expected = FORMS[form], AveragedPerceptron(random_state=0).fit(X, Y)
    model = AveragedPerceptron(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.score(X, y) == expected.score(X, Y) == np.mean((expected.predict(X) == Y).all(axis=1))
    assert model.decision_function(X).shape == (80, 3)
    texts = ("lists", "tuples", "sets", "series", "polars series")
    named = form in (*texts, "whole numbers")
    names = dict.fromkeys(("data frame", "polars frame"), NAMES[::-1].tolist()) | dict.fromkeys(texts, NAMES.tolist())
    assert model.classes_.tolist() == names.get(form, [0, 1, 2])
    answer, matrix = model.predict(X), expected.predict(X)
    if named:
        assert answer == [tuple(model.classes_[has].tolist()) for has in matrix.astype(bool)]
    else:
        np.testing.assert_array_equal(answer, matrix)
        assert answer.dtype == np.int64
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.multilabel_
    assert again.classes_.tolist() == model.classes_.tolist()
    assert str(again.predict(X)) == str(answer)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "model", [AveragedPerceptron(), LogisticRegression(solver="sgd", alpha=0.01, eta0=0.1)], ids=repr
)
def test_streams_of_several_labels(form, model, tmp_path):
    y = FORMS[form]
    stream, seen = clone(model).set_params(random_state=0), clone(model).set_params(random_state=0)
    for begin in range(0, 80, 20):
        rows = slice(begin, begin + 20)
        stream.partial_fit(X[rows], part(y, rows))
        seen.partial_fit(X[rows], Y[rows, 1], classes=[0, 1])
    np.testing.assert_array_equal(stream.coef_[1], seen.coef_[0])
    save(stream, tmp_path / "model")
    again = load(tmp_path / "model").partial_fit(X, y)
    np.testing.assert_array_equal(again.coef_, stream.partial_fit(X, y).coef_)
    assert "3 planes, one a label" in stream.status_


def test_labels_of_a_stream_may_come_later():
    stream = Perceptron(random_state=0).partial_fit(X[:1], [["red"]], classes=["blue", "red"])
    assert stream.multilabel_
    assert stream.predict(X[:1]) == [("red",)]
    stream.partial_fit(X[1:2], [["red"]]).partial_fit(X[2:4], [[], ["amber", "blue"]])
    assert stream.classes_.tolist() == ["amber", "blue", "red"]
    one = Perceptron(random_state=0)
    for rows, red in (([0], [1]), ([1], [1]), ([2, 3], [0, 0])):
        one.partial_fit(X[rows], red, classes=[0, 1])
    np.testing.assert_array_equal(stream.coef_[2], one.coef_[0])
    named = Perceptron(random_state=0).partial_fit(X, Y, classes=NAMES)
    assert named.classes_.tolist() == NAMES.tolist()
    with pytest.raises(ValueError, match=r"y has 2 columns, but 3 labels are known"):
        named.partial_fit(X, Y[:, :2])


def test_a_stream_goes_on_from_a_fit():
    model = Perceptron(max_iter=5, random_state=0)
    going_on = clone(model).fit(X, Y).partial_fit(X, Y)
    for k in range(3):
        np.testing.assert_array_equal(going_on.coef_[k], alone(model, k).partial_fit(X, Y[:, k]).coef_[0])
    kernel = KernelPerceptron(max_iter=3, random_state=0).fit(X, LISTS)
    assert kernel.partial_fit(X, LISTS).dual_coef_.shape[0] == 3


def test_warm_start_goes_on_from_each_plane():
    model = Perceptron(max_iter=3, warm_start=True, random_state=0).fit(X, Y)
    again = clone(model).fit(X, Y).fit(X, Y)
    for k in range(3):
        np.testing.assert_array_equal(again.coef_[k], alone(model, k).fit(X, Y[:, k]).coef_[0])
    with pytest.raises(ValueError, match="warm_start needs the columns and classes"):
        model.fit(X, (Y[:, 0] + Y[:, 1]))


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


REFUSED = {
    "joint": (Perceptron(multi_class="joint"), Y, "multi_class='joint' does not go with several labels a row"),
    "C": (LogisticRegression(C="auto"), Y, "C='auto' does not go with several labels a row"),
    "more than 0 and 1": (Perceptron(), Y * 2, "matrix of 0 and 1, one column a label, but it has 2 in row 0"),
    "nan": (Perceptron(), Y * np.nan, "matrix of 0 and 1"),
    "sparse": (Perceptron(), sp.csr_matrix(Y * 3), "matrix of 0 and 1"),
    "texts": (Perceptron(), np.array([["a", "b"]] * 80), "matrix of 0 and 1"),
    "missing": (Perceptron(), [[None]] * 79 + [[]], "y has no label in row 0, but None"),
    "mixed": (Perceptron(), [["a", 1]] * 80, "y holds text and other labels"),
    "fractions": (Perceptron(), [[1.5, 2]] * 80, "texts or whole numbers, not by 1.5"),
    "none": (Perceptron(), [[]] * 80, "y names no label"),
    "length": (Perceptron(), LISTS[:7], "80 rows in X, 7 labels in y"),
    "two of one name": (Perceptron(), pd.DataFrame(Y, columns=["a", "a", "b"]), "two columns of the same name"),
    "rare": (
        LinearSVM(calibration="platt"),
        [["a"], ["a", "b"]] + [["a"]] * 78,
        "needs two rows or more of each class, and 'with b' has one",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_go_with_several_labels(case):
    model, y, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_a_stream_keeps_its_form():
    matrix, lists, plain = (Perceptron(random_state=0).partial_fit(X, y) for y in (Y, LISTS, Y[:, 0]))
    for model, other in ((matrix, LISTS), (lists, Y), (matrix, Y[:, 0]), (plain, Y), (plain, LISTS)):
        with pytest.raises(ValueError, match="as this Perceptron has learned them: call fit to begin anew"):
            model.partial_fit(X, other)
    with pytest.raises(ValueError, match="which partial_fit does not weigh"):
        Perceptron(class_weight="balanced").partial_fit(X, Y)
    with pytest.raises(ValueError, match="multi_class='joint' does not go with several labels"):
        Perceptron(multi_class="joint").partial_fit(X, Y)


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


def test_dask_collections_are_refused():
    arrays = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match="one label a row"):
        Perceptron().fit(arrays.from_array(X, chunks=(40, 4)), arrays.from_array(Y, chunks=(40, 3)))
    model = Perceptron(max_iter=5, random_state=0).fit(X, Y)
    lazy = arrays.from_array(X, chunks=(40, 4))
    np.testing.assert_array_equal(model.predict(lazy).compute(), model.predict(X))
    np.testing.assert_array_equal(model.decision_function(lazy).compute(), model.decision_function(X))
    with pytest.raises(ValueError, match="lists of labels"):
        Perceptron(max_iter=5, random_state=0).fit(X, LISTS).predict(lazy)


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


# scikit-learn's world


def test_cross_validation_and_grid_search():
    model = LogisticRegression()
    held_out = cross_val_predict(model, X, Y, cv=4)
    assert held_out.shape == (80, 3)
    assert (held_out == Y).mean() > 0.85
    assert cross_val_predict(model, X, Y, cv=4, method="decision_function").shape == (80, 3)
    search = GridSearchCV(model, {"C": [1e-6, 1.0]}, cv=4, scoring="f1_macro").fit(X, Y)
    assert search.best_params_ == {"C": 1.0}
    assert search.predict(X).shape == (80, 3)


def test_the_same_as_one_vs_rest_of_scikit_learn():
    several = OneVsRestClassifier(AveragedPerceptron(random_state=0)).fit(X, Y)
    model = AveragedPerceptron(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), several.predict(X))
    np.testing.assert_array_equal(model.decision_function(X), several.decision_function(X))


def test_classifier_chains():
    chain = ClassifierChain(LogisticRegression(), order=[0, 1, 2]).fit(X, Y)
    assert (chain.predict(X) == Y).mean() > 0.85


# What takes a fitted model, or labels


def test_distances_and_margins_have_a_column_a_label():
    matrix, lists = (AveragedPerceptron(random_state=0).fit(X, y) for y in (Y, LISTS))
    for k in range(3):
        one = AveragedPerceptron(random_state=0).fit(X, Y[:, k])
        np.testing.assert_array_equal(signed_distance(matrix, X)[:, k], signed_distance(one, X))
        np.testing.assert_array_equal(margins(matrix, X, Y)[:, k], margins(one, X, Y[:, k]))
    np.testing.assert_array_equal(margins(lists, X, LISTS), margins(matrix, X, Y))
    with pytest.raises(ValueError, match="y has the label 'amber', which is not among those of the model"):
        margins(lists, X, [["amber", "blue"]] * 80)
    with pytest.raises(ValueError, match="several labels a row, in the form"):
        margins(lists, X, Y)


MODEL = LogisticRegression(penalty="jeffreys").fit(X, Y)
ONE = LogisticRegression(penalty="jeffreys").fit(X, Y[:, 0])
SEVERAL_ARE_REFUSED = {
    "separability": lambda: separability(X, Y),
    "separability of lists": lambda: separability(X, LISTS),
    "mistake_bound": lambda: mistake_bound(X, Y),
    "margins": lambda: margins(ONE, X, Y),
    "distance_from_best": lambda: MODEL.distance_from_best(X, Y),
    "audit": lambda: audit(Perceptron(max_iter=5).fit(X, Y, trace=True), X, Y),
    "empirical_risk": lambda: empirical_risk(Y, MODEL.predict(X)),
    "cross_validated_risk": lambda: cross_validated_risk(LogisticRegression(), X, Y),
    "BayesRule": lambda: BayesRule(LogisticRegression()).fit(X, Y),
    "summary": lambda: summary(MODEL, X, Y),
    "regularization_path": lambda: regularization_path(X, Y),
    "Lab": lambda: Lab(X, Y, MODEL),
    "decision_regions": lambda: plots.decision_regions(MODEL, X[:, :2], Y[:, 0]),
    "predict": lambda: predict(MODEL, X),
    "evaluate": lambda: evaluate(MODEL, {"x1": [1.0], "y": [1]}, target="y"),
}


@pytest.mark.parametrize("function", SEVERAL_ARE_REFUSED)
def test_questions_about_one_label_refuse_several(function):
    with pytest.raises(ValueError, match=r"one label|several labels|1d array|one dimension|has learned several"):
        SEVERAL_ARE_REFUSED[function]()


def test_onnx_has_a_column_a_label():
    runtime = pytest.importorskip("onnxruntime")
    for model in (
        AveragedPerceptron(random_state=0),
        LogisticRegression(),
        LinearSVM(calibration="platt", random_state=0),
    ):
        model.fit(X, FORMS["data frame"])
        session = runtime.InferenceSession(to_onnx(model).SerializeToString())
        label, scores, *chances = session.run(None, {"X": X})
        np.testing.assert_array_equal(label, model.predict(X))
        np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-12)
        for found in chances:
            np.testing.assert_allclose(found, model.predict_proba(X), rtol=1e-9)
        assert len(chances) == hasattr(model, "predict_proba")
