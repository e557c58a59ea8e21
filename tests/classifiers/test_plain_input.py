"""Inputs that skip scikit-learn's checks teach and predict as those that pass through them; the rest is not plain."""

import gc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from rosenblatt import LinearSVM, LogisticRegression, Perceptron
from rosenblatt.classifiers.plain_input import as_matrix, plain_array, plain_labels, plain_rows
from rosenblatt.foundation.matrices import PART_SIZE, as_rows

NAMES = ["a", "b", "c"]
X = np.random.default_rng(0).integers(-8, 9, size=(40, 3)).astype(float)
Y = (X @ [1, 2, -1] > 0).astype(int)
FRAMES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "pandas of whole numbers": lambda X: pd.DataFrame(X.astype(int), columns=NAMES),
    "pandas of two types": lambda X: pd.DataFrame(X, columns=NAMES).astype({"b": "int32"}),
}
MATRICES = {
    "list": lambda X: X.tolist(),
    "whole numbers": lambda X: X.astype(int).tolist(),
    "columns": np.asfortranarray,
    "csr": sparse.csr_matrix,
    "csr array": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_array,
}
LABELS = {
    "float": lambda y: y.astype(float),
    "bool": lambda y: y.astype(bool),
    "list": lambda y: y.tolist(),
    "list of floats": lambda y: y.astype(float).tolist(),
    "pandas": pd.Series,
    "polars": pl.Series,
    "pandas that allows NA": lambda y: pd.Series(y, dtype="Int64"),
}


@pytest.mark.parametrize("form", MATRICES.values(), ids=MATRICES)
def test_rows_in_any_form_teach_and_predict_alike(form):
    plain, other = (Perceptron().partial_fit(X[:20], Y[:20]) for _ in range(2))
    for row in range(20, 40):
        plain.partial_fit(X[[row]], Y[[row]])
        other.partial_fit(form(X[[row]]), Y[[row]])
    assert np.array_equal(plain.coef_, other.coef_)
    assert np.array_equal(plain.decision_function(X), other.decision_function(form(X)))
    assert np.array_equal(plain.predict(X), other.predict(form(X)))


@pytest.mark.parametrize("form", FRAMES.values(), ids=FRAMES)
def test_frames_that_fit_the_model_skip_the_checks(form, monkeypatch):
    plain, other = Perceptron(random_state=0).fit(X, Y), Perceptron(random_state=0).fit(form(X), Y)
    monkeypatch.setattr("rosenblatt.classifiers.validation.validate_data", None)
    assert np.array_equal(plain.decision_function(X), other.decision_function(form(X)))
    assert np.array_equal(plain.partial_fit(X, Y).coef_, other.partial_fit(form(X), Y).coef_)
    assert other.feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize("form", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize(
    "model", [Perceptron(), LogisticRegression(solver="sgd", alpha=1e-3, random_state=0)], ids=["plain", "penalised"]
)
def test_labels_of_known_classes_in_any_form_teach_alike(form, model, monkeypatch):
    plain, other = (model.__class__(**model.get_params()).partial_fit(X[:20], Y[:20]) for _ in range(2))
    monkeypatch.setattr("rosenblatt.classifiers.validation.check_classification_targets", None)
    for row in range(20, 40):
        plain.partial_fit(X[[row]], Y[[row]])
        other.partial_fit(X[[row]], form(Y[[row]]))
    assert np.array_equal(plain.coef_, other.coef_)
    assert plain.classes_.dtype == other.classes_.dtype


@pytest.mark.parametrize("classes", [["ham", "spam"], np.array(["ham", "spam"], object)], ids=["text", "objects"])
def test_texts_of_known_classes(classes):
    for label in (["spam"], ("spam",), np.array(["spam"], object), pd.Series(["spam"])):
        model = Perceptron().partial_fit(X[:1], ["ham"], classes=classes).partial_fit(X[1:2], label)
        assert model.classes_.tolist() == ["ham", "spam"]


@pytest.mark.parametrize(
    "labels",
    [[2], [None], [np.nan], [[1]], [], np.array([[1]]), pd.Series([pd.NA]), np.float64(1), "1", None, {1: 1}],
    ids=repr,
)
def test_labels_that_are_not_plain(labels):
    assert plain_labels(labels, np.array([0, 1])) is None
    assert plain_labels(labels, np.array([])) is None


def test_many_labels_are_left_to_the_checks():
    assert plain_labels([1] * 1000, np.array([0, 1])) is None


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=repr)
def test_a_missing_label_is_no_class_of_that_name(missing):
    model = Perceptron().partial_fit(X[:2], ["a", str(missing)])
    with pytest.raises(ValueError, match=r"has no label in row 0|contains NaN"):
        model.partial_fit(X[:1], [missing])


def test_arrays_that_are_not_plain():
    names = np.array(NAMES, object)
    frame = FRAMES["pandas"](X)
    for table in (frame[["b", "a", "c"]], frame[["a", "b"]], frame.assign(b="x"), frame.assign(b=True), X):
        assert plain_array(table, 3, names) is None
    for table in (
        frame,
        X[0],
        X[:, :2],
        X[:0],
        X > 0,
        X.astype(np.float16),
        [[1, 2, "x"]],
        [[1, 2, 3], [1]],
        [1, 2, 3],
    ):
        assert plain_array(table, 3, None) is None


REPEATED = sparse.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([1, 1, 2]), np.array([0, 3])), shape=(1, 3))
NOT_PLAIN = {
    "fewer columns": X[:, :2],
    "no rows": X[:0],
    "one dimension": X[0],
    "half precision": X.astype(np.float16),
    "another byte order": X.astype(">f8"),
    "objects": X.astype(object),
    "a matrix": X.view(np.matrix),
    "lists of different lengths": [[1.0, 2.0, 3.0], [1.0]],
    "lists of texts": [[1.0, 2.0, "x"]],
    "a number beyond 64 bits": [[1.0, 2.0, 2**70]],
    "truth values in lists": [[1.0, 2.0, True]],
    "no lists": [1.0, 2.0, 3.0],
    "an empty list": [],
    "an empty row": [[]],
    "a data frame without known names": pd.DataFrame(X),
    "sparse whole numbers": sparse.csr_matrix(X.astype(int)),
    "sparse, fewer columns": sparse.csr_matrix(X)[:, :2],
    "sparse, no rows": sparse.csr_matrix((0, 3)),
    "coordinates": sparse.coo_array(X),
    "repeated columns": REPEATED,
    "repeated rows": sparse.csc_matrix((np.ones(2), np.zeros(2, int), np.array([0, 2, 2, 2])), shape=(2, 3)),
    "None": None,
}


@pytest.mark.parametrize("table", NOT_PLAIN.values(), ids=NOT_PLAIN)
def test_rows_that_are_not_plain(table):
    assert plain_rows(table, 3, None) is None


@pytest.mark.parametrize("name", ["data", "indices", "indptr"])
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array])
def test_sparse_parts_that_do_not_fit_are_left_to_the_checks(form, name):
    broken = form(X)
    setattr(broken, name, getattr(broken, name)[:-2])
    assert plain_rows(broken, 3, None) is None
    with pytest.raises(ValueError, match="The sparse X is broken"):
        Perceptron().fit(X, Y).predict(broken)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "form",
    [
        *MATRICES.values(),
        lambda X: X.astype(int),
        lambda X: X.astype(np.uint8).astype(bool),
        lambda X: X.astype(np.float32),
        lambda X: X[:, ::-1],
        lambda X: np.broadcast_to(X[0], X.shape),
        lambda X: sparse.csc_matrix(X.astype(np.float32)),
    ],
)
def test_rows_and_their_matrix_are_the_same(form):
    given = form(X)
    rows, matrix = plain_rows(given, None, None), as_matrix(given)
    assert (rows is None) == (form is MATRICES["coo"])
    rows = rows or as_rows(given)
    seen = rows.written_out(np.arange(len(X)))
    dense = sparse.csr_matrix(seen, shape=X.shape).toarray() if isinstance(seen, tuple) else seen
    assert np.array_equal(dense, matrix.toarray() if sparse.issparse(matrix) else matrix)
    one, other = (Perceptron(random_state=0, max_iter=5).fit(table, Y) for table in (given, matrix))
    assert np.array_equal(one.coef_, other.coef_)


def test_wide_indices_and_unused_entries_of_sparse_rows():
    wide = sparse.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    wide.data, wide.indices = np.append(wide.data, np.nan), np.append(wide.indices, 10**9)
    model = Perceptron(random_state=0).fit(X, Y)
    assert plain_rows(wide, 3, None) is not None
    assert np.array_equal(model.predict(wide), model.predict(X))
    assert np.array_equal(Perceptron(random_state=0).fit(wide, Y).coef_, model.coef_)


def test_rows_keep_what_they_stand_on():
    rows = (
        plain_rows(X.tolist(), None, None),
        plain_rows(sparse.csc_matrix(X), None, None),
        plain_rows(X.copy(), 3, None),
    )
    gc.collect()
    np.full((1000, 3), np.nan)
    assert [each.first_not_finite(1) for each in rows] == [len(X)] * 3


def test_the_checks_still_speak():
    frame = FRAMES["pandas"](X)
    named, bare = Perceptron().fit(frame, Y), Perceptron().fit(X, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        named.predict(frame[["b", "a", "c"]])
    with pytest.warns(UserWarning, match="fitted with feature names"):
        named.predict(X)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        bare.predict(frame)
    for form in (*MATRICES.values(), FRAMES["pandas"]):
        wrong = X.copy()
        wrong[7, 1] = np.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if form not in (MATRICES["whole numbers"],):
                with pytest.raises(ValueError, match=r"NaN in column (1|'b'), row 7"):
                    (named if form is FRAMES["pandas"] else bare).predict(form(wrong))


def test_repeated_entries_of_sparse_rows_are_added_up():
    model = Perceptron().fit(X, Y)
    assert np.array_equal(model.decision_function(REPEATED), model.decision_function([[0.0, 3.0, 3.0]]))


@pytest.mark.parametrize("change", [{"eta0": 0.5}, {"alpha": 0.1}, {"loss": "squared-hinge"}, {"multi_class": "ovr"}])
def test_a_changed_parameter_is_noticed_and_an_equal_one_is_the_same(change):
    three = np.arange(40) % 3
    model = LinearSVM(solver="sgd", alpha=1e-3, eta0=0.1, multi_class="joint", loss="hinge").partial_fit(X, three)
    stream = model.partial_fit(X, three)._learned
    assert model.set_params(alpha=np.float64(1e-3)).partial_fit(X, three)._learned is stream
    assert model.set_params(**change).partial_fit(X, three)._learned is not stream


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_large_arrays_that_lie_column_by_column_give_the_same_scores(dtype):
    large = np.random.default_rng(0).normal(size=(PART_SIZE // 3 + 2000, 3)).astype(dtype)
    model = Perceptron(random_state=0, max_iter=2, tol=1).fit(large[:50], large[:50, 0] > 0)
    columns = np.asfortranarray(large)
    assert np.array_equal(model.decision_function(columns), model.decision_function(large))
    assert np.array_equal(model.predict(columns[1:, ::-1]), model.predict(large[1:, ::-1].copy()))
    columns[PART_SIZE // 3 + 1000, 2] = np.nan
    with pytest.raises(ValueError, match=rf"NaN in column 2, row {PART_SIZE // 3 + 1000}\b"):
        model.predict(columns)
