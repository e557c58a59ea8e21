"""The products of a lift, exact: which floats hold, how they are summed, and the margins that they give."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifted_truth import FORMS, lifted

from rosenblatt import Polynomial, separability
from rosenblatt.prove.exact import lifted_problem
from rosenblatt.prove.exact.lifted_problem import LiftedProblem, _to_float, monomial_sums, products_are_exact


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("row", "degree", "exact"),
    [
        ([3.0, 0.25], 3, True),
        ([0.1, 1.0], 2, False),
        ([2.0**26 + 1, 1.0], 2, False),  # 54 bits
        ([2.0**26 - 1, 1.0], 2, True),
        ([2.0**500, 1.0], 2, False),  # its square is no float
        ([1.0, 2.0**-500], 2, False),
        ([2.0**200, 2.0**-200], 2, True),
        ([0.0, 0.0], 9, True),
    ],
)
def test_exact_products_are_known(form, row, degree, exact):
    assert products_are_exact(FORMS[form](np.array([row, [1.0, 1.0]])), degree) == exact


def test_numbers_of_every_block_count(monkeypatch):
    monkeypatch.setattr(lifted_problem, "NUMBERS_PER_BLOCK", 2)
    for place in range(5):
        row = np.ones((1, 5))
        assert products_are_exact(row, 2)
        row[0, place] = 0.1
        assert not products_are_exact(row, 2)


@settings(deadline=None)
@given(st.integers(-(2**200), 2**200), st.integers(-1200, 1200))
def test_large_integers_become_the_nearest_floats(integer, exponent):
    exact = Fraction(integer) * Fraction(2) ** exponent
    found = _to_float(integer, exponent)
    if abs(exact) > 10**300:
        assert found == np.copysign(1e300, integer)
    else:
        assert abs(Fraction(found) - exact) <= abs(exact) / 2**52 + Fraction(2) ** -1074


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=4), st.integers(1, 4))
def test_sums_over_monomials(own, degree):
    terms = [term for d in range(1, degree + 1) for term in combinations_with_replacement(own, d)]
    assert monomial_sums(np.array(own), degree).tolist() == [sum(term) for term in terms]


def test_powers_of_binary_columns_get_no_weight():
    """A 0-1 column equals its square: the certificate is as short for sparse rows as for dense ones."""
    random = np.random.default_rng(3)
    X = np.column_stack([random.integers(0, 2, 40), random.integers(0, 3, 40), random.integers(0, 2, 40)]).astype(float)
    y = (X[:, 0] + X[:, 1] ** 2 - X[:, 2] > 1).astype(int)
    squares = [place for place, term in enumerate(Polynomial(2).terms(range(3))) if term in {(0, 0), (2, 2)}]
    for form in FORMS.values():
        answer = separability(form(X), y, features="polynomial-2")
        assert answer.verify(X, y)
        assert {answer.certificate["weights"][place] for place in squares} == {"0"}
        problem = LiftedProblem(form(X), y, True, None, Polynomial(2))
        weights = [Fraction(1)] * problem.columns
        plain = problem.simplify_weights(weights)
        assert (Polynomial(2).transform(X) @ np.array(plain, dtype=float)).tolist() == (
            Polynomial(2).transform(X) @ np.ones(problem.columns)
        ).tolist()
        assert plain[squares[0]] == plain[squares[1]] == 0 != plain[squares[0] + 3]


@pytest.mark.parametrize("unit", [1.0, 0.1])
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("form", FORMS)
def test_margins_are_those_of_fractions(form, degree, unit):
    """Signs and values, of rows whose products floats hold and of others."""
    random = np.random.default_rng(8)
    X, y = random.integers(-3, 4, (40, 2)) * unit, np.arange(40) % 2
    problem = lifted_problem.make_problem(
        FORMS[form](X), y, True, None, Polynomial(degree) if degree > 1 else "identity"
    )
    for _ in range(5):
        w = [int(value) for value in random.integers(-9, 10, problem.size)]
        w[0] *= 2**70
        found = problem.nonpositive_rows(w)
        scaled = [Fraction(2) ** -int(e) * weight for weight, e in zip(w, problem._exponents, strict=False)] + w[-1:]
        for row, sign, value in zip(found.rows.tolist(), found.sign.tolist(), found.value.tolist(), strict=True):
            exact = sum(a * b for a, b in zip([*lifted(X[row], degree), 1], scaled, strict=True)) * (
                2 * int(y[row]) - 1
            )
            assert sign == (exact > 0) - (exact < 0)
            size = Fraction(2) ** max(map(abs, w)).bit_length()
            assert abs(Fraction(value) - exact / size) <= Fraction(1, 2**40)
