"""Separability after a lift, exact: held against certificates that fractions check, and against rows written out."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifted_truth import FORMS, proved_kind
from sklearn.datasets import make_circles

from rosenblatt import Polynomial, RandomFourier, mistake_bound, separability, separating_degree
from rosenblatt.prove.exact.lifted_problem import LiftedProblem, products_are_exact
from rosenblatt.prove.separability.separability import Separability
from rosenblatt.prove.separability.separating_degree import SeparatingDegree

# Verdicts


XOR, XOR_Y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


def on_a_line():
    """Four rows on a line, in turns of one class and the other, whose squares need 94 bits each."""
    random = np.random.default_rng(5)
    start, step = random.integers(2**43, 2**44, (2, 3)) / 2.0**45
    return start + np.arange(4)[:, None] * step, [0, 1, 0, 1]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_verdicts_are_those_of_the_rows_written_out(form, fit_intercept, degree, seed):
    """Small whole numbers: there floats hold every product."""
    random = np.random.default_rng(seed)
    X, y = random.integers(-2, 3, (14, 2)).astype(float), random.permutation(14) % 2
    answer = separability(FORMS[form](X), y, fit_intercept, features=Polynomial(degree))
    assert answer.kind == separability(Polynomial(degree).transform(X), y, fit_intercept).kind
    assert answer.verify(X, y)
    assert proved_kind(answer.certificate, X, y, degree) == answer.kind


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_certificates_of_any_floats_are_checked_by_fractions(data):
    rows, columns, degree = data.draw(st.integers(2, 9)), data.draw(st.integers(1, 3)), data.draw(st.integers(2, 3))
    few = data.draw(st.lists(st.floats(-1e3, 1e3, width=64), min_size=2, max_size=5))  # equal numbers make ties
    numbers = st.sampled_from([0.0, 0.1, -0.3, *few])
    X = np.array(
        data.draw(st.lists(st.lists(numbers, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    )
    y = np.arange(rows) % 2
    answer = separability(X, y, data.draw(st.booleans()), features=f"polynomial-{degree}")
    assert proved_kind(answer.certificate, X, y, degree) == answer.kind
    assert answer.verify(X, y), answer.why_not


def test_rows_whose_products_floats_take_for_nothing():
    tiny = 4e-171  # whose square is smaller than any float
    X = np.array([[0, 0], [0, 0], [0, -0.3], [0, 0.1], [0, tiny], [0.1, -0.3], [tiny, -0.3], [tiny, -0.3]])
    y = np.arange(8) % 2
    answer = separability(X, y, fit_intercept=False, features="polynomial-2")
    assert proved_kind(answer.certificate, X, y, 2) == answer.kind
    assert answer.verify(X, y), answer.why_not


def test_products_that_floats_round_are_not_rounded():
    """On a line a polynomial of degree 2 changes sign twice, not three times; rounded squares leave the line."""
    X, y = on_a_line()
    assert not products_are_exact(X, 2)
    answer = separability(X, y, features="polynomial-2")
    assert answer.kind == "overlap"
    assert proved_kind(answer.certificate, X, y, 2) == "overlap"
    assert separability(Polynomial(2).transform(X), y).kind == "complete"
    assert separability(X, y, features="polynomial-3").kind == "complete"


@pytest.mark.parametrize("scale", [1e-160, 1e-80, 1.0, 1e80, 1e200])
def test_numbers_of_any_size(scale):
    X = (XOR + 0.1) * [scale, 1.0]
    assert separability(X, XOR_Y).kind == "overlap"
    answer = separability(X, XOR_Y, features="polynomial-2")
    assert answer.kind == "complete"
    assert answer.verify(X, XOR_Y)


def test_float32_and_many_rows():
    X, y = make_circles(3000, noise=0.05, factor=0.4, random_state=0)
    for dtype in (np.float32, np.float64):
        answer = separability(X.astype(dtype), y, features="polynomial-2")
        assert answer.kind == "complete"
        assert answer.verify(X.astype(dtype), y)
    flipped = np.where(np.arange(3000) == np.argmin((X**2).sum(axis=1)), 1 - y, y)
    answer = separability(X, flipped, features="polynomial-2")
    assert answer.kind == "overlap"
    assert answer.verify(X, flipped)


def test_rows_on_the_surface_are_quasi_separated():
    """Rows of both classes in turns on a line that the others are beside."""
    X, y = on_a_line()
    X, y = np.vstack([X, X[0] + [1.0, 0, 0], X[0] + [2.0, 0, 1.0]]), [*y, 1, 1]
    answer = separability(X, y, features="polynomial-2")
    assert answer.kind == "quasi"
    assert proved_kind(answer.certificate, X, y, 2) == "quasi"


def test_the_hyperplane_of_exclusive_or_is_told_in_terms():
    answer = separability(XOR, XOR_Y, features="polynomial-2")
    assert str(answer.hyperplane) == "2 x1 + 2 x2 - 4 x1*x2 - 1 = 0"
    assert "It uses terms 'x1', 'x2' and 'x1*x2'" in answer.explain()
    frame = pd.DataFrame(XOR, columns=["tall", "wide"])
    assert "'tall*wide'" in separability(frame, XOR_Y, features="polynomial-2").explain()


def test_certificates_of_other_features_are_refused():
    answer = separability(XOR, XOR_Y, features="polynomial-2")
    for features, reason in [
        (None, "5 weights for 2 columns"),
        ("polynomial-3", "one weight for each feature"),
        ("polynomial-99999999", "features"),
        ("fourier-5", "cannot be decided exactly"),
        (7, "features must be"),
    ]:
        changed = Separability({**answer.certificate, "features": features})
        assert not changed.verify(XOR, XOR_Y)
        assert reason in changed.why_not
    assert answer.verify(XOR, XOR_Y)
    assert not answer.verify(XOR + 0.5, XOR_Y)


def test_each_class_against_the_rest():
    X, y = np.array([[0.0], [1], [2], [3], [4]]), list("aabbc")
    kinds = {label: answer.kind for label, answer in separability(X, y, multi_class="ovr").items()}
    assert kinds == {"a": "complete", "b": "overlap", "c": "complete"}
    lifted_kinds = separability(X, y, multi_class="ovr", features="polynomial-2")
    assert {answer.kind for answer in lifted_kinds.values()} == {"complete"}


def test_what_has_no_exact_coordinates_is_refused():
    with pytest.raises(ValueError, match="cosines are no fractions"):
        separability(XOR, XOR_Y, features=RandomFourier(5))
    with pytest.raises(ValueError, match="features must be"):
        separability(XOR, XOR_Y, features="cubic")
    with pytest.raises(ValueError, match="GB of memory"):
        separability(np.ones((2, 60)), [0, 1], features="polynomial-20")
    with pytest.raises(ValueError, match="NaN in column 1, row 2"):
        separability([[1, 2], [3, 4], [5, np.nan]], [0, 1, 1], features="polynomial-2")


def test_floats_of_the_view_are_within_the_bound_of_their_error():
    random = np.random.default_rng(0)
    X = random.standard_normal((50, 4)) * [1e-9, 1.0, 1e9, 3.0]
    problem = LiftedProblem(X, np.arange(50) % 2, True, None, Polynomial(3))
    w = [int(value) for value in random.integers(-(2**40), 2**40, problem.size)]
    value, error = problem.margins(w)
    size = 2 ** max(map(abs, w)).bit_length()
    for row in range(50):
        exact = sum(a * b for a, b in zip(problem.integer_row(row), w, strict=True))
        true = Fraction(exact) * Fraction(2) ** problem.row_exponent(row) / size
        assert abs(Fraction(float(value[row])) - true) <= Fraction(error)


def test_a_square_that_floats_round_to_an_integer_is_not_that_integer():
    """The floats of 14 ** 0.5 and of its square, rounded, look like a row on x^2 = 14."""
    X = np.array([[14.0**0.5], [1.0], [2.0]])
    assert X[0, 0] ** 2 == 14.0
    assert Fraction(float(X[0, 0])) ** 2 != 14
    problem = LiftedProblem(X, [0, 1, 1], True, None, Polynomial(2))
    normal = problem.scale_weights([Fraction(0), Fraction(1), Fraction(-14)])
    assert not problem.in_span([normal], np.arange(3)).any()


# The least degree


def test_the_least_degree_of_sign_changes():
    """On a line, k changes of sign need degree k."""
    for changes in range(1, 6):
        X, y = np.arange(changes + 1.0)[:, None] * 0.1, np.arange(changes + 1) % 2
        answer = separating_degree(X, y)
        assert answer.degree == changes
        assert answer.verify(X, y)
        assert [verdict.kind == "complete" for verdict in answer.verdicts.values()] == [False] * (changes - 1) + [True]
        assert proved_kind(answer.verdicts[changes].certificate, X, y, changes) == "complete"


def test_circles_need_degree_2():
    X, y = make_circles(300, noise=0.03, factor=0.5, random_state=0)
    answer = separating_degree(X, y)
    assert answer.degree == 2
    assert answer.verdicts[1].kind == "overlap"
    assert answer.verify(X, y)
    assert str(answer).startswith("Degree 2 separates, and no lower one does: ")


def test_degrees_that_are_not_enough():
    X, y = np.arange(6.0)[:, None], np.arange(6) % 2
    answer = separating_degree(X, y, max_degree=3)
    assert answer.degree is None
    assert answer.hyperplane is None
    assert "No degree up to 3 separates" in str(answer)
    assert answer.verify(X, y)
    X = np.vstack([X, X[2]])
    answer = separating_degree(X, [*y, 1])
    assert answer.twins == (2, 6)
    assert str(answer) == "No degree separates: rows 2 and 6 are equal but of different classes."
    assert answer.verify(X, [*y, 1])


def test_a_false_degree_is_found_out():
    X, y = np.arange(4.0)[:, None], np.arange(4) % 2
    answer = separating_degree(X, y)
    assert answer.degree == 3
    for degree, reason in [(4, "Degree 3 is complete"), (2, "Degree 2 is overlap"), (1, "Degree 1 is overlap")]:
        false = SeparatingDegree(degree, answer.verdicts)
        assert not false.verify(X, y)
        assert reason in false.why_not
    missing = SeparatingDegree(3, {3: answer.verdicts[3]})
    assert not missing.verify(X, y)
    assert missing.why_not == "There is no verdict for degree 2."
    swapped = SeparatingDegree(3, {**answer.verdicts, 2: answer.verdicts[1]})
    assert not swapped.verify(X, y)
    assert not answer.verify(X - np.array([[0], [0], [0], [2.5]]), y)


def test_bad_degrees_and_limits():
    with pytest.raises(ValueError, match="max_degree must be a whole number of at least 1, not 0"):
        separating_degree(XOR, XOR_Y, max_degree=0)
    with pytest.raises(ValueError, match="time_limit must be a finite number above 0"):
        separating_degree(XOR, XOR_Y, time_limit=0)
    with pytest.raises(ValueError, match=r"features, with .* GB of memory"):
        separating_degree(np.ones((2, 500)), [0, 1], max_degree=9)
    X = np.random.default_rng(0).standard_normal((2000, 12))
    answer = separating_degree(X, np.arange(2000) % 2, time_limit=1e-6)
    assert answer.degree is None
    assert "Undecided" in str(answer)
    assert not answer.verify(X, np.arange(2000) % 2)


# How much faster a lift converges


def test_the_bound_of_mistakes_after_a_lift():
    """Of a circle in a ring: no bound as it is, a finite one with squares, and training keeps to it."""
    from rosenblatt import Perceptron, max_margin

    X, y = make_circles(200, noise=0.02, factor=0.5, random_state=0)
    assert mistake_bound(X, y).bound == np.inf
    lifted_bound = mistake_bound(X, y, features="polynomial-2")
    written = mistake_bound(Polynomial(2).transform(X), y)
    assert (lifted_bound.bound, lifted_bound.radius) == (written.bound, written.radius)
    model = Perceptron(features="polynomial-2", random_state=0).fit(X, y)
    assert 0 < model.n_mistakes_ <= lifted_bound.bound
    assert not max_margin(X, y)
    best = max_margin(X, y, features="polynomial-2")
    assert best.margin == max_margin(Polynomial(2).transform(X), y).margin > 0
