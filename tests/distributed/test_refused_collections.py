"""Dask collections that nothing can be learned from: one sentence each."""

import re

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed", reason="dask and distributed are not installed")
import dask
import dask.array as da
import dask.bag as bag
import dask.dataframe as dd
from dask_collections import FRAME, ROWS, X, Y, chunked

from rosenblatt import KernelPerceptron, LinearSVM, LogisticRegression, Perceptron, PocketPerceptron, fit, separability


@pytest.mark.parametrize(
    ("rows", "labels", "options", "sentence"),
    [
        (X, Y, {"fingerprint": True}, "fingerprint=True does not go with Dask"),
        (X, Y, {"features": "polynomial-2"}, "does not go with Dask"),
        (X, Y, {}, "y has 3 classes"),
        (X, Y, {"classes": ("a", "d")}, "which is not among the labels"),
        (X, Y, {"classes": ("a", "b"), "multi_class": "ovr"}, "give only one of them"),
        (X, Y, {"time_limit": 0}, "time_limit must be"),
        (X, np.where(Y == "a", np.nan, 1.0), {}, "y has no label in row"),
        (np.full((ROWS, 1), 2**53 + 1), Y == "a", {}, "that no float64 equals"),
    ],
)
def test_what_separability_of_collections_refuses(rows, labels, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        separability(da.from_array(rows, chunks=(9_000, -1)), labels, **options)


ODD_LABELS = {
    "a number that is no class": (X[:, 0], r"y holds numbers instead of classes, such as .* in row (0|16384|32768)"),
    "NaN": (np.where(np.arange(ROWS) == ROWS - 1, np.nan, 1.0), f"y has no label in row {ROWS - 1}, but nan"),
    "None": (np.where(np.arange(ROWS) == 7, None, "a"), "y has no label in row 7, but None"),
    "NaT": (np.where(np.arange(ROWS) == 7, "NaT", "2024-01-01").astype("M8[ns]"), "y has no label in row 7, but NaT"),
    "texts and numbers": (np.where(np.arange(ROWS) == 7, 1, np.array("a", object)), "'a' in row 0 and 1 in row 7"),
    "texts and numbers in other blocks": (np.where(np.arange(ROWS) >= 32_768, 1, np.array("a", object)), "all text or"),
    "two columns": (np.ones((ROWS, 2)), "y must hold one label a row, not 2"),
}


@pytest.mark.parametrize("name", ODD_LABELS)
def test_what_is_no_class_is_refused(name):
    labels, sentence = ODD_LABELS[name]
    with pytest.raises(ValueError, match=sentence):
        LogisticRegression().fit(da.from_array(X, chunks=(9_000, -1)), labels)


def test_complex_numbers_are_refused():
    with pytest.raises(ValueError, match="X holds complex numbers"):
        LogisticRegression().fit(da.from_array(X + 1j, chunks=(9_000, -1)), Y)


TEXTS = np.array([["1.5", "red"], ["2.5", "blue"]] * 10)


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (da.from_array(TEXTS, chunks=(5, 1)), "Input X contains text in column 1. Encode or drop such columns first."),
        (da.from_array(TEXTS.astype(object), chunks=7), "Input X contains text in column 1. Encode"),
        (
            dd.from_pandas(pd.DataFrame({"size": [1.0, 2.0] * 10, "colour": ["red", "blue"] * 10}), npartitions=2),
            "Input X contains text in column 'colour'. Encode",
        ),
        (da.from_array(TEXTS[:, 1], chunks=7), "X must have two dimensions, rows and columns, not 1."),
    ],
    ids=["texts", "objects", "frame", "one dimension"],
)
def test_texts_in_dask_collections_are_refused_in_one_sentence(texts, sentence):
    model = LogisticRegression()
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        model.fit(texts, np.arange(20) % 2)
    assert not hasattr(model, "coef_")


WITH_GAP = np.where(np.arange(ROWS)[:, None] + np.arange(4) == 20_003, np.nan, X)  # in row 20,000, column 3
NULLABLE = pd.DataFrame({"p": pd.array(range(ROWS), dtype="Int64"), "q": X[:, 1]})
ODD_ROWS = {
    "NaN": (da.from_array(WITH_GAP[:20_001], chunks=(7_000, -1)), "NaN in column 3, row 20000. Fill in"),
    "NA": (dd.from_pandas(NULLABLE.mask(NULLABLE.p == 9), npartitions=3), "NaN in column 'p', row 9. Fill in"),
    "dates": (
        dd.from_pandas(FRAME[["p"]].assign(day=pd.Timestamp("2024-01-01")), npartitions=2),
        "Input X contains dates in column 'day'. Turn them into numbers",
    ),
    "bag": (bag.from_sequence(X[:9].tolist()), "X is a Dask Bag: make it a Dask array or data frame first."),
    "delayed": (dask.delayed(X[:9]), "make it a Dask array or data frame first."),
}


@pytest.mark.parametrize("fitted", [LogisticRegression().fit, separability], ids=["fit", "separability"])
@pytest.mark.parametrize("name", ODD_ROWS)
def test_rows_that_are_no_numbers_are_refused_by_row_and_column(name, fitted):
    rows, sentence = ODD_ROWS[name]
    count = 9 if name in ("bag", "delayed") else len(rows)
    with pytest.raises(ValueError, match=sentence):
        fitted(rows, np.arange(count) % 2)


@pytest.mark.parametrize("labels", [None, bag.from_sequence([0, 1])], ids=["None", "bag"])
def test_what_holds_no_labels_is_refused(labels):
    with pytest.raises(ValueError, match=r"y is None: give the label of each row|y is a Dask Bag"):
        LogisticRegression().fit(chunked(9_000)[0], labels)


def test_rows_of_weight_0_keep_the_numbers_of_others():
    rows = da.from_array(WITH_GAP, chunks=(9_000, -1))
    weights = np.where(np.arange(ROWS) % 3 == 0, 0.0, 1.0)
    with pytest.raises(ValueError, match="NaN in column 3, row 20000"):
        LogisticRegression().fit(rows, Y, sample_weight=weights)
    LogisticRegression().fit(rows, Y, sample_weight=np.where(np.arange(ROWS) // 4 == 5_000, 0.0, weights))


def test_a_dask_table_is_no_table_in_memory():
    with pytest.raises(ValueError, match="the table is a Dask DataFrame, which is not in memory: write it to Parquet"):
        fit(dd.from_pandas(FRAME, npartitions=2), target="kind")


@pytest.mark.parametrize(
    ("model", "options", "sentence"),
    [
        (LogisticRegression(), {"trace": True}, "trace=True does not go with Dask"),
        (LinearSVM(loss="squared-hinge", calibration="platt"), {}, "calibration does not go with Dask"),
        (PocketPerceptron(), {}, "'random-mistake' chooses among all rows"),
        (KernelPerceptron(), {}, "KernelPerceptron does not go with Dask collections"),
        (Perceptron(), {"trace": True, "sample_weight": np.ones(ROWS)}, "trace=True does not go with Dask"),
        (LogisticRegression(solver="sgd", early_stopping=True), {}, "early_stopping does not go with Dask"),
        (LogisticRegression(solver="gd"), {}, "solver='gd' does not run on an executor"),
        (LogisticRegression(), {"sample_weight": -np.ones(ROWS)}, "sample_weight must hold finite numbers"),
        (LogisticRegression(), {"sample_weight": np.zeros(ROWS)}, "nothing to learn from"),
        (LogisticRegression(), {"sample_weight": np.ones(7)}, "inconsistent lengths"),
    ],
)
def test_what_dask_collections_do_not_go_with_is_refused(model, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit(*chunked(ROWS), **options)
    assert not hasattr(model, "coef_")
