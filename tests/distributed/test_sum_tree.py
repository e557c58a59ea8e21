"""The fixed tree: which runs of leaves are added beforehand does not change the order of additions."""

import numpy as np
import pytest

from rosenblatt.distributed.sum_tree import SumTree, add_by_tree, run_length


def brackets(left, right):
    return f"({left}{right})"


@pytest.mark.parametrize("leaves", [1, 2, 3, 7, 8, 13, 26])
@pytest.mark.parametrize("length", [1, 2, 4, 8, 16, 32])
def test_runs_added_elsewhere_give_the_same_tree(leaves, length):
    names = "abcdefghijklmnopqrstuvwxyz"[:leaves]
    runs = [add_by_tree(names[first : first + length], brackets) for first in range(0, leaves, length)]
    assert add_by_tree(runs, brackets) == add_by_tree(names, brackets)


@pytest.mark.parametrize("leaves", [1, 5, 13, 26])
def test_any_leaves_added_elsewhere_in_any_order_give_the_same_tree(leaves):
    names, rng = "abcdefghijklmnopqrstuvwxyz"[:leaves], np.random.default_rng(leaves)
    for workers in (1, 2, 3, 7):
        trees = [SumTree(brackets) for _ in range(workers)]
        for leaf in rng.permutation(leaves).tolist():
            trees[rng.integers(workers)].add(0, leaf, names[leaf])
        whole = SumTree(brackets)
        for tree in trees:
            whole.merge(tree.nodes)
        assert whole.total() == add_by_tree(names, brackets)


def test_sums_are_as_exact_as_pairwise_summation():
    values = [0.1] * 100_000
    added = add_by_tree(values, lambda a, b: a + b)
    assert abs(added - 10_000) < 1e-9 < abs(sum(values) - 10_000)


def test_run_lengths_are_nodes_of_the_tree_and_leave_few_runs():
    for leaves in (1, 5, 64, 1000, 12345):
        for most in (1, 3, 64):
            length = run_length(leaves, most)
            assert np.ceil(leaves / length) <= most
            assert length & (length - 1) == 0
