"""Proposals of floats, held to slow truths. Exact arithmetic checks them, so that a bad one would cost only time."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import separability
from rosenblatt.prove.exact.merged_rows import merge_rows
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.mistakes import best_hyperplane, local_search
from rosenblatt.prove.mistakes.best_hyperplane import BestHyperplane
from rosenblatt.prove.mistakes.clash import make_clash
from rosenblatt.prove.mistakes.disjoint_clashes import ClashPacking
from rosenblatt.prove.separability import gordan, perceptron_proposal
from rosenblatt.prove.separability.one_sided_columns import add_peeled_columns, peel_rows
from rosenblatt.prove.time_limit import Clock


def signed(problem):
    return np.array([problem.integer_row(row) for row in range(problem.rows)], dtype=float)


def separable(seed, rows=60, columns=3, margin=0.2):
    rng = np.random.default_rng(seed)
    X, w = rng.uniform(-1, 1, (rows, columns)), rng.standard_normal(columns)
    side = X @ w + 0.1
    X += margin * np.sign(side)[:, None] * w / np.linalg.norm(w)
    return X, (side > 0).astype(int)


# Circles


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_no_direction_of_a_circle_makes_fewer_mistakes(seed):
    rng = np.random.default_rng(seed)
    rows, weights = rng.integers(-4, 5, (rng.integers(1, 12), 3)).astype(float), None
    rows = rows[np.abs(rows).any(axis=1)]
    weights = rng.integers(1, 5, len(rows)).astype(np.int32)
    w, u = np.linalg.qr(rng.standard_normal((3, 2)))[0].T
    ends = np.arctan2(rows @ u, rows @ w)
    ends = np.sort(np.concatenate([ends - np.pi / 2, ends + np.pi / 2, ends + 3 * np.pi / 2]))
    middles = [(a + b) / 2 for a, b in pairwise(ends) if b - a > 1e-9]
    if not len(rows) or not middles:
        return
    angle = local_search.best_angle(rows @ w, rows @ u, weights)
    found = local_search.weigh_mistakes(rows, weights, np.cos(angle) * w + np.sin(angle) * u)
    counts = [local_search.weigh_mistakes(rows, weights, np.cos(t) * w + np.sin(t) * u) for t in middles]
    assert found == min(counts)


def test_the_middle_of_the_widest_arc_is_taken():
    """Right on both rows from -90 to 60 degrees: the middle is 15 degrees below the first."""
    rows = np.array([[1.0, 0.0], [np.cos(np.pi / 6), -np.sin(np.pi / 6)]])
    angle = local_search.best_angle(rows[:, 0], rows[:, 1], np.ones(2, dtype=np.int32))
    assert (angle + np.pi) % (2 * np.pi) - np.pi == pytest.approx(-np.pi / 12)


@pytest.mark.parametrize("step", range(12))
def test_directions_are_orthogonal_and_of_length_1(step):
    rng = np.random.default_rng(step)
    rows, w = rng.standard_normal((20, 3)), np.array([0.6, 0.0, 0.8])
    u = local_search._Directions(rows, np.ones(20, dtype=np.int32), rng).choose(w, rows @ w, step)
    assert abs(u @ w) < 1e-12
    assert np.linalg.norm(u) == pytest.approx(1)
    if step % 4 == 2:
        assert abs(np.linalg.det([w, u, np.eye(3)[step // 4]])) < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_a_search_ends_at_its_goal_and_never_below_its_starts(seed):
    X, y = separable(seed, margin=0.02)
    problem = ExactProblem(X, y, True)
    rows, weights = signed(problem), np.ones(60, dtype=np.int32)
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    rng = np.random.default_rng(seed)
    starts = [rng.standard_normal(4) for _ in range(3)]
    before = min(local_search.weigh_mistakes(rows, weights, w) for w in starts)
    for steps in (3, 30, 3000):
        found = local_search.search_circles_at_random(rows, weights, starts, steps, 0, Clock(None))
        after = local_search.weigh_mistakes(rows, weights, found)
        assert after <= before
    assert after == 0
    at_once = local_search.search_circles_at_random(rows, weights, starts, 3000, before, Clock(None))
    assert local_search.weigh_mistakes(rows, weights, at_once) == before


def test_a_plateau_is_left():
    """Rows of two opposite classes in many places: only a run that starts anew from its best finds the fewest."""
    rng = np.random.default_rng(7)
    X = rng.integers(-3, 4, (60, 4)).astype(float)
    y = rng.integers(0, 2, 60)
    problem = ExactProblem(X, y, True)
    merged = merge_rows(problem, range(60))
    rows = signed(problem)[merged.rows]
    start = [local_search.least_squares(rows, merged.weights)]
    few = local_search.search_circles_at_random(rows, merged.weights, start, 20, 0, Clock(None))
    many = local_search.search_circles_at_random(rows, merged.weights, start, 4000, 0, Clock(None))
    counts = [local_search.weigh_mistakes(rows, merged.weights, w) for w in (start[0], few, many)]
    assert counts == sorted(counts, reverse=True)
    assert counts[2] < counts[1]


# The best hyperplane so far


def test_the_larger_class_is_the_first_hyperplane():
    for y in ([0, 1, 1], [0, 0, 1], [0, 1]):
        best = BestHyperplane(ExactProblem(np.arange(len(y), dtype=float)[:, None], y, True))
        assert best.mistakes == min(y.count(0), y.count(1))
    assert BestHyperplane(ExactProblem(np.array([[1.0], [2.0]]), [0, 1], False)).mistakes == 2


def test_floats_are_taken_where_they_make_fewer_mistakes():
    X, y = separable(1)
    problem = ExactProblem(X, y, True)
    best = BestHyperplane(problem)
    first = best.mistakes
    for hopeless in (np.zeros(4), np.full(4, np.nan), np.full(4, np.inf)):
        best.try_floats(hopeless)
        assert best.mistakes == first
    w = np.array(perceptron_proposal.separate_by_perceptron(problem, Clock(None)), dtype=float)
    best.try_floats(-w)
    assert best.mistakes == first
    best.try_floats(w * 1e-200)
    assert best.mistakes == 0
    assert max(map(abs, best.w)) <= 2**8  # as short as it may be
    best.try_floats(-w)
    assert best.mistakes == 0
    assert np.abs(best.unit_weights()).max() == 1.0


def test_the_pocket_finds_few_mistakes():
    X, y = separable(2)
    best = BestHyperplane(ExactProblem(X, 1 - y, True))
    best.try_pocket(5.0)
    assert best.mistakes == 0


# The perceptron


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seconds", [None, 60.0])
@pytest.mark.parametrize("wide", [0, 2000])
def test_the_perceptron_separates_what_is_separable(fit_intercept, seconds, wide, monkeypatch):
    monkeypatch.setattr(perceptron_proposal, "MAX_WIDE_COLUMNS", wide)
    X, y = separable(3)
    y = y if fit_intercept else (X @ [1.0, 2.0, -1.0] > 0).astype(int)
    problem = ExactProblem(X, y, fit_intercept)
    w = perceptron_proposal.separate_by_perceptron(problem, Clock(seconds))
    assert len(problem.nonpositive_rows(w).rows) == 0
    assert (
        perceptron_proposal.separate_by_perceptron(ExactProblem(X, np.arange(60) % 2, fit_intercept), Clock(1)) is None
    )


@pytest.mark.parametrize(
    ("module", "ask"),
    [
        (best_hyperplane, lambda problem: BestHyperplane(problem).try_pocket(5.0)),
        (perceptron_proposal, lambda problem: perceptron_proposal.separate_by_perceptron(problem, Clock(None))),
        (perceptron_proposal, lambda problem: perceptron_proposal.separate_modulo(problem, [0], Clock(None))),
    ],
)
def test_a_ctrl_c_in_training_is_passed_on(module, ask, monkeypatch):
    """Training ends early and says so in its result."""
    problem, train = ExactProblem(*separable(6), True), module.train
    ask(problem)
    monkeypatch.setattr(module, "train", lambda *given, **options: replace(train(*given, **options), interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        ask(problem)


def test_training_goes_on_where_hardly_a_mistake_is_left(monkeypatch):
    monkeypatch.setattr(perceptron_proposal, "TRIAL_EPOCHS", 1)
    problem = ExactProblem(*separable(5, rows=300, columns=10, margin=0.01), True)
    w, wrong = perceptron_proposal._train(problem, 1, Clock(None))
    assert w is None
    assert wrong > 0
    for rows_per_mistake, goes_on in ((300 / wrong, True), (300 / wrong + 1, False)):
        monkeypatch.setattr(perceptron_proposal, "MIN_ROWS_PER_MISTAKE", rows_per_mistake)
        assert (perceptron_proposal.separate_by_perceptron(problem, Clock(None)) is not None) == goes_on


@pytest.mark.parametrize("seconds", [None, 60.0])
def test_the_perceptron_separates_the_rows_beside_a_plane(seconds):
    rng = np.random.default_rng(0)
    X = np.vstack([np.column_stack([rng.uniform(-1, 1, (6, 1)), np.zeros((6, 1))]), rng.uniform(0.2, 1, (20, 2))])
    y = np.append(np.arange(6) % 2, np.ones(20, dtype=int))
    problem = ExactProblem(X, y, True)
    w = perceptron_proposal.separate_modulo(problem, list(range(6)), Clock(seconds))
    margins = problem.sparse_floats().toarray() @ w * problem.labels
    assert np.abs(margins[:6]).max() < 1e-9
    assert margins[6:].min() > 0


def test_gordans_check_is_strict():
    assert gordan._separates([[1, 0], [1, 1]], [1, 0]) is True
    assert gordan._separates([[1, 0], [0, 1]], [1, 0]) is False


# One-sided columns


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_rows_peeled_off_are_right_and_others_keep_their_margins(seed, fit_intercept):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (12, 5)) * (rng.random((12, 5)) < 0.4) * 10.0 ** rng.integers(-3, 4, 5)
    problem = ExactProblem(X, np.arange(12) % 2, fit_intercept)
    peeling = peel_rows(problem)
    rows = np.array([problem.integer_row(row) for row in range(12)], dtype=object)
    w = [0] * problem.size
    for column in [*peeling.columns.tolist(), *([problem.size - 1] if fit_intercept else [])]:
        w[column] = int(rng.integers(-9, 10))
    before, after = rows @ np.array(w, dtype=object), rows @ np.array(add_peeled_columns(peeling, w), dtype=object)
    peeled = np.setdiff1d(np.arange(12), peeling.rows)
    assert all(after[row] > 0 for row in peeled)
    assert all(after[row] == before[row] for row in peeling.rows)
    left = rows[peeling.rows][:, peeling.columns] if len(peeling.rows) else np.zeros((0, 0))
    assert all((column > 0).any() and (column < 0).any() for column in left.T)


# Disjoint clashes


def packing(seed, rows=40, columns=2):
    rng = np.random.default_rng(seed)
    problem = ExactProblem(rng.integers(-3, 4, (rows, columns)).astype(float), rng.integers(0, 2, rows), True)
    merged = merge_rows(problem, range(rows))
    floats = signed(problem)[merged.rows]
    floats /= np.linalg.norm(floats, axis=1)[:, None]
    w = local_search.least_squares(floats, merged.weights)
    return problem, merged, ClashPacking(problem, merged, floats, w, Clock(None))


def assert_disjoint_clashes(problem, merged, found):
    clashes = [one.clash for one in found.found]
    used = [row for clash in clashes for row in clash.rows]
    left = [row for rows in found.members for row in rows]
    assert len(set(used)) == len(used)
    assert sorted(used + left) == sorted(row for rows in merged.members for row in rows)
    rows = problem.labels[:, None] * np.column_stack([problem._X, np.ones(problem.rows)])
    for clash in clashes:
        assert min(clash.multipliers) > 0
        assert not (np.array(clash.multipliers) @ rows[list(clash.rows)]).any()
    return left


@pytest.mark.parametrize("seed", range(8))
def test_packed_clashes_are_disjoint_and_leave_none(seed):
    problem, merged, found = packing(seed)
    seen = []
    found.pack(10**6, Clock(None), seen.append)
    assert found.complete
    left = assert_disjoint_clashes(problem, merged, found)
    assert seen[-1] == len(found.found) > 0
    labels = problem.labels[left]
    assert len(set(labels.tolist())) < 2 or separability(problem._X[left], labels).kind == "complete"


@pytest.mark.parametrize("seed", range(4))
def test_packing_ends_when_there_are_enough(seed):
    problem, merged, found = packing(seed)
    found.pack(2, Clock(None))
    assert len(found.found) == 2
    assert_disjoint_clashes(problem, merged, found)


def test_only_rows_that_clash_make_a_clash():
    problem = ExactProblem(np.array([[0.0], [1.0], [2.0], [3.0]]), [1, 0, 1, 0], True)
    assert make_clash(problem, [0, 2, 1]).multipliers == (1, 2, 1)
    assert make_clash(problem, [0, 1]) is None
    assert make_clash(problem, [0, 1, 3]) is None
