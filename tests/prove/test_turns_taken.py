"""Which way a proof takes where several lead to the same answer, and how much it does on it."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from test_audit_mixing import mixed
from test_audit_mixing import separable as separable_shards
from test_clash_steps import LABELS, LINE, parts_of
from test_hyperplane_search import search_of
from test_nearest_points import CountingSystem, refuse, signed_rows

from rosenblatt import Perceptron, audit
from rosenblatt.prove.exact import span
from rosenblatt.prove.exact.linear_algebra import in_span
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.margin import augmented_lagrangian, exact_margin, nearest_points
from rosenblatt.prove.margin.class_hulls import ClassHulls
from rosenblatt.prove.margin.margin_bounds import Proposal
from rosenblatt.prove.mistakes import disjoint_clashes, hyperplane_search
from rosenblatt.prove.mistakes.disjoint_clashes import ClashPacking
from rosenblatt.prove.mistakes.distance_from_best import distance_from_best
from rosenblatt.prove.mistakes.great_circle_search import Candidate, _CircleSearch, _IntegerMargins
from rosenblatt.prove.separability.split_program import find_spanning_dependence
from rosenblatt.prove.time_limit import Clock

# Exact rows


@pytest.mark.parametrize(("given", "solved"), [(2, True), (3, False)])
def test_rows_are_solved_for_while_normals_cost_more(given, solved, monkeypatch):
    """Of 20 columns and a vector, 19 normals: in the time of as many, 2 rows are solved for, and not 3."""
    asked = []
    monkeypatch.setattr(span, "in_span", lambda *vectors: asked.append(1) or in_span(*vectors))
    X = np.eye(4, 20)
    X[3] = 2 * X[0]
    problem = ExactProblem(X, [0, 1, 0, 1], False)
    found = span.rows_outside_span(problem, [problem.integer_row(0)], np.arange(1, 4)[-given:])
    assert found.tolist() == [1, 2][-given + 1 :]
    assert bool(asked) == solved


@pytest.mark.parametrize("bits", range(20, 45))
def test_sums_of_products_do_not_overflow(bits):
    """Eight products of 30 bits and as many as w has: beyond 63 bits in all, machine integers are too short."""
    exact = _IntegerMargins([[2**30 - 1] * 8, [1 - 2**30] * 8])
    most = 8 * (2**30 - 1) * (2**bits - 1)
    assert [int(value) for value in exact.margins([2**bits - 1] * 8)] == [most, -most]
    assert exact.signs([2**bits - 1] * 8).tolist() == [1, -1]


def test_short_sums_are_made_in_machine_integers():
    """62 bits, less those of the longest number and of the count of columns."""
    exact = _IntegerMargins([[2**30 - 1] * 8])
    assert exact.margins([2**28 - 1] * 8).dtype == np.int64
    assert exact.margins([2**28] * 8).dtype == object


def test_shares_of_a_spanning_dependence_are_alike():
    """The rows of a basis, times their multipliers, have sizes between 1/2 and 2 times 1024, however long they are."""
    rows = [[1, 0], [-1, 0], [0, 10**30], [0, -(10**30)]]
    floats = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    found = find_spanning_dependence(floats, rows, Clock(None))
    sizes = [multiplier * max(map(abs, rows[row])) for row, multiplier in zip(*found, strict=True)]
    assert 512 <= min(sizes) <= max(sizes) < 2048
    assert not any(
        sum(m * value for m, value in zip(found.multipliers, column, strict=True))
        for column in zip(*(rows[row] for row in found.rows), strict=True)
    )


# Nearest points


@pytest.mark.parametrize("sparse", [True, False])
def test_alternations_that_reach_the_tolerance_are_the_answer(sparse, monkeypatch):
    """Otherwise the augmented Lagrangian goes on from what they found."""
    monkeypatch.setattr(nearest_points, "MAX_DIRECT_SIZE", 2)
    monkeypatch.setattr(nearest_points, "IterativeSystem", lambda *given: "system")
    rows, sides = signed_rows(0)
    rows = scipy.sparse.csr_matrix(rows) if sparse else rows
    started = []
    monkeypatch.setattr(nearest_points, "solve_augmented_lagrangian", lambda *given: started.append(given) or "better")
    for gap, answer in ((0.9e-3, "found"), (1e-3, "better")):
        found = SimpleNamespace(gap=gap)
        monkeypatch.setattr(nearest_points, "solve_alternating", lambda *given, found=found: found)
        answers = {"found": found, "better": "better"}
        assert nearest_points.solve_nearest_points(rows, sides, 1e-3, Clock(None)) == answers[answer]
    assert [given[:2] + given[3:] for given in started] == [("system", 1e-3, found)]


@pytest.mark.parametrize(("precision", "solved"), [(0.09, 0), (0.1, 1)])
def test_a_minimum_is_left_at_once_except_in_the_first_round(precision, solved):
    """There one step is made in any case."""
    rows, sides = signed_rows(2)
    system = CountingSystem(rows, sides)
    u, alpha = augmented_lagrangian._minimise(
        system, np.zeros(5), augmented_lagrangian.balance_weights(np.ones(30), sides), 10.0, 1e-9
    )
    start = np.maximum(alpha - 10.0 * system.times(u), 0.0)  # the multipliers of which u is the minimum
    system.solved = 0
    again, _ = augmented_lagrangian._minimise(system, u, start, 10.0, precision)
    assert system.solved <= solved
    np.testing.assert_allclose(again, u, atol=1e-6)


def test_the_known_sigma_goes_back_three_rounds():
    rows, sides = signed_rows(3)
    known = Proposal(np.ones(30), np.ones(3), sigma=64000.0)
    assert augmented_lagrangian._first_multipliers(CountingSystem(rows, sides), known)[1] == 1000.0


@pytest.mark.parametrize(("fit_intercept", "pair"), [(True, (1, 0)), (False, (0, -1))])
def test_exact_pairs_start_with_the_first_rows_of_both_classes(fit_intercept, pair):
    hulls = ClassHulls(np.array([[1.0], [2.0], [3.0]]), [0, 1, 1], fit_intercept, None)
    assert exact_margin._first_pair(hulls) == {pair: 1}


# Clashes


def test_packing_ends_after_five_clashes_in_a_row_that_are_refuted(monkeypatch):
    """A clash that is proved starts the count anew."""
    search, rows, floats = parts_of(LINE, LABELS)
    packing = ClashPacking(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
    proved = iter([False] * 4 + [True] + [False] * 99)
    taken, shuffled = [], []

    def take(rows):
        taken.append(rows)
        return next(proved)

    packing._take = take
    packing._program = SimpleNamespace(find=lambda: [1, 2], shuffle=lambda: shuffled.append(1))
    packing.pack(9, Clock(None))
    assert (len(taken), len(shuffled), packing.complete) == (10, 9, True)


def test_four_clashes_are_given_up_at_a_time():
    search, rows, floats = parts_of(np.arange(24.0)[:, None], np.arange(24) % 2)
    for packed, given_up in ((7, 4), (3, 3)):
        packing = ClashPacking(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
        packing.pack(packed, Clock(None))
        left = []
        packing.pack = lambda enough, clock, watch, packing=packing, left=left: left.append(len(packing.found))
        before = [found.clash for found in packing.found]
        packing.replace(9, Clock(None))
        assert left == [packed - given_up]
        assert sorted(found.clash.rows for found in packing.found) == sorted(clash.rows for clash in before)
    assert disjoint_clashes.CLASHES_REPLACED == 4


def test_packings_that_are_not_complete_go_on(monkeypatch):
    """Overlapping clashes wait until no disjoint one is left, even where they would be next."""
    search, done = search_of(LINE, LABELS), []
    search.best.mistakes, search.lower = 2, 0
    packing = SimpleNamespace(complete=False, found=[])
    monkeypatch.setattr(search, "_search_elsewhere", lambda *given: None)
    monkeypatch.setattr(hyperplane_search, "OverlappingClashes", refuse)

    def replace(rows, packing):
        done.append("pack")
        search.lower += len(done) > 1

    monkeypatch.setattr(search, "_replace_clashes", replace)
    search._use_time_left(None, np.zeros((1, 2)), packing)
    assert done == ["pack"] * 3


# Rays


def test_a_ray_is_settled_if_as_many_rows_are_on_it_as_expected():
    rows = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]]
    search = _CircleSearch(rows, np.ones(5, dtype=np.int32), 6, Clock(None), None)
    assert search.decide([0, 0, 1]) == 3
    assert search.best == 0
    assert search.decide([1, 0, -1]) == 1
    assert search.decide_ray([rows[0], rows[1]], None, 3) is True
    assert search.decide_ray([rows[0], rows[1]], None, 2) is False
    assert search.decide_ray([rows[0], rows[0]], None, 1) is False  # a plane, not a ray


@pytest.mark.parametrize("below", [0, 1, 2])
def test_mistakes_at_a_ray_and_near_it_add_up(below):
    """At (0, 1) row 2 is wrong and rows 0 and 1, which are opposite, vanish: one of them is wrong nearby."""
    rows, weights = [[1, 0], [0, 1], [0, -1]], np.array([1, 5, 3], dtype=np.int32)
    search = _CircleSearch(rows, weights, 3 + below, Clock(None), None)
    asked = []
    search.search_near_ray = lambda vanishing, below: asked.append(below) or Candidate(1, [1, 0])
    assert search.decide([0, 1]) == 1
    assert asked == ([below] if below else [])
    assert search.best == (4 if below == 2 else 3 + below)
    assert (search.found is None) == (below != 2)


# Results


def test_two_classes_have_one_distance_whatever_a_model_calls_them():
    """Trained jointly or not, two classes have one hyperplane."""
    for kind in ("ovr", "joint"):
        model = SimpleNamespace(coef_=np.array([[1.0]]), intercept_=[-0.5], classes_=np.arange(2), multi_class_=kind)
        found = distance_from_best(model, [[0.0], [1.0], [2.0]], [0, 1, 1])
        assert (found.mistakes, found.at_most) == (0, 0)


def test_mixed_audits_show_the_curve_of_their_norms():
    X, y = separable_shards(5)
    report = audit(mixed(Perceptron(order="cyclic"), X, y, rows=11), X, y)
    assert "||w||^2 after each epoch, below its bound" in report._repr_html_()
    assert report._repr_html_().count("<polyline") == 2
    nothing = type(report)(True, 0, Fraction(0), report.bound, report.record)
    assert "<svg" not in nothing._repr_html_()
