"""Which way is taken at which size, just at the size and just beyond it, with the parts replaced by notes."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array
from test_audit_mixing import mixed, separable
from test_hyperplane_search import FixedClock, search_of

from rosenblatt import Perceptron, audit, minimum_mistakes, mistake_bound, separating_degree
from rosenblatt.parts.features import IDENTITY
from rosenblatt.prove.certificates.certificate import InvalidCertificate, parse_fraction
from rosenblatt.prove.exact.hyperplane import Hyperplane
from rosenblatt.prove.margin import max_margin, nearest_points
from rosenblatt.prove.mistakes import hyperplane_search
from rosenblatt.prove.mistakes import minimum_mistakes as minimum
from rosenblatt.prove.mistakes.audit import _printed_places
from rosenblatt.prove.mistakes.clash_exchange import _rows_to_try
from rosenblatt.prove.mistakes.local_search import _Directions
from rosenblatt.prove.separability import overlap, split_at_once, tucker_split
from rosenblatt.prove.separability.separability import _list_items
from rosenblatt.prove.time_limit import Clock, OutOfTime

LINE = np.arange(4.0)[:, None], [0, 1, 0, 1]


class Noted:
    """Notes what it is called with."""

    def __init__(self, answer=None):
        self.given, self.answer = [], answer

    def __call__(self, *given, **named):
        self.given.append(given)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def zeros(*shape):
    """A matrix of any shape, in the memory of one number."""
    return np.broadcast_to(0.0, shape)


# Separability


@pytest.mark.parametrize(("size", "peeled"), [(100, 0), (101, 1)])
def test_rows_of_more_than_100_columns_are_peeled(size, peeled, monkeypatch):
    asked = Noted(False)
    monkeypatch.setattr(tucker_split, "_split_in_rounds", Noted("split"))
    problem = SimpleNamespace(size=size, features=IDENTITY, has_one_sided_columns=asked)
    assert tucker_split.split_rows(problem, Clock(None)) == "split"
    assert len(asked.given) == peeled


@pytest.mark.parametrize(("size", "at_once"), [(300, 0), (301, 1)])
def test_rows_of_more_than_300_columns_are_split_at_once(size, at_once, monkeypatch):
    tried = Noted()
    monkeypatch.setattr(tucker_split, "_split_at_once", tried)
    problem = SimpleNamespace(size=size, zero_rows=Noted(OutOfTime()))
    with pytest.raises(OutOfTime):
        tucker_split._split_in_rounds(problem, Clock(None))
    assert len(tried.given) == at_once


@pytest.mark.parametrize(("size", "most", "new"), [(1, 4_000_000, 32), (3, 1_333_333, 36), (10**5, 50, 50)])
def test_four_million_numbers_join_at_once(size, most, new):
    """Or 50 rows, however long they are; wrong rows are at most 30 and 2 a column."""
    problem = SimpleNamespace(size=size)
    assert (tucker_split._max_rows_at_once(problem), tucker_split._max_new_rows(problem)) == (most, new)


@pytest.mark.parametrize(
    ("stored", "rows", "suits"),
    [(4_000_000, 10**6, True), (4_000_001, 10**6, False), (2500, 100, True), (2501, 100, False)],
)
def test_sparse_rows_are_split_at_once(stored, rows, suits):
    """Up to 4,000,000 numbers, and a quarter of all places."""
    problem = SimpleNamespace(view=SimpleNamespace(stored_values=stored), rows=rows, columns=100)
    assert split_at_once.suits(problem) is suits


@pytest.mark.parametrize(("rows", "guessed"), [(10_000_000, True), (10_000_001, False)])
def test_twins_are_guessed_among_thirty_million_numbers(rows, guessed, monkeypatch):
    asked = Noted("w")
    monkeypatch.setattr(split_at_once, "separate_modulo", asked)
    groups, labels = np.array([0, 0, 1, 2]), np.array([1, -1, 1, -1])
    problem = SimpleNamespace(row_groups=lambda: groups, labels=labels, rows=rows, size=3)
    found = split_at_once.guess_by_twins(problem, Clock(None))
    assert (found is not None) == guessed
    assert [given[1] for given in asked.given] == [[0, 1]] * guessed


@pytest.mark.parametrize(("exponent", "fits"), [(128, True), (129, False)])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_numbers_of_128_binary_digits_are_added_exactly(exponent, fits, form):
    X = np.array([[0.0, -1.0], [2.0**exponent, 3.0]])
    assert overlap._fits_exact_sums(form(X)) is fits
    assert overlap._fits_exact_sums(form(0 * X))


def test_overlap_is_looked_for_in_64_steps(monkeypatch):
    asked = Noted(False)
    monkeypatch.setattr(overlap, "has_clash", asked)
    assert not overlap.proves_overlap(*map(np.array, LINE), True)
    [(_, limit)] = asked.given
    for _ in range(64):
        limit.check()
    with pytest.raises(OutOfTime):
        limit.check()


def test_six_items_are_listed():
    assert _list_items("row", list(range(6)), str) == "rows 0, 1, 2, 3, 4 and 5"
    assert _list_items("row", list(range(7)), str) == "rows 0, 1, 2, 3, 4, 5 and 1 more"


def test_degrees_up_to_5_are_tried():
    """Classes that alternate along a line of 8 points need degree 7."""
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    assert sorted(separating_degree(X, y).verdicts) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("digits", "accepted"), [(1_000_000, True), (1_000_001, False)])
def test_fractions_have_a_million_digits_at_most(digits, accepted):
    text = "1".zfill(digits)
    if accepted:
        assert parse_fraction(text) == 1
    else:
        with pytest.raises(InvalidCertificate):
            parse_fraction(text)


# Margins


@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
def test_newtons_equations_are_factored_for_1200_rows_or_columns(sparse, fits, monkeypatch):
    """Sparse rows are written out up to 20,000,000 numbers."""
    direct, slow = Noted("direct"), Noted(SimpleNamespace(gap=0.0))
    monkeypatch.setattr(nearest_points, "_solve_directly", direct)
    monkeypatch.setattr(nearest_points, "IterativeSystem", Noted())
    monkeypatch.setattr(nearest_points, "solve_alternating", slow)
    monkeypatch.setattr(nearest_points, "is_sparse", lambda rows: sparse)
    whole = 20_000_000 if fits else 20_000_001
    shapes = [(1200, 1300), (1300, 1200)] if fits else [(1201, 1201)]
    shapes += [(1, whole)] if sparse else []
    for shape in shapes:
        rows = SimpleNamespace(shape=shape, toarray=Noted())
        nearest_points.solve_nearest_points(rows, None, 1e-3, Clock(None))
    assert (len(direct.given), len(slow.given)) == ((len(shapes), 0) if fits else (0, len(shapes)))


@pytest.mark.parametrize(("columns", "growing"), [(1200, 1), (1201, 0)])
def test_rows_grow_in_number_up_to_1200_columns(columns, growing, monkeypatch):
    grown, whole = Noted("grown"), Noted("whole")
    monkeypatch.setattr(max_margin, "_solve_growing_set", grown)
    monkeypatch.setattr(max_margin, "solve_nearest_points", whole)
    hulls = SimpleNamespace(largest=1.0, X=zeros(9, columns), sides=None, signed_rows=Noted())
    max_margin._solve_in_floats(hulls, Clock(None))
    assert (len(grown.given), len(whole.given)) == (growing, 1 - growing)


@pytest.mark.parametrize(("largest", "held"), [(1.1e-100, True), (1e-100, False), (0.9e100, True), (1e100, False)])
def test_floats_hold_the_squares_of_most_numbers(largest, held, monkeypatch):
    monkeypatch.setattr(max_margin, "_solve_growing_set", Noted("grown"))
    hulls = SimpleNamespace(largest=largest, X=zeros(9, 3))
    assert max_margin._solve_in_floats(hulls, Clock(None)) == ("grown" if held else None)


# Mistakes


@pytest.mark.parametrize(("rows", "large"), [(5000, False), (5001, True)])
def test_a_gram_matrix_is_of_5000_rows(rows, large):
    found = _Directions(np.ones((rows, 1)), np.ones(rows, dtype=np.int32), np.random.default_rng(0))
    assert found.large is large
    assert found.root == pytest.approx(np.array([[5000**-0.5]]), rel=1e-5)


def test_exchanges_try_four_million_products():
    """And one row more. A row has its columns and a constant."""
    for columns, most in ((0, 4_000_001), (1, 1_000_001)):
        assert len(_rows_to_try(np.zeros(most), columns)) == most
        assert len(_rows_to_try(np.zeros(most + 1), columns)) == most


@pytest.mark.parametrize(("members", "searched"), [(10_000_000, True), (10_000_001, False)])
def test_local_searches_are_of_thirty_million_numbers(members, searched, monkeypatch):
    search = search_of(*LINE)
    search.problem = SimpleNamespace(size=3)
    search.best = SimpleNamespace(try_pocket=Noted())
    closed, counted = Noted(), Noted()
    monkeypatch.setattr(hyperplane_search, "merge_rows", Noted(SimpleNamespace(members=range(members))))
    monkeypatch.setattr(hyperplane_search, "immediate_clashes", Noted([]))
    search._close_gap, search._count_exhaustively, search._unit_rows = closed, counted, Noted()
    search._bound_mistakes(None)
    assert (len(closed.given), len(counted.given)) == (searched, not searched)
    assert search.best.try_pocket.given == [(0.5,)]


@pytest.mark.parametrize(("seconds", "pocket"), [(1.0, 0.25), (2.0, 0.5), (9.0, 0.5)])
def test_a_quarter_of_the_time_or_half_a_second_is_for_training(seconds, pocket, monkeypatch):
    search = search_of(*LINE, clock=FixedClock(seconds))
    search.best = SimpleNamespace(try_pocket=Noted(OutOfTime()))
    with pytest.raises(OutOfTime):
        search._bound_mistakes(np.arange(4))
    assert search.best.try_pocket.given == [(pocket,)]


@pytest.mark.parametrize(("circles", "too_many"), [(10**12, False), (10**12 + 1, True)])
def test_a_search_with_a_time_limit_looks_at_a_million_million_circles(circles, too_many, monkeypatch):
    monkeypatch.setattr(hyperplane_search, "count_circles", Noted(circles))
    assert search_of(*LINE, clock=Clock(60))._has_too_many_circles(SimpleNamespace(members=range(9))) is too_many


@pytest.mark.parametrize(("rows", "steps"), [(11_980, 2999), (11_984, 3000), (11_988, 3000), (40, 14)])
@pytest.mark.parametrize(("left", "allowed"), [(1000.0, 5.0), (8.0, 2.0)])
def test_the_first_local_search_has_3000_steps_and_5_seconds(rows, steps, left, allowed, monkeypatch):
    """Or 4 steps a column and one for 4 rows, and a quarter of the time."""
    searched, clock = Noted("w"), FixedClock(left)
    clock.at_most = Noted("part")
    search = search_of(*LINE, clock=clock)
    monkeypatch.setattr(hyperplane_search, "search_circles_at_random", searched)
    merged = SimpleNamespace(weights=np.ones(rows))
    search.best = SimpleNamespace(unit_weights=lambda: np.ones(1))
    assert search._search_locally(merged, np.ones((rows, 1))) == "w"
    assert searched.given[0][3:] == (steps, 0, "part")
    assert clock.at_most.given == [(allowed,)]


def test_without_a_time_limit_thirty_idle_turns_are_made(monkeypatch):
    search, turns = search_of(*LINE), Noted()
    search.best.mistakes, search.lower = 2, 0
    monkeypatch.setattr(search, "_search_elsewhere", turns)
    monkeypatch.setattr(search, "_replace_clashes", Noted())
    search._use_time_left(None, np.zeros((1, 2)), SimpleNamespace(complete=False, found=[]))
    assert len(turns.given) == 30


def test_each_bound_has_a_second_a_turn(monkeypatch):
    clock = FixedClock(9.0)
    clock.at_most = Noted(FixedClock(0.0))
    search = search_of(*LINE, clock=clock)
    search.best.mistakes, merged = 2, SimpleNamespace(unavoidable_mistakes=0)
    search._replace_clashes(merged, SimpleNamespace())
    search._share_clashes(merged, SimpleNamespace(bound=0))
    assert clock.at_most.given == [(1.0,), (1.0,)]


def test_a_line_is_due_every_two_seconds(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(hyperplane_search, "time", SimpleNamespace(monotonic=lambda: now[0]))
    progress = hyperplane_search.ProgressPrinter(1)
    for second, printed in ((101.9, 0), (102.0, 1), (103.9, 0), (104.5, 1), (106.0, 0), (106.5, 1)):
        now[0] = second
        progress.print_if_due(lambda: "all")
        assert len(capsys.readouterr().err.splitlines()) == printed


# What is shown, and what is taken if nothing is said


def test_thirteen_lines_of_an_audit_are_chosen():
    assert _printed_places(12) == list(range(12))
    assert _printed_places(13) == [0, 1, 3, 7, 12]


@pytest.mark.parametrize("epochs", [20, 21, 22])
def test_twenty_epochs_of_an_audit_are_shown(epochs):
    """The last one is always among them."""
    X, y = separable(5)
    report = audit(mixed(Perceptron(order="cyclic"), X, y, rows=11), X, y)
    table = {name: np.arange(1.0, epochs + 1) for name in report.record}
    lines = str(replace(report, record=table)).splitlines()
    assert [int(line.split()[0]) for line in lines[1:-1]] == [*range(1, 20), epochs]


@pytest.mark.parametrize(("terms", "rest"), [(12, ""), (13, " + (1 more terms)")])
def test_twelve_terms_of_a_hyperplane_are_printed(terms, rest):
    text = str(Hyperplane((Fraction(2),) * terms, Fraction(0)))
    assert text.endswith(f"{rest} = 0")
    assert ("more" in text) == bool(rest)


def test_a_minute_is_allowed_if_nothing_is_said(monkeypatch):
    clock = Noted(Clock(None))
    monkeypatch.setattr(minimum, "Clock", clock)
    found = minimum_mistakes(*LINE)
    assert clock.given == [(60.0,)]
    assert found.fit_intercept


def test_bounds_are_of_plain_perceptrons_if_nothing_is_said():
    """Through an offset of coordinate 1, with steps of 1 and no margin: the radius of (3, 1) is the root of 10."""
    X, y = [[3.0], [-3.0]], [1, 0]
    plain = mistake_bound(X, y)
    assert plain.bound == mistake_bound(X, y, True, 1.0, margin=0.0, eta0=1.0).bound
    assert plain.radius == pytest.approx(10**0.5)
    assert plain.slack == 0
    assert mistake_bound(X, y, margin=2.0).slack == pytest.approx(2 * 2.0)  # 2 c margin / eta0
