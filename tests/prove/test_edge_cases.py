"""Which way is taken, and the sentences and proofs at its end."""

import numpy as np
import pytest
import scipy.sparse
from test_audit_mixing import mixed
from test_audit_mixing import separable as separable_shards
from test_clash_steps import parts_of
from test_hyperplane_search import search_of
from test_quick_ways import two_classes

from rosenblatt import Perceptron, audit, separability
from rosenblatt.prove.exact.linear_algebra import weighted_sum
from rosenblatt.prove.exact.merged_rows import merge_rows
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.exact.span import rows_outside_span
from rosenblatt.prove.margin import max_margin as margins
from rosenblatt.prove.margin import nearest_points
from rosenblatt.prove.margin.class_hulls import ClassHulls
from rosenblatt.prove.margin.distances import margins as row_margins
from rosenblatt.prove.margin.nearest_points import solve_nearest_points
from rosenblatt.prove.mistakes import hyperplane_search
from rosenblatt.prove.mistakes.disjoint_clashes import ClashPacking
from rosenblatt.prove.separability import split_program, tucker_split
from rosenblatt.prove.separability.infinite_coefficients import infinite_coefficients
from rosenblatt.prove.separability.separability import Separability, _is_same_undecided
from rosenblatt.prove.separability.split_at_once import guess_by_twins
from rosenblatt.prove.separability.split_program import find_spanning_dependence
from rosenblatt.prove.separability.tucker_split import TuckerSplit, split_rows
from rosenblatt.prove.time_limit import Clock


@pytest.mark.parametrize(
    ("form", "direct", "dense", "iterative"),
    [
        (np.asarray, 1200, 1, False),
        (np.asarray, 2, 10**6, True),
        (np.asarray, 3, 10**6, False),
        (scipy.sparse.csr_matrix, 1200, 10**6, False),
        (scipy.sparse.csr_matrix, 1200, 29, True),
        (scipy.sparse.csr_matrix, 1200, 30, False),
        (scipy.sparse.csr_matrix, 2, 10**6, True),
    ],
)
def test_large_systems_are_only_multiplied(form, direct, dense, iterative, monkeypatch):
    """Newton's equations are factored up to a size, and sparse rows written out up to a number of numbers."""
    monkeypatch.setattr(nearest_points, "MAX_DIRECT_SIZE", direct)
    monkeypatch.setattr(nearest_points, "MAX_DENSE_NUMBERS", dense)
    made, system = [], nearest_points.IterativeSystem
    monkeypatch.setattr(nearest_points, "IterativeSystem", lambda *given: made.append(1) or system(*given))
    rng = np.random.default_rng(0)
    rows = np.abs(rng.standard_normal((10, 3)))
    found = solve_nearest_points(form(rows), None, 1e-3, Clock(None))
    assert found.gap < 1e-3
    assert bool(made) == iterative


@pytest.mark.parametrize(("columns", "sizes"), [(3, [112]), (4, [400])])
def test_tables_of_few_columns_are_solved_for_their_hard_rows_first(columns, sizes, monkeypatch):
    """Here few columns are three at most. Wider tables are solved for all rows at once."""
    monkeypatch.setattr(margins, "MAX_DIRECT_SIZE", 3)
    asked, solve = [], margins.solve_nearest_points
    monkeypatch.setattr(
        margins, "solve_nearest_points", lambda rows, *given: asked.append(rows.shape[0]) or solve(rows, *given)
    )
    X, y = two_classes(0, 400, columns)
    assert margins._solve_in_floats(ClassHulls(X, y, True, None), Clock(None)).gap < margins.MAX_GAP
    assert asked[:1] == sizes


def test_every_row_is_in_the_span_of_all():
    """No vector but 0 is orthogonal to all of them."""
    problem = ExactProblem([[1.0], [2.0], [5.0]], [0, 1, 1], True)
    assert problem.in_span([], np.arange(3)).tolist() == [True] * 3
    whole = [problem.integer_row(row) for row in (0, 1)]
    assert rows_outside_span(problem, whole, np.arange(3)).tolist() == []


def test_a_vertex_with_a_negative_part_proves_nothing(monkeypatch):
    """Floats may propose rows of which a part is negative in exact arithmetic."""
    rows = [[1, 0], [-1, 0], [0, 1], [0, -1], [-1, -1], [10**9, 0]]
    floats = np.array(rows, dtype=float)
    right = find_spanning_dependence(floats, rows, Clock(None))
    assert not any(weighted_sum(right.multipliers, [rows[row] for row in right.rows]))
    for vertex in ([0, 2], [1, 2], [0, 3], [5, 3], []):
        monkeypatch.setattr(split_program, "_vertex", lambda *given, vertex=vertex: vertex)
        assert find_spanning_dependence(floats, rows, Clock(None)) is None
    monkeypatch.setattr(split_program, "_vertex", lambda *given: [1, 3])
    assert set(find_spanning_dependence(floats, rows, Clock(None)).rows) == {0, 1, 2, 3}


def test_equal_weights_of_a_clash_are_told():
    square = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    assert (
        separability(square, [0, 1, 1, 0])
        .explain()
        .endswith(
            "a weighted mean of those of one class is a weighted mean of those of the other (all weights are equal)."
        )
    )
    assert (
        separability([[0.0], [1.0], [3.0]], [0, 1, 0]).explain().endswith("is a weighted mean of those of the other.")
    )
    lifted = separability([[0.0], [1.0], [1.0]], [0, 0, 1], features="polynomial-2").explain()
    assert "with features 'polynomial-2'" in lifted
    assert "a weighted mean of those of one class, lifted, is" in lifted


def test_rows_that_join_a_proof_keep_every_multiplier_positive():
    """Rows clash on a line first, then in the plane: each step must leave multipliers above 0 that sum to 0."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.integers(-2, 3, (14, 3)).astype(float)
        X[:4, 1:] = 0
        X[:8, 2] = 0
        problem = ExactProblem(X, np.arange(14) % 2, True)
        state = split_rows(problem, Clock(None))
        if state.multipliers:
            assert min(state.multipliers.values()) > 0
            whole = [problem.integer_row(row) for row in state.multipliers]
            assert not any(weighted_sum(list(state.multipliers.values()), whole))


def test_replaced_clashes_may_be_others_of_the_same_number():
    search, rows, floats = parts_of(np.arange(12.0)[:, None], np.arange(12) % 2)
    packing = ClashPacking(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
    packing.pack(12, Clock(None))
    moved = []
    for _ in range(12):
        before = {found.clash.rows for found in packing.found}
        packing.replace(12, Clock(None))
        after = {found.clash.rows for found in packing.found}
        assert len(after) >= len(before)
        moved.append(len(after) == len(before) and after != before)
    assert any(moved)


@pytest.mark.parametrize("eta0", [0.5, 4.0])
def test_the_record_of_mixed_shards_is_that_of_the_proof(eta0):
    """K eta gamma and K eta^2 R^2, for K the sum of mu k."""
    X, y = separable_shards(5)
    report = audit(mixed(Perceptron(order="cyclic", eta0=eta0), X, y, rows=11), X, y)
    record, counted = report.record, report.record["mistake"]
    np.testing.assert_allclose(record["least_progress"], counted * eta0 * report.bound.margin)
    np.testing.assert_allclose(record["most_squared_norm"], counted * (eta0 * report.bound.radius) ** 2)
    assert (record["progress"] >= record["least_progress"] * (1 - 1e-9)).all()
    assert (record["squared_norm"] <= record["most_squared_norm"] * (1 + 1e-9)).all()
    assert record["mistakes"].sum() == report.mistakes
    star, model = report.bound.hyperplane.coef, mixed(Perceptron(order="cyclic", eta0=eta0), X, y, rows=11)
    w = np.append(model.coef_[0], model.intercept_)
    assert record["progress"][-1] == pytest.approx(w @ star / np.linalg.norm(star))
    assert record["squared_norm"][-1] == pytest.approx(w @ w)


def test_tables_too_large_for_one_array_are_not_searched_in_floats(monkeypatch):
    """Only their rows are counted, if they are few enough."""
    done = []
    for name in ("_close_gap", "_count_exhaustively"):
        monkeypatch.setattr(hyperplane_search.HyperplaneSearch, name, lambda *given, name=name: done.append(name))
    for most in (20, 21, 22):  # seven rows of two columns and the offset
        monkeypatch.setattr(hyperplane_search, "MAX_NUMBERS_IN_ONE_ARRAY", most)
        search = search_of(np.column_stack([np.arange(7.0), np.ones(7)]), np.arange(7) % 2)
        search._bound_mistakes(np.arange(7))
    assert done == ["_count_exhaustively", "_close_gap", "_close_gap"]


def test_twins_are_guessed_to_clash_if_the_perceptron_separates_the_others():
    X, y = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 2.0], [-1.0, 2.0], [2.0, 0.0]]), [0, 1, 1, 0, 1]
    problem = ExactProblem(scipy.sparse.csr_matrix(X), y, True)
    guess = guess_by_twins(problem, Clock(None))
    assert guess.inside.tolist() == [True, True, False, False, False]
    margins = problem.sparse_floats().toarray() @ guess.w
    np.testing.assert_allclose(margins[:2], 0, atol=1e-9)
    assert margins[2:].min() > 0
    alone = ExactProblem(scipy.sparse.csr_matrix(X[1:]), y[1:], True)
    assert guess_by_twins(alone, Clock(None)) is None
    only = ExactProblem(scipy.sparse.csr_matrix(X[:2]), y[:2], True)
    assert guess_by_twins(only, Clock(None)) is None


def test_counted_mistakes_include_those_that_no_hyperplane_avoids():
    """The exclusive or costs one mistake, and a pair of equal rows of both classes one more."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [5.0, 5.0], [5.0, 5.0]])
    search = search_of(X, [0, 1, 1, 0, 0, 1])
    rows = merge_rows(search.problem, range(6))
    assert rows.unavoidable_mistakes == 1
    search.best.mistakes = 6
    search._count_exhaustively(rows)
    assert (search.lower, search.best.mistakes, search.counted) == (2, 2, True)


def test_without_a_split_every_row_may_clash(monkeypatch):
    search = search_of(np.arange(4.0)[:, None], [0, 0, 1, 1])
    undecided = TuckerSplit(np.array([False, False, True, True]))
    monkeypatch.setattr(hyperplane_search, "split_rows", lambda *given: undecided)
    assert search._separate().tolist() == [0, 1, 2, 3]
    assert search.best.base is None


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="no longer floats here")
def test_longer_floats_are_taken_only_if_no_digit_is_lost():
    third = np.longdouble(1) / 3
    assert ExactProblem(np.array([[np.longdouble(0.5)], [1]]), [0, 1], True).integer_row(1)[0] == 1
    for numbers in ([third, 1], [0, third]):
        with pytest.raises(ValueError, match="that no float64 equals"):
            ExactProblem(np.array(numbers, dtype=np.longdouble)[:, None], [0, 1], True)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_infinite_coefficients_of_sparse_rows_are_those_of_dense_ones(fit_intercept):
    rng = np.random.default_rng(0)
    kinds = set()
    for _ in range(12):
        X, y = rng.integers(-1, 2, (6, 2)).astype(float), np.array([0, 1, 0, 1, 0, 1])
        dense = infinite_coefficients(X, y, fit_intercept)
        sparse = infinite_coefficients(scipy.sparse.csr_matrix(X), y, fit_intercept)
        assert dense.kinds == sparse.kinds
        assert dense.certain.tolist() == sparse.certain.tolist()
        kinds |= set(dense.kinds)
    assert "finite" in kinds
    assert len(kinds) > 1


def test_sparse_rows_without_twins_are_split_by_one_program(monkeypatch):
    """Three rows on a line clash. Each of the others has a column of its own."""
    X = np.zeros((15, 13))
    X[:3, 0] = [1.0, 2.0, 3.0]
    X[3:, 1:] = np.eye(12)
    y = np.append([0, 1, 0], np.arange(12) % 2)
    problem = ExactProblem(scipy.sparse.csr_matrix(X), y, True)
    found = tucker_split._split_at_once(problem, Clock(None))
    assert found.inside.tolist() == [True] * 3 + [False] * 12
    assert sorted(found.multipliers) == [0, 1, 2]
    sides = problem.nonpositive_rows(found.w)
    assert sides.rows.tolist() == [0, 1, 2]
    assert not sides.sign.any()


UNDECIDED = {"kind": "undecided", "classes": [None, "a"], "clash": {"rows": [], "multipliers": []}}


@pytest.mark.parametrize(
    ("changes", "classes", "same"),
    [
        ({}, (None, "b"), True),
        ({"kind": "complete"}, (None, "b"), False),
        ({"clash": {"rows": [1, 2], "multipliers": ["1", "1"]}}, (None, "b"), False),
        ({"classes": ["c", "a"]}, (None, "b"), False),
        ({"classes": ["c", "a"]}, ("c", "b"), False),
        ({}, ("c", "b"), False),
    ],
)
def test_what_is_undecided_about_one_class_is_so_about_the_next(changes, classes, same):
    """Each class against the rest, when nothing is known: only the name of the class differs."""
    last = Separability({**UNDECIDED, **changes})
    assert _is_same_undecided(last, classes) is same


def test_weights_that_are_all_zero_are_told():
    """No true certificate has them, but one that was changed can be explained before it is refused."""
    changed = Separability({**separability([[1.0], [2.0]], [0, 1]).certificate, "weights": ["0"]})
    assert "It uses only the offset: every column has the weight 0." in changed.explain()
    assert not changed.verify([[1.0], [2.0]], [0, 1])


def test_a_rival_with_the_same_weights_is_infinitely_far_or_equal():
    """The first two classes differ by their offsets alone, so that no plane is between them."""

    class Model:
        coef_, classes_ = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([0, 1, 2])
        intercept_ = np.array([0.0, 0.0, 0.0])

    X = np.array([[3.0, 1.0], [3.0, 1.0]])
    assert row_margins(Model, X, [0, 1]).tolist() == [0.0, 0.0]
    Model.intercept_ = np.array([1.0, 0.0, -20.0])
    assert row_margins(Model, X, [0, 1]) == pytest.approx([23 / np.sqrt(2), -np.inf])
