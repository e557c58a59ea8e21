"""Clashes that share no row: replacing some of them never leaves fewer, and makes room for more now and then."""

from dataclasses import replace

import numpy as np
import pytest
from mistake_searches import bounds_after

from rosenblatt import minimum_mistakes
from rosenblatt.prove.exact.lifted_problem import make_problem
from rosenblatt.prove.exact.merged_rows import merge_rows
from rosenblatt.prove.mistakes.clash import immediate_clashes
from rosenblatt.prove.mistakes.disjoint_clashes import ClashPacking
from rosenblatt.prove.mistakes.hyperplane_search import MANY_COLUMNS, HyperplaneSearch, ProgressPrinter
from rosenblatt.prove.time_limit import Clock


def noisy(rows, columns, seed=0):
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (rows, columns)).astype(float)
    return X, X[:, 0] + random.standard_normal(rows) > 1


def packing_of(X, y):
    """A packing that is complete, and the clashes that are found without it."""
    problem = make_problem(X, y, True, None, "identity")
    rows = merge_rows(problem, range(problem.rows))
    floats = HyperplaneSearch(problem, Clock(None), ProgressPrinter(0))._unit_rows(rows)
    packing = ClashPacking(problem, rows, floats, floats.sum(axis=0), Clock(None))
    packing.pack(len(X), Clock(None))
    assert packing.complete
    return packing, immediate_clashes(problem, rows)


@pytest.mark.parametrize("columns", [2, 4])
def test_replaced_clashes_are_not_fewer_and_prove_their_number(columns):
    X, y = noisy(60, columns)
    packing, others = packing_of(X, y)
    counts = [len(packing.found)]
    for _ in range(25):
        packing.replace(len(X), Clock(None))
        counts.append(len(packing.found))
        assert packing.complete
    assert counts == sorted(counts)
    clashes = others + [found.clash for found in packing.found]
    claimed = replace(minimum_mistakes(X, y, time_limit=0), clashes=clashes, lower_bound=len(clashes))
    assert claimed.verify(X, y), claimed.why_not


def test_replacements_make_room_for_more():
    gained = 0
    for seed in range(3):
        packing, _ = packing_of(*noisy(80, 4, seed))
        before = len(packing.found)
        for _ in range(40):
            packing.replace(1000, Clock(None))
        gained += len(packing.found) - before
    assert gained > 0


def test_no_time_for_a_replacement_keeps_the_clashes():
    packing, _ = packing_of(*noisy(60, 3))
    before = sorted(found.clash.rows for found in packing.found)
    packing.replace(1000, Clock(0))
    assert sorted(found.clash.rows for found in packing.found) == before
    packing.pack(1000, Clock(None))
    assert len(packing.found) == len(before), "the rows of the clashes are still in use"


def test_wide_tables_end_with_no_fewer_clashes_than_a_packing():
    X, y = noisy(160, MANY_COLUMNS)
    packing, others = packing_of(X, y)
    for _ in range(3):
        packing.replace(1000, Clock(None))
    found = bounds_after(2000, X, y)
    assert found.lower_bound >= len(packing.found) + len(others)
    assert found.verify(X, y), found.why_not
