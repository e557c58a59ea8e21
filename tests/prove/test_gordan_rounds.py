"""Gordan's alternative round by round: what is tried after what, and when floats are given up. Programs are told."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from test_quick_ways import refuse

from rosenblatt.prove.exact.linear_algebra import PositiveDependence
from rosenblatt.prove.separability import gordan, margin_program
from rosenblatt.prove.separability.gordan import _refine, solve_gordan
from rosenblatt.prove.separability.margin_program import (
    MarginProgram,
    MarginSolution,
    exact_vertex,
    integer_whitening,
    magnified_margins,
    scale_rows,
    shorten_solution,
    unscale_solution,
    whitening_matrix,
)
from rosenblatt.prove.time_limit import Clock

ROWS = [[4, 1], [-4, 3]]  # (1, 3) and (0, 1) are positive on both, (1, 1) and (1, 0) are not


def solution(*z, tight=(), priced=()):
    return MarginSolution(np.array(z), 0.0, list(tight), [None] * len(z), list(priced))


@pytest.fixture
def told(monkeypatch):
    """Solutions of the program, one after the other, and the margins that each was asked to magnify."""
    asked = []

    def tell(*solutions):
        left = iter(solutions)

        def solve(scaled, clock, margins=None):
            asked.append(None if margins is None else margins.tolist())
            return next(left)

        monkeypatch.setattr(gordan, "solve_margin_program", solve)
        return asked

    return tell


# Which answer is taken


def test_without_a_proposal_the_exact_simplex_method_answers(told):
    told(None)
    assert solve_gordan([[1], [2]], Clock(None)) == [1]


def test_a_vertex_that_separates_is_shortened_if_that_still_separates(told, monkeypatch):
    """The vertex is (0, 1). Rounded to 8 bits, the proposal is (1/256, 1) or (1, 0) before the columns' scales."""
    scaled = scale_rows(ROWS)
    monkeypatch.setattr(gordan, "exact_vertex", lambda *given: [0, 1])
    told(solution(0.0039, 1.0))
    assert solve_gordan(ROWS, Clock(None)) == unscale_solution([1, 256], scaled)
    told(solution(1.0, 0.0))
    assert solve_gordan(ROWS, Clock(None)) == [0, 1]


def test_a_vertex_that_does_not_separate_is_no_answer(told, monkeypatch):
    """Then the rows with a price are asked whether they clash."""
    monkeypatch.setattr(gordan, "exact_vertex", lambda *given: [1, 0])
    told(solution(0.0, 1.0, priced=[0, 2]))
    rows = [*ROWS, [-8, -2]]
    found = solve_gordan(rows, Clock(None))
    assert (found.rows, found.multipliers[0] / found.multipliers[1]) == ([0, 2], 2)


def test_rows_are_whitened_three_times_at_most(told, monkeypatch):
    """Each whitening here only turns both columns around."""
    monkeypatch.setattr(gordan, "exact_vertex", lambda *given: None)
    monkeypatch.setattr(gordan, "integer_whitening", lambda scaled: [[-1, 0], [0, -1]])
    refined = []
    monkeypatch.setattr(gordan, "_refine", lambda rows, *given: refined.append(rows) or [5, 7])
    told(*[solution(0.0, 0.0)] * 4)
    assert solve_gordan(ROWS, Clock(None)) == [-5, -7]
    assert refined == [[[-4, -1], [4, -3]]]


def test_a_whitening_that_loses_a_column_is_not_used(told, monkeypatch):
    monkeypatch.setattr(gordan, "exact_vertex", lambda *given: None)
    monkeypatch.setattr(gordan, "integer_whitening", lambda scaled: [[1, 1], [1, 1]])
    monkeypatch.setattr(gordan, "_refine", lambda rows, *given: [5, 7])
    told(solution(0.0, 0.0))
    assert solve_gordan(ROWS, Clock(None)) == [5, 7]


def test_a_clash_of_whitened_rows_is_one_of_the_rows(told, monkeypatch):
    """Its multipliers are those of the whitened rows."""
    monkeypatch.setattr(gordan, "exact_vertex", lambda *given: None)
    monkeypatch.setattr(gordan, "integer_whitening", lambda scaled: [[1, 1], [0, 1]])
    told(solution(0.0, 0.0), solution(0.0, 0.0, priced=[0, 1]))
    found = solve_gordan([[1, 2], [-2, -4]], Clock(None))
    assert found == PositiveDependence([0, 1], [Fraction(2), Fraction(1)])


# Refinement


def test_refinements_add_twenty_bits_each(told, monkeypatch):
    """A solution of the magnified program is a small change of the last one."""
    scaled = scale_rows(ROWS)
    tried = []
    monkeypatch.setattr(gordan, "_separates", lambda rows, point: tried.append(point) or len(tried) == 3)
    asked = told(solution(-0.25, 1.0), solution(0.0, 0.75))
    found = _refine(ROWS, scaled, solution(0.5, 0.5), Clock(None))
    steps = [(2**19, 2**19)]
    steps.append((2**39 - 2**18, 2**39 + 2**20))
    steps.append((2**59 - 2**38, 2**59 + 2**40 + 3 * 2**18))
    assert tried == [unscale_solution(list(step), scaled) for step in steps]
    assert found == tried[-1]
    assert asked == [magnified_margins(ROWS, scaled, list(step)).tolist() for step in steps[:2]]


def test_eight_refinements_are_made_at_most(told, monkeypatch):
    monkeypatch.setattr(gordan, "_separates", lambda rows, point: False)
    monkeypatch.setattr(gordan, "solve_gordan_exactly", lambda rows, clock: "exact")
    asked = told(*[solution(1.0, 1.0)] * 20)
    assert _refine(ROWS, scale_rows(ROWS), solution(1.0, 1.0), Clock(None)) == "exact"
    assert len(asked) == 8


@pytest.mark.parametrize("first", [solution(0.0, 0.0), solution(1.0, 0.0)])
def test_refinements_end_where_the_program_fails_or_has_no_direction(first, told, monkeypatch):
    monkeypatch.setattr(gordan, "solve_gordan_exactly", lambda rows, clock: "exact")
    asked = told(None)
    assert _refine(ROWS, scale_rows(ROWS), first, Clock(None)) == "exact"
    assert len(asked) == first.z.any()


def test_tight_rows_that_clash_end_the_refinement(told, monkeypatch):
    monkeypatch.setattr(gordan, "solve_gordan_exactly", refuse)
    told(solution(1.0, 0.0, tight=[0, 2]))
    rows = [*ROWS, [-8, -2]]
    found = _refine(rows, scale_rows(rows), solution(1.0, 0.0, tight=[0, 1]), Clock(None))
    assert (found.rows, found.multipliers[0] / found.multipliers[1]) == ([0, 2], 2)


# Parts of the program


def test_magnified_margins_are_exact_and_clipped():
    """The margins of z / 2^bits on scaled rows, times 2^bits: here of a z that is nearly orthogonal to both."""
    rows = [[3 * 2**70, -(2**70)], [1, 5 * 2**80]]
    scaled = scale_rows(rows)
    z = [12345, 67890]
    exact = [
        sum(
            Fraction(value) * entry * Fraction(2) ** (up + across)
            for value, entry, across in zip(z, row, columns, strict=True)
        )
        for row, up, columns in zip(rows, scaled.rows, [scaled.columns] * 2, strict=True)
    ]
    np.testing.assert_allclose(magnified_margins(rows, scaled, z), [float(value) for value in exact])
    assert magnified_margins([[1], [-1]], scale_rows([[1], [-1]]), [10**9]).tolist() == [1e6, -1e6]


@pytest.mark.parametrize(("thickness", "whitens"), [(2**-9, False), (2**-11, True)])
def test_rows_are_whitened_where_a_direction_is_a_thousandth_of_another(thickness, whitens):
    """Two rows at right angles after scaling: the singular values are known."""
    floats = np.array([[1.0, 1.0], [thickness, -thickness]])
    scaled = margin_program.ScaledRows(floats, [0, 0], [0, 3])
    found = integer_whitening(scaled)
    assert (found is not None) == whitens
    if whitens:
        glass = whitening_matrix(floats, least=1e-16)
        glass = glass / np.abs(glass).max(axis=0) * 2.0**52
        np.testing.assert_allclose(np.array(found, dtype=float), glass * [[1.0], [8.0]], rtol=1e-9)


def test_fewer_rows_than_columns_are_not_whitened():
    assert integer_whitening(margin_program.ScaledRows(np.array([[1.0, 1e-9]]), [0], [0, 0])) is None


@pytest.mark.parametrize(("least", "size"), [(1e-3, 1e3), (1e-1, 10.0)])
def test_tiny_directions_are_magnified_only_so_far(least, size):
    found = whitening_matrix(np.diag([4.0, 4e-9]), least)
    assert sorted(np.linalg.norm(found, axis=0)) == pytest.approx([0.25, size / 4])
    assert whitening_matrix(np.zeros((2, 2))).tolist() == np.eye(2).tolist()


@pytest.mark.parametrize(("gap", "bits"), [(2**-3, 8), (2**-12, 16), (2**-26, 30), (2**-44, 50)])
def test_solutions_have_as_few_bits_as_keep_half_of_the_margin(gap, bits):
    """The rows leave an angle of about `gap` around a direction that no short number meets."""
    z = np.array([1.0, np.sqrt(2) / 3])
    rows = np.array([[-z[1] + gap, z[0]], [z[1] + gap, -z[0]]])
    found = shorten_solution(z * 7.0, rows)
    assert found == [2**bits, round(2**bits * z[1])]


def test_a_vertex_has_as_many_tight_rows_as_free_columns_and_one_more():
    """z_2 = 1 at its bound. Rows 4 z_1 + z_2 = t and -4 z_1 + 3 z_2 = t give z_1 = 1/4, before the scales."""
    scaled = margin_program.ScaledRows(np.array(ROWS, dtype=float), [0, 0], [0, 0])
    assert exact_vertex(ROWS, scaled, MarginSolution(np.zeros(2), 0.0, [0, 1], [None, 1], [])) == [1, 4]
    assert exact_vertex(ROWS, scaled, MarginSolution(np.zeros(2), 0.0, [0, 1], [None, -1], [])) == [-1, -4]
    halved = margin_program.ScaledRows(np.zeros((2, 2)), [-1, -1], [0, 0])
    assert exact_vertex(ROWS, halved, MarginSolution(np.zeros(2), 0.0, [0, 1], [None, 1], [])) == [1, 4]
    steep = margin_program.ScaledRows(np.zeros((2, 2)), [-1, 0], [1, 0])  # (4 z_1 2 + z_2) / 2 = -4 z_1 2 + 3 z_2
    assert exact_vertex(ROWS, steep, MarginSolution(np.zeros(2), 0.0, [0, 1], [None, 1], [])) == [5, 12]


def test_columns_of_zeros_keep_no_weight():
    """Until a row uses them; then they are free between -1 and 1."""
    program = MarginProgram(2, Clock(None))
    program.add(np.array([[1.0, 0.0], [1.0, 0.0]]))
    found = program.solve()
    assert (found.z.tolist(), found.bounds[1], found.t) == ([1.0, 0.0], 0, 1.0)
    program.add(np.array([[-1.0, 2.0]]))
    found = program.solve()
    assert found.z.tolist() == [1.0, 1.0]
    assert found.t == 1.0


def test_rows_with_a_price_are_those_above_rounding():
    """A price counts from a billionth of the largest on, of either sign."""
    program = MarginProgram(1, Clock(None))
    program.add(np.ones((4, 1)))
    told = SimpleNamespace(col_value=[1.0, 0.5], row_dual=[-2.0, 1.9e-9, 2.1e-9, -2.1e-9])
    basis = program._highs
    program._highs = SimpleNamespace(
        getBasis=basis.getBasis, getSolution=lambda: told, run=basis.run, getModelStatus=basis.getModelStatus
    )
    assert program.solve().priced == [0, 2, 3]
