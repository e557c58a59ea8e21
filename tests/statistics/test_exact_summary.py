"""Exact conditional logistic regression: brute force, R, Fisher's test, ties of decimals, bounds, and refusals."""

import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import fisher_exact

from rosenblatt import exact_summary
from rosenblatt.reference.exact_conditional import conditional_counts, tails
from rosenblatt.statistics.exact.conditional_distribution import Enumeration
from rosenblatt.statistics.exact.conditional_inference import ConditionalInference
from rosenblatt.statistics.exact.integer_columns import integer_column, integer_matrix

NUMBERS = st.sampled_from([0.0, 1.0, 2.0, -1.0, 0.1, 0.2, 0.3, 2.5, 100001.0])


@st.composite
def tables(draw, most=12):
    """Up to 12 rows of one to three columns with many ties, both classes, and a column to test."""
    rows, columns = draw(st.integers(3, most)), draw(st.integers(1, 3))
    X = draw(st.lists(st.lists(NUMBERS, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=rows - 2, max_size=rows - 2))]
    intercept = draw(st.booleans())
    return X, y, draw(st.integers(0, columns - 1 + intercept)), intercept


def enumeration(X, y, tested, intercept):
    columns = [integer_column(column) for column in np.array(X).T]
    if intercept and tested < len(columns):
        columns = [column.from_smallest() for column in columns]
    numbers = [column.numbers for column in columns] + [[1] * len(y)] * intercept
    return Enumeration(numbers, y, tested, len(columns) if intercept else None)


def truth(X, y, tested, intercept):
    """Tails and counts by trying all outcomes."""
    counts = conditional_counts(X, y, tested, intercept)
    column = [Fraction(1)] * len(y) if tested == len(X[0]) else [Fraction(str(x[tested])) for x in X]
    return tails(counts, sum((x for x, one in zip(column, y, strict=True) if one), Fraction(0))), counts


@given(tables())
@settings(max_examples=60, deadline=None)
def test_tails_are_those_of_all_outcomes(table):
    (below, above, point), counts = truth(*table)
    found = ConditionalInference(enumeration(*table).distribution())
    assert sorted(found.found.counts) == sorted(counts.values())
    assert (found.tail(-1).least, found.tail(1).least) == (below, above)
    assert found.tail(1).least == found.tail(1).most
    assert found.p_value().most == min(1, 2 * min(below, above))
    assert found.p_value(mid=True).most == min(1, 2 * min(below - point / 2, above - point / 2))
    assert found.p_probability() == Fraction(
        sum(n for n in counts.values() if n <= point * sum(counts.values())), sum(counts.values())
    )


@given(tables(10), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_bounds_contain_the_truth_whatever_was_not_counted(table, most):
    (below, above, _), _ = truth(*table)
    whole = ConditionalInference(enumeration(*table).distribution())
    part = ConditionalInference(enumeration(*table).distribution(max_states=most))
    for side, exact in ((-1, below), (1, above)):
        assert part.tail(side).least <= exact <= part.tail(side).most
    for mid in (False, True):
        assert part.p_value(mid).least <= whole.p_value(mid).most <= part.p_value(mid).most
        assert part.end(-1, 0.1, mid) <= whole.end(-1, 0.1, mid) + 1e-9
        assert part.end(1, 0.1, mid) >= whole.end(1, 0.1, mid) - 1e-9


def test_strata_are_those_of_r():
    """R 4.2.2: mantelhaen.test(Rabbits, exact = TRUE), with the table of its help page (Mantel, 1963)."""
    levels = [(0, 0, 6, 5), (3, 0, 3, 6), (6, 2, 0, 4), (5, 6, 1, 0), (2, 5, 0, 0)]
    cells = [(1, 1), (0, 1), (1, 0), (0, 0)]  # whether penicillin came at once, and whether the rabbit was cured
    rows = [(k, *cell) for k, four in enumerate(levels) for cell, n in zip(cells, four, strict=True) for _ in range(n)]
    strata = {f"level {k}": [float(row[0] == k) for row in rows] for k in range(1, 5)}
    X, cured = pd.DataFrame({"at once": [row[1] for row in rows], **strata}), [row[2] for row in rows]
    found = exact_summary(X, cured, columns=["at once"])["at once"]
    assert found.p_probability == pytest.approx(0.0399449035812672, rel=1e-12)
    ends = [found.estimate, found.lower, found.upper]
    np.testing.assert_allclose(ends, [2.3380510814996, 0.074552058708171, 6.27257016517961], rtol=1e-3)  # R's roots


def test_one_binary_column_is_fishers_exact_test():
    X, y = [[0]] * 10 + [[1]] * 8, [1] * 2 + [0] * 8 + [1] * 6 + [0] * 2
    found = exact_summary(X, y)["x1"]
    assert found.p_probability == pytest.approx(fisher_exact([[6, 2], [2, 8]]).pvalue, rel=1e-12)
    # R 4.2.2: fisher.test(matrix(c(6, 2, 2, 8), 2)), logarithms of the estimate and of the interval
    ends = [2.30664693716867, -0.0798613012187818, 5.23906629304205]  # by roots to R's tolerance of 1e-4
    np.testing.assert_allclose([found.estimate, found.lower, found.upper], ends, rtol=2e-4)


def test_ends_have_the_tails_that_they_are_defined_by():
    X, y = [[0], [1], [2], [2], [4], [7]], [0, 1, 0, 1, 0, 1]
    counts = conditional_counts(X, y, 0)
    found = exact_summary(X, y, level=0.9)["x1"]

    def tail(b, side, mid=False):
        sizes = {value: n * math.exp(b * (float(value) - 10)) for value, n in counts.items()}
        inside = sum(n * (0.5 if mid and value == 10 else 1) for value, n in sizes.items() if side * (value - 10) >= 0)
        return inside / sum(sizes.values())

    assert tail(found.lower, 1) == pytest.approx(0.05)
    assert tail(found.upper, -1) == pytest.approx(0.05)
    assert tail(found.mid_lower, 1, True) == pytest.approx(0.05)
    assert tail(found.mid_upper, -1, True) == pytest.approx(0.05)
    mean = sum(float(v) * n * math.exp(found.estimate * float(v)) for v, n in counts.items()) / sum(
        n * math.exp(found.estimate * float(v)) for v, n in counts.items()
    )
    assert mean == pytest.approx(10)


def test_an_extreme_value_has_an_infinite_estimate_and_a_finite_median_unbiased_one():
    found = exact_summary([[1], [2], [3], [3], [5], [6]], [0, 0, 0, 1, 1, 1])
    one = found["x1"]
    assert (one.estimate, one.upper, one.odds_ratio) == (math.inf, math.inf, math.inf)
    counts = conditional_counts([[1], [2], [3], [3], [5], [6]], [0, 0, 0, 1, 1, 1], 0)
    for b, share in ((one.median_unbiased, 0.5), (one.lower, 0.025)):
        sizes = {value: n * math.exp(b * float(value)) for value, n in counts.items()}
        assert sizes[Fraction(14)] / sum(sizes.values()) == pytest.approx(share)
    assert "the estimate is infinite, the median-unbiased one is not" in str(found)
    mirrored = exact_summary([[-1], [-2], [-3], [-3], [-5], [-6]], [0, 0, 0, 1, 1, 1])["x1"]
    assert (mirrored.estimate, mirrored.median_unbiased) == (-math.inf, pytest.approx(-one.median_unbiased))


def test_decimals_have_the_ties_that_they_are_written_with():
    """0.1 + 0.2 and 0.3 + 0.0 are one value, which they are not in binary."""
    X, y = [[0.1], [0.2], [0.3], [0.0], [0.5]], [1, 1, 0, 0, 0]
    found, tens = exact_summary(X, y)["x1"], exact_summary([[10 * x[0]] for x in X], y)["x1"]
    assert found.p_value == tens.p_value
    assert found.estimate == pytest.approx(10 * tens.estimate)
    assert exact_summary(np.array(X, np.float32), y)["x1"].p_value == found.p_value


def test_neither_units_nor_distance_from_zero_matter():
    X, y = np.array([[1, 0], [2, 1], [3, 0], [4, 1], [4, 0], [7, 1]]), [0, 0, 1, 0, 1, 1]
    near, far = exact_summary(X, y), exact_summary(X * [1000, 1] + [10**9, 0], y)
    assert far["x1"].p_value == near["x1"].p_value
    assert far["x1"].lower * 1000 == pytest.approx(near["x1"].lower)


def test_keys_longer_than_an_int64_count_the_same():
    X, y = [[1.0, 1e-9], [2, 1e9], [3, 0.123456789], [4, 1e9], [4, 1e-9], [7, 1e9]], [0, 0, 1, 0, 1, 1]
    assert integer_matrix([integer_column(column).numbers for column in np.array(X).T]).dtype == object
    found = enumeration(X, y, 0, True).distribution()
    assert sorted(found.counts) == sorted(conditional_counts(X, y, 0).values())


def test_counts_are_repeated_rows_and_sparse_rows_are_dense_ones():
    X, y, n = np.array([[0.0, 1], [1, 0], [2, 1], [0, 0]]), np.array([0, 1, 1, 0]), [3, 2, 1, 2]
    counted = exact_summary(X, y, n)
    repeated = exact_summary(sparse.csr_matrix(np.repeat(X, n, axis=0)), np.repeat(y, n))
    assert counted.to_json() == repeated.to_json()
    assert counted.rows == 8


def test_more_than_63_rows_have_counts_beyond_64_bits():
    X, y = [[k % 2] for k in range(140)], [int(k % 4 == 0) for k in range(140)]
    found = exact_summary(X, y)["x1"]
    assert found.p_probability == pytest.approx(fisher_exact([[0, 70], [35, 35]]).pvalue, rel=1e-9)
    assert found.estimate == -math.inf


def test_a_column_that_the_others_leave_no_choice_says_nothing():
    X, y = [[0, 0], [1, 1], [1, 2], [2, 4]], [0, 1, 0, 1]
    found = exact_summary(X, y)["x1"]
    assert conditional_counts(X, y, 0) == {Fraction(3): 1}
    assert (found.p_value, found.lower, found.upper) == (1.0, -math.inf, math.inf)
    assert math.isnan(found.estimate)
    assert math.isnan(found.median_unbiased)


def test_without_time_the_answer_is_bounds():
    dice = np.random.default_rng(0)
    X, y = dice.integers(0, 1000, (60, 4)), dice.integers(0, 2, 60)
    found = exact_summary(X, y, columns=["x1"], max_seconds=0)
    one = found["x1"]
    assert not one.complete
    assert 0 <= one.p_value_at_least <= one.p_value <= 1
    assert one.lower < one.upper
    assert math.isnan(one.estimate)
    assert "its p-values are upper bounds" in str(found)


def test_text_html_json_and_frame_have_the_same_numbers():
    found = exact_summary([[1], [2], [3], [3], [5], [6]], [0, 0, 0, 1, 1, 1])
    told = json.loads(found.to_json())["coefficients"][0]
    assert told["estimate"] == "inf"
    assert told["p_value"] == found["x1"].p_value == found.to_frame().loc["x1", "p_value"]
    assert "<td>inf</td>" in found._repr_html_()
    with pytest.raises(KeyError, match="there is no coefficient 'x9'; there are 'x1'"):
        found["x9"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"y": [0, 1, 2, 0]}, "exact_summary is for two classes, and y has 3"),
        ({"y": [1, 1, 1, 1]}, "exact_summary is for two classes, and y has 1"),
        ({"level": 0}, "level must be above 0 and below 1, not 0"),
        ({"max_seconds": -1}, "max_seconds must not be negative, and it is -1"),
        ({"columns": ["b"]}, "columns must name columns of 'x1', 'intercept'; 'b' is not among them"),
        ({"columns": []}, "columns must name columns of 'x1', 'intercept'; it names none"),
        ({"sample_weight": [1, 0.5, 1, 1]}, "sample_weight must count rows, in whole numbers"),
        ({"sample_weight": [5000, 1, 1, 1]}, "counts outcomes of at most 5,000 rows, and there are 5,003"),
        ({"X": [[1, 2], [2, 4], [3, 6], [4, 8]]}, "column 1 is a combination of column 0"),
        ({"X": [[1], [2], [math.nan], [4]]}, "NaN"),
    ],
    ids=str,
)
def test_questions_without_an_answer_are_refused(change, sentence):
    given = {"X": [[1], [2], [3], [4]], "y": [0, 1, 0, 1], **change}
    with pytest.raises(ValueError, match=sentence):
        exact_summary(given.pop("X"), given.pop("y"), **given)
