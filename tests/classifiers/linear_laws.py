"""Rows for the laws of all linear classifiers, and whether two models are the same."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rosenblatt import ALMA, AveragedPerceptron, PassiveAggressive, Perceptron, PocketPerceptron

CLASSIFIERS = [Perceptron, AveragedPerceptron, PocketPerceptron, PassiveAggressive, ALMA]


def overlapping(classes=2, rows=60, columns=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), rng.permutation(np.arange(rows) % classes)


def assert_same(model, other):
    """The same weights, bit for bit."""
    np.testing.assert_array_equal(model.classes_, other.classes_)
    np.testing.assert_array_equal(model.coef_, other.coef_)
    np.testing.assert_array_equal(model.intercept_, other.intercept_)


X, Y = overlapping(3)
NAMES = [f"c{j}" for j in range(5)]


def fitted(model, streaming, names=False):
    given = pd.DataFrame(X, columns=NAMES) if names else X
    model = clone(model).set_params(max_iter=20)
    return model.partial_fit(given, Y) if streaming else model.fit(given, Y)


def assert_fails_and_changes_nothing(model, call, message):
    before, decided = pickle.dumps(model), model.decision_function(X)
    with pytest.raises(ValueError, match=message):
        call()
    assert pickle.dumps(model) == before
    np.testing.assert_array_equal(model.decision_function(X), decided)
