"""Verdicts over blocks: those of one machine, with certificates that are checked against all rows."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt.distributed.block import LoadedBlock, blocks_of_arrays
from rosenblatt.distributed.block_separability import ClassPair, decide_blocks
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.dask_separability import class_pair
from rosenblatt.distributed.local_processes import LocalProcesses
from rosenblatt.distributed.pair_rows import Candidate, PairOfClasses, find_wrong_rows
from rosenblatt.foundation.errors import InputError
from rosenblatt.prove.separability.separability import separability
from rosenblatt.prove.time_limit import Clock

TWO = ClassPair([0, 1], np.array([-1, 1], np.int8))


@pytest.fixture(scope="module")
def two_threads():
    with ThreadPoolExecutor(2) as threads:
        yield threads


def decided(executor, X, y, rows=8, pairs=(TWO,), **options):
    codes = np.asarray(y, np.int32)
    cluster = Cluster(executor, list(blocks_of_arrays(X, codes, rows=rows)))
    return list(decide_blocks(cluster, int(codes.max()) + 1, pairs, **options))


def digest(verdict):
    return hashlib.sha256(json.dumps(verdict.certificate).encode()).hexdigest()


def check_against_one_machine(executor, X, y, fit_intercept=True, rows=8):
    [many] = decided(executor, X, y, rows, fit_intercept=fit_intercept)
    assert many.kind == separability(X, y, fit_intercept).kind
    assert many.verify(X, y), many.why_not
    return many


@st.composite
def small_tables(draw):
    """A few rows of small integers, in which ties, clashes and rows of zeros are frequent."""
    columns, count = draw(st.integers(1, 4)), draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(-draw(st.integers(1, 3)), 3, (count, columns)).astype(float)
    scores = X @ rng.integers(-2, 3, columns) + draw(st.integers(-1, 1))
    y = (scores > 0).astype(int)
    ties = scores == 0
    y[ties] = rng.integers(0, 2, int(ties.sum())) if draw(st.booleans()) else 1
    y[: draw(st.integers(0, 1))] ^= 1
    y[[0, -1]] = 0, 1
    return X * draw(st.sampled_from([1.0, 0.1, 2.0**-600, 2.0**500])), y


@settings(max_examples=60, deadline=None)
@given(small_tables(), st.booleans(), st.sampled_from([1, 3, 8]))
def test_the_verdict_is_that_of_one_machine(two_threads, table, fit_intercept, rows):
    check_against_one_machine(two_threads, *table, fit_intercept, rows)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([0.0, 2.0**-52, 1e-13, 1e-9]))
def test_rows_a_rounding_error_away_from_the_hyperplane_are_decided_exactly(two_threads, seed, columns, shift):
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (300, columns)) / 7.0
    w = rng.integers(1, 9, columns) / 9.0
    on_plane = np.arange(300) % 3 > 0
    X[on_plane, -1] = -(X[on_plane, :-1] @ w[:-1]) / w[-1]
    y = rng.integers(0, 2, 300)
    X[:, -1] += np.where(on_plane, shift, 1.0) * np.where(y == 1, 1, -1) * (np.abs(X[:, -1]) + 1)
    y[[0, -1]] = 0, 1
    check_against_one_machine(two_threads, X, y, rows=32)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_separated_rows_by_a_thin_margin_and_one_that_clashes_in_the_last_block(two_threads, form):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((5000, 6))
    y = (X @ rng.standard_normal(6) > 0.1).astype(int)
    assert check_against_one_machine(two_threads, form(X), y, rows=100).kind == "complete"
    X[-1], y[-1] = X[y == 0].mean(axis=0), 1
    assert check_against_one_machine(two_threads, form(X), y, rows=100).kind != "complete"


def test_categories_are_separated_quasi_completely(two_threads):
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 6, 4000), rng.integers(0, 9, 4000)
    X = np.hstack([np.eye(6)[first][:, 1:], np.eye(9)[second][:, 1:]])
    y = ((rng.random(4000) < 0.5) | (second == 4)).astype(int)
    assert check_against_one_machine(two_threads, X, y, rows=128).kind == "quasi"


def test_a_row_of_zeros_that_the_working_set_does_not_hold_makes_the_verdict_quasi(two_threads):
    X = np.random.default_rng(5).uniform(1, 2, (400, 2))
    y = np.arange(400) % 2
    X[y == 0] *= -1
    X[201] = 0.0
    verdict = check_against_one_machine(two_threads, X, y, fit_intercept=False, rows=50)
    assert (verdict.kind, verdict.certificate["clash"]["rows"]) == ("quasi", [])


def test_a_wrong_row_is_named_once_however_often_it_occurs():
    X, codes = np.tile([[1.0, 2.0], [3.0, 1.0], [0.5, 0.5]], (4, 1)), np.zeros(12, np.int32)
    pair = PairOfClasses(TWO.signs, True, np.array([3.0, 2.0]))
    candidate = Candidate([1, 1, 0], [], False)  # all rows are negative, so all are wrong
    halves = [find_wrong_rows(LoadedBlock(X[k : k + 6], codes[k : k + 6]), pair, candidate, 2) for k in (0, 6)]
    assert [half.numbers.tolist() for half in halves] == [[1, 0], [1, 0]]
    both = halves[0] + halves[1]
    assert (both.numbers.tolist(), both.rows, both.on_plane) == ([1, 0], 12, 0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_certificate_is_the_same_for_every_executor(form):
    rng = np.random.default_rng(6)
    X = rng.integers(-3, 4, (3000, 4)).astype(float)
    y = (X[:, 0] > 0).astype(int)
    y[X[:, 0] == 0] = rng.integers(0, 2, int((X[:, 0] == 0).sum()))
    found = set()
    executors = [ThreadPoolExecutor(n) for n in (1, 2, 3, 7)] + [LocalProcesses(2)]
    for executor in executors:
        with executor:
            found.add(digest(decided(executor, form(X), y, rows=100)[0]))
    assert len(found) == 1


def test_each_class_against_the_rest_and_pairs_of_classes(two_threads):
    rng = np.random.default_rng(7)
    X = rng.standard_normal((900, 3))
    y = np.digitize(X[:, 1], [-0.5, 0.5])
    known = [0, 1, 2]
    chosen = [[None, 0], [None, 1], [None, 2], [0, 1], [2, 0]]
    found = decided(two_threads, X, y, rows=64, pairs=[class_pair(known, pair) for pair in chosen])
    for pair, verdict in zip(chosen, found, strict=True):
        assert verdict.kind == separability(X, y, classes=pair).kind
        assert verdict.certificate["classes"] == pair
        assert verdict.verify(X, y), verdict.why_not


def test_blocks_without_a_row_of_the_two_classes(two_threads):
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1, 2, 2], 10)
    [verdict] = decided(two_threads, X, y, rows=10, pairs=[class_pair([0, 1, 2], [0, 1])])
    assert (verdict.kind, verdict.certificate["rows"], verdict.certificate["total_rows"]) == ("complete", 20, 40)
    assert verdict.verify(X, y), verdict.why_not


def test_no_time_left_is_undecided(two_threads):
    X = np.random.default_rng(8).standard_normal((500, 3))
    [verdict] = decided(two_threads, X, X[:, 0] > 0, clock=Clock(0))
    assert verdict.kind == "undecided"


def test_numbers_that_are_not_finite_are_refused_with_their_row(two_threads):
    X = np.ones((40, 1))
    X[13] = np.inf
    with pytest.raises(InputError, match="row 5 of rows 8 to 15 contains NaN or infinity"):
        decided(two_threads, X, np.arange(40) % 2)
