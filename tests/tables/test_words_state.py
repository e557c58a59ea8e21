"""The state of words says it all, and hostile states are refused."""

import json
import math
import pickle

import numpy as np
import pyarrow as arrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from word_texts import TEXTS, learned

from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.encode.words import Words


def saved(words):
    """The state after a trip through JSON and bytes."""
    state = words.state()
    plain = {name: value for name, value in state.items() if not isinstance(value, np.ndarray)}
    arrays = {name: np.frombuffer(value.tobytes(), value.dtype) for name, value in state.items() if name not in plain}
    return {**json.loads(json.dumps(plain)), **arrays}


@pytest.mark.parametrize("ngrams", [1, 3])
def test_state_says_it_all(ngrams):
    words = learned(TEXTS * 2, ngrams=ngrams, sublinear=False)
    column = arrow.array([*TEXTS, "cat the the"])
    for other in (Words.from_state(saved(words)), pickle.loads(pickle.dumps(words))):
        assert other.names == words.names
        assert all(np.array_equal(a, b) for a, b in zip(other.encode(column), words.encode(column), strict=True))
        with pytest.raises(ValueError, match="not kept"):
            other.learned_rows()


def test_hostile_states_are_refused():
    good = saved(learned(TEXTS, min_rows=1))
    bad = {
        "bytes": [good["bytes"][:-1], np.full_like(good["bytes"], 0xFF), np.zeros_like(good["bytes"]), "x", None],
        "ends": [
            good["ends"][::-1].copy(),
            good["ends"] + 1,
            good["ends"][:-1],
            good["ends"].astype(np.int32),
            -good["ends"],
        ],
        "rows": [good["rows"] * 0, good["rows"] + 99, good["rows"][:-1], good["rows"].astype(float), 3],
        "ngrams": [0, -1, 1 << 70, "2", None],
        "n_rows": [-1, 1.5, None],
        "max_share": [math.nan, "x"],
        "dtype": ["object", None],
    }
    for name, values in bad.items():
        for value in values:
            with pytest.raises(InputError, match="broken"):
                Words.from_state({**good, name: value})
        with pytest.raises(InputError, match=name):
            Words.from_state({key: value for key, value in good.items() if key != name})


@settings(deadline=None)
@given(some.binary(max_size=60), some.lists(some.integers(-3, 70), max_size=8), some.data())
def test_random_states_never_crash(letters, ends, data):
    state = saved(learned(["a"], min_rows=1, ngrams=2))
    rows = data.draw(some.lists(some.integers(-1, 3), min_size=len(ends), max_size=len(ends)))
    state |= {
        "bytes": np.frombuffer(letters, np.uint8),
        "ends": np.array(ends, np.int64),
        "rows": np.array(rows, np.int64),
    }
    try:
        words = Words.from_state(state)
    except InputError:
        return
    words.encode(arrow.array(["a b c", *words.names]))
