"""The recent scores of a stream: the last 10,000 rows, in blocks of any size, with copies that stay as they are."""

import numpy as np

from rosenblatt.training.online.class_registry import ClassRegistry
from rosenblatt.training.online.recent_scores import MAX_RECENT_ROWS, SPARE_ROWS, RecentScores


def filled(blocks):
    """The recent scores after blocks of so many rows, whose scores are 0, 1, 2 and so on."""
    recent, row = RecentScores(), 0
    for rows in blocks:
        recent.add(np.arange(row, row + rows, dtype=np.float64)[:, None], np.arange(row, row + rows) % 2)
        row += rows
    return recent


def test_the_last_rows_are_kept_however_they_arrive():
    rows = 2 * MAX_RECENT_ROWS + SPARE_ROWS
    for blocks in ([rows], [1] * rows, [MAX_RECENT_ROWS, 7, rows - MAX_RECENT_ROWS - 7]):
        scores, met = filled(blocks).arrays()
        assert scores[:, 0].tolist() == list(range(rows - MAX_RECENT_ROWS, rows))
        assert (met == scores[:, 0] % 2).all()


def test_a_copy_stays_as_it_is_and_can_go_on():
    recent = filled([MAX_RECENT_ROWS + 3])
    copy = recent.copy()
    before = copy.arrays()[0].copy()
    for score in range(2 * SPARE_ROWS):
        recent.add(np.full((1, 1), -1.0 - score), np.zeros(1, np.intp))
    assert (copy.arrays()[0] == before).all()
    copy.add(np.full((1, 1), 0.5), np.ones(1, np.intp))
    assert recent.arrays()[0][-1, 0] == -2.0 * SPARE_ROWS
    assert copy.arrays()[0][-1, 0] == 0.5


def test_a_copy_shares_its_rows():
    """A service copies after each learned row, so a copy must not cost more where there are more rows."""
    recent = filled([MAX_RECENT_ROWS])
    assert np.shares_memory(recent.copy().arrays()[0], recent.arrays()[0])


def test_another_number_of_planes_begins_anew_and_no_rows_make_no_sample():
    recent, classes = filled([3]), ClassRegistry()
    recent.clear()
    assert recent.sample(classes).rows == 0
    recent.add(np.ones((2, 3)), np.zeros(2, np.intp))
    assert recent.arrays()[0].shape == (2, 3)


def test_scores_that_overflow_are_left_out():
    recent = RecentScores()
    recent.add(np.array([[1.0], [np.inf], [2.0]]), np.array([0, 1, 1]))
    scores, met = recent.arrays()
    assert (scores[:, 0].tolist(), met.tolist()) == ([1.0, 2.0], [0, 1])
