"""Several labels a row, in every form, as one matrix of truth values and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.foundation.label_sets import LISTS, MATRIX, extended, known_label_sets, label_sets, named

ROWS = st.lists(st.sets(st.sampled_from(["amber", "blue", "green", "red"])), min_size=1, max_size=20)


@given(ROWS)
def test_lists_come_back_sorted(rows):
    sets = label_sets(rows, "y")
    assert sets.labels.tolist() == sorted(set().union(*rows))
    assert named(sets.has, sets.labels, sets.form) == [tuple(sorted(row)) for row in rows]
    assert len(sets) == len(rows)
    assert named(sets[:1].has, sets.labels, LISTS) == [tuple(sorted(rows[0]))]


@given(st.integers(1, 8), st.integers(2, 5), st.data())
def test_matrices_come_back(rows, columns, data):
    matrix = np.array(data.draw(st.lists(st.lists(st.booleans(), min_size=columns, max_size=columns), min_size=rows)))
    for given_as in (matrix, matrix.astype(float), matrix.astype(int).tolist(), matrix.astype(object)):
        sets = label_sets(given_as, "y")
        assert sets.form == MATRIX
        np.testing.assert_array_equal(named(sets.has, sets.labels, MATRIX), matrix)


@pytest.mark.parametrize(
    "y",
    [[0, 1, 1], np.array([0, 1]), ["a", "b"], [[0], [1]], np.array([[0], [1]]), np.array(["a", "b"], object), None, []],
)
def test_one_label_a_row_is_none(y):
    assert label_sets(y, "y") is None


def test_lists_of_0_and_1_are_known_by_the_form():
    assert label_sets([["a"], ["b"]], "y").labels.tolist() == ["a", "b"]
    assert label_sets([[1], [0]], "y") is None
    assert label_sets([[1], [0]], "y", LISTS).labels.tolist() == [0, 1]
    assert label_sets([{1}, {0}], "y").form == LISTS
    assert label_sets([[0, 1]], "y").form == MATRIX
    assert label_sets([[0, 1]], "y", LISTS).has.tolist() == [[True, True]]


@given(ROWS, ROWS)
def test_labels_join_those_that_are_known(before, after):
    known = label_sets(before, "y").labels
    if not len(known) and not any(after):
        return
    classes, has, places = extended(known, label_sets(after, "y"), np.empty(0, int))
    assert classes.tolist() == sorted(set().union(*before, *after))
    assert classes[places].tolist() == known.tolist()
    assert named(has, classes, LISTS) == [tuple(sorted(row)) for row in after]


def test_labels_that_a_model_does_not_know_are_refused():
    known = np.array(["amber", "red"])
    assert known_label_sets([["red"], []], known, LISTS).has.tolist() == [[False, True], [False, False]]
    with pytest.raises(ValueError, match="y has the label 'blue', which is not among those of the model"):
        known_label_sets([["red", "blue"]], known, LISTS)
    with pytest.raises(ValueError, match="in the form that the model has learned"):
        known_label_sets(np.eye(2), known, LISTS)
    with pytest.raises(ValueError, match="y names no label"):
        extended(np.empty(0, int), label_sets([[], [], []], "y"), np.empty(0, int))
