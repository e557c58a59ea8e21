"""The bytes of a pass: those that are really sent between processes."""

import operator
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from rosenblatt.distributed.block import blocks_of_arrays
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.ordered_tasks import in_order
from rosenblatt.distributed.traffic import Traffic, pickled_size

X, CODES = np.arange(400.0).reshape(100, 4), np.zeros(100, np.int32)


def column_sums(block, weights):
    return weights @ block.X[:, :4].T @ block.X


def test_sizes_are_those_of_pickles():
    for value in (3, "texts", X, {"arrays": [X, CODES]}, X[:, 1]):
        assert abs(pickled_size(value) - len(pickle.dumps(value, protocol=5))) <= 32


def test_passes_are_counted_by_their_function():
    weights = np.ones(4)
    with ThreadPoolExecutor(2) as threads:
        cluster = Cluster(threads, list(blocks_of_arrays(X, CODES, rows=10)))
        for _ in range(3):
            cluster.reduce(column_sums, operator.add, weights)
        found = cluster.traffic.as_dict()["column sums"]
        assert (found["passes"], found["tasks"]) == (3, 30)
        size = pickled_size(np.zeros(4))
        assert 30 * size < found["returned"] < 30 * (size + 20)  # with their places in the sum tree
        rows = 3 * (X.nbytes + CODES.nbytes)  # blocks of rows in memory carry them
        assert rows + 30 * weights.nbytes < found["sent"] < rows + 30 * (weights.nbytes + 1_500)
        traffic = Traffic()
        list(in_order(threads, blocks_of_arrays(X, CODES, rows=50), column_sums, weights, traffic=traffic))
    assert traffic.as_dict()["column sums"]["returned"] == 2 * pickled_size(np.zeros(4))
    assert traffic.as_dict()["column sums"]["tasks"] == 2
