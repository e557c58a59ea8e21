"""Verdicts of separability against brute force, and of larger problems by certificates that speak for themselves."""

import numpy as np
import pytest
import scipy.sparse
from slow_truth import brute_kind, independent_verdict
from small_problems import MAKERS, planted, random_problem

from rosenblatt import separability
from rosenblatt.prove.separability import gordan
from rosenblatt.prove.separability import tucker_split as splitting

# Random small problems


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
