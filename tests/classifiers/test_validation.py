"""What scikit-learn's world hands over: checked, named and never written into the model."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from rosenblatt import Perceptron
from rosenblatt.classifiers.validation import checked_labels, examples, expected_classes, matrix
from rosenblatt.foundation.sample_weights import checked_weights

rng = np.random.default_rng(0)
X = rng.integers(-3, 4, (20, 3)).astype(float)
Y = (X @ [1, 2, -1] > 0).astype(int)
COLUMNS = ["height", "width", "depth"]
FRAME = pd.DataFrame(X, columns=COLUMNS)


def named(frame):
    return frame, COLUMNS


MATRICES = {
    "float64": (X, None),
    "float32": (X.astype(np.float32), None),
    "float16": (X.astype(np.float16), None),
    "int8": (X.astype(np.int8), None),
    "objects": (X.astype(object), None),
    "lists": (X.tolist(), None),
    "csr": (sp.csr_array(X), None),
    "csc": (sp.csc_matrix(X), None),
    "coo": (sp.coo_array(X), None),
    "pandas": named(FRAME),
    "pandas with numbers for names": (pd.DataFrame(X), None),
    "pandas int16": named(FRAME.astype("int16")),
    "pandas nullable": named(FRAME.astype("Int64")),
    "pandas nullable floats": named(FRAME.astype("Float32")),
    "pandas mixed": named(FRAME.astype({"height": "Int8", "width": "float32", "depth": object})),
    "polars": named(pl.DataFrame(X, schema=COLUMNS)),
    "polars integers": named(pl.DataFrame(X.astype(int), schema=COLUMNS)),
    "pyarrow": named(pa.table({name: X[:, j] for j, name in enumerate(COLUMNS)})),
}


@pytest.mark.parametrize("form", MATRICES)
def test_every_form_trains_the_same_model(form):
    given, names = MATRICES[form]
    model = Perceptron(order="cyclic").fit(given, Y)
    plain = Perceptron(order="cyclic").fit(X, Y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.predict(given), plain.predict(X))
    assert (names is None) == ("feature_names_in_" not in vars(model))
    if names is not None:
        assert model.feature_names_in_.tolist() == names
    streamed = Perceptron().partial_fit(given, Y).partial_fit(given, Y)
    assert ("feature_names_in_" in vars(streamed)) == (names is not None)
    assert streamed.n_visits_ == 40


def test_truth_values_are_numbers():
    np.testing.assert_array_equal(matrix(Perceptron(), X > 0, anew=True).X, (X > 0) * 1.0)


def test_rows_in_order_are_handed_on_as_they_are():
    model = Perceptron().fit(X, Y)
    for given in (X, X[3:9], X.astype(np.float32)):
        assert matrix(model, given).X is given
        assert np.shares_memory(matrix(model, given, anew=True).X, given)


def test_checking_leaves_no_trace_in_the_model():
    model = Perceptron()
    examples(model, FRAME, Y, None, anew=True)
    assert vars(model) == vars(Perceptron())


@pytest.mark.parametrize(
    "text",
    [
        np.array([["1", "2"], ["3", "x"]]),
        np.array([[1, 2], [3, "x"]], dtype=object),
        [[1.0, "x"], [2.0, "y"]],
    ],
)
def test_text_is_named_by_column(text):
    with pytest.raises(ValueError, match=r"contains text in column 1\. Set encode=True, or turn"):
        matrix(Perceptron(), text, anew=True)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_text_in_a_frame_is_named_by_name(frame):
    with pytest.raises(ValueError, match="contains text in column 'colour'"):
        matrix(Perceptron(), frame({"size": [1.0, 2.0], "colour": ["red", "2"]}), anew=True)


def test_missing_values_of_frames_are_named_by_name():
    missing = FRAME.astype("Int64")
    missing.loc[4, "width"] = pd.NA
    for given in (missing, FRAME.mask(missing.isna()), pl.DataFrame(X, schema=COLUMNS).with_columns(width=None)):
        with pytest.raises(ValueError, match=r"contains NaN in column 'width', row [04]\."):
            examples(Perceptron(), given, Y, None, anew=True).check_finite(None)


def test_rows_of_weight_0_may_hold_anything_and_rows_keep_their_numbers():
    bad = X.copy()
    bad[[2, 7], 1] = np.nan
    weights = np.ones(20)
    weights[2] = 0
    for given in (bad, sp.csr_array(bad)):
        with pytest.raises(ValueError, match=r"column 1, row 7\."):
            examples(Perceptron(), given, Y, weights, anew=True).check_finite(None)
        data = examples(Perceptron(), given, Y, np.where(np.isin(np.arange(20), [2, 7]), 0, weights), anew=True)
        data.check_finite(None)
        assert data.rows.count == 18
        assert data.numbers.tolist() == [i for i in range(20) if i not in (2, 7)]
        np.testing.assert_array_equal(data.labels, Y[data.numbers])


@pytest.mark.parametrize(
    "labels",
    [
        Y,
        Y.astype(np.uint8),
        Y.astype(bool),
        Y.astype(float),
        np.array(["no", "yes"])[Y],
        np.array(["no", "yes"], dtype=object)[Y],
        Y.tolist(),
        pd.Series(Y),
        pd.Series(Y, dtype="Int64"),
        pd.Series(np.array(["no", "yes"])[Y]),
        pd.Series(np.array(["no", "yes"])[Y], dtype="category"),
        pl.Series(Y),
        pl.Series(np.array(["no", "yes"])[Y]),
        pa.array(Y),
    ],
    ids=lambda labels: f"{type(labels).__module__}-{getattr(labels, 'dtype', 'list')}",
)
def test_labels_of_any_kind(labels):
    checked = checked_labels(labels, 20, "Perceptron")
    assert checked.shape == (20,)
    np.testing.assert_array_equal(checked == np.unique(checked)[1], Y == 1)
    model = Perceptron(order="cyclic").fit(X, labels)
    np.testing.assert_array_equal(model.predict(X), np.unique(checked)[Y])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "Perceptron requires y to be passed, but the target y is None"),
        (Y[:5], "X and y have inconsistent lengths: 20 rows in X, 5 labels in y"),
        (Y + 0.5 * rng.random(20), "Unknown label type: continuous"),
        (np.c_[Y, Y], r"y should be a 1d array, got an array of shape \(20, 2\)"),
        (np.where(Y, 1.0, np.nan), "Input y contains NaN"),
        (np.where(Y, 1.0, np.inf), "Input y contains infinity"),
        (np.array([1, "a"] * 10, dtype=object), "y holds text and other labels, 'a' in row 1 and 1 in row 0"),
        (pd.to_datetime([None, "2024-01-01"] * 10), "y has no label in row 0, but NaT: fill in or drop such rows"),
        (np.array([7, "NaT"] * 10, "m8[ns]"), "y has no label in row 1, but NaT"),
        (np.array([None, "a"] * 10, dtype=object), "y has no label in row 0, but None: fill in or drop such rows"),
        (pd.Series([None, 1] * 10, dtype="Int64"), "Input y contains NaN"),
    ],
)
def test_labels_that_make_no_classes(labels, message):
    with pytest.raises(ValueError, match=message):
        checked_labels(labels, 20, "Perceptron")


@pytest.mark.parametrize("columns", [["height", "day"], ["day"], ["passed"]])
def test_dates_are_no_numbers(columns):
    """NumPy would take them for nanoseconds since 1970, and NaT for the smallest of all numbers."""
    day = pd.to_datetime(["2024-01-01", None] * 10)
    frame = FRAME.assign(day=day, passed=day - day[0])
    with pytest.raises(ValueError, match=f"Input X contains dates in column {columns[-1]!r}. Set encode=True"):
        Perceptron().fit(frame[columns], Y)
    with pytest.raises(ValueError, match="Input X contains dates in column 0"):
        Perceptron().fit(frame[columns[-1:]].to_numpy(), Y)


@pytest.mark.parametrize("text", ["rows.csv", ["a", "b"]])
def test_texts_are_no_rows(text):
    with pytest.raises(ValueError, match="Input X holds texts instead of rows of numbers"):
        Perceptron().fit(text, [0, 1])


def test_expected_classes():
    assert expected_classes([3, 1]).tolist() == [3, 1]
    assert expected_classes(pd.Series(["b", "a"])).tolist() == ["b", "a"]
    for bad in ([0.5, 1.2], [[1, 2], [3, 4]], [np.nan, 1.0]):
        with pytest.raises(ValueError, match=r"Unknown label type|1d array|contains NaN"):
            expected_classes(bad)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0] * 19 + [-2], r"sample_weight must not be negative: row 19 has -2\.0"),
        ([1.0] * 19 + [np.nan], "sample_weight contains NaN"),
        ([1.0] * 19 + [np.inf], "sample_weight contains infinity"),
        ([1.0] * 5, r"sample_weight.shape == \(5,\), expected \(20,\)"),
        (np.ones((20, 2)), "1D array"),
        (np.zeros(20), "nothing to learn from|at least one non-zero"),
        (["much"] * 20, "sample_weight holds values that are not numbers: give one number a row"),
    ],
)
def test_weights_that_make_no_sense(weights, message):
    with pytest.raises(ValueError, match=message):
        checked_weights(weights, 20)


@pytest.mark.parametrize("weights", [2, np.full(20, 2, np.int8), np.full(40, 2.0)[::2], pd.Series([2.0] * 20)])
def test_weights_of_any_kind(weights):
    checked = checked_weights(weights, 20)
    assert checked.dtype == np.float64
    assert checked.flags.c_contiguous
    assert checked.tolist() == [2.0] * 20


def test_texts_instead_of_rows_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"^Input X holds texts instead of rows of numbers\. Set encode=True, or"):
        Perceptron().fit(["an oak", "an ash"], [0, 1])


def test_masked_values_are_not_learned():
    X = np.ma.masked_array(np.arange(8.0).reshape(4, 2), mask=[[0, 1]] + 3 * [[0, 0]])
    with pytest.raises(ValueError, match=r"^X is a masked array, whose masked values are missing: fill them in"):
        Perceptron().fit(X, [0, 0, 1, 1])
    model = Perceptron(random_state=0).fit(X.filled(0), [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"^X is a masked array"):
        model.predict(X)
    nothing_masked = np.ma.masked_array(X.data, mask=False)
    assert model.predict(nothing_masked).tolist() == model.predict(X.data).tolist()


def test_columns_in_a_dict_are_answered():
    with pytest.raises(ValueError, match=r"^Input X is a dict of columns instead of rows of numbers. Set encode=True"):
        Perceptron().fit({"a": [1, 2]}, [0, 1])
