"""Permutations of rows: each row once, windows as the reference says, all about equally likely."""

import numpy as np
import pytest
from family import labels
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import reference
from rosenblatt.engine.run import Run
from rosenblatt.engine.run_learner import NativeLearner
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.stops import Stops


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 100))
def test_permutations_are_permutations(seed, n, number):
    assert sorted(reference.permutation(n, seed, number)) == list(range(n))


@pytest.mark.parametrize("order", ["shuffle", "shuffle-once", "cyclic"])
@pytest.mark.parametrize("n", [16384, 16385, 5 * 4096 + 64 + 5])
def test_rows_of_several_windows_come_as_the_reference_says(n, order):
    """The logistic loss moves w at every visit, so the trace has every row."""
    recipe = Recipe(loss="logistic", order=order, stops=Stops(max_iter=2))
    run = Run(NativeLearner(as_rows(np.ones((n, 1))), labels(np.ones(n), 1), recipe, seed=7, trace=True), recipe)
    run.go()
    visited = np.concatenate([part["row"] for part in run.learner.traces]).tolist()
    assert visited == [row for number in range(2) for row in reference.rows_of_pass(order, n, 7, number)]


def test_windows_grow_with_the_rows_as_the_reference_says():
    test_rows_of_several_windows_come_as_the_reference_says(300_000, "shuffle")


@given(st.integers(0, 2**32))
@settings(max_examples=5, deadline=None)
def test_permutations_of_several_windows_mix_sorted_rows(seed):
    n, window = 5 * 4096 + 100, 4096
    rows = reference.permutation(n, seed, 0)
    assert sorted(rows) == list(range(n))
    for k in range(0, n - window, window):
        first_half = np.array(rows[k : k + window]) < n / 2
        assert abs(first_half.mean() - 0.5) < 0.3  # 64 chunks: five times the deviation
        assert abs(first_half[:1000].mean() - first_half.mean()) < 0.1


def test_every_permutation_is_about_equally_likely():
    seen = {}
    for seed in range(6000):
        key = tuple(reference.permutation(3, seed, 0))
        seen[key] = seen.get(key, 0) + 1
    assert len(seen) == 6
    assert min(seen.values()) > 850
