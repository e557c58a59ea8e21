"""Labels and data frames that skip scikit-learn's checks in `fit` give the model that the checks would give."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rosenblatt import Perceptron
from rosenblatt.classifiers import validation
from rosenblatt.classifiers.plain_classes import plain_classes
from rosenblatt.classifiers.plain_frame import named_array

X = np.random.default_rng(0).integers(-8, 9, size=(40, 3)).astype(float)
Y = (X @ [1, 2, -1] > 0).astype(int)
WORDS = np.where(Y == 1, "spam", "ham")
LABELS = {
    "floats": Y.astype(float),
    "float32": Y.astype(np.float32),
    "object": WORDS.astype(object),
    "list": Y.tolist(),
    "list of words": WORDS.tolist(),
    "list of truth values": (Y == 1).tolist(),
    "series": pd.Series(Y, index=np.arange(40)[::-1]),
    "series of words": pd.Series(WORDS),
    "series of floats": pd.Series(Y.astype(float)),
}
FRAMES = {
    "pandas": pd.DataFrame(X, columns=list("abc")),
    "pandas of two types": pd.DataFrame(X, columns=list("abc")).astype({"b": "float32"}),
    "pandas float32": pd.DataFrame(X, columns=list("abc")).astype("float32"),
    "polars": pl.DataFrame(X, schema=list("abc")),
}
NOT_PLAIN = {
    "fractions": [0.5, 1.0],
    "fractions in an array": np.array([0.5, 1.0]),
    "a gap": np.array([1.0, np.nan]),
    "an infinity": np.array([1.0, np.inf]),
    "two types": [1, "a"],
    "whole numbers and truth values": [1, True],
    "an object that is no text": np.array(["a", None], dtype=object),
    "a column": np.array([[1], [0]]),
    "none": [],
    "too large": [1 << 70, 0],
    "a frame": pd.DataFrame({"y": [0, 1]}),
    "a tuple": (0, 1),
    "a series of polars": pl.Series([0, 1]),
}


def model_of(X, y):
    return Perceptron(random_state=0, max_iter=1000).fit(X, y)


def same(one, other):
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert (one.classes_.dtype, one.classes_.tolist()) == (other.classes_.dtype, other.classes_.tolist())
    assert one.__dict__.keys() == other.__dict__.keys()
    assert (
        one.__dict__.get("feature_names_in_", np.array([])).tolist()
        == other.__dict__.get("feature_names_in_", np.array([])).tolist()
    )


@pytest.mark.parametrize("form", LABELS)
def test_plain_labels_teach_as_checked_ones(form, monkeypatch):
    assert plain_classes(LABELS[form]) is not None
    plain = model_of(X, LABELS[form])
    monkeypatch.setattr(validation, "plain_classes", lambda y: None)
    same(plain, model_of(X, LABELS[form]))


@pytest.mark.parametrize("form", FRAMES)
def test_plain_frames_teach_as_checked_ones(form, monkeypatch):
    assert named_array(FRAMES[form]) is not None
    plain = model_of(FRAMES[form], Y)
    monkeypatch.setattr(validation, "named_array", lambda X: None)
    same(plain, model_of(FRAMES[form], Y))


@pytest.mark.parametrize("what", NOT_PLAIN)
def test_other_labels_are_checked(what):
    assert plain_classes(NOT_PLAIN[what]) is None


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]}),
        pd.DataFrame({"a": pd.to_datetime(["2024-01-01", "2024-01-02"])}),
        pd.DataFrame(X),
        pd.DataFrame(X, columns=list("aba")),
        pd.DataFrame(X[:0], columns=list("abc")),
        pd.Series([1.5, 2.5]),
        X,
        X.tolist(),
    ],
)
def test_other_tables_are_checked(frame):
    assert named_array(frame) is None
