"""Small steps of exact proofs, each held to its definition."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import max_margin, mistake_bound, separability, separating_degree
from rosenblatt.prove.exact import linear_algebra
from rosenblatt.prove.exact.hyperplane import Hyperplane
from rosenblatt.prove.exact.lifted_problem import make_problem
from rosenblatt.prove.exact.linear_algebra import (
    dot,
    in_span,
    orthogonal_completion,
    solve_combination,
    solve_independent,
)
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.exact.row_norms import max_row_norm
from rosenblatt.prove.exact.short_sums import ShortIntegerRows
from rosenblatt.prove.exact.span import rows_outside_span
from rosenblatt.prove.margin.class_hulls import ClassHulls
from rosenblatt.prove.mistakes import great_circle_search as circles
from rosenblatt.prove.mistakes.best_hyperplane import BestHyperplane
from rosenblatt.prove.separability.infinite_coefficients import certain_rows, infinite_coefficients
from rosenblatt.prove.separability.margin_program import MarginSolution, exact_vertex, round_solution, scale_rows
from rosenblatt.prove.separability.separability import Separability

FORMS = pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])


# Hyperplanes


@pytest.mark.parametrize("terms", [1, 11, 12, 13, 30])
def test_a_dozen_terms_are_printed(terms):
    text = str(Hyperplane((Fraction(2),) * terms, Fraction(0)))
    assert text.count("x") == min(terms, 12)
    assert ("more terms" in text) == (terms > 12)
    if terms > 12:
        assert text.endswith(f"+ ({terms - 12} more terms) = 0")


def test_hyperplanes_are_printed_as_equations():
    third = Fraction(1, 3)
    assert str(Hyperplane((third, Fraction(0), Fraction(-1)), Fraction(-5))) == "1/3 x1 - x3 - 5 = 0"
    assert str(Hyperplane((Fraction(0),), Fraction(0))) == "0 = 0"
    assert str(Hyperplane((Fraction(-2),), Fraction(0), ("size",))) == "- 2 size = 0"
    assert str(Hyperplane((Fraction(10**6),), Fraction(999_999))) == "1e+06 x1 + 999999 = 0"
    assert str(Hyperplane((Fraction(1, 10**6),), Fraction(1, 999_999))) == "1e-06 x1 + 1/999999 = 0"


# Rows


@FORMS
def test_the_largest_number_is_that_of_largest_size(form):
    for numbers, largest in (([1.0, 5.0], 5.0), ([-7.0, 2.0], 7.0), ([-3.0, -4.0], 4.0)):
        assert ClassHulls(form(np.array(numbers)[:, None]), [0, 1], True, None).largest == largest


@FORMS
def test_no_rows_have_no_length(form):
    assert max_row_norm(form(np.zeros((0, 2)))) == 0.0


def test_the_numbers_of_a_row_are_worked_out_once():
    problem = ExactProblem([[0.1, 0.3], [0.2, 0.7]], [0, 1], True)
    assert problem.integer_row(1) is problem.integer_row(1)
    whole = problem.integer_row(1)
    scaled = [Fraction(value) * Fraction(2) ** problem.row_exponent(1) for value in whole]
    assert scaled[:2] == [Fraction(0.2) * 4, Fraction(0.7)]  # 0.2 is the largest of its column, in the range of 1/4
    assert scaled[2] == 1


@FORMS
def test_lifted_tables_of_short_numbers_are_added_up_in_floats(form, monkeypatch):
    """As plain ones are. Where their products are out of range, limbs add them."""
    in_limbs = []
    together = ExactProblem._limb_margins
    monkeypatch.setattr(
        ExactProblem, "_limb_margins", lambda p, ws, rows: in_limbs.append(len(rows)) or together(p, ws, rows)
    )
    X = np.array([[1.0, 2.0], [3.0, -1.0], [2.0, 2.0], [0.0, 1.0], [0.0, 0.0]])  # the last is on every such plane
    for scale, uses_limbs in ((1.0, False), (2.0**210, True)):
        problem = make_problem(form(X * scale), [0, 1, 0, 1, 0], True, None, "polynomial-2")
        in_limbs.clear()
        w = problem.scale_weights([*map(Fraction, (1, -2, 0, 1, 0)), Fraction(0)])
        margins = (2 * np.array([0, 1, 0, 1, 0]) - 1) * ((X[:, 0] - 2 * X[:, 1]) / scale + X[:, 0] * X[:, 1])
        assert problem.nonpositive_rows(w).rows.tolist() == np.flatnonzero(margins <= 0).tolist()
        assert bool(in_limbs) == uses_limbs


@pytest.mark.parametrize("in_limbs", [True, False])
def test_exact_margins_are_also_floats(in_limbs):
    """Whichever way adds them: the sums in scaled columns, divided by 2^bits of the longest weight."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-9, 10, (12, 2)).astype(float), np.arange(12) % 2
    problem = ExactProblem(X, y, True)
    problem._has_safe_exponents = not in_limbs
    ws = [[1, 100, -7], [5, 3, 2]]
    found = problem._exact_margins(ws, np.arange(12))
    for w, sign, value, bits in zip(ws, found.sign, found.value, (7, 3), strict=True):
        exact = [
            Fraction(2) ** problem.row_exponent(row) * dot(problem.integer_row(row), w) / 2**bits for row in range(12)
        ]
        assert sign.tolist() == [(number > 0) - (number < 0) for number in exact]
        np.testing.assert_allclose(value, [float(number) for number in exact], rtol=1e-12)


def test_rows_that_limbs_cannot_hold_are_added_up_in_integers():
    """-1 + 2^300 2^-300 is exactly 0, and one unit of the last weight more or less is not."""
    problem = ExactProblem([[1.0, 1.0], [1.0, 2.0**-300]], [0, 1], False)
    for more, sign in ((-1, -1), (0, 0), (1, 1)):
        found = problem._exact_margins([[-2, 2**301 + more]], np.array([1]))
        assert found.sign.tolist() == [[sign]]


def test_few_rows_are_solved_for_and_many_multiplied():
    """Either way says which rows are multiples of the first."""
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, (30, 40)).astype(float)
    X[1::2] = X[0] * np.arange(1, 16)[:, None]
    problem = ExactProblem(X, np.arange(30) % 2, False)
    first = [problem.integer_row(0)]
    assert rows_outside_span(problem, first, np.array([1, 2, 3])).tolist() == [2]
    assert rows_outside_span(problem, first, np.arange(30)).tolist() == list(range(2, 30, 2))


def test_columns_of_halves_are_no_integers():
    rows = ShortIntegerRows(np.array([[3.0, 0.5], [1.0, 1.0]]), np.array([2, 0]), False)
    assert rows.is_exact_for([1, 0])
    assert not rows.is_exact_for([0, 1])
    assert rows.is_exact_for([(1 << 51) - 1, 0])
    assert not rows.is_exact_for([1 << 51, 0])


# Linear algebra


def test_combinations_leave_out_vectors_that_depend_on_others():
    parts = solve_combination([[1, 2, 0], [2, 4, 0], [0, 0, 3]], [5, 10, 1])
    assert parts == [5, 0, Fraction(1, 3)]
    assert solve_combination([[1, 2, 0], [2, 4, 0]], [1, 2, 1]) is None


def test_no_vectors_combine_to_zero_alone():
    assert solve_independent([], [0, 0]) == []
    assert solve_independent([], [0, 1]) is None
    assert in_span([], [[0, 0], [0, 1]]) == [True, False]


def test_elimination_finds_what_an_unlucky_prime_hides():
    """Numbers 0 go to the vectors that depend on others."""
    vectors = [[1, 2], [2, 4], [0, 3]]
    assert linear_algebra._solve_by_elimination(vectors, [3, 5]) == [3, 0, Fraction(-1, 3)]
    assert linear_algebra._solve_by_elimination(vectors[:2], [3, 5]) is None
    assert linear_algebra._solve_by_elimination([[0, 2]], [0, 3]) == [Fraction(3, 2)]


def test_weights_are_completed_orthogonally():
    basis = [[2, 1, 0, 1], [0, 0, 3, -1]]
    w = orthogonal_completion(basis, [7, 2, 5, 3])
    assert all(sum(a * b for a, b in zip(row, w, strict=True)) == 0 for row in basis)
    assert w[1] * 3 == w[3] * 2 > 0  # outside the pivots the weights keep their ratio
    assert orthogonal_completion([[1, 2], [2, 4]], [1, 1]) is None


def test_solutions_are_rounded_to_so_many_bits():
    z = np.array([1.0, -0.5, 0.3])
    assert round_solution(MarginSolution(z, 0.5, [], [], []), 8) == [256, -128, 77]
    assert round_solution(MarginSolution(z, 0.5, [], [], []), 1) == [2, -1, 1]


def test_too_few_tight_rows_determine_no_point():
    rows = [[4, 1], [1, 4]]
    scaled = scale_rows(rows)
    z = np.array([1.0, 1.0])
    assert exact_vertex(rows, scaled, MarginSolution(z, 0.5, [0], [None, None], [])) is None
    assert exact_vertex(rows, scaled, MarginSolution(z, 0.5, [0, 0], [None, 1], [])) is None  # not independent
    assert exact_vertex(rows, scaled, MarginSolution(z, 0.5, [0, 1], [None, 1], [])) is not None


# Searches


def test_rows_that_nearly_share_a_line_are_whitened_for_the_core():
    """Their directions spread out, and the error that this costs is small."""
    rows = [[1000, k] for k in range(-3, 4)]
    floats, error = circles._condition_rows(rows)
    assert np.linalg.cond(floats) < 10
    assert np.linalg.cond(np.array(rows, dtype=float)) > 400
    assert error < circles.MAX_ROW_ERROR


def test_rows_that_whitening_would_blur_stay_as_they_are():
    rows = [[10**12, 10**12 + k, 1] for k in range(-3, 4)] + [[1, 0, 10**12]]
    floats, error = circles._condition_rows(rows)
    whole = np.array(rows, dtype=float)
    np.testing.assert_allclose(floats, whole / np.linalg.norm(whole, axis=1)[:, None], atol=1e-9)
    assert error < 1e-13


def test_a_hyperplane_that_is_good_enough_ends_the_moves(monkeypatch):
    best = BestHyperplane(ExactProblem([[2.0, 1.0], [1.0, 2.0]], [1, 0], False))
    tried, take = [], best.try_integers
    monkeypatch.setattr(best, "try_integers", lambda w: tried.append(w) or take(w))
    best.take_nearby([1, -1], 0)
    assert tried == [[1, -1]]


# Sentences and pictures


@pytest.mark.parametrize("prove", [separability, max_margin, mistake_bound, separating_degree])
def test_pictures_have_a_line_where_a_hyperplane_separates(prove):
    """With degree 1 alone, as the others."""
    options = {"max_degree": 1} if prove is separating_degree else {}
    apart, mixed = (prove([[0.0], [1.0], [2.0]], y, **options)._repr_html_() for y in ([0, 0, 1], [0, 1, 0]))
    assert "<line" in apart
    assert "<line" not in mixed
    assert "<circle" in mixed


def test_columns_of_zeros_are_not_scaled():
    assert scale_rows([[4, 0], [-1, 0]]).columns == [scale_rows([[4], [-1]]).columns[0], 0]


def test_what_is_undecided_has_no_picture():
    verdict = separability([[0.0], [1.0]], [0, 1])
    assert "<svg" in verdict._repr_html_()
    undecided = Separability({**verdict.certificate, "kind": "undecided", "weights": None})
    assert "<svg" not in undecided._repr_html_()
    assert undecided.hyperplane is None


# Infinite coefficients


def test_directions_of_either_sign_say_nothing_about_a_coefficient():
    """x1 separates; x2 is the same in both classes, so that it may rise or fall with x1."""
    X = [[-1.0, 0.0], [-2.0, 1.0], [1.0, 0.0], [2.0, 1.0]]
    found = infinite_coefficients(X, [0, 0, 1, 1], fit_intercept=False)
    assert found.kinds == ["+inf", "any"]
    assert found.separated
    assert found.certain.tolist() == [True] * 4
    mirrored = infinite_coefficients([[-a, b] for a, b in X], [0, 0, 1, 1], fit_intercept=False)
    assert mirrored.kinds == ["-inf", "any"]


def test_without_columns_no_row_is_certain():
    assert certain_rows(np.zeros((3, 0)), [1, -1, 1]).tolist() == [False] * 3
    assert certain_rows(np.array([[1.0], [-1.0], [0.0]]), [1, -1, 1]).tolist() == [True, True, False]


def test_columns_of_zeros_may_have_any_coefficient():
    found = infinite_coefficients([[1.0, 0.0], [2.0, 0.0]], [0, 1])
    assert found.kinds == ["+inf", "any", "-inf"]
