"""Rows and labels that no verdict can be about are refused with a reason."""

import numpy as np
import pytest
import scipy.sparse
from small_problems import CORNERS

from rosenblatt import max_margin, minimum_mistakes, separability


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        (CORNERS, [1, 1, 1, 1], {}, r"y must have two classes, but all its labels are \[1\]"),
        (
            CORNERS,
            [0, 1, 2, 1],
            {},
            r"y has 3 classes, \[0, 1, 2\]: choose two with classes=\(a, b\), .* multi_class='ovr' or 'ovo'",
        ),
        (CORNERS, [0, 1, 1], {}, "4 rows in X, 3 labels in y"),
        (CORNERS, [[0], [1], [1], [0]], {}, "y must have one dimension"),
        (CORNERS, [0, 1, np.nan, 1], {}, "Row 2 of y has no label"),
        (CORNERS[0], [0, 1], {}, "two dimensions"),
        (CORNERS * [1, np.nan], [0, 1, 1, 0], {}, "contains NaN in column 1, row 0"),
        (CORNERS + np.inf, [0, 1, 1, 0], {}, "contains infinity"),
        (CORNERS, [0, 1, 2, 1], {"classes": (0, 7)}, "classes names 7"),
        (CORNERS, [0, 1, 2, 1], {"classes": (1, 1)}, "two different labels"),
        (CORNERS, [0, 1, 2, 1], {"classes": (1, None)}, "classes names None"),
        (CORNERS, [0, 1, 2, 1], {"classes": (0, 1), "multi_class": "ovr"}, "give only one of them"),
        (CORNERS, [0, 1, 2, 1], {"multi_class": "pairs"}, "multi_class must be one of 'ovr', 'ovo', not 'pairs'"),
        (CORNERS, [1, 1, 1, 1], {"multi_class": "ovr"}, "y must have two classes"),
        (np.array([[2**53 + 1], [0]]), [0, 1], {}, "that no float64 equals"),
        (scipy.sparse.csr_array(np.array([[2**53 + 1], [0]])), [0, 1], {}, "that no float64 equals"),
        (np.array([[-(2**53) - 1], [0]]), [0, 1], {}, "that no float64 equals"),
        (CORNERS, [0, 1, 1, 0], {"time_limit": -1}, "time_limit must be a finite number above 0"),
    ],
)
def test_bad_input_is_refused(X, y, options, message):
    with pytest.raises(ValueError, match=message):
        separability(X, y, **options)


@pytest.mark.parametrize("label", [None, float("nan")])
@pytest.mark.parametrize("prove", [separability, max_margin, minimum_mistakes])
@pytest.mark.parametrize("as_array", [False, True])
def test_missing_labels_among_texts_are_refused(prove, label, as_array):
    y = ["ash", label, "oak"]
    with pytest.raises(ValueError, match=r"y has no label in row 1, but (None|nan): fill in or drop such rows"):
        prove([[0.0], [1.0], [2.0]], np.array(y, dtype=object) if as_array else y)


@pytest.mark.parametrize("prove", [separability, max_margin, minimum_mistakes])
def test_missing_dates_and_texts_among_numbers_are_no_labels(prove):
    X = [[0.0], [1.0], [2.0]]
    with pytest.raises(ValueError, match="y has no label in row 1, but NaT: fill in or drop such rows"):
        prove(X, np.array(["2024-01-01", "NaT", "2024-02-01"], "M8[ns]"))
    with pytest.raises(ValueError, match="y holds text and other labels, 'a' in row 1 and 1 in row 0"):
        prove(X, np.array([1, "a", 1], dtype=object))


def test_missing_labels_among_several_classes_are_refused():
    with pytest.raises(ValueError, match="y has no label in row 1, but None"):
        separability([[0.0], [1.0], [2.0]], ["ash", None, "oak"], multi_class="ovr")
