"""Platt's scaling and isotonic regression against scikit-learn, and what holds for every calibration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.calibration import CalibratedClassifierCV, _SigmoidCalibration
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.svm import LinearSVC

from rosenblatt.classifiers.calibration.calibration import smoothed_targets
from rosenblatt.classifiers.calibration.isotonic import increasing_line, pool_adjacent_violators
from rosenblatt.classifiers.calibration.methods import (
    METHODS,
    calibration_from_state,
    calibration_state,
    fit_calibration,
)
from rosenblatt.classifiers.calibration.platt import PlattCalibration

RANDOM = np.random.default_rng(0)
CODES = RANDOM.integers(0, 2, 300)
SCORES = 3.0 * CODES - 1.0 + RANDOM.normal(scale=2.0, size=300)
THREE = RANDOM.integers(0, 3, 300)
JOINT = 2.0 * np.eye(3)[THREE] + RANDOM.normal(scale=1.5, size=(300, 3)) + RANDOM.normal(scale=9, size=(300, 1))


def random_problem(classes, seed=1, rows=200):
    random = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(classes), random.integers(0, classes, rows - classes)])
    planes = np.eye(classes)[codes] + random.normal(size=(rows, classes))
    return (planes[:, 1:] - planes[:, :1] if classes == 2 else planes), codes


# Platt


@pytest.mark.parametrize("weights", [None, RANDOM.uniform(0.5, 3.0, 300)])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_platts_scaling_is_that_of_scikit_learn(weights, scale):
    ours = fit_calibration("platt", scale * SCORES, CODES, 2, weights)
    theirs = _SigmoidCalibration().fit(SCORES, CODES, weights)
    assert_allclose(ours.probabilities(scale * SCORES[:, None])[:, 1], theirs.predict(SCORES), atol=1e-6)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_are_those_of_scikit_learns_calibrated_classifier(method):
    X = np.column_stack([SCORES, RANDOM.normal(size=300)])
    model = LinearSVC(random_state=0).fit(X[:100], CODES[:100])
    theirs = CalibratedClassifierCV(FrozenEstimator(model), method=method, ensemble=False, cv=2)
    theirs.fit(X[100:], CODES[100:])
    scores = model.decision_function(X)[:, None]
    ours = fit_calibration("platt" if method == "sigmoid" else method, scores[100:], CODES[100:], 2)
    # scikit-learn does not smooth the targets of isotonic regression, by at most 1 / 52 for 50 rows of a class
    assert_allclose(ours.probabilities(scores), theirs.predict_proba(X), atol=1e-6 if method == "sigmoid" else 0.03)


def test_the_softmax_of_several_classes_is_at_the_optimum():
    found = PlattCalibration.fit(JOINT, THREE, 3)
    targets = smoothed_targets(THREE, 3, np.ones(300))

    def loss(at):
        return -(targets * log_softmax(at[0] * JOINT + at[1:], axis=1)).sum()

    best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    assert_allclose(found.slope, best[0], rtol=1e-5)
    assert_allclose(found.offsets, best[1:] - best[1], atol=1e-5)
    assert -(targets * found.log_probabilities(JOINT)).sum() <= loss(best) + 1e-9


@pytest.mark.parametrize(
    "scores", [[-2.0, -1.0, 1.0, 2.0], [-5e-324, 0.0, 5e-324, 5e-324], [-1e300, 0.0, 1e300, 1e307]]
)
def test_separated_and_extreme_scores_have_a_finite_optimum(scores):
    scores = np.array(scores)[:, None]
    found = PlattCalibration.fit(scores, np.array([0, 0, 1, 1]), 2)
    probabilities = found.probabilities(np.array([[-1e308], [0.0], [1e308]]))
    assert np.isfinite(probabilities).all()
    assert np.isfinite(found.slope)
    assert_allclose(found.probabilities(scores)[:, 1].mean(), 0.5, atol=1e-6)  # as the targets


def test_equal_scores_get_the_share_of_their_class():
    found = PlattCalibration.fit(np.zeros((4, 1)), np.array([0, 1, 1, 1]), 2)
    assert_allclose(found.probabilities(np.zeros((1, 1)))[0, 1], (3 * 4 / 5 + 1 / 3) / 4)


# Isotonic regression


@pytest.mark.parametrize("seed", range(5))
def test_pooled_values_are_those_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    values, weights = np.cumsum(random.normal(size=80)).round(1), random.uniform(0.1, 2.0, 80)
    theirs = IsotonicRegression().fit(np.arange(80), values, weights).predict(np.arange(80))
    assert_allclose(pool_adjacent_violators(values, weights), theirs, atol=1e-12)


def test_the_line_through_ties_is_that_of_scikit_learn():
    scores, targets, weights = (
        SCORES.round(0),
        smoothed_targets(CODES, 2, np.ones(300))[:, 1],
        RANDOM.uniform(1, 2, 300),
    )
    theirs = IsotonicRegression(out_of_bounds="clip").fit(scores, targets, weights)
    new = np.linspace(-12, 12, 500)
    assert_allclose(np.interp(new, *increasing_line(scores, targets, weights)), theirs.predict(new), atol=1e-12)


# Every method


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("method", METHODS)
def test_probabilities_add_up_to_1_and_rise_with_the_score(method, classes):
    scores, codes = random_problem(classes)
    found = fit_calibration(method, scores, codes, classes)
    probabilities = found.probabilities(scores)
    assert probabilities.shape == (len(codes), classes)
    assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    assert ((probabilities > 0) & (probabilities < 1)).all()
    higher = scores.copy()
    higher[:, -1] += 1.0
    assert (found.probabilities(higher)[:, -1] >= probabilities[:, -1] - 1e-12).all()
    assert_allclose(np.exp(found.log_probabilities(scores)), probabilities)


@pytest.mark.parametrize("method", METHODS)
def test_joint_scores_may_have_any_common_level(method):
    found = fit_calibration(method, JOINT, THREE, 3)
    assert_allclose(found.probabilities(JOINT + 64.0), found.probabilities(JOINT), atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_weights_count_rows(method):
    twice = np.repeat(np.arange(300), 1 + CODES)
    weighted = fit_calibration(method, SCORES, CODES, 2, 1.0 + CODES)
    repeated = fit_calibration(method, SCORES[twice], CODES[twice], 2)
    assert_allclose(weighted.probabilities(SCORES[:, None]), repeated.probabilities(SCORES[:, None]), atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_a_class_without_rows_stays_possible(method):
    scores, codes = random_problem(3)
    found = fit_calibration(method, scores[codes != 1], codes[codes != 1], 3)
    assert (found.probabilities(scores) > 0).all()


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("method", METHODS)
def test_a_state_holds_every_bit(method, classes):
    scores, codes = random_problem(classes)
    found = fit_calibration(method, scores, codes, classes)
    again = calibration_from_state(calibration_state(found), classes)
    assert again.rows == found.rows == len(codes)
    assert_array_equal(again.log_probabilities(scores), found.log_probabilities(scores))


HOSTILE = [
    ("platt", {"slope": float("nan")}, "not finite"),
    ("platt", {"offsets": np.array([np.inf])}, "not finite"),
    ("platt", {"offsets": np.zeros(2)}, "does not fit its classes"),
    ("platt", {"offsets": np.zeros(1, np.float32)}, "does not fit its classes"),
    ("platt", {"rows": 0}, "no rows"),
    ("platt", {"method": "sigmoid"}, "no calibration 'sigmoid'"),
    ("isotonic", {"places": np.array([0.0, np.nan])}, "no scores"),
    ("isotonic", {"values": np.array([0.0, 0.5])}, "no probabilities"),
    ("isotonic", {"values": np.array([0.5, 0.4])}, "does not increase"),
    ("isotonic", {"places": np.array([1.0, 1.0])}, "does not increase"),
    ("isotonic", {"ends": np.array([1, 2])}, "does not fit its classes"),
    ("isotonic", {"ends": np.array([3])}, "does not fit its classes"),
    ("isotonic", {"ends": np.array([-2])}, "does not fit its classes"),
    ("isotonic", {"values": np.array([[0.1, 0.2]])}, "does not fit its classes"),
    ("isotonic", {"values": np.array([1, 2])}, "types"),
]


@pytest.mark.parametrize(("method", "change", "message"), HOSTILE)
def test_hostile_states_are_refused(method, change, message):
    states = {
        "platt": {"method": "platt", "rows": 9, "slope": 1.0, "offsets": np.zeros(1)},
        "isotonic": {
            **{"method": "isotonic", "rows": 9, "places": np.array([-1.0, 1.0])},
            **{"values": np.array([0.2, 0.7]), "ends": np.array([2])},
        },
    }
    calibration_from_state(states[method], 2)
    with pytest.raises(ValueError, match=message):
        calibration_from_state(states[method] | change, 2)


def test_one_outlier_does_not_decide_the_slope():
    random = np.random.default_rng(0)
    scores = random.normal(size=(3000, 1))
    codes = (scores[:, 0] + 0.3 * random.normal(size=3000) > 0).astype(np.int32)
    clean = PlattCalibration.fit(scores, codes, 2)
    scores[7], codes[7] = 1e6, 0
    assert PlattCalibration.fit(scores, codes, 2).slope > 0.5 * clean.slope
