"""What decisions cost, as an array or by name; and the risk that is their mean."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import empirical_risk
from rosenblatt.risk.loss_matrix import loss_array

AB = np.array(["a", "b"])


def test_names_and_arrays_say_the_same():
    named = {"b": {"a": 3}, "a": {"b": 2}, "reject": {"b": 1, "a": 0.5}}
    expected = np.array([[0, 2], [3, 0], [0.5, 1]])
    table = pd.DataFrame([[3.0, 0], [0, 2], [0.5, 1]], index=["b", "a", "reject"], columns=["a", "b"])
    for given_ in (named, expected.tolist(), expected, table):
        assert loss_array(given_, AB).tolist() == expected.tolist()


def test_rows_and_columns_of_a_table_go_by_name_whatever_their_order():
    table = pd.DataFrame([[0, 7], [1, 0]], index=["b", "a"], columns=["b", "a"])  # deciding b where a is true costs 7
    assert empirical_risk(["a", "a"], ["b", "a"], table) == 3.5


def test_an_array_follows_the_order_of_the_classes_given():
    costs = [[0, 1], [10, 0]]
    assert empirical_risk([0, 1], [1, 1], costs) == 5  # deciding 1 where 0 is true
    assert empirical_risk([0, 1], [1, 1], costs, classes=[1, 0]) == 0.5


labels = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 2, "reject"])), min_size=1, max_size=30)


@given(labels, st.lists(st.floats(0, 10), min_size=12, max_size=12))
def test_risk_is_the_mean_of_the_losses(rows, numbers):
    losses = np.array(numbers).reshape(4, 3)
    losses[range(3), range(3)] = 0
    y, decision = [r[0] for r in rows], [r[1] for r in rows]
    each = [losses[3 if d == "reject" else d, k] for k, d in rows]
    assert empirical_risk(y, decision, losses, classes=[0, 1, 2]) == pytest.approx(np.mean(each))
    weights = np.arange(1.0, len(rows) + 1)
    weighed = empirical_risk(y, decision, losses, classes=[0, 1, 2], sample_weight=weights)
    assert weighed == pytest.approx(np.average(each, weights=weights))


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, tuple])
@pytest.mark.parametrize(("no", "yes"), [(0, 1), (-1.0, 2.5), ("n", "y"), (False, True)])
def test_labels_of_every_kind(kind, no, yes):
    assert empirical_risk(kind([no, yes, no, yes]), kind([no, yes, yes, yes])) == 0.25
    matrix = [[0, 8], [4, 0], [1, 1]]
    decision = np.array([no, "reject", yes, no], dtype=object)
    assert empirical_risk(kind([no, yes, no, yes]), decision, matrix) == (0 + 1 + 4 + 8) / 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([0, 1], [0]), "y has 2 labels, but there are 1 decisions"),
        (([], []), "no rows"),
        (([0, 1], ["a", "b"]), "all text or all numbers"),
        (([[0], [1]], [0, 1]), r"one label a row, not an array of shape \(2, 1\)"),
        (([0, None], [0, 1]), "y has no label in row 1"),
        ((["a", pd.NA], ["a", "b"]), "y has no label in row 1"),
        (([0.0, 1.0], [float("nan"), 1.0]), "decision has no label in row 0"),
        ((["a", "b"], ["a", "reject"]), "Row 1 is rejected, but loss_matrix has no row"),
        (
            ([0, 1, 2], [0, 1, 1], [[0, 1], [1, 0]]),
            r"shape \(2, 2\), but there are 3 classes, 0, 1, 2: it must be 3 x 3",
        ),
        (([0, 1], [0, 1], [0, 1]), r"shape \(2,\)"),
        (([0, 1], [0, 1], [[0, 1, 1], [1, 0, 1]]), r"shape \(2, 3\)"),
        (([0, 1], [0, 1], [[0, 1], [1]]), "numbers in rows of equal length"),
        (([0, 1], [0, 1], "ten to one"), "numbers in rows of equal length"),
        (([0, 1], [0, 1], [[0, float("nan")], [1, 0]]), "finite, but deciding 0 where 1 is true costs nan"),
        (([0, 1], [0, 1], [[0, 1], [1, 0], [1, float("inf")]]), "deciding 'reject' where 1 is true costs inf"),
        (([0, 1], [0, 1], [[0, 1e300], [1, 0]]), "sums overflow"),
        (([0, "a"], [0, "a"]), "all text or all numbers"),
        (([0, 1], [0, 1], [[1, 0], [0, 1]]), "where 1 is true, deciding 0 costs 0, and deciding 1 1"),
        (([0, 1], [0, 1], [[0, 1], [1, 0], [-1, 1]]), "where 0 is true, deciding 'reject' costs -1"),
        (([0, 1], [0, 1], {0: {1: 1}, 1: {}}), "lacks the loss where 0 is true"),
        (([0, 1], [0, 1], {0: {1: 1}}), "1 is among the labels, but not among the classes"),
        (([0, 1], [0, 1], {0: {1: 1}, 1: 3}), "must say {class: loss}"),
        (([0, 1], [0, 1], {0: {1: 1}, 1: {0: 1, 7: 1}}), "must say {class: loss}"),
    ],
)
def test_refusals(arguments, said):
    with pytest.raises(ValueError, match=said):
        empirical_risk(*arguments)


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [1, float("nan")]])
def test_refused_weights(weights):
    with pytest.raises(ValueError, match="sample_weight must"):
        empirical_risk([0, 1], [0, 1], sample_weight=weights)


def test_classes_given_must_differ_and_hold_all_labels():
    with pytest.raises(ValueError, match="must differ"):
        empirical_risk([0, 1], [0, 1], classes=[0, 0])
    with pytest.raises(ValueError, match="1 is among the labels, but not among the classes"):
        empirical_risk([0, 1], [0, 1], classes=[0, 2])


def test_a_class_that_these_rows_lack_may_be_named():
    three = 1 - np.eye(3)
    assert empirical_risk([0, 1], [0, 0], three, classes=[0, 1, 2]) == 0.5


def test_a_class_may_be_called_reject():
    assert empirical_risk(["reject", "take"], ["reject", "reject"]) == 0.5
    assert empirical_risk(["take", "take"], ["reject", "take"], classes=["reject", "take"]) == 0.5


def test_categories_of_pandas_and_series_of_polars():
    import polars as pl

    assert empirical_risk(pd.Series(["a", "b", "a"], dtype="category"), ["a", "a", "a"]) == pytest.approx(1 / 3)
    assert empirical_risk(pl.Series(["a", "b", "a"]), pl.Series(["a", "a", "a"])) == pytest.approx(1 / 3)
    assert empirical_risk(pd.Series([0, 1], dtype="Int64"), np.array([0, 0])) == 0.5
