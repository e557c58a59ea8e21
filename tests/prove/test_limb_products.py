"""Dot products in limbs, held to fractions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from rosenblatt.prove.exact.limb_products import MAX_TERMS, LimbMatrix, LimbWeights


def exact_dots(rows, w, constant):
    return [sum((Fraction(x) * v for x, v in zip(row, w, strict=True)), Fraction(constant)) for row in rows.tolist()]


def whole_numbers(rng, count, bits):
    return [int(rng.integers(-(2**40), 2**40)) << int(rng.integers(0, bits)) for _ in range(count)]


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("bits", [1, 30, 700, 3000])
def test_signs_are_those_of_fractions(convert, bits):
    rng = np.random.default_rng(bits)
    for _ in range(30):
        rows = np.ldexp(rng.uniform(-1, 1, (12, 5)), rng.integers(-60, 1, (12, 5))) * rng.integers(0, 2, (12, 5))
        w = whole_numbers(rng, 5, bits)
        constant = whole_numbers(rng, 1, bits)[0]
        precise = LimbMatrix(convert(rows))
        assert precise.fits.all()
        expected = exact_dots(rows, w, constant)
        found = precise.dot(LimbWeights(w, constant))
        assert found.sign.tolist() == [(value > 0) - (value < 0) for value in expected]
        shift = max(abs(value).bit_length() for value in (*w, constant))
        np.testing.assert_allclose(found.value, [float(value / 2**shift) for value in expected], rtol=1e-12)


def test_sums_that_cancel_to_the_last_bit():
    rng = np.random.default_rng(0)
    for _ in range(200):
        w = [int(value) for value in rng.integers(-(2**50), 2**50, 4)]
        x = rng.integers(-(2**30), 2**30, 4) * 2.0**-30
        total = sum(Fraction(a) * b for a, b in zip(x.tolist(), w, strict=True))
        rows = np.append(x, 2.0**-30)[None, :]
        for miss in (-1, 0, 1):
            assert LimbMatrix(rows).dot(LimbWeights([*w, -int(total * 2**30) + miss])).sign.tolist() == [miss]


@pytest.mark.parametrize("columns", [MAX_TERMS - 1, MAX_TERMS, MAX_TERMS + 1, 3 * MAX_TERMS + 5])
def test_as_many_columns_as_there_are(columns):
    """Limbs and sums as large as they get: 53 bits of ones times bits of ones, all of one sign."""
    largest = 1 - 2.0**-53
    rows = np.full((2, columns), largest)
    rows[1, -1] = -largest
    w = [2**210 - 1] * columns
    total = Fraction(largest) * (2**210 - 1) * (columns - 2)
    assert LimbMatrix(rows).dot(LimbWeights(w, -(total // 1))).sign.tolist() == [1, 1]
    assert LimbMatrix(rows).dot(LimbWeights(w, -(total // 1) - 1)).sign.tolist() == [1, -1]


def test_rows_that_do_not_fit_say_so():
    rows = np.array([[0.5, 2.0**-60], [0.5, 2.0**-300], [5e-324, 0.0], [0.0, 0.0]])
    assert LimbMatrix(rows).fits.tolist() == [True, False, False, True]


def test_products_without_rows_or_columns():
    assert LimbMatrix(np.zeros((0, 3))).dot(LimbWeights([1, 2, 3], 4)).sign.tolist() == []
    assert LimbMatrix(np.zeros((2, 0))).dot(LimbWeights([], -4)).sign.tolist() == [-1, -1]
    assert LimbMatrix(np.zeros((2, 1))).dot(LimbWeights([5])).sign.tolist() == [0, 0]
