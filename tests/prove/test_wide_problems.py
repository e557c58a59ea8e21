"""Separability with many sparse columns: rows peeled off, one linear program for all rows, and exact repairs."""

import numpy as np
import pytest
import scipy.sparse

from benchmarks.separability import sparse_counts
from evidence.separation import kind_of_rows
from rosenblatt import separability
from rosenblatt.prove.certificates.certificate_check import check_certificate
from rosenblatt.prove.exact.linear_algebra import in_span, orthogonal_completion
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.separability import split_at_once, tucker_split
from rosenblatt.prove.separability.one_sided_columns import add_peeled_columns, peel_rows
from rosenblatt.prove.time_limit import Clock


@pytest.fixture
def every_path_for_small_problems(monkeypatch):
    monkeypatch.setattr(tucker_split, "MIN_COLUMNS_TO_PEEL", 0)
    monkeypatch.setattr(tucker_split, "MIN_COLUMNS_FOR_PERCEPTRON", 0)
    monkeypatch.setattr(split_at_once, "MAX_DENSITY", 1.0)


def small_design(random):
    """A few sparse rows of short integers, some of them twice, at times with both labels."""
    rows, columns = int(random.integers(4, 12)), int(random.integers(1, 4))
    X = random.integers(-1, 3, (rows, columns)) * (random.random((rows, columns)) < 0.6)
    X[-1] = X[0]
    return X.astype(float) * 2.0 ** random.integers(-3, 4, columns), np.append(random.permutation(rows - 1) % 2, 1)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.usefixtures("every_path_for_small_problems")
def test_verdicts_of_the_wide_path_agree_with_enumeration(make, fit_intercept):
    random = np.random.default_rng(5)
    for _ in range(60):
        X, y = small_design(random)
        signed = np.where(y > 0, 1, -1)[:, None] * np.column_stack([X * 8, 8 * np.ones(len(X))])
        signed = signed if fit_intercept else signed[:, :-1]
        expected = kind_of_rows(np.array([[int(value) for value in row] for row in signed.tolist()], dtype=object))
        found = separability(make(X), y, fit_intercept)
        assert found.kind == expected
        check_certificate(found.certificate, X, y)


def test_peeled_rows_are_right_and_the_others_keep_their_margins():
    X, y = sparse_counts(rows=120, columns=60, per_row=9, positives=15, plain=50, common=15, seed=2)
    problem = ExactProblem(X, y, True)
    peeling = peel_rows(problem)
    assert 0 < len(peeling.rows) < problem.rows
    rest = [3, *[0] * (problem.columns - 1), -1]
    w = add_peeled_columns(peeling, rest)
    before = problem.nonpositive_rows(rest).rows
    np.testing.assert_array_equal(problem.nonpositive_rows(w).rows, np.intersect1d(before, peeling.rows))


@pytest.mark.parametrize("seed", range(3))
def test_sparse_counts_are_decided_and_verified(seed):
    """The shape of the benchmark, smaller. Its kind is known by construction: plain rows are mixed, others are not."""
    X, y = sparse_counts(rows=900, columns=420, per_row=30, positives=90, plain=400, common=60, seed=seed)
    found = separability(X, y)
    assert found.kind == "quasi"
    assert found.verify(X, y), found.why_not


def test_twins_among_wide_rows_are_the_clash():
    """Rows of both labels in a space wide enough to separate all others."""
    random = np.random.default_rng(0)
    X = (random.random((300, 400)) < 0.1) * random.integers(1, 4, (300, 400)).astype(float)
    y = random.integers(0, 2, 300)
    X[:20], y[:20], y[20:40] = X[20:40], 0, 1
    found = separability(scipy.sparse.csr_matrix(X), y)
    assert found.kind == "quasi"
    assert found.certificate["clash"]["rows"] == list(range(40))
    assert found.verify(X, y), found.why_not


def test_a_split_at_once_is_refused_where_the_guess_is_wrong(monkeypatch):
    """A guess that has a row of S in T has no positive dependence; one that lacks a row of T has no w."""
    X = scipy.sparse.csr_matrix(np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0]]))
    problem = ExactProblem(X, [0, 1, 1, 1], True)
    monkeypatch.setattr(split_at_once, "MAX_DENSITY", 1.0)
    guess = split_at_once.guess_split(problem, Clock(None))
    assert guess.inside.tolist() == [True, True, False, False]
    assert split_at_once.prove_clash(problem, [0, 1, 2], Clock(None)) is None
    clash = split_at_once.prove_clash(problem, [0, 1], Clock(None))
    assert split_at_once.prove_weights(problem, guess, clash.rows) is not None
    assert split_at_once.prove_weights(problem, guess._replace(w=-guess.w), clash.rows) is None


def test_spans_and_completions_are_exact():
    big = 10**40
    assert in_span([[big, 1], [2 * big, 2]], [[3 * big, 3], [3 * big, 4], [0, 0]]) == [True, False, True]
    assert in_span([], [[0, 0], [1, 0]]) == [True, False]
    assert orthogonal_completion([[3, 0, 1], [0, 7, 2]], [0, 0, 21]) == [-7, -6, 21]
    assert orthogonal_completion([[1, 1], [2, 2]], [1, 0]) is None


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("seed", range(30))
def test_columns_of_one_sign_are_noticed_without_listing_all_numbers(seed, form):
    random = np.random.default_rng(seed)
    rows = int(random.choice([5, 40, 9000]))  # more than one look
    X = random.integers(-1, 2, (rows, 4)).astype(float)
    if seed % 2:
        X[:, 2] = 0
        X[-3:, 2] = random.integers(0, 2, 3)
    problem = ExactProblem(form(X), np.arange(rows) % 2, bool(seed % 3))
    assert problem.has_one_sided_columns() == bool(peel_rows(problem).rounds)
