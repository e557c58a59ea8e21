"""Labels to class numbers: the quick ways agree with np.unique on every kind of label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rosenblatt.foundation.labels import LIST_SEARCH, balanced_weights, class_factors, codes_of, encode, extend_classes

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
NOTHING = np.array([], int)


@st.composite
def whole_numbers(draw):
    """Integers anywhere in their type's range, close together or far apart."""
    info = np.iinfo(draw(st.sampled_from(INTEGERS)))
    low = draw(st.integers(info.min, info.max))
    high = min(info.max, low + draw(st.sampled_from([0, 1, 5, 300, info.max])))
    size = draw(st.integers(1, 400))
    return draw(hnp.arrays(info.dtype, size, elements=st.integers(low, high), fill=st.just(low)))


ANY_LABELS = st.one_of(
    whole_numbers(),
    hnp.arrays(bool, st.integers(1, 50)),
    hnp.arrays(np.float64, st.integers(1, 50), elements=st.integers(-3, 3)),
    st.lists(st.text("äbc ", max_size=4), min_size=1, max_size=50).map(np.array),
    st.lists(st.text("xyz", max_size=3), min_size=1, max_size=50).map(lambda words: np.array(words, dtype=object)),
)


@given(ANY_LABELS)
def test_encode_agrees_with_unique(y):
    classes, codes = encode(y)
    expected = np.unique(y)
    assert classes.dtype == y.dtype
    assert codes.dtype == np.int32
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(classes[codes], y)


@given(ANY_LABELS, st.sampled_from([1, LIST_SEARCH + 1]))
def test_codes_of_finds_known_classes_however_many(y, times):
    classes, codes = encode(y)
    found = codes_of(np.tile(y, times), classes)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, np.tile(codes, times))


@given(whole_numbers(), st.integers(0, 400), st.sampled_from([1, LIST_SEARCH + 1]))
def test_codes_of_sees_that_a_class_is_new(y, which, times):
    classes, _ = encode(y)
    fewer = np.delete(classes, which % len(classes))
    assert codes_of(np.tile(y, times), fewer) is None


@pytest.mark.parametrize("size", [1, LIST_SEARCH])
def test_text_is_never_found_among_numbers(size):
    assert codes_of(np.full(size, "1"), np.array([0, 1])) is None
    assert codes_of(np.full(size, 1), np.array(["0", "1"])) is None


@given(whole_numbers(), whole_numbers(), whole_numbers())
def test_extended_numbers_all_classes(known, labels, expected):
    known = np.unique(known)
    if np.result_type(known, labels, expected).kind == "f":
        with pytest.raises(ValueError, match="int64 and uint64 have no whole type in common"):
            extend_classes(known, labels, expected)
        return
    classes, codes, places = extend_classes(known, labels, expected)
    assert classes.tolist() == sorted({*known.tolist(), *labels.tolist(), *expected.tolist()})
    np.testing.assert_array_equal(classes[codes], labels)
    np.testing.assert_array_equal(classes[places], known)


def test_text_and_numbers_do_not_mix():
    with pytest.raises(ValueError, match=r"all text or all numbers, not both: \['a', 1\]"):
        extend_classes(np.array(["a", "b"]), np.array([1]), NOTHING)
    with pytest.raises(ValueError, match="all text or all numbers"):
        extend_classes(np.array([1, 2]), np.array([1]), np.array(["a"], dtype=object))


def test_long_names_are_not_cut():
    classes, codes, _ = extend_classes(np.array(["a", "b"]), np.array(["abracadabra"]), NOTHING)
    assert classes[codes[0]] == "abracadabra"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=30))
def test_balanced_classes_weigh_the_same_and_weights_count_as_copies(rows):
    codes = np.array([code for code, _ in rows], np.int32)
    copies = np.array([times for _, times in rows], float)
    factors = balanced_weights(codes, 4, copies)
    weighed = np.bincount(codes, copies * factors[codes], minlength=4)
    present = weighed > 0
    np.testing.assert_allclose(weighed[present], copies.sum() / 4)
    repeated = np.repeat(codes, copies.astype(int))
    np.testing.assert_array_equal(balanced_weights(repeated, 4), factors)


def test_class_factors_by_dict_leave_the_rest_alone():
    classes, codes = np.array(["a", "b", "c"]), np.array([0, 1, 2], np.int32)
    np.testing.assert_array_equal(class_factors({"b": 3}, classes, codes, None), [1, 3, 1])
    assert class_factors(None, classes, codes, None) is None


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"d": 1}, r"names 'd', which is not among the classes \['a', 'b'\]"),
        ({"a": -1}, "finite numbers above 0; for class 'a' it has -1"),
        ({"a": 0}, "finite numbers above 0"),
        ({"a": float("nan")}, "finite numbers above 0"),
        ({"a": float("inf")}, "finite numbers above 0"),
        ({"a": "much"}, "for class 'a' it has 'much'"),
        ({"a": None}, "finite numbers above 0"),
        ("balance", "a dict, 'balanced' or None, not 'balance'"),
        (2.0, "a dict, 'balanced' or None, not 2.0"),
    ],
)
def test_class_weights_that_make_no_sense(wanted, message):
    with pytest.raises(ValueError, match=message):
        class_factors(wanted, np.array(["a", "b"]), np.array([0, 1], np.int32), None)


def test_a_stream_may_name_classes_before_they_come_but_cannot_be_balanced():
    classes, codes = np.array(["a"]), np.array([0], np.int32)
    np.testing.assert_array_equal(class_factors({"a": 2, "z": 5}, classes, codes, None, whole=False), [2])
    with pytest.raises(ValueError, match="'balanced' needs all rows at once"):
        class_factors("balanced", classes, codes, None, whole=False)
