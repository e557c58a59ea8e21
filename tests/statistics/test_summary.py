"""Summaries: R's figures, profiles against bisection, infinite estimates, and questions that have no answer."""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import brentq, minimize
from scipy.special import expit
from sklearn.exceptions import NotFittedError

from rosenblatt import LogisticRegression, Perceptron, likelihood_ratio_test, summary
from rosenblatt.classifiers.messages import SeparationWarning
from rosenblatt.reference.jeffreys import jeffreys_objective
from rosenblatt.statistics import profile_interval
from rosenblatt.statistics.likelihood import Likelihood

FIGURES = json.loads((Path(__file__).parents[1] / "solvers" / "brglm2" / "figures.json").read_text())
DOSE, ILL = [[1], [2], [3], [3], [5], [6]], [0, 0, 0, 1, 1, 1]


def fitted(X, y, penalty=None, sample_weight=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)
        return LogisticRegression(penalty=penalty, **parameters).fit(X, y, sample_weight=sample_weight)


def summarised(X, y, penalty=None, **options):
    return summary(fitted(X, y, penalty), X, y, **options)


def r_data(name):
    data = FIGURES[name]
    return data, np.array(data["X"]), np.array(data["y"], int), np.array(data["weights"])


def design(rows, columns, seed):
    dice = np.random.default_rng(seed)
    X = dice.normal(size=(rows, columns))
    return X, (X[:, 0] + dice.logistic(size=rows) > 0.3).astype(int)


def minus_log_likelihood(z, X, y):
    return np.logaddexp(0, -(2 * y - 1) * (X @ z[1:] + z[0])).sum()


def penalised(z, X, y):
    return jeffreys_objective(X.tolist(), y.tolist(), [[*z[1:], z[0]]])


def profile_by_scipy(value, place, X, y, objective):
    """The least objective with one coefficient held, by another optimiser."""
    free = [k for k in range(X.shape[1] + 1) if k != place]

    def of_others(others):
        z = np.zeros(X.shape[1] + 1)
        z[free], z[place] = others, value
        return objective(z, X, y)

    return minimize(of_others, np.zeros(len(free)), method="BFGS", options={"gtol": 1e-9}).fun


@pytest.mark.parametrize("name", ["lizards", "infert", "birthwt"])
def test_estimates_without_a_penalty_are_those_of_r(name):
    data, X, y, weights = r_data(name)
    found = summary(fitted(X, y, None, weights), X, y, weights)
    np.testing.assert_allclose([one.estimate for one in found.coefficients], data["plain"], rtol=1e-8)
    np.testing.assert_allclose([one.std_error for one in found.coefficients], data["plain_errors"], rtol=1e-8)
    assert found.deviance == pytest.approx(data["deviance"], rel=1e-10)
    assert found.aic == pytest.approx(data["aic"], rel=1e-10)
    assert not found.separated


@pytest.mark.parametrize("name", ["endometrial", "lizards", "mtcars", "infert", "birthwt"])
def test_estimates_with_jeffreys_penalty_are_those_of_brglm2(name):
    data, X, y, weights = r_data(name)
    found = summary(fitted(X, y, "jeffreys", weights), X, y, weights)
    np.testing.assert_allclose([one.estimate for one in found.coefficients], data["coefficients"], rtol=1e-8)
    np.testing.assert_allclose([one.std_error for one in found.coefficients], data["errors"], rtol=1e-8)


@pytest.mark.parametrize("penalty", [None, "jeffreys"])
def test_tests_and_intervals_are_those_of_another_optimiser(penalty):
    X, y = design(25, 2, 1)
    objective = minus_log_likelihood if penalty is None else penalised
    least = minimize(objective, np.zeros(3), (X, y), method="BFGS", options={"gtol": 1e-9}).fun
    for place, one in enumerate(summarised(X, y, penalty, level=0.9).coefficients):
        ratio = 2 * (profile_by_scipy(0.0, place, X, y, objective) - least)
        assert one.likelihood_ratio == pytest.approx(ratio, rel=1e-6)
        assert one.p_likelihood_ratio == pytest.approx(stats.chi2.sf(ratio, 1), rel=1e-5)
        assert one.p_wald == pytest.approx(2 * stats.norm.sf(abs(one.estimate / one.std_error)))
        for end in (one.lower, one.upper):
            rise = profile_by_scipy(end, place, X, y, objective) - least
            assert 2 * rise == pytest.approx(stats.chi2.ppf(0.9, 1), rel=1e-6)


@pytest.mark.parametrize("penalty", [None, "jeffreys"])
@pytest.mark.parametrize("seed", range(4))
def test_venzon_and_moolgavkar_agree_with_bisection(penalty, seed, monkeypatch):
    X, y = design(30, 3, seed)
    found = summarised(X, y, penalty)
    monkeypatch.setattr(profile_interval, "venzon_moolgavkar", lambda *_: None)
    slow = summarised(X, y, penalty)
    for quick, one in zip(found.coefficients, slow.coefficients, strict=True):
        np.testing.assert_allclose([quick.lower, quick.upper], [one.lower, one.upper], rtol=1e-7, atol=1e-8)


def test_an_infinite_estimate_is_infinite_with_one_finite_end():
    _, X, y, _ = r_data("endometrial")
    found = summarised(pd.DataFrame(X, columns=["NV", "PI", "EH"]), y)
    NV = found["NV"]
    assert (NV.estimate, NV.upper, NV.odds_ratio) == (math.inf, math.inf, math.inf)
    assert math.isnan(NV.std_error)
    assert math.isnan(NV.p_wald)
    # R 4.2.2: confint(glm(HG ~ NV + PI + EH, binomial, endometrial)) ends at 1.28411 below, and finds no end above.
    rows = X[:, 0] == 0  # the others are certain in the limit
    limit = minimize(minus_log_likelihood, np.zeros(3), (X[rows][:, 1:], y[rows]), options={"gtol": 1e-9}).fun
    rise = profile_by_scipy(NV.lower, 1, X, y, minus_log_likelihood) - limit
    assert 2 * rise == pytest.approx(stats.chi2.ppf(0.95, 1), rel=1e-6)
    assert found.log_likelihood == pytest.approx(-limit)
    assert found.separated
    assert "inf" in str(found)


def test_finite_estimates_beside_an_infinite_one_are_those_of_the_rows_that_are_not_certain():
    _, X, y, _ = r_data("endometrial")
    rows = X[:, 0] == 0
    found, rest = summarised(X, y), summarised(X[rows][:, 1:], y[rows])
    for name, other in (("intercept", "intercept"), ("x2", "x1"), ("x3", "x2")):
        for number in ("estimate", "std_error", "lower", "upper", "likelihood_ratio"):
            assert getattr(found[name], number) == pytest.approx(getattr(rest[other], number), rel=1e-7)


def test_quasi_complete_separation_by_its_two_infinite_coefficients():
    found = summarised(DOSE, ILL)
    assert (found["x1"].estimate, found["intercept"].estimate) == (math.inf, -math.inf)
    assert found.deviance == pytest.approx(4 * math.log(2))  # the two rows at 3

    def least(slope):  # over the intercept, which stays finite while the slope is held
        return brentq(lambda b: sum(expit(slope * x[0] + b) - k for x, k in zip(DOSE, ILL, strict=True)), -500, 500)

    slope = found["x1"].lower
    value = minus_log_likelihood(np.array([least(slope), slope]), np.array(DOSE), np.array(ILL))
    assert 2 * (value - 2 * math.log(2)) == pytest.approx(stats.chi2.ppf(0.95, 1), rel=1e-7)


def test_a_coefficient_that_nothing_determines():
    X, y = [[1, 5], [2, 3], [3, 4], [4, 4]], [0, 0, 1, 1]
    found = summarised(X, y)
    assert found["x1"].estimate == math.inf
    assert math.isnan(found["x2"].estimate)
    assert found["x2"].likelihood_ratio == pytest.approx(0, abs=1e-9)
    assert (found["x2"].lower, found["x2"].upper) == (-math.inf, math.inf)
    assert "not determined" in str(found)


def test_complete_separation_far_from_zero():
    X, y = [[100001], [100002], [100003], [100004]], [0, 0, 1, 1]
    found, near = summarised(X, y), summarised([[1], [2], [3], [4]], y)
    assert (found["x1"].estimate, found["intercept"].estimate) == (math.inf, -math.inf)
    assert found["x1"].lower == pytest.approx(near["x1"].lower, rel=1e-6)


@pytest.mark.parametrize("penalty", [None, "jeffreys"])
def test_rows_that_overlap_by_a_billionth_have_finite_estimates(penalty):
    X, y = [[1], [2 + 1e-9], [2], [4]], [0, 0, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no word of separation
        found = summary(LogisticRegression(penalty=penalty).fit(X, y), X, y)
    assert not found.separated
    assert np.isfinite([(one.estimate, one.lower, one.upper) for one in found.coefficients]).all()


def test_the_interval_of_rows_that_overlap_by_a_billionth_reaches_as_far_as_the_likelihood():
    """With a slope b held, only the rows at 2 and 2 + d have a loss: 2 log(1 + exp(b d / 2)) for the best intercept."""
    X, y = [[1], [2 + 1e-9], [2], [4]], [0, 0, 1, 1]
    loss = math.log(2) + stats.chi2.ppf(0.95, 1) / 4
    end = 2 * math.log(math.expm1(loss)) / ((2 + 1e-9) - 2)
    assert summarised(X, y)["x1"].upper == pytest.approx(end, rel=1e-4)


def test_counts_are_repeated_rows():
    X, y = design(15, 2, 3)
    counts = np.random.default_rng(0).integers(0, 4, 15)
    for penalty in (None, "jeffreys"):
        counted = summary(fitted(X, y, penalty, counts), X, y, counts)
        repeated = summarised(np.repeat(X, counts, axis=0), np.repeat(y, counts), penalty)
        assert counted.bic == pytest.approx(repeated.bic)
        assert counted["x2"].upper == pytest.approx(repeated["x2"].upper, rel=1e-7)


def test_nested_models_by_a_likelihood_ratio_test():
    X, y = design(60, 4, 5)
    model = fitted(X, y)
    found = likelihood_ratio_test(model, X, y, without=["x2", "x4"])
    smaller = summarised(X[:, [0, 2]], y)
    statistic = smaller.deviance - summary(model, X, y).deviance
    assert (found.statistic, found.degrees_of_freedom) == (pytest.approx(statistic, rel=1e-6), 2)
    assert found.p_value == pytest.approx(stats.chi2.sf(statistic, 2), rel=1e-6)
    one = likelihood_ratio_test(model, X, y, without="x2")
    assert one.statistic == pytest.approx(summary(model, X, y)["x2"].likelihood_ratio)


def test_nested_models_with_jeffreys_penalty_share_the_penalty_of_the_larger_one():
    X, y = design(25, 2, 6)
    model = fitted(X, y, "jeffreys")
    found = likelihood_ratio_test(model, X, y, without=["x1", "x2"])
    alone = minimize(lambda b: penalised(np.array([b[0], 0, 0]), X, y), [0.0], options={"gtol": 1e-9}).fun
    assert found.statistic == pytest.approx(2 * (alone - model.objective_), rel=1e-6)


def test_text_html_json_and_frame_have_the_same_numbers():
    found = summarised(DOSE, ILL)
    told = json.loads(found.to_json())
    assert told["coefficients"][1]["estimate"] == "inf"
    assert told["coefficients"][1]["std_error"] is None
    assert told["coefficients"][1]["lower"] == found.to_frame().loc["x1", "lower"] == found["x1"].lower
    assert "<td>inf</td>" in found._repr_html_()
    with pytest.raises(KeyError, match="there is no coefficient 'x9'; there are 'intercept', 'x1'"):
        found["x9"]


def test_an_intercept_may_be_missing():
    X, y = design(30, 2, 7)
    for penalty in (None, "jeffreys"):
        found = summary(fitted(X, y, penalty, fit_intercept=False), X, y)
        assert [one.name for one in found.coefficients] == ["x1", "x2"]
        assert found["x1"].lower < found["x1"].estimate < found["x1"].upper


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": LogisticRegression()}, "after penalty='l2' standard errors and p-values mean nothing"),
        ({"model": LogisticRegression(C=3.0)}, "after penalty='l2' standard errors"),
        (
            {"model": LogisticRegression(penalty=None, class_weight="balanced")},
            "class_weight changes what is estimated",
        ),
        ({"model": LogisticRegression(penalty=None, features="polynomial-2")}, "summary needs features='identity'"),
        ({"level": 1.0}, "level must be above 0 and below 1, not 1.0."),
        (
            {"sample_weight": np.full(30, 0.5)},
            "sample_weight must count rows, in whole numbers, for a summary; row 0 has 0.5",
        ),
    ],
    ids=str,
)
def test_questions_without_an_answer_are_refused(change, sentence):
    X, y = design(30, 2, 8)
    given = {"model": LogisticRegression(penalty=None), "y": y, **change}
    model = given.pop("model").fit(X, given["y"])
    with pytest.raises(ValueError, match=sentence):
        summary(model, X, **given)


def test_other_models_and_other_rows_are_refused():
    X, y = design(30, 2, 9)
    with pytest.raises(TypeError, match="summary is for a LogisticRegression, not for Perceptron"):
        summary(Perceptron().fit(X, X[:, 0] > 0), X, y)
    with pytest.raises(NotFittedError, match="LogisticRegression instance is not fitted yet"):
        summary(LogisticRegression(penalty="jeffreys"), X, y)
    with pytest.raises(ValueError, match="the model is not the optimum for these rows"):
        summary(fitted(X, y), X, 1 - y)
    with pytest.raises(
        ValueError, match="without must name columns of 'intercept', 'x1', 'x2'; 'x3' is not among them"
    ):
        likelihood_ratio_test(fitted(X, y), X, y, without=["x3"])


def test_collinear_columns_are_named():
    X, y = design(30, 2, 10)
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "sum": X.sum(axis=1)})
    with pytest.raises(ValueError, match="column 'sum' is a combination of column 'a' and column 'b'"):
        summary(fitted(table, y), table, y)
    zero = table[["a"]].assign(zero=0.0)
    with pytest.raises(ValueError, match="column 'zero' is 0 in every row: leave it out"):
        summary(fitted(zero, y), zero, y)


def test_fewer_rows_than_columns_are_refused():
    X = np.random.default_rng(0).normal(size=(4, 6))
    with pytest.raises(ValueError, match="4 rows cannot determine 7 weights"):
        summary(fitted(X, [0, 1, 0, 1]), X, [0, 1, 0, 1])


def test_a_fit_to_a_rough_tolerance_has_the_same_summary():
    X, y = design(200, 2, 11)
    rough, fine = fitted(X, y, tol=1e-2), fitted(X, y)
    assert rough.gradient_norm_ > 100 * fine.gradient_norm_
    assert summary(rough, X, y)["x1"].estimate == pytest.approx(summary(fine, X, y)["x1"].estimate, rel=1e-9)


def test_venzon_and_moolgavkar_give_up_where_the_rows_have_no_curvature():
    objective = Likelihood(np.array(DOSE, float), np.array(ILL, np.int32), None, True, False).objective_without(
        np.array([0])
    )
    assert profile_interval.venzon_moolgavkar(objective, np.array([1e5, 0.0]), 0, 1, 3.0) is None


def test_an_end_that_rounding_hides_is_not_a_number():
    def profile(value):
        if value > 3:
            raise profile_interval.LostProfile
        return value**2, 2 * value

    assert profile_interval.search_end(profile, 0.0, 1.0, 4.0) == pytest.approx(2.0)
    assert math.isnan(profile_interval.search_end(profile, 0.0, 1.0, 16.0))
