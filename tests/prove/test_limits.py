"""Where rules end: just at their limits and just beyond them, and what is the same on both sides."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array
from test_audit_mixing import mixed, separable
from test_clash_choice import unit_rows
from test_hyperplane_search import search_of
from test_nearest_points import CountingSystem, refuse, signed_rows

from rosenblatt import Perceptron, audit, max_margin, minimum_mistakes
from rosenblatt.prove.certificates.certificate_file import write_certificates
from rosenblatt.prove.exact import row_norms, span
from rosenblatt.prove.exact.linear_algebra import dot, in_span
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.exact.short_sums import ShortIntegerRows
from rosenblatt.prove.margin import augmented_lagrangian
from rosenblatt.prove.margin.class_hulls import ClassHulls
from rosenblatt.prove.mistakes import clash_program, hyperplane_search
from rosenblatt.prove.mistakes.clash_exchange import exchange_rows
from rosenblatt.prove.mistakes.clash_program import ClashProgram
from rosenblatt.prove.mistakes.great_circle_search import _IntegerMargins
from rosenblatt.prove.separability.margin_program import shorten_solution
from rosenblatt.prove.separability.overlap import proves_overlap
from rosenblatt.prove.separability.split_at_once import prove_weights
from rosenblatt.prove.separability.split_program import SplitGuess
from rosenblatt.prove.time_limit import Clock, OutOfTime

# Norms


@pytest.mark.parametrize(("size", "scaled"), [(1e-119, False), (1e-121, True), (1e119, False), (1e121, True)])
@pytest.mark.parametrize("rows", [1, 2])
def test_rows_are_scaled_only_where_squares_lose_bits(size, scaled, rows, monkeypatch):
    """Squares between 1e-240 and 1e240 are sums of floats as they are, and no pass divides their rows."""
    used, divide = [], row_norms._divide_rows
    monkeypatch.setattr(row_norms, "_divide_rows", lambda *given: used.append(1) or divide(*given))
    X = np.array([[3.0, 4.0], [0.0, 1.0]])[:rows] * size
    assert 5.0 * (1 - 1e-15) <= row_norms.max_row_norm(X) / size <= 5.0 * (1 + 1e-13)
    assert bool(used) == scaled


@pytest.mark.parametrize("columns", [0, 1])
def test_a_constant_alone_may_have_all_bits_of_a_float(columns):
    """No column holds whole numbers but those of zeros, so that sums are multiples of 1."""
    short = ShortIntegerRows(np.array([[0.5, 0.0]])[:, : columns + 1], np.zeros(columns + 1, dtype=int), True)
    assert short.is_exact_for([0] * (columns + 1) + [2**53 - 1])
    assert not short.is_exact_for([0] * (columns + 1) + [2**53])


# Separability


@pytest.mark.parametrize(("columns", "proved"), [(512, True), (513, False)])
def test_overlap_is_looked_for_in_up_to_512_columns(columns, proved):
    """Two equal rows of different classes clash."""
    assert proves_overlap(np.ones((2, columns)), np.array([-1, 1]), True) is proved


@pytest.mark.parametrize("size", [2.0**-60, 2.0**-9, 1.0, 3.0, 2.0**60])
def test_the_length_of_a_guess_does_not_matter(size):
    """The rows 0 and 1 are opposite: w is orthogonal to them, and needs more than 8 bits for the third."""
    X = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, -0.999], [0.0, 1.0, 1.0]])
    problem = ExactProblem(X, [1, 1, 1, 0], False)
    rows = [problem.integer_row(row) for row in range(4)]
    w = np.linalg.lstsq(problem.floats(range(4)), np.array([0.0, 0.0, 1.0, 1e-4]), rcond=None)[0]
    found = prove_weights(problem, SplitGuess(np.array([True, True, False, False]), w * size), [0, 1])
    assert [np.sign(dot(row, found)) for row in rows] == [0, 0, 1, 1]


@pytest.mark.parametrize(("normals", "solved"), [(15, 0), (16, 0), (17, 1)])
def test_two_rows_are_solved_for_in_the_time_of_sixteen_normals(normals, solved, monkeypatch):
    asked = []
    monkeypatch.setattr(span, "in_span", lambda *vectors: asked.append(1) or in_span(*vectors))
    X = np.eye(3, normals + 1)
    X[2] = 2 * X[0]
    problem = ExactProblem(X, [0, 1, 0], False)
    assert span.rows_outside_span(problem, [problem.integer_row(0)], np.arange(1, 3)).tolist() == [1]
    assert len(asked) == solved


def test_the_least_margin_decides_how_short_weights_may_be():
    """With 8 bits the rows have margins of 1 and 0.1, more than half of what they had."""
    rows = np.array([[1.0, 0.0], [0.1, 0.0]])
    assert shorten_solution(np.array([3.0, 0.9]), rows) == [256, 77]


# Nearest points


@pytest.mark.parametrize(("sparse", "fit_intercept"), [(False, True), (False, False), (True, True)])
def test_rows_are_taken_from_their_mean_where_that_is_free(sparse, fit_intercept, monkeypatch):
    """An offset makes up for it. Sparse rows would become dense."""
    centres, signed_rows = [], ClassHulls.signed_rows

    def note(hulls, rows, centre):
        centres.append(centre)
        return signed_rows(hulls, rows, centre)

    monkeypatch.setattr(ClassHulls, "signed_rows", note)
    X = np.array([[5.0, 1.0], [6.0, 3.0], [8.0, 0.0], [9.0, 2.0]])
    max_margin(csr_array(X) if sparse else X, [0, 0, 1, 1], fit_intercept=fit_intercept)
    first = centres[0]
    assert (first is None) == (sparse or not fit_intercept)
    assert first is None or first.tolist() == [7.0, 1.5]


def test_a_step_of_nothing_is_no_descent():
    one = np.ones(1)
    assert augmented_lagrangian._step_length(one, 0 * one, one, 0 * one, one, 0 * one, 0 * one) == 0.0


def test_time_is_asked_for_before_every_round(monkeypatch):
    rows, sides = signed_rows(0)
    monkeypatch.setattr(augmented_lagrangian, "_minimise", refuse)
    with pytest.raises(OutOfTime):
        augmented_lagrangian.solve_augmented_lagrangian(CountingSystem(rows, sides), 1e-3, Clock(0), None)


# Clashes


@pytest.mark.parametrize("largest", [0.3, 1.0])
def test_shares_above_a_billionth_are_in_a_clash(largest):
    """Shares add up to 1, so that the largest is at most 1."""
    program = ClashProgram(unit_rows(2, 5, 2), np.ones(2), np.random.default_rng(2), Clock(None))
    told = [0.0] * 6 + [largest, 0.9e-9, 1.1e-9, 0.0, 0.1]
    solution = SimpleNamespace(col_value=told, row_dual=[1.0, 2.0, 3.0])
    program._highs = SimpleNamespace(getSolution=lambda: solution)
    assert program._vertex().rows == [0, 2, 4]


def test_rows_of_a_clash_do_not_enter_it_again():
    """Three rows on a line: the third, which is the cheapest, might take the place of the first, too."""
    floats, prices = np.array([[1.0], [-1.0], [1.0]]), np.array([3.0, 2.0, 1.0])
    assert sorted(exchange_rows(floats, [0, 1, 2], prices, Clock(None))) == [0, 1, 2]


@pytest.mark.parametrize(("rows", "too_many"), [(5000, False), (5001, True)])
def test_five_thousand_rows_are_searched_exhaustively(rows, too_many):
    search = search_of(np.zeros((2, 2)), [0, 1])
    assert search._has_too_many_circles(SimpleNamespace(members=[[row] for row in range(rows)])) is too_many


# Audits


def test_the_first_margin_of_mixed_shards_is_exactly_0():
    """w is 0 then, whatever comes later: no rounding explains another margin."""
    X, y = separable(5)
    model = mixed(Perceptron(order="cyclic"), X, y, rows=11)
    assert audit(model, X, y)
    assert model.trace_["margin"][0] == 0.0
    model.trace_["margin"][0] = -1e-16
    report = audit(model, X, y)
    assert not report
    assert report.why_not.startswith("Mistake 1 has margin ")
    assert report.why_not.endswith("0 by the rows, but -1e-16 in the trace.")


@pytest.mark.parametrize("kept", [True, False])
def test_a_direction_without_a_step_stays_as_it_is(kept):
    margins = _IntegerMargins([[1, 0], [0, 1]])
    assert margins.move_towards([4, 2], [0, 0], np.array([kept, kept])) == [4, 2]


def test_no_clash_is_looked_for_when_time_is_up(monkeypatch):
    monkeypatch.setattr(clash_program, "run_highs", refuse)
    program = ClashProgram(unit_rows(2, 5, 2), np.ones(2), np.random.default_rng(2), Clock(0))
    assert program.find() is None


def test_no_margin_has_no_support():
    found = max_margin([[0.0], [1.0], [2.0]], [0, 1, 0])
    assert not found
    assert len(found.support.rows) == len(found.support.weights) == 0


# What is written


def test_nothing_is_printed_unless_it_is_asked_for(monkeypatch, capsys):
    monkeypatch.setattr(hyperplane_search, "SECONDS_BETWEEN_LINES", 0.0)
    X, y = np.arange(7.0)[:, None], np.arange(7) % 2
    minimum_mistakes(X, y)
    assert capsys.readouterr() == ("", "")
    minimum_mistakes(X, y, verbose=1)
    assert capsys.readouterr().err.startswith("minimum_mistakes: between ")


def test_the_text_of_an_answer_leaves_its_clashes_out():
    found = minimum_mistakes([[0], [1], [2]], [0, 1, 0])
    assert found.bound_of_clashes == len(found.clashes) == 1
    assert "mistakes=1" in repr(found)
    assert "clash" not in repr(found).lower()


def test_files_of_certificates_have_a_line_for_each_entry(tmp_path):
    write_certificates(tmp_path / "proof.json", "kind", [{"kind": "complete"}])
    text = (tmp_path / "proof.json").read_text()
    assert text.splitlines() == [
        "{",
        ' "format": "rosenblatt-certificate",',
        ' "version": 1,',
        ' "target": "kind",',
        ' "certificates": [',
        "  {",
        '   "kind": "complete"',
        "  }",
        " ]",
        "}",
    ]
    assert json.loads(text)["certificates"] == [{"kind": "complete"}]
