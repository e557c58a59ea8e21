"""Infinite estimates of several classes: verdicts against exact arithmetic, suprema and the ends that are finite."""

import math
import warnings

import numpy as np
import pytest
from exact_rays import rival_rows, verdicts
from multinomial import Multinomial, design, fitted, summarised
from scipy import stats

from rosenblatt import LogisticRegression, likelihood_ratio_test, summary
from rosenblatt.classifiers.messages import SeparationWarning
from rosenblatt.statistics.joint_likelihood import JointLikelihood

FINITE_NUMBERS = ("estimate", "std_error", "likelihood_ratio", "lower", "upper")
HALF_QUANTILE = stats.chi2.ppf(0.95, 1) / 2


def integer_design(seed):
    """Few rows of small integers with one or two columns and three classes, often separated; None if they are short."""
    dice = np.random.default_rng(seed)
    columns = 1 + seed % 2
    rows = int(dice.integers(5, 14 - 4 * (columns - 1)))
    X, y = dice.integers(-3, 4, (rows, columns)), dice.integers(0, 3, rows)
    if seed % 3:
        y = np.clip((X @ dice.integers(-2, 3, columns) + dice.integers(-1, 2, rows)) // 2 + 1, 0, 2)
    full = np.linalg.matrix_rank(np.column_stack([np.ones(rows), X])) == columns + 1
    return (X, y, int(dice.integers(3))) if full and len(set(y.tolist())) == 3 else None


def test_verdicts_are_those_of_all_extreme_rays():
    """No false alarm, no miss, and no wrong sign."""
    tried = {True: 0, False: 0}
    for seed in range(240):
        drawn = integer_design(seed)
        if drawn is None:
            continue
        X, y, base = drawn
        found = JointLikelihood(X.astype(float), y.astype(np.int32), None, True, False, classes=3, base=base)
        kinds, separated = verdicts(X, y, 3, base)
        assert [found.limits.kinds[place] for place in found.places] == kinds, seed
        assert found.limits.separated == separated
        tried[separated] += 1
    assert min(tried.values()) > 10


SEPARATED = [seed for seed in range(30) if integer_design(seed) and verdicts(*integer_design(seed)[:2])[1]]


@pytest.mark.parametrize("seed", SEPARATED)
def test_numbers_of_separated_classes_are_those_of_the_supremum(seed):
    """Another optimiser goes as far towards the supremum as its tolerance demands."""
    X, y, base = integer_design(seed)
    found, truth = summarised(X.astype(float), y, base=base), Multinomial(X, y, base)
    assert found.separated
    kinds, least = verdicts(X, y, 3, base)[0], truth.minimum()[0]
    assert found.log_likelihood == pytest.approx(-least, abs=1e-7)
    for place, (kind, one) in enumerate(zip(kinds, found.coefficients, strict=True)):
        ratio = 2 * (truth.minimum({place: 0.0})[0] - least)
        assert one.likelihood_ratio == pytest.approx(ratio, abs=1e-6)
        assert (one.upper == math.inf) == (kind in ("+inf", "any"))
        assert (one.lower == -math.inf) == (kind in ("-inf", "any"))
        for end in (one.lower, one.upper):
            if math.isfinite(end):
                assert truth.minimum({place: end})[0] - least == pytest.approx(HALF_QUANTILE, abs=1e-6)


def test_a_class_apart_leaves_the_numbers_of_the_other_two():
    X, y = design(30, 1, 0, classes=2)
    X, y = np.concatenate([X, [[20.0], [21.0], [23.0]]]), np.append(y, [2, 2, 2])
    found, two = summarised(X, y), summarised(X[:30], y[:30])
    for name in ("intercept", "x1"):
        for number in FINITE_NUMBERS:
            assert getattr(found[1, name], number) == pytest.approx(getattr(two[name], number), rel=1e-6), number
    assert (found[2, "x1"].estimate, found[2, "intercept"].estimate) == (math.inf, -math.inf)
    assert math.isfinite(found[2, "x1"].lower)
    assert (found.separated, found.log_likelihood) == (True, pytest.approx(two.log_likelihood))


def test_complete_separation_leaves_no_deviance():
    X, y = [[1], [2], [3], [4], [5], [6]], [0, 0, 1, 1, 2, 2]
    found = summarised(X, y, base=1)
    assert [one.estimate for one in found.coefficients] == [math.inf, -math.inf, -math.inf, math.inf]
    assert [one.std_error for one in found.coefficients] == pytest.approx([math.nan] * 4, nan_ok=True)
    assert found.deviance == 0
    assert found.tests["x1"].statistic == pytest.approx(found.null_deviance)


def test_quasi_complete_separation_leaves_what_lies_between():
    """At 3 there is a row of each of two classes: log 2 for each; what is left decides nothing else."""
    X, y = [[1], [2], [3], [3], [4], [5], [6]], [0, 0, 0, 1, 1, 2, 2]
    found = summarised(X, y)
    assert found.deviance == pytest.approx(4 * math.log(2))
    assert [one.estimate for one in found.coefficients] == [-math.inf, math.inf, -math.inf, math.inf]


def test_a_row_that_is_certain_adds_nothing():
    """The only row with x2 = 1 is of class 2: its x2 rises for ever, and the other numbers are those without it."""
    X, y = design(30, 1, 1)
    with_it = np.column_stack([np.append(X, 0.0), np.append(np.zeros(30), 1.0)])
    found, rest = summarised(with_it, np.append(y, 2)), summarised(X, y)
    assert found[2, "x2"].estimate == math.inf
    assert math.isnan(found[1, "x2"].estimate)
    for label in (1, 2):
        for name in ("intercept", "x1"):
            for number in FINITE_NUMBERS:
                other = getattr(rest[label, name], number)
                assert getattr(found[label, name], number) == pytest.approx(other, rel=1e-6), number


def test_a_row_may_be_certain_not_to_be_of_one_class_only():
    """Where x2 = 1 the classes 0 and 1 both occur, and class 2 does not: its x2 falls for ever."""
    X, y = design(40, 1, 2)
    x2 = (np.arange(40) % 2) * (y != 2)
    with_it = np.column_stack([X, x2])
    found = summarised(with_it, y)
    assert found[2, "x2"].estimate == -math.inf
    assert math.isfinite(found[1, "x2"].estimate)
    least = Multinomial(with_it, y).minimum()[0]
    assert found.log_likelihood == pytest.approx(-least, abs=1e-7)


def test_rows_that_overlap_by_a_billionth_have_finite_estimates():
    X, y = [[1], [2 + 1e-9], [2], [4 + 1e-9], [4], [5]], [0, 0, 1, 1, 2, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no word of separation
        found = summary(LogisticRegression(penalty=None).fit(X, y), X, y)
    assert not found.separated
    assert np.isfinite([one.estimate for one in found.coefficients]).all()
    assert found.deviance == pytest.approx(8 * math.log(2), rel=1e-6)
    slope = found[1, "x1"]
    assert 0 > slope.lower > -1
    assert math.isnan(slope.upper) or slope.upper > 1e8  # floats may not reach the end, and nothing else is told


@pytest.mark.parametrize("far", [0, 100_000])
def test_rows_far_from_zero_are_told_apart(far):
    X, y = np.arange(1.0, 7).reshape(-1, 1) + far, [0, 0, 1, 1, 2, 2]
    found, near = summarised(X, y), summarised(X - far, y)
    assert [one.estimate for one in found.coefficients] == [-math.inf, math.inf, -math.inf, math.inf]
    assert found[1, "x1"].lower == pytest.approx(near[1, "x1"].lower, rel=1e-5)


def test_jeffreys_penalty_leaves_nothing_infinite():
    X, y = [[1], [2], [3], [4], [5], [6]], [0, 0, 1, 1, 2, 2]
    found = summarised(X, y, "jeffreys")
    assert not found.separated
    assert np.isfinite([(one.estimate, one.std_error, one.lower, one.upper) for one in found.coefficients]).all()


def test_nested_models_of_separated_classes_are_compared_by_their_suprema():
    X, y, _ = integer_design(5)
    truth = Multinomial(X, y)
    held = dict.fromkeys([1, 1 + X.shape[1] + 1], 0.0)
    ratio = likelihood_ratio_test(fitted(X.astype(float), y), X.astype(float), y, without="x1")
    assert ratio.statistic == pytest.approx(2 * (truth.minimum(held)[0] - truth.minimum()[0]), abs=1e-6)


def test_the_fit_warns_where_the_summary_is_infinite():
    X, y = [[1], [2], [3], [3], [4], [5], [6]], [0, 0, 0, 1, 1, 2, 2]
    with pytest.warns(SeparationWarning, match="quasi-completely separated"):
        LogisticRegression(penalty=None).fit(X, y)
    assert len(rival_rows(np.array(X), y, 3, 0)) == 14
