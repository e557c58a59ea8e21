"""The smallest degree that separates: its sentences, and the claims that verification refuses."""

from dataclasses import replace

import pytest

from rosenblatt import separating_degree

SQUARE, XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


def test_a_line_is_told_in_one_sentence():
    answer = separating_degree([[1], [3]], [0, 1])
    assert answer.degree == 1
    assert str(answer) == "Degree 1 separates: x1 - 2 = 0 has all rows strictly on their own sides."


@pytest.mark.parametrize(("y", "how"), [(XOR, "overlap"), ([0, 1, 1, 1], None)])
def test_degrees_end_at_the_last_that_may_be_tried(y, how):
    answer = separating_degree(SQUARE, y, max_degree=1)
    if how is None:
        assert answer.degree == 1
    else:
        assert answer.degree is None
        assert answer.hyperplane is None
        assert answer.explain() == f"No degree up to 1 separates: with degree 1 there is {how}."
        assert answer.verify(SQUARE, y)


def test_equal_rows_of_two_classes_end_the_search():
    answer = separating_degree([[0], [1], [1], [2]], [0, 0, 1, 1], max_degree=2)
    assert answer.twins == (1, 2)
    assert sorted(answer.verdicts) == [1]  # no higher degree is tried
    assert answer.explain() == "No degree separates: rows 1 and 2 are equal but of different classes."
    assert answer.verify([[0], [1], [1], [2]], [0, 0, 1, 1])
    apart = [[0], [1], [1.5], [2]]
    assert not answer.verify(apart, [0, 0, 1, 1])
    forged = replace(answer, verdicts=separating_degree(apart, [0, 1, 0, 1], max_degree=1).verdicts)
    assert not forged.verify(apart, [0, 1, 0, 1])
    assert forged.why_not == "No two rows of different classes are equal."


def test_quasi_complete_separation_is_named():
    answer = separating_degree([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 1]], [0, 0, 1, 1, 0], max_degree=1)
    assert answer.explain() == "No degree up to 1 separates: with degree 1 there is only quasi-complete separation."


def test_without_time_only_the_degrees_below_are_known():
    answer = separating_degree(SQUARE, XOR)
    undecided = replace(answer.verdicts[1], certificate={**answer.verdicts[1].certificate, "kind": "undecided"})
    open_ = replace(answer, degree=None, verdicts={1: answer.verdicts[1], 2: undecided})
    assert open_.undecided
    assert not answer.undecided
    assert open_.explain() == "Undecided at degree 2: the time limit ran out. No degree below it separates."


def test_claims_are_refused_for_what_is_wrong_with_them():
    answer = separating_degree(SQUARE, XOR)
    assert answer.verify(SQUARE, XOR)
    first, second = answer.verdicts[1], answer.verdicts[2]
    wrong = {
        "There is no verdict for degree 1.": replace(answer, verdicts={2: second}),
        "The verdict for degree 1 is about 'polynomial-2'.": replace(answer, verdicts={1: second, 2: second}),
        "The verdict for degree 2 is about None.": replace(answer, verdicts={1: first, 2: first}),
        "Degree 1 is overlap.": replace(answer, degree=1),
        "Degree 2 is complete.": replace(answer, degree=3, verdicts={**answer.verdicts, 3: second}),
    }
    for why, claim in wrong.items():
        assert not claim.verify(SQUARE, XOR)
        assert claim.why_not == why
    assert not answer.verify(SQUARE, [0, 0, 1, 1])
