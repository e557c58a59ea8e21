"""Calibration errors: of the most probable class, and of all classes."""

import numpy as np
import pytest

from rosenblatt import LogisticRegression
from rosenblatt.classifiers.calibration.probability_quality import probability_quality


def rows(seed, n=20000):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 1))
    return X, (random.random(n) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)


def quality(class_weight):
    X, y = rows(0)
    model = LogisticRegression(class_weight=class_weight).fit(X, y)
    X, y = rows(1)
    return probability_quality(model.predict_proba(X), y)


def test_the_error_by_class_shows_the_bias_of_class_weights():
    """Twice the weight of a class moves its log odds by log 2 in every row."""
    plain, weighted = quality(None), quality({0: 1.0, 1: 2.0})
    assert plain.classwise_calibration_error < 0.015
    assert weighted.classwise_calibration_error > 0.08
    assert weighted.calibration_error < weighted.classwise_calibration_error / 2


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_that_are_right_have_small_errors(classes):
    random = np.random.default_rng(0)
    probabilities = random.dirichlet(np.ones(classes), 20000)
    truth = (random.random((20000, 1)) > probabilities.cumsum(axis=1)).sum(axis=1)
    found = probability_quality(probabilities, truth)
    assert found.calibration_error < 0.02
    assert found.classwise_calibration_error < 0.02
