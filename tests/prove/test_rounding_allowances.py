"""How much each bound allows for rounding: as many units as its analysis counts, no fewer and not many more."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from test_audit_steps import traced

from rosenblatt.prove.exact.hyperplane import Hyperplane
from rosenblatt.prove.exact.lifted_problem import make_problem
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.exact.row_norms import max_row_norm
from rosenblatt.prove.margin import max_margin as margins
from rosenblatt.prove.margin.class_hulls import ClassHulls
from rosenblatt.prove.mistakes.audit import _Replay
from rosenblatt.prove.mistakes.audit_mixing import _MixedReplay
from rosenblatt.prove.mistakes.mistake_bound import (
    MistakeBound,
    PerceptronRows,
    _least_weighted_margin,
    dot_rounding,
    progress_of_rows,
)
from rosenblatt.prove.mistakes.traced_rows import TracedRows, TraceError

FORMS = pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
UNIT = 2.0**-53  # half a unit in the last place of 1


def units(difference, size):
    """A difference in half units of a size."""
    return round(float(Fraction(difference) / Fraction(size)) / UNIT, 3)


# Norms and margins


@pytest.mark.parametrize(("form", "terms"), [(np.asarray, 9), (scipy.sparse.csr_matrix, 4)])
def test_a_norm_is_raised_by_a_unit_a_term_and_eight(form, terms):
    """Four ones have the norm 2. Only the stored numbers of a sparse row are terms."""
    X = np.zeros((2, 9))
    X[0, :4] = 1.0
    assert units(Fraction(max_row_norm(form(X))) - 2, 2) == 2 * (terms + 8)


@FORMS
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_margins_of_a_pass_have_two_roundings_a_column_and_eight_more(form, fit_intercept):
    """Each of the size |w| times the largest number of its column; the offset's number is 1."""
    X = form(np.array([[0.5, -3.0, 1.0], [0.25, 1.0, -8.0]]))
    problem = ExactProblem(X, [0, 1], fit_intercept)
    w = [5, -2, 4, 7][: problem.size]
    _, error = problem.margins(w)
    largest = np.array([0.5, 0.75, 0.5, 1.0])[: problem.size]  # 0.5, 3/4 and 8/16 after scaling
    size = float(np.abs(w) @ largest) / 8
    assert units(error, size) == 2 * (2 * problem.size + 8)


@pytest.mark.parametrize("degree", [2, 3])
def test_lifted_numbers_have_two_more_roundings_a_factor(degree):
    problem = make_problem(np.array([[0.5], [0.25]]), [0, 1], False, None, f"polynomial-{degree}")
    assert problem.size == degree
    _, error = problem.margins([1] * degree)
    assert units(error, float(np.abs(problem.margins([1] * degree)[0]).max())) == 2 * (2 * degree + 8 + 2 * degree)


def test_underflow_is_allowed_for_in_every_column():
    """Far less than any margin that matters, and more than the products of the smallest floats lose."""
    problem = ExactProblem(np.array([[0.0, 1.0], [0.0, 0.5]]), [0, 1], False)
    _, error = problem.margins([1, 0])
    assert error == 2e-180


@pytest.mark.parametrize("columns", [4, 16])
@FORMS
def test_lower_bounds_of_a_margin_lose_what_their_analysis_counts(form, columns):
    """(terms + 4) 1.01 of ||w|| R for the products, 2 of the offset and of the margin; then ||w|| and the division."""
    side = np.ones(columns)
    hulls = ClassHulls(form(np.vstack([3 * side, -side])), [1, 0], True, None)
    w = side / np.sqrt(columns)
    length = float(np.sqrt(columns))
    offset, lower = margins._lower_bound(hulls, w, 3 * length)
    assert offset == -length
    products = (columns + 4) * 1.01 * 3 * length
    later = 2 * (length + 2 * length) + 2 * length * (columns + 4 + 8)
    assert units(Fraction(2 * length) - Fraction(lower), 1) == pytest.approx(products + later, abs=3 * length)


@pytest.mark.parametrize("columns", [4, 16])
@FORMS
def test_upper_bounds_of_a_margin_gain_what_their_analysis_counts(form, columns):
    """2.1 a row and 16.8 more of R for the sum, one a column and 8 for the norm, and 8 for the last line."""
    side = np.ones(columns)
    hulls = ClassHulls(form(np.vstack([3 * side, -side])), [1, 0], True, None)
    length = float(np.sqrt(columns))
    upper = margins._upper_bound(hulls, np.arange(2), np.array([0.5, 0.5]), 3 * length)
    gained = 2.1 * (2 + 8) * 3 * length + 2 * length * (columns + 8) + 2 * length * 8
    assert units(Fraction(upper) - Fraction(2 * length), 1) == pytest.approx(gained, abs=3 * length)


# Audits


@pytest.mark.parametrize(("columns", "error"), [(1, 36), (5, 52)])
def test_products_with_a_unit_vector_have_four_roundings_a_column_and_32_more(columns, error):
    assert dot_rounding(columns) / UNIT == error


@FORMS
def test_progress_is_the_margin_of_a_unit_vector_and_its_error_that_of_the_longest_row(form):
    rows = PerceptronRows(form(np.array([[3.0, 4.0], [-6.0, -8.0], [0.0, -1.0]])), [1, 0, 0], False, 1.0, None, None)
    plane = Hyperplane((Fraction(0), Fraction(7)), Fraction(0))
    values, error = progress_of_rows(rows, plane, np.array([2, 0, 1]))
    np.testing.assert_allclose(values, [1.0, 4.0, 8.0])
    assert error == pytest.approx(40 * UNIT * 10.0)
    assert progress_of_rows(rows, plane, np.array([2, 0]))[1] == pytest.approx(40 * UNIT * 5.0)


def test_the_least_weighted_margin_loses_its_errors():
    """Rows at 1 and 2 with the weights 6 and 2: the least is 4, less the errors of the products and 8 units."""
    rows = PerceptronRows(np.array([[1.0], [-2.0]]), [1, 0], False, 1.0, [6.0, 2.0], None)
    plane = Hyperplane((Fraction(1),), Fraction(0))
    least = _least_weighted_margin(rows, SimpleNamespace(hyperplane=plane))
    assert units(Fraction(4) - Fraction(least), 4) == pytest.approx(36 * 2 / 2 + 8, abs=2)
    tiny = PerceptronRows(np.array([[1e-320], [-1e-320]]), [1, 0], False, 1.0, [1.0, 0.5], None)
    assert _least_weighted_margin(tiny, SimpleNamespace(hyperplane=plane)) == 0.0


def replay(count, columns=3, eta=0.5, radius=8.0, margin=2.0):
    """An audit of so many mistakes at rows of length 8, not replayed yet."""
    X = np.zeros((2, columns))
    X[0, 0], X[1, 0] = radius, -radius
    rows = PerceptronRows(X, [1, 0], False, 1.0, None, None)
    trace = {"row": np.arange(count) % 2, "change": np.full(count, eta)}
    plane = Hyperplane((Fraction(1), *[Fraction(0)] * (columns - 1)), Fraction(0))
    return _Replay(TracedRows(rows, eta, trace), MistakeBound(radius, margin, 16.0, plane))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_norms_are_decided_in_fractions_where_rounding_reaches_their_bound(count):
    """8 (k + columns + 8) half units of k eta R for w, twice that times the length for its square."""
    audit = replay(count)
    audit.record["squared_norm"] = audit.record["most_squared_norm"].copy()
    k = np.arange(1, count + 1)
    length = k * 0.5 * 8.0
    allowed = 2 * 8 * (k + 3 + 8) * UNIT * length * length
    for share, undecided in ((0.99, range(count)), (1.01, [])):
        audit.record["squared_norm"] = np.zeros(count)
        audit.record["most_squared_norm"] = share * allowed
        assert audit._undecided_mistakes().norm.tolist() == list(undecided)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_progress_is_decided_in_fractions_where_rounding_reaches_its_bound(count):
    """The same of k eta R for the sum, and the errors of the products that are added."""
    audit, k = replay(count), np.arange(1, count + 1)
    audit.record["squared_norm"] = np.zeros(count)
    audit._undecided_mistakes()
    np.testing.assert_allclose(audit.record["progress"], k * 0.5 * 8.0)
    allowed = 8 * (k + 3 + 8) * UNIT * k * 4.0 + k * 0.5 * dot_rounding(3) * 8.0
    # Progress has a spacing of about a unit: the bound is lowered until rounding no longer reaches it.
    for share, undecided in ((0.95, range(count)), (1.05, [])):
        audit.record["least_progress"] = audit.record["progress"] - share * allowed
        assert audit._undecided_mistakes().progress.tolist() == list(undecided)


def told_trace(**changes):
    """One update at a row of length 5 by 1/2, from w = (0, 2), after a path of length 1000."""
    trace = {"row": np.array([0]), "change": np.array([0.5]), "margin": np.array([-8.0]), "norm": np.array([1.5])}
    rows = PerceptronRows(np.array([[3.0, -4.0], [-3.0, 4.0]]), [1, 0], False, 1.0, None, None)
    found = TracedRows(rows, 0.5, {**trace, **changes})
    found._last = 2
    return found


STEP_UNIT = 8 * (5 + 2 + 8) * UNIT  # of the length of the path, after 5 roundings in 2 columns


@pytest.mark.parametrize(("share", "refused"), [(0.99, False), (1.01, True), (-0.99, False), (-1.01, True)])
def test_margins_of_a_trace_may_differ_by_the_rounding_of_the_path(share, refused):
    """The error of w times the length of the row."""
    difference = share * STEP_UNIT * 1000.0 * 5.0
    rows = told_trace(margin=np.array([-8.0 + difference]))
    if refused:
        with pytest.raises(TraceError, match="has margin"):
            rows.replay(0, np.array([0.0, 2.0]), 1000.0, roundings=5)
    else:
        assert rows.replay(0, np.array([0.0, 2.0]), 1000.0, roundings=5) == pytest.approx(1002.5)


@pytest.mark.parametrize(("share", "refused"), [(0.99, False), (1.01, True), (-0.99, False), (-1.01, True)])
def test_norms_of_a_trace_may_differ_by_the_rounding_of_both_paths(share, refused):
    """w becomes (1.5, 0). The path is 1000 long before the step and 1002.5 after it."""
    difference = share * STEP_UNIT * (1000.0 + 1002.5)
    rows = told_trace(norm=np.array([1.5 + difference]))
    if refused:
        with pytest.raises(TraceError, match="the norm of w is"):
            rows.replay(0, np.array([0.0, 2.0]), 1000.0, roundings=5)
    else:
        rows.replay(0, np.array([0.0, 2.0]), 1000.0, roundings=5)


@pytest.mark.parametrize(("share", "refused"), [(0.99, False), (1.01, True)])
def test_the_weights_of_a_model_may_differ_by_twice_the_rounding_of_the_path(share, refused):
    rows = told_trace()
    slack = 2 * STEP_UNIT * 1000.0
    model = SimpleNamespace(keep="last", coef_=np.array([[3.0, -4.0 + share * slack]]))
    if refused:
        with pytest.raises(TraceError, match="does not end"):
            rows.check_end(np.array([3.0, -4.0]), model, 1000.0, roundings=5)
    else:
        rows.check_end(np.array([3.0, -4.0]), model, 1000.0, roundings=5)
    model.keep = "best"
    model.coef_ = np.array([[99.0, 99.0]])
    rows.check_end(np.array([3.0, -4.0]), model, 1000.0, roundings=5)


def test_mixed_epochs_have_64_roundings_each():
    """8 (updates + 64 n + columns + 8) half units of the longest path up to epoch n."""
    _, rows = traced(np.array([[8.0], [-8.0]]), np.array([1, -1]))
    mixing = _MixedReplay(rows, MistakeBound(8.0, 8.0, 1.0, None))
    mixing.traced.count = 7
    mixing.epochs = [[range(3), range(3, 5)], [range(5, 7)]]
    length = np.array([3, 5]) * 8.0
    np.testing.assert_allclose(mixing._length(), length)
    allowed = 8 * (7 + 64 * np.array([1, 2]) + 1 + 8) * UNIT * length
    assert mixing._undecided(0.99 * allowed) == [0, 1]
    assert mixing._undecided(1.01 * allowed) == []
    assert mixing._undecided(1.5 * allowed, 2.0) == [0, 1]
    assert mixing._undecided(np.array([np.nan, np.inf])) == [0]
    assert mixing._roundings(3) == 7 + 3 * 64
