"""Summaries of several classes trained together: the definition by another optimiser, another base, counts."""

import math

import numpy as np
import pytest
from multinomial import Multinomial, design, fitted, summarised
from scipy import stats

from rosenblatt import likelihood_ratio_test, summary
from rosenblatt.engine.class_problems import ClassProblem
from rosenblatt.foundation.labels import codes_of
from rosenblatt.statistics import joint_likelihood
from rosenblatt.statistics.checked_model import checked_likelihood
from rosenblatt.statistics.coefficient import coefficients
from rosenblatt.statistics.joint_likelihood import JointLikelihood

NUMBERS = ("estimate", "std_error", "likelihood_ratio", "lower", "upper")
PENALTIES = [None, "jeffreys"]


def numbers(lines, names=NUMBERS):
    return np.array([[getattr(one, name) for name in names] for one in lines])


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize(("classes", "base"), [(3, 0), (3, 1), (4, 3)])
def test_estimates_and_tests_are_those_of_the_definition(classes, base, penalty):
    X, y = design(40, 2, classes + base, classes)
    truth, found = Multinomial(X, y, base, penalty is not None), summarised(X, y, penalty, base=base)
    least, z = truth.minimum()
    errors = np.sqrt(np.diag(np.linalg.inv(truth.information(z))))
    ratios = [2 * (truth.minimum({place: 0.0})[0] - least) for place in range(truth.size)]
    np.testing.assert_allclose(numbers(found.coefficients, NUMBERS[:1])[:, 0], z, atol=2e-6)
    np.testing.assert_allclose(numbers(found.coefficients, NUMBERS[1:2])[:, 0], errors, rtol=1e-5)
    np.testing.assert_allclose(numbers(found.coefficients, NUMBERS[2:3])[:, 0], ratios, atol=1e-7)
    for one, ratio in zip(found.coefficients, ratios, strict=True):
        assert one.p_likelihood_ratio == pytest.approx(stats.chi2.sf(ratio, 1), rel=1e-5)
        assert one.p_wald == pytest.approx(2 * stats.norm.sf(abs(one.estimate / one.std_error)))
    assert found.log_likelihood == pytest.approx(-truth.loss(z), rel=1e-6)
    assert found.deviance == pytest.approx(2 * truth.loss(z), rel=1e-6)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_column_is_tested_in_all_classes(penalty):
    X, y = design(30, 2, 0)
    model, truth = fitted(X, y, penalty), Multinomial(X, y, jeffreys=penalty is not None)
    found, least = summary(model, X, y), truth.minimum()[0]
    for column, name in enumerate(["intercept", "x1", "x2"]):
        held = {column: 0.0, column + 3: 0.0}
        assert found.tests[name].statistic == pytest.approx(2 * (truth.minimum(held)[0] - least), abs=1e-7)
        assert found.tests[name].degrees_of_freedom == 2
        assert found.tests[name].p_value == pytest.approx(stats.chi2.sf(found.tests[name].statistic, 2))
        assert found.tests[name] == likelihood_ratio_test(model, X, y, without=name)
    both = likelihood_ratio_test(model, X, y, without=["x1", "x2"])
    held = dict.fromkeys([1, 2, 4, 5], 0.0)
    assert (both.statistic, both.degrees_of_freedom) == (
        pytest.approx(2 * (truth.minimum(held)[0] - least), abs=1e-7),
        4,
    )


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_end_where_the_profile_crosses_the_quantile(penalty, level):
    X, y = design(25, 1, 3)
    truth = Multinomial(X, y, 2, penalty is not None)
    for place, one in enumerate(summarised(X, y, penalty, base=2, level=level).coefficients):
        reach = 6 * one.std_error
        assert one.lower == pytest.approx(truth.end(place, one.estimate, one.estimate - reach, level), abs=1e-6)
        assert one.upper == pytest.approx(truth.end(place, one.estimate, one.estimate + reach, level), abs=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_null_model_has_the_shares_of_the_classes(fit_intercept):
    X, y = design(30, 1, 4)
    found = summarised(X, y, fit_intercept=fit_intercept)
    shares = np.bincount(y) / 30 if fit_intercept else np.full(3, 1 / 3)
    assert found.null_log_likelihood == pytest.approx(np.log(shares[y]).sum())
    weights = 2 * (1 + fit_intercept)
    assert found.aic == pytest.approx(found.deviance + 2 * weights)
    assert found.bic == pytest.approx(found.deviance + math.log(30) * weights)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_an_intercept_may_be_missing(penalty):
    X, y = design(30, 2, 5)
    truth = Multinomial(X, y, 0, penalty is not None, fit_intercept=False)
    found = summarised(X, y, penalty, fit_intercept=False)
    assert [(one.label, one.name) for one in found.coefficients] == [(1, "x1"), (1, "x2"), (2, "x1"), (2, "x2")]
    np.testing.assert_allclose([one.estimate for one in found.coefficients], truth.minimum()[1], atol=2e-6)
    assert list(found.tests) == ["x1", "x2"]


@pytest.mark.parametrize("penalty", PENALTIES)
def test_another_base_turns_signs_and_subtracts(penalty):
    X, y = design(40, 2, 6)
    of_0, of_2 = summarised(X, y, penalty), summarised(X, y, penalty, base=2)
    for name in ("intercept", "x1", "x2"):
        one, turned = of_0[2, name], of_2[0, name]
        np.testing.assert_allclose(
            [turned.estimate, turned.std_error, turned.likelihood_ratio, turned.lower, turned.upper],
            [-one.estimate, one.std_error, one.likelihood_ratio, -one.upper, -one.lower],
            rtol=1e-6,
        )
        assert of_2[1, name].estimate == pytest.approx(of_0[1, name].estimate - one.estimate, abs=1e-7)
        assert of_2.tests[name].statistic == pytest.approx(of_0.tests[name].statistic, rel=1e-6)
    assert (of_2.aic, of_2.separated) == (pytest.approx(of_0.aic), False)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("spread", [1.0, 30.0])
def test_two_classes_as_joint_ones_are_two_classes(penalty, spread, monkeypatch):
    """The joint likelihood with two planes, against that of two classes, where they overlap and where they do not."""
    monkeypatch.setattr(
        joint_likelihood, "whole_problem", lambda codes, classes: ClassProblem(slice(0, classes), None, None, codes)
    )
    X, y = design(25, 2, 7, classes=2, spread=spread)
    likelihood, _ = checked_likelihood(fitted(X, y, penalty), X, y, None)
    joint = JointLikelihood(X, codes_of(y, np.array([0, 1])), None, True, penalty is not None, classes=2, base=0)
    assert joint.limits.separated == likelihood.limits.separated == (spread > 1 and penalty is None)
    assert [joint.limits.kinds[place] for place in joint.places] == [likelihood.limits.kinds[k] for k in (2, 0, 1)]
    one, other = (numbers(coefficients(each, dict.fromkeys(each.places, "x"), 0.95)) for each in (likelihood, joint))
    np.testing.assert_allclose(other, one, rtol=1e-6, atol=1e-7)
    assert joint.log_likelihood == pytest.approx(likelihood.log_likelihood, abs=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_counts_are_repeated_rows(penalty):
    X, y = design(30, 2, 8)
    counts = np.random.default_rng(0).integers(0, 4, 30)
    counted = summarised(X, y, penalty, counts)
    repeated = summarised(np.repeat(X, counts, axis=0), np.repeat(y, counts), penalty)
    np.testing.assert_allclose(numbers(counted.coefficients), numbers(repeated.coefficients), rtol=1e-6, atol=1e-8)
    assert (counted.rows, counted.bic) == (counts.sum(), pytest.approx(repeated.bic))


def test_a_class_whose_rows_count_0_times_is_no_class():
    X, y = design(40, 2, 9)
    found = summarised(X, y, None, (y != 1).astype(int))
    alone = summarised(X[y != 1], y[y != 1])
    assert found.positive_class == 2
    np.testing.assert_allclose(numbers(found.coefficients), numbers(alone.coefficients), rtol=1e-7)


def test_units_and_the_order_of_rows_do_not_matter():
    X, y = design(40, 2, 10)
    found = summarised(X, y)
    other = summarised((X * [1e4, 1e-3])[::-1], y[::-1])
    for label in (1, 2):
        for name, unit in (("x1", 1e4), ("x2", 1e-3)):
            one, scaled = found[label, name], other[label, name]
            assert scaled.likelihood_ratio == pytest.approx(one.likelihood_ratio, rel=1e-6)
            assert (scaled.lower * unit, scaled.upper * unit) == pytest.approx((one.lower, one.upper), rel=1e-6)
