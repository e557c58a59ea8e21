"""Trees in files: every bit comes back, and no bit can change unseen."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.foundation import state_file as trees

PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text() | st.floats()
TREES = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1), inner), max_leaves=8)


def same(one, other):
    if isinstance(one, float):
        return type(other) is float and (one == other or (math.isnan(one) and math.isnan(other)))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tree=st.dictionaries(st.text(min_size=1), TREES))
def test_plain_values_come_back(tree):
    assert same(tree, trees.read(trees.written(tree)))


@pytest.mark.parametrize("dtype", ["<f8", "<f4", "<i8", "<i4", "<u4", "|u1", "|b1", "<u8"])
@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 4), (2, 0)])
def test_arrays_come_back_and_can_be_changed(dtype, shape):
    array = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    back = trees.read(trees.written({"in": [{"a": array}]}))["in"][0]["a"]
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert back.flags.writeable


def test_floats_keep_all_their_bits():
    values = [0.1, -0.0, 5e-324, 1e308, math.inf, -math.inf, math.nan]
    back = trees.read(trees.written({"values": values}))["values"]
    assert np.array(back).tobytes() == np.array(values).tobytes()


def test_every_flipped_bit_and_every_cut_is_seen():
    content = trees.written({"w": np.arange(3.0), "best": math.inf, "runs": [None, {"visits": 7}]})
    for place in range(len(content)):
        for bit in range(8):
            flipped = bytearray(content)
            flipped[place] ^= 1 << bit
            with pytest.raises(trees.Damaged):
                trees.read(bytes(flipped))
        with pytest.raises(trees.Damaged):
            trees.read(content[:place])
    with pytest.raises(trees.Damaged):
        trees.read(content + b"\0")
