"""The core's copy of an array that lies column by column is the array row by row."""

import numpy as np
import pytest

from rosenblatt import _core


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (1, 9), (511, 1), (513, 8), (1500, 17)])
def test_a_copy_row_by_row(shape, threads, dtype):
    table = np.asfortranarray(np.random.default_rng(0).normal(size=shape).astype(dtype))
    copy = np.full(shape, np.nan, dtype)
    _core.copy_columns(table, copy, threads)
    assert np.array_equal(copy, table)


def test_columns_may_be_far_apart():
    table = np.asfortranarray(np.arange(60.0).reshape(10, 6))
    part = table[2:7, ::2]
    copy = np.empty((5, 3))
    _core.copy_columns(part, copy, 1)
    assert np.array_equal(copy, part)


@pytest.mark.parametrize(
    ("table", "copy"),
    [
        (np.zeros((4, 3)), np.empty((4, 3))),
        (np.zeros((4, 3), order="F")[::-1], np.empty((4, 3))),
        (np.zeros((4, 3), order="F")[:, ::-1], np.empty((4, 3))),
        (np.broadcast_to(np.zeros((4, 1)), (4, 3)), np.empty((4, 3))),
        (np.zeros((4, 3), order="F"), np.empty((3, 4))),
    ],
    ids=["rows", "upwards", "leftwards", "repeated", "shape"],
)
def test_what_it_cannot_copy_is_refused(table, copy):
    with pytest.raises(ValueError, match=r"columns must|shape of x"):
        _core.copy_columns(table, copy, 1)
