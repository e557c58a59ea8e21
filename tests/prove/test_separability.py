"""Verdicts of separability against brute force, known answers, and certificates that are right or are refused."""

import doctest
import itertools
import json
import math
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.datasets import load_iris

from rosenblatt import max_margin, minimum_mistakes, separability
from rosenblatt.prove.certificates import certificate as certificates
from rosenblatt.prove.certificates.certificate import fraction_text, parse_fraction
from rosenblatt.prove.certificates.certificate_check import check_certificate
from rosenblatt.prove.exact.hyperplane import Hyperplane
from rosenblatt.prove.mistakes.clash import Clash
from rosenblatt.prove.separability import gordan
from rosenblatt.prove.separability import tucker_split as splitting
from rosenblatt.prove.separability.margin_program import whitening_matrix
from rosenblatt.prove.separability.separability import Separability, decide_pairs

# Slow truth: an independent checker of certificates, and the split into S and T by brute force, with fractions alone


def signed_rows(X, y, classes, fit_intercept):
    sign = {classes[0]: -1, classes[1]: 1}
    ones = [Fraction(1)] * fit_intercept
    return [[sign[label] * value for value in [*map(Fraction, row), *ones]] for row, label in zip(X, y, strict=True)]


def reduced(rows):
    """Gaussian elimination without division: the rows that remain, each with the column of its pivot."""
    remaining = []
    for row in rows:
        for pivot, other in remaining:
            if row[pivot]:
                lead, other_lead = row[pivot], other[pivot]
                row = [a * other_lead - lead * b for a, b in zip(row, other, strict=True)]
        pivot = next((j for j, value in enumerate(row) if value), None)
        if pivot is not None:
            remaining.append((pivot, row))
    return remaining


def independent_verdict(certificate, X, y):
    """The kind that a certificate proves; None if it proves nothing. Only `fractions` is needed."""
    rows = signed_rows(X, y, certificate["classes"], certificate["fit_intercept"])
    w = [Fraction(value) for value in certificate["weights"]]
    w += [Fraction(certificate["offset"])] * certificate["fit_intercept"]
    margins = [sum(a * b for a, b in zip(row, w, strict=True)) for row in rows]
    on_plane = [row for row, margin in zip(rows, margins, strict=True) if margin == 0]
    numbers = certificate["clash"]["rows"]
    multipliers = [Fraction(value) for value in certificate["clash"]["multipliers"]]
    if min(margins) < 0 or any(value <= 0 for value in multipliers):
        return None
    if len(set(numbers)) != len(multipliers) or not all(0 <= number < len(rows) for number in numbers):
        return None
    clash = [rows[number] for number in numbers]
    if any(sum(m * row[j] for m, row in zip(multipliers, clash, strict=True)) for j in range(len(w))):
        return None
    rank = len(reduced(clash))
    if rank != len(reduced(on_plane)) or len(clash) > 2 * rank:
        return None
    return "complete" if not on_plane else "overlap" if len(on_plane) == len(rows) else "quasi"


def positive_dependence(rows):
    """Whether just one dependence of the rows exists, and all its numbers have one sign."""
    count = len(rows)
    extended = [[*row, *(int(i == j) for j in range(count))] for i, row in enumerate(rows)]
    width = len(rows[0])
    dependences = [row[width:] for pivot, row in reduced(extended) if pivot >= width]
    return len(dependences) == 1 and (min(dependences[0]) > 0 or max(dependences[0]) < 0)


def in_whole_numbers(rows):
    """Each column multiplied by what makes it whole: the dependences of the rows remain the same."""
    scales = [math.lcm(*(value.denominator for value in column)) for column in zip(*rows, strict=True)]
    return [[int(value * scale) for value, scale in zip(row, scales, strict=True)] for row in rows]


def brute_kind(X, y, fit_intercept=True):
    """T is the union of the smallest clashes: try every subset of rows that is small enough."""
    rows = in_whole_numbers(signed_rows(X, y, sorted(set(y)), fit_intercept))
    different = sorted(set(map(tuple, rows)))
    in_t = {row for row in different if not any(row)}
    for count in range(2, len(rows[0]) + 2):
        for subset in itertools.combinations(different, count):
            if not in_t.issuperset(subset) and positive_dependence(subset):
                in_t.update(subset)
    return "complete" if not in_t else "overlap" if len(in_t) == len(different) else "quasi"


# Random small problems


def integer_grid(rng, n, d):
    return rng.integers(-2, 3, (n, d)).astype(float)


def duplicates(rng, n, d):
    return rng.integers(0, 2, (n, d)).astype(float)[rng.integers(0, n, n)]


def collinear(rng, n, d):
    return np.outer(rng.integers(-3, 4, n), rng.integers(-2, 3, d)) + rng.integers(-2, 3, d).astype(float)


def rank_deficient(rng, n, d):
    return rng.integers(-1, 2, (n, 2)).astype(float) @ rng.integers(-2, 3, (2, d))


def one_unit_apart(rng, n, d):
    """Tenths, whose sums miss each other by roundings, moved by one unit in the last place or not."""
    X = rng.integers(-2, 3, (n, d)) * 0.1 + 0.3
    return np.where(rng.random((n, d)) < 0.5, X, np.nextafter(X, np.inf))


def wild_scales(rng, n, d):
    return rng.integers(-2, 3, (n, d)) * rng.choice([1e-300, 1e300, 5e-324, 1.0, 0.1], d)


MAKERS = [integer_grid, duplicates, collinear, rank_deficient, one_unit_apart, wild_scales]


def random_problem(make, rng):
    n, d = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    X = make(rng, n, d)
    y = rng.permutation([0, 1, *rng.integers(0, 2, n - 2)])
    if rng.random() < 0.5:  # labels by a plane, so that few kinds are overlap
        scores = np.sign(X @ rng.normal(size=d)) * (rng.random(n) < 0.9)
        y = np.where(scores == 0, y, scores > 0).astype(int)
        y[:2] = y[:2] if len(set(y)) == 2 else [0, 1]
    return X, y, bool(rng.random() < 0.7)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", MAKERS)
def test_agrees_with_brute_force(make, seed):
    """10,080 problems in all, from one row of each class and more columns than rows to the thinnest of margins."""
    rng = np.random.default_rng([MAKERS.index(make), seed])
    kinds = []
    for _ in range(420):
        X, y, fit_intercept = random_problem(make, rng)
        result = separability(X, y, fit_intercept=fit_intercept)
        assert result.kind == brute_kind(X, y, fit_intercept)
        assert result.verify(X, y), result.why_not
        assert independent_verdict(result.certificate, X, y) == result.kind
        kinds.append(result.kind)
    assert min(kinds.count(kind) for kind in ("complete", "quasi", "overlap")) >= 10


@pytest.mark.parametrize("make", MAKERS)
def test_exact_arithmetic_alone_says_the_same(make, monkeypatch):
    monkeypatch.setattr(gordan, "solve_margin_program", lambda *_: None)
    monkeypatch.setattr(splitting, "_solve_in_floats", lambda *_: None)
    rng = np.random.default_rng(MAKERS.index(make))
    for _ in range(60):
        X, y, fit_intercept = random_problem(make, rng)
        result = separability(X, y, fit_intercept=fit_intercept)
        assert result.kind == brute_kind(X, y, fit_intercept)
        assert result.verify(X, y), result.why_not


@pytest.mark.parametrize("seed", range(40))
def test_more_columns_than_rows(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (5, 9)).astype(float)
    y = [0, 1, 0, 1, 1]
    X[4] = X[0] if seed % 2 else X[4]
    result = separability(X, y)
    assert independent_verdict(result.certificate, X, y) == result.kind
    assert result.verify(X, y)
    assert result.kind != "complete" or not seed % 2


# Larger problems: no brute force, but certificates speak for themselves


def planted(rng, n, d, on_plane, flipped):
    """Labels by a plane through whole numbers; some rows on it, of both classes; some rows flipped."""
    X = rng.integers(-9, 10, (n, d)).astype(float)
    w = rng.integers(1, 5, d)
    X[:on_plane, 0] = 0
    X[:on_plane, 0] = -(X[:on_plane] @ w) / w[0]
    X[:, 0] = np.round(X[:, 0] * 12) / 12
    scores = X @ w
    y = np.where(np.abs(scores) < 1e-9, np.arange(n) % 2, scores > 0).astype(int)
    y[n - flipped :] = 1 - y[n - flipped :]
    return X, y


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csc_matrix])
@pytest.mark.parametrize("flipped", [0, 1, 40])
def test_dense_and_sparse_agree(convert, flipped):
    X, y = planted(np.random.default_rng(3), 400, 5, 40, flipped)
    expected, result = separability(X, y), separability(convert(X), y)
    assert result.kind == expected.kind
    assert result.verify(X, y)
    assert expected.verify(convert(X), y)
    assert independent_verdict(result.certificate, X, y) == result.kind


def test_one_hot_columns_are_quasi():
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 6, 500)
    X = np.hstack([np.eye(6)[levels], rng.normal(size=(500, 3))])
    y = np.where(levels == 0, 1, rng.integers(0, 2, 500))  # level 0 is always positive
    result = separability(X, y)
    assert result.kind == "quasi"
    assert result.verify(X, y)
    assert (result.hyperplane.coef[6:] == 0).all()
    assert len(result.certificate["clash"]["rows"]) <= 2 * 8


def many_categories(rows, seed=0):
    """Ten columns of 20 categories each, rarer and rarer; of the rare ones, two in five are seen in one class only."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    chances = 1.0 / np.arange(1, 21) ** 2.5
    blocks = []
    for _ in range(10):
        category = rng.choice(20, rows, p=chances / chances.sum())
        pure, side = (rng.random(20) < 0.4) & (np.arange(20) >= 3), rng.integers(0, 2, 20)
        wrong = pure[category] & (side[category] != y)
        category[wrong] = rng.integers(0, 3, wrong.sum())
        blocks.append(scipy.sparse.csr_array((np.ones(rows), (np.arange(rows), category)), shape=(rows, 20)))
    return scipy.sparse.hstack(blocks, "csr"), y


def test_many_categories_of_one_class_join_in_a_few_rounds(monkeypatch):
    rounds = []
    join = splitting._add_to_clash
    monkeypatch.setattr(splitting, "_add_to_clash", lambda *state: rounds.append(state) or join(*state))
    X, y = many_categories(50_000)
    result = separability(X, y, time_limit=60)
    assert result.kind == "quasi"
    assert result.verify(X, y)
    assert len(rounds) <= 5  # one circuit after the other takes dozens
    margins = np.where(y > 0, 1, -1) * (X @ result.hyperplane.coef + result.hyperplane.intercept)
    seen = [X[y == label].sum(axis=0) > 0 for label in (0, 1)]
    of_one_class = (X[:, seen[0] != seen[1]].sum(axis=1) > 0).nonzero()[0]
    assert len(of_one_class) > 100
    assert (margins[of_one_class] > 0).all()


def test_one_flipped_row():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 4))
    y = (X @ [1, 2, 3, 4] > 0).astype(int)
    assert separability(X, y).kind == "complete"
    y[np.argmax(X @ [1, 2, 3, 4])] = 0
    result = separability(X, y)
    assert result.kind == "overlap"
    assert result.verify(X, y)
    assert len(result.certificate["clash"]["rows"]) <= 6


@pytest.mark.parametrize("margin", [1e-3, 1e-6, 1e-9, 1e-13])
def test_thin_margins(margin):
    """Rows pressed towards a plane; where rounding makes some cross it, the certificate says so."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(500, 6)), rng.normal(size=6)
    y = (X @ w > 0).astype(int)
    X -= np.outer((X @ w) * (1 - margin) / (w @ w), w)
    result = separability(X, y)
    assert result.kind == "complete" or margin < 1e-12
    assert independent_verdict(result.certificate, X, y) == result.kind


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, np.uint16, bool])
def test_types_of_numbers(dtype):
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=dtype)
    assert separability(X, [0, 0, 0, 1]).kind == "complete"
    assert separability(X, [0, 1, 1, 0]).verify(X, [0, 1, 1, 0])


# Known answers

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)


@pytest.mark.parametrize(
    ("y", "kind"), [([0, 0, 0, 1], "complete"), ([0, 1, 1, 1], "complete"), ([0, 1, 1, 0], "overlap")]
)
def test_and_or_xor(y, kind):
    result = separability(CORNERS, y)
    assert result.kind == kind
    assert result.certificate["clash"]["rows"] == ([0, 1, 2, 3] if kind == "overlap" else [])
    assert set(result.certificate["clash"]["multipliers"]) <= {"1"}


def test_a_column_that_ends_in_a_tie_is_quasi():
    result = separability([[1], [2], [3], [3]], [-1, -1, 1, -1])
    assert result.kind == "quasi"
    assert result.certificate["clash"] == {"rows": [2, 3], "multipliers": ["1", "1"]}


def test_a_contradictory_duplicate_is_shown_by_its_two_rows():
    X = np.vstack([np.random.default_rng(0).normal(size=(50, 3)), np.zeros((1, 3))])
    y = (X[:, 0] > 0).astype(int)
    X[50], y[50] = X[np.argmax(X[:, 0])], 0
    assert separability(X, y).kind == "overlap"
    result = separability(X[[0, 1, 50, np.argmax(X[:, 0])]], [0, 0, 0, 1])
    assert result.certificate["clash"]["rows"] == [2, 3]


def test_iris():
    X, y = load_iris(return_X_y=True)
    assert separability(X, y == 0).kind == "complete"
    result = separability(X, y, classes=(1, 2))
    assert result.kind == "overlap"
    assert result.verify(X, y)
    assert min(result.certificate["clash"]["rows"]) >= 50


def test_classes_in_pairs_and_against_the_rest():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    rest = separability(X, names, multi_class="ovr")
    assert {name: answer.kind for name, answer in rest.items()} == {
        "setosa": "complete",
        "versicolor": "overlap",
        "virginica": "overlap",
    }
    assert rest["virginica"].kind == separability(X, y == 2).kind
    assert rest["virginica"].certificate["classes"] == [None, "virginica"]
    pairs = separability(X, names, multi_class="ovo")
    assert [pair for pair, answer in pairs.items() if answer.kind != "complete"] == [("versicolor", "virginica")]
    assert all(answer.verify(X, names) for answer in (*rest.values(), *pairs.values()))
    assert not rest["setosa"].verify(X, np.roll(names, 1))


@pytest.mark.parametrize("maker", [pd.DataFrame, pl.DataFrame])
def test_explanations_name_the_columns_of_a_data_frame(maker):
    frame = maker({"width": [0.0, 0.0, 0.0], "length": [1.0, 2.0, 3.0]})
    assert "It uses column 'length'." in separability(frame, [0, 0, 1]).explain()


def test_a_hyperplane_of_several_columns_is_not_called_the_only_one():
    """Of three categories, the last alone separates; the certificate may use all of them, which sum to a constant."""
    sites, ill = np.eye(3)[[0, 1, 2] * 4], np.array([0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1])
    answer = separability(sites, ill)
    used = np.count_nonzero([float(weight) for weight in answer.certificate["weights"]])
    assert answer.kind == "quasi"
    assert ("another hyperplane may do with fewer of them" in answer.explain()) == (used > 1)


@pytest.mark.parametrize(("inputs", "count"), [(2, 14), (3, 104)])
def test_linearly_separable_boolean_functions(inputs, count):
    X = np.array(list(itertools.product([0.0, 1.0], repeat=inputs)))
    labellings = [y for y in itertools.product([0, 1], repeat=len(X)) if len(set(y)) == 2]
    assert 2 + sum(separability(X, y).kind == "complete" for y in labellings) == count


def symmetries(inputs):
    """How permuting and inverting the inputs moves the corners of the cube, one row a symmetry."""
    corners = np.array(list(itertools.product([0, 1], repeat=inputs)))
    values = 1 << np.arange(inputs)[::-1]
    orders = itertools.permutations(range(inputs))
    return np.array([(corners[:, order] ^ flip) @ values for order in orders for flip in corners])


def test_linearly_separable_boolean_functions_of_four_inputs():
    """1,882 of 65,536. Functions that a symmetry of the cube turns into each other stand or fall together."""
    X = np.array(list(itertools.product([0.0, 1.0], repeat=4)))
    functions = (np.arange(1 << 16)[:, None] >> np.arange(16)) & 1
    least = np.arange(1 << 16)
    for moved in symmetries(4):
        np.minimum(least, functions @ (1 << moved), out=least)
    numbers, sizes = np.unique(least, return_counts=True)
    kinds = [separability(X, functions[f]).kind if 0 < f < 65535 else "complete" for f in numbers]
    assert sizes[[kind == "complete" for kind in kinds]].sum() == 1882


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_capacity(d):
    """Every labelling of d + 1 points in general position is separable, not every one of d + 2."""
    X = np.random.default_rng(d).normal(size=(d + 2, d))
    for n, every in ((d + 1, True), (d + 2, False)):
        labellings = [y for y in itertools.product([0, 1], repeat=n) if len(set(y)) == 2]
        assert all(separability(X[:n], y).kind == "complete" for y in labellings) is every


def test_one_unit_in_the_last_place_separates():
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    assert separability(X, [0, 1]).kind == "complete"
    assert separability(X[[0, 0]], [0, 1]).kind == "overlap"


def test_scales_and_denormals():
    X = np.array([[1e300, 1e-300, 5e-324], [1e300, 2e-300, 5e-324], [-1e300, 1e-300, 0], [1e300, 1e-300, 1e-323]])
    for y in ([0, 1, 0, 1], [1, 0, 0, 1], [0, 0, 0, 1]):
        result = separability(X, y)
        assert result.kind == brute_kind(X, y)
        assert result.verify(X, y)
        assert np.isfinite(result.hyperplane.coef).all()


def test_tiny_and_huge_in_one_column():
    X = np.array([[1e300], [1e-300], [-1e-300], [5e-324]])
    assert separability(X, [1, 1, 0, 1], fit_intercept=False).kind == "complete"
    assert separability(X, [1, 1, 0, 0]).kind == "complete"
    assert separability(X, [1, 1, 0, 0], fit_intercept=False).kind == "overlap"


def test_rows_of_zeros_through_the_origin():
    X = np.array([[0.0, 0.0], [1.0, 2.0], [-1.0, -2.0]])
    result = separability(X, [0, 1, 0], fit_intercept=False)
    assert result.kind == "quasi"
    assert result.verify(X, [0, 1, 0])
    assert "Rows of zeros" in result.explain()
    assert separability(0 * X, [0, 1, 0], fit_intercept=False).kind == "overlap"
    assert separability(scipy.sparse.csr_array(0 * X), [0, 1, 0], fit_intercept=False).kind == "overlap"


def test_rows_that_nearly_share_a_plane():
    """Flatter than floats can see, with many rows: neither a wrong answer nor one that takes for ever."""
    rng = np.random.default_rng(2)
    X, w = rng.normal(size=(3000, 12)), rng.normal(size=12)
    y = (X @ w > 0).astype(int)
    X -= np.outer((X @ w) * (1 - 1e-13) / (w @ w), w)
    result = separability(X, y, time_limit=60)
    assert independent_verdict(result.certificate, X, y) == result.kind != "undecided"


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array])
def test_many_columns(convert):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (60, 400)).astype(float)
    y = np.arange(60) % 2
    result = separability(convert(X), y)
    assert result.kind == "complete"
    assert independent_verdict(result.certificate, X, y) == "complete"
    X[59] = X[0]
    result = separability(convert(X), y)
    assert result.kind != "complete"
    assert result.certificate["clash"]["rows"] == [0, 59]
    assert result.verify(X, y)


def test_many_identical_rows():
    X, y = np.full((1_000_000, 3), 0.1), np.arange(1_000_000) % 2
    result = separability(X, y)
    assert result.kind == "overlap"
    assert result.verify(X, y)
    assert len(result.certificate["clash"]["rows"]) == 2


# Certificates


def test_a_certificate_survives_json():
    X, y = planted(np.random.default_rng(5), 60, 3, 10, 0)
    result = separability(X, y)
    again = Separability(json.loads(json.dumps(result.certificate)))
    assert again.kind == result.kind == "quasi"
    assert again.verify(X, y)
    assert again.hyperplane == result.hyperplane


def changed(certificate, rng):
    """A copy with one number changed."""
    copy = json.loads(json.dumps(certificate))
    clash = copy["clash"]
    if clash["rows"] and rng.random() < 0.7:
        place = int(rng.integers(len(clash["rows"])))
        if rng.random() < 0.5:
            clash["multipliers"][place] = str(Fraction(clash["multipliers"][place]) + rng.choice([-1, 1]))
        else:
            clash["rows"][place] += 1
    else:
        place = int(rng.integers(copy["columns"]))
        copy["weights"][place] = str(Fraction(copy["weights"][place]) + int(rng.choice([-1, 1])))
    return copy


@pytest.mark.parametrize("make", MAKERS)
def test_changed_certificates_are_judged_as_the_independent_checker_does(make):
    rng = np.random.default_rng(99)
    refused = 0
    for _ in range(60):
        X, y, fit_intercept = random_problem(make, rng)
        certificate = changed(separability(X, y, fit_intercept=fit_intercept).certificate, rng)
        result = Separability(certificate)
        assert result.verify(X, y) == (independent_verdict(certificate, X, y) == certificate["kind"])
        assert bool(result.why_not) != result.verify(X, y)
        refused += not result.verify(X, y)
    assert refused > 20


@pytest.mark.parametrize("place", range(4))
def test_every_changed_multiplier_is_refused(place):
    result = separability(CORNERS, [0, 1, 1, 0])
    result.certificate["clash"]["multipliers"][place] = "1000001/1000000"
    assert not result.verify(CORNERS, [0, 1, 1, 0])
    assert result.why_not == "The rows of the clash, times their multipliers, do not add up to 0."


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("kind", "quasi", "It claims 'quasi', but proves 'complete'."),
        ("kind", None, "It claims None, but proves 'complete'."),
        ("rows", 5, "made for other data, with 5 rows: these have 4"),
        ("columns", 3, "made for other data, with 3 columns: these have 2"),
        ("weights", ["1"], "1 weights for 2 columns"),
        ("weights", ["1", "nan"], "'nan' is not a fraction"),
        ("weights", ["1", "1/0"], "'1/0' is not a fraction"),
        ("weights", None, "Its weights must be a list, not None"),
        ("weights", ["-1", "-1"], "Row 3 is on the wrong side"),
        ("offset", 1.5, "Its offset must be text, not 1.5"),
        ("classes", [0, 2], "classes names 2"),
        ("fit_intercept", "no", "Its fit_intercept must be true or false"),
        ("fit_intercept", False, "through the origin"),
        ("clash", {}, "has no 'rows'"),
        ("clash", [], "Its clash must be an object"),
        ("clash", {"rows": [0], "multipliers": []}, "once each"),
        ("clash", {"rows": [-1], "multipliers": ["1"]}, "once each"),
        ("clash", {"rows": ["x"], "multipliers": ["1"]}, "must be whole numbers"),
        ("clash", {"rows": [1], "multipliers": ["-1"]}, "not above 0"),
    ],
)
def test_wrong_certificates_are_refused_with_a_reason(name, value, why):
    y = [0, 0, 0, 1]
    result = separability(CORNERS, y)
    result.certificate[name] = value
    assert result.verify(CORNERS, y) is False
    assert why in result.why_not


def test_other_data_are_refused():
    result = separability(CORNERS, [0, 0, 0, 1])
    assert not result.verify(CORNERS[:3], [0, 0, 1])
    assert not result.verify(CORNERS, [0, 1, 1, 0])
    assert not result.verify(CORNERS * np.nan, [0, 0, 0, 1])
    with pytest.raises(certificates.InvalidCertificate, match="is a dict"):
        check_certificate(None, CORNERS, [0, 0, 0, 1])


def test_a_hyperplane_through_rows_of_s_is_refused():
    result = separability([[1], [2], [3], [3]], [0, 0, 1, 0])
    result.certificate.update(weights=["0"], offset="0", kind="overlap")
    assert not result.verify([[1], [2], [3], [3]], [0, 0, 1, 0])
    assert result.why_not == "Row 0 is on the hyperplane, but the clash does not show why."


def test_explanations():
    assert "column 0." in separability([[1, 0], [2, 0]], [0, 1]).explain()
    assert "rows 0, 1, 2 and 3" in separability(CORNERS, [0, 1, 1, 0]).explain()
    quasi = separability([[1], [2], [3], [3]], [0, 0, 1, 0]).explain()
    assert "none of the 4 rows on the wrong side" in quasi
    assert "rows 2 and 3" in quasi
    assert str(separability([[1], [2], [3], [3]], [0, 0, 1, 0])) == quasi


@pytest.mark.parametrize("fingerprint", [True, False])
def test_after_the_time_limit_every_class_is_undecided(fingerprint):
    """Without fingerprints the later answers are copies of the first, but for the name of the class."""
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40) % 4
    found = separability(X, y, multi_class="ovr", time_limit=1e-9, fingerprint=fingerprint)
    assert list(found) == [0, 1, 2, 3]
    for label, answer in found.items():
        assert answer.kind == "undecided"
        assert answer.certificate["classes"] == [None, label]
        assert answer.certificate["rows"] == 40


def test_a_time_limit_may_leave_it_undecided():
    X, y = planted(np.random.default_rng(5), 400, 6, 30, 20)
    result = separability(X, y, time_limit=1e-9)
    assert result.kind == "undecided"
    assert result.hyperplane is None
    assert not result.verify(X, y)
    assert "time limit" in result.explain()
    assert "time limit" in result.why_not
    assert separability(X, y, time_limit=600).kind == "overlap"


def test_the_page_prints_what_it_shows():
    page = Path(__file__).resolve().parents[2] / "docs" / "theory" / "separability.md"
    failures, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 5
    assert failures == 0


# Bad input


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        (CORNERS, [1, 1, 1, 1], {}, r"y must have two classes, but all its labels are \[1\]"),
        (
            CORNERS,
            [0, 1, 2, 1],
            {},
            r"y has 3 classes, \[0, 1, 2\]: choose two with classes=\(a, b\), .* multi_class='ovr' or 'ovo'",
        ),
        (CORNERS, [0, 1, 1], {}, "4 rows in X, 3 labels in y"),
        (CORNERS, [[0], [1], [1], [0]], {}, "y must have one dimension"),
        (CORNERS, [0, 1, np.nan, 1], {}, "Row 2 of y has no label"),
        (CORNERS[0], [0, 1], {}, "two dimensions"),
        (CORNERS * [1, np.nan], [0, 1, 1, 0], {}, "contains NaN in column 1, row 0"),
        (CORNERS + np.inf, [0, 1, 1, 0], {}, "contains infinity"),
        (CORNERS, [0, 1, 2, 1], {"classes": (0, 7)}, "classes names 7"),
        (CORNERS, [0, 1, 2, 1], {"classes": (1, 1)}, "two different labels"),
        (CORNERS, [0, 1, 2, 1], {"classes": (1, None)}, "classes names None"),
        (CORNERS, [0, 1, 2, 1], {"classes": (0, 1), "multi_class": "ovr"}, "give only one of them"),
        (CORNERS, [0, 1, 2, 1], {"multi_class": "pairs"}, "multi_class must be one of 'ovr', 'ovo', not 'pairs'"),
        (CORNERS, [1, 1, 1, 1], {"multi_class": "ovr"}, "y must have two classes"),
        (np.array([[2**53 + 1], [0]]), [0, 1], {}, "that no float64 equals"),
        (scipy.sparse.csr_array(np.array([[2**53 + 1], [0]])), [0, 1], {}, "that no float64 equals"),
        (np.array([[-(2**53) - 1], [0]]), [0, 1], {}, "that no float64 equals"),
        (CORNERS, [0, 1, 1, 0], {"time_limit": -1}, "time_limit must be a finite number above 0"),
    ],
)
def test_bad_input_is_refused(X, y, options, message):
    with pytest.raises(ValueError, match=message):
        separability(X, y, **options)


def test_a_time_limit_holds_for_any_number_of_classes():
    made = np.random.default_rng(0)
    X, y = made.standard_normal((20_000, 5)), np.arange(20_000) % 10_000
    began = time.process_time()
    pairs = [(None, label) for label in range(10_000)]
    found = decide_pairs(X, y, pairs, fit_intercept=True, time_limit=0.5, fingerprint=False)
    assert time.process_time() - began < 10  # a pass over the rows for every class would take a minute
    assert [result.certificate["classes"] for result in found] == [list(pair) for pair in pairs]
    assert found[-1].kind == "undecided"


@pytest.mark.parametrize("seed", range(3))
def test_answers_with_numbers_of_thousands_of_digits_can_be_shown(seed):
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (16, 7)) * 10.0 ** random.choice([-308, 308], size=(16, 7))
    y = np.arange(16) % 2
    verdict, fewest = separability(X, y), minimum_mistakes(X, y, time_limit=0)
    assert verdict.verify(X, y), verdict.why_not
    long = Hyperplane((Fraction(7**9000, 3**9000),), Fraction(0))
    assert parse_fraction(fraction_text(long.weights[0])) == long.weights[0]
    for answer in (
        verdict,
        verdict.hyperplane,
        fewest,
        fewest.hyperplane,
        fewest.clashes,
        Clash((0,), (7**9000,)),
        long,
    ):
        assert str(answer)
        assert repr(answer)
    assert repr(Hyperplane((Fraction(1, 3),), Fraction(2))) == (
        "Hyperplane(weights=(Fraction(1, 3),), offset=Fraction(2, 1))"
    )


def test_rows_of_which_floats_see_nothing_are_decided_without_a_warning():
    """Modulo the two rows that clash, the square of the third is too small for floats; they would divide by 0."""
    X, y = [[1.7e308], [1.7e308], [2e-323]], [1, 0, 0]
    for degree in (2, 3):
        verdict = separability(X, y, False, features=f"polynomial-{degree}")
        assert verdict.kind == "quasi"
        assert verdict.verify(X, y), verdict.why_not
    assert (whitening_matrix(np.zeros((3, 2))) == np.eye(2)).all()


@pytest.mark.parametrize("label", [None, float("nan")])
@pytest.mark.parametrize("prove", [separability, max_margin, minimum_mistakes])
@pytest.mark.parametrize("as_array", [False, True])
def test_missing_labels_among_texts_are_refused(prove, label, as_array):
    y = ["ash", label, "oak"]
    with pytest.raises(ValueError, match=r"y has no label in row 1, but (None|nan): fill in or drop such rows"):
        prove([[0.0], [1.0], [2.0]], np.array(y, dtype=object) if as_array else y)


@pytest.mark.parametrize("prove", [separability, max_margin, minimum_mistakes])
def test_missing_dates_and_texts_among_numbers_are_no_labels(prove):
    X = [[0.0], [1.0], [2.0]]
    with pytest.raises(ValueError, match="y has no label in row 1, but NaT: fill in or drop such rows"):
        prove(X, np.array(["2024-01-01", "NaT", "2024-02-01"], "M8[ns]"))
    with pytest.raises(ValueError, match="y holds text and other labels, 'a' in row 1 and 1 in row 0"):
        prove(X, np.array([1, "a", 1], dtype=object))


def test_missing_labels_among_several_classes_are_refused():
    with pytest.raises(ValueError, match="y has no label in row 1, but None"):
        separability([[0.0], [1.0], [2.0]], ["ash", None, "oak"], multi_class="ovr")
