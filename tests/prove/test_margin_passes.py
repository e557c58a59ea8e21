"""Passes over all rows for the widest margin: which rows are solved for, how well, and what is concluded."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from test_nearest_points import refuse

from rosenblatt import max_margin
from rosenblatt.prove.exact.row_norms import max_row_norm
from rosenblatt.prove.margin import max_margin as margins
from rosenblatt.prove.margin.class_hulls import ClassHulls
from rosenblatt.prove.margin.margin_bounds import Proposal
from rosenblatt.prove.time_limit import Clock, OutOfTime

FORMS = pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
BOTH = pytest.mark.parametrize("fit_intercept", [True, False])


def table(rows, columns=1):
    """Two classes on both sides of the first column, at distances from 1 to 2 of 0."""
    rng = np.random.default_rng(rows)
    X, y = rng.uniform(-1, 1, (rows, columns)), np.arange(rows) % 2
    X[:, 0] = (2 * y - 1) * rng.uniform(1, 2, rows)
    return X, y


class Told:
    """Solutions that are told: their gaps, and their directions if these matter."""

    def __init__(self, monkeypatch, gaps, directions=None):
        self.gaps, self.directions = iter(gaps), directions
        self.aims, self.sizes, self.starts = [], [], []
        monkeypatch.setattr(margins, "solve_nearest_points", self.solve)

    def solve(self, rows, sides, aim, clock, start=None):
        self.aims.append(aim)
        self.sizes.append(rows.shape[0])
        self.starts.append(start)
        w = np.eye(rows.shape[1])[0] if self.directions is None else self.directions[len(self.aims) - 1]
        return Proposal(np.full(rows.shape[0], 0.5), np.asarray(w), next(self.gaps), 64.0)


# How many rows, and how well


@pytest.mark.parametrize(
    ("rows", "columns", "first", "aim"), [(311, 1, 311, 2.5e-7), (312, 1, 104, 0.1), (336, 3, 112, 0.1)]
)
def test_large_tables_begin_with_100_rows_and_four_a_column(rows, columns, first, aim, monkeypatch):
    """And with a rough solution. Tables of less than three times as many rows are solved at once."""
    told = Told(monkeypatch, [2.0])
    margins._solve_growing_set(ClassHulls(*table(rows, columns), True, None), Clock(None))
    assert (told.sizes, told.aims, told.starts) == ([first], [aim], [None])


def test_solutions_aim_at_a_thirtieth_of_the_gap_until_it_is_small_enough(monkeypatch):
    """No row is nearer than those chosen: only the gap of the solution counts."""
    told = Told(monkeypatch, [0.09, 0.5, 0.006, 3e-5, 1e-7, 1e-8])
    found = margins._solve_growing_set(ClassHulls(*table(400), True, None), Clock(None))
    assert told.aims == pytest.approx([0.1, 0.003, 0.003, 0.0002, 1e-6, 2.5e-7], rel=1e-9)
    assert found.gap == 1e-8
    assert [start.gap for start in told.starts[1:]] == [0.09, 0.5, 0.006, 3e-5, 1e-7]
    assert {start.sigma for start in told.starts[1:]} == {64.0}


@pytest.mark.parametrize("gap", [1.0, 2.0, np.inf, np.nan])
def test_rows_that_overlap_end_the_passes(gap, monkeypatch):
    told = Told(monkeypatch, [gap])
    margins._solve_growing_set(ClassHulls(*table(400), True, None), Clock(None))
    assert len(told.aims) == 1


@BOTH
def test_rows_that_are_nearer_join(fit_intercept, monkeypatch):
    """The first direction is turned, and rows that it has not seen are spread along it."""
    X, y = table(600, 2)
    X[:, 1] *= np.abs(X[:, 0]) - 0.9
    hulls, w = ClassHulls(X, y, fit_intercept, None), np.array([0.6, 0.8])
    told = Told(monkeypatch, [0.1, 2.0], [w, w])
    asked = []
    monkeypatch.setattr(margins, "sample_hard_rows", lambda *given: asked.append(given) or given[1][:5])
    margins._solve_growing_set(hulls, Clock(None))
    own = (2 * y - 1) * (X @ w)
    chosen = hulls.hard_rows((2 * y - 1) * hulls.scores(margins._mean_direction(hulls)), 108)
    held = {label: own[chosen][y[chosen] == label].min() if fit_intercept else own[chosen].min() for label in (0, 1)}
    lacking = np.array([held[label] for label in y.tolist()]) - own
    [(hardness, nearer, most)] = asked
    np.testing.assert_allclose(hardness, -lacking)
    assert nearer.tolist() == np.flatnonzero(lacking > 2.5e-7 * abs(held[0] + held[1]) / 2).tolist()
    assert len(nearer) > 5
    assert most == 108
    assert told.sizes == [108, len({*chosen.tolist(), *nearer[:5].tolist()})]
    further = (lacking.max() / (abs(held[0] + held[1]) / 2) + 0.1) / 30
    assert told.aims == [0.1, pytest.approx(min(0.1, further))]
    np.testing.assert_allclose(told.starts[1].alpha.sum(), 0.5 * 108)


def test_passes_come_to_an_end(monkeypatch):
    """Where rows stay nearer, sixty passes are made."""
    told = Told(monkeypatch, [0.5] * 99)
    monkeypatch.setattr(margins, "sample_hard_rows", lambda hardness, nearer, most: nearer)
    monkeypatch.setattr(margins, "_least_margins", lambda *given: (1.5, 1.5))
    margins._solve_growing_set(ClassHulls(*table(400), True, None), Clock(None))
    assert len(told.aims) == 60


def test_least_margins_are_those_of_each_class():
    assert margins._least_margins(np.array([3.0, -1.0, 2.0]), np.array([1.0, -1.0, 1.0])) == (-1.0, 2.0)
    assert margins._least_margins(np.array([3.0, -1.0, 2.0]), None) == (-1.0, -1.0)


# Bounds


@FORMS
@pytest.mark.parametrize("length", [1.0, 5.0, 0.2])
def test_the_lower_bound_does_not_depend_on_the_length_of_w(form, length):
    """Rows at (0, 2) and (0, -4): the offset of a unit w is 1, and the margin 3."""
    hulls = ClassHulls(form(np.array([[0.0, 2.0], [0.0, -4.0], [7.0, 9.0]])), [1, 0, 1], True, None)
    w = np.array([0.0, length])
    offset, lower = margins._lower_bound(hulls, w, hulls.radius())
    assert offset == pytest.approx(length)
    assert 3.0 * (1 - 1e-13) < lower < 3.0
    slanted = margins._lower_bound(hulls, np.array([3.0, 4.0]) * length, hulls.radius())[1]
    assert slanted == pytest.approx(0.8 * 3.0)


@FORMS
def test_through_the_origin_the_offset_is_0(form):
    hulls = ClassHulls(form(np.array([[0.0, 2.0], [0.0, -4.0]])), [1, 0], False, None)
    offset, lower = margins._lower_bound(hulls, np.array([0.0, 1.0]), hulls.radius())
    assert offset == 0.0
    assert 2.0 * (1 - 1e-13) < lower < 2.0


@BOTH
@FORMS
def test_errors_of_a_bound_are_a_few_rounding_errors_a_column(form, fit_intercept):
    """Numbers of few bits have exact margins, so that the whole difference is the allowance for errors."""
    X, y = np.tile([[1.0, 0.0], [-1.0, 0.0]], (1, 20)), [1, 0]
    hulls = ClassHulls(form(X), y, fit_intercept, None)
    w = np.tile([0.25, 0.0], 20)
    truth, terms = np.sqrt(20.0), 20 if form is scipy.sparse.csr_matrix else 40
    lower = margins._lower_bound(hulls, w, hulls.radius())[1]
    unit = np.finfo(float).eps / 2 * truth
    assert (terms + 40) * unit < truth - lower < (terms + 80) * unit
    alpha = np.full(2, 0.5)
    upper = margins._upper_bound(hulls, np.arange(2), alpha, hulls.radius())
    assert 40 * unit < upper - truth < 110 * unit


@pytest.mark.parametrize(
    ("sides", "alpha", "error"),
    [
        (None, [0.5, 0.25, 0.25], 0.0),
        (None, [0.5, 0.25, 0.5], 0.25),
        (None, [0.5, 0.125, 0.125], 0.25),
        ([1.0, -1.0, -1.0], [0.5, 0.25, 0.25], 0.0),
        ([1.0, -1.0, -1.0], [0.75, 0.25, 0.125], 0.375),
        ([1.0, -1.0, -1.0], [0.25, 0.5, 0.25], 0.5),
    ],
)
def test_sums_of_weights_differ_from_their_targets(sides, alpha, error):
    hulls = SimpleNamespace(sides=None if sides is None else np.array(sides))
    assert margins._weight_sum_error(hulls, np.arange(3), np.array(alpha)) == error


@pytest.mark.parametrize("w", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 0.0], [-1.0, 0.0]])
def test_directions_that_do_not_separate_prove_nothing(w):
    hulls = ClassHulls(np.array([[2.0, 0.0], [-4.0, 0.0]]), [1, 0], True, None)
    assert margins._prove_bounds(hulls, Proposal(np.array([0.5, 0.5]), np.array(w))) is None
    found = margins._prove_bounds(hulls, Proposal(np.array([0.5, 0.5]), np.array([9.0, 0.0])))
    assert found.margin == pytest.approx(3.0)
    assert found.support.weights.tolist() == [1.0, 1.0]


def test_weights_of_the_origins_hull_have_the_sum_1():
    hulls = ClassHulls(np.array([[2.0, 0.0], [-2.0, 0.0]]), [1, 0], False, None)
    found = margins._prove_bounds(hulls, Proposal(np.array([0.25, 0.75]), np.array([9.0, 0.0])))
    assert found.support.weights.tolist() == [0.25, 0.75]
    assert found.upper >= found.margin


# Which way is taken


@pytest.mark.parametrize(("size", "tried"), [(1e-100, False), (1.1e-100, True), (0.9e100, True), (1e100, False)])
def test_squares_must_stay_in_the_range_of_floats(size, tried, monkeypatch):
    told = Told(monkeypatch, [0.0])
    hulls = ClassHulls(np.array([[size], [-size]]), [1, 0], True, None)
    assert (margins._solve_in_floats(hulls, Clock(None)) is not None) == tried
    assert len(told.aims) == tried


def test_wide_tables_aim_at_half_of_the_largest_gap(monkeypatch):
    told = Told(monkeypatch, [0.0])
    hulls = ClassHulls(np.eye(2, 1201), [1, 0], True, None)
    margins._solve_in_floats(hulls, Clock(None))
    assert told.aims == [5e-7]


@pytest.mark.parametrize(("gap", "exact"), [(0.9e-6, False), (1e-6, True)])
def test_bounds_that_are_apart_are_found_again_in_exact_arithmetic(gap, exact, monkeypatch):
    """The weights of the proposal are the start."""
    plans = []
    monkeypatch.setattr(margins, "_prove_bounds", lambda hulls, proposal: SimpleNamespace(gap=gap))
    monkeypatch.setattr(margins, "exact_margin", lambda hulls, plan, clock: plans.append(plan) or "exact")
    monkeypatch.setattr(margins, "separability", refuse)
    found = max_margin([[2.0], [-4.0]], [1, 0])
    assert (found == "exact") == exact
    assert plans == ([{(0, 1): 1}] if exact else [])


def test_without_time_for_exact_arithmetic_the_bounds_of_floats_are_told(monkeypatch):
    def out_of_time(hulls, plan, clock):
        raise OutOfTime

    known = SimpleNamespace(gap=0.5)
    monkeypatch.setattr(margins, "exact_margin", out_of_time)
    monkeypatch.setattr(margins, "_prove_bounds", lambda hulls, proposal: known)
    assert max_margin([[2.0], [-4.0]], [1, 0]) is known
    monkeypatch.setattr(margins, "_prove_bounds", lambda hulls, proposal: None)
    undecided = max_margin([[2.0], [-4.0]], [1, 0])
    assert (bool(undecided), undecided.upper, str(undecided)) == (False, np.inf, margins.UNDECIDED)
    overlap = max_margin([[2.0], [-4.0], [5.0]], [1, 0, 0])
    assert (bool(overlap), overlap.margin, overlap.upper) == (False, 0.0, 0.0)
    assert str(overlap).startswith("Overlap: ")


def test_the_radius_is_that_of_the_longest_row():
    hulls = ClassHulls(np.array([[3.0, 4.0], [1.0, 1.0]]), [1, 0], True, None)
    assert hulls.radius() == max_row_norm(hulls.X) == pytest.approx(5.0)
