"""Rows that say nothing about the classes: weights 0 are the optimum to rounding, and no warning follows."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import LinearSVM, LogisticRegression

MODELS = [
    LogisticRegression(),
    LogisticRegression(penalty=None),
    LogisticRegression(C=1e-6),
    LinearSVM(loss="squared-hinge"),
    LogisticRegression(multi_class="ovr"),
    LogisticRegression(max_iter=2),
]


def rows_in_every_class(rows, columns, classes, seed=0):
    """Each row once in every class, so that the gradient at 0 is 0 but for rounding."""
    random = np.random.default_rng(seed)
    once = random.normal(size=(rows, columns)) * 10 * random.lognormal(size=columns) + 3
    X = np.vstack([random.permutation(once) for _ in range(classes)])
    return X, np.repeat(np.arange(classes), rows)


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("rows", [3, 101, 1001])
@pytest.mark.parametrize("columns", [1, 3, 20])
def test_no_warning_where_the_start_is_the_optimum_to_rounding(model, rows, columns):
    X, y = rows_in_every_class(rows, columns, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y)
    assert model.status_.converged
    np.testing.assert_allclose(model.coef_, 0, atol=1e-12)
    assert model.gradient_norm_ <= 1e-6


def test_no_warning_for_three_classes_either():
    X, y = rows_in_every_class(101, 3, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3, atol=1e-9)


@pytest.mark.parametrize("far", [1e8, 1e9])
def test_columns_far_from_0_still_warn(far):
    """Their gradient at 0 is small beside the numbers, but it is no rounding."""
    y = np.arange(200) % 2
    X = far + np.column_stack([y, np.random.default_rng(0).normal(size=200)])
    with pytest.warns(ConvergenceWarning):
        LogisticRegression().fit(X, y)
