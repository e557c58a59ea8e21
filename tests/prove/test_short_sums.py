"""Short whole numbers: float sums that are exact, and normals packed as digits of a number."""

import numpy as np
import pytest
import scipy.sparse

from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.exact.short_sums import ShortIntegerRows

EXPONENTS = np.array([3, 1, 6, 1])  # of numbers below 8, 2, 64, 2


def counts(rng, rows):
    return np.column_stack([rng.integers(-(2**e) + 1, 2**e, rows) for e in EXPONENTS]).astype(float)


def whole_sum(row, w, ones):
    """2^6 (x . w), in whole numbers."""
    terms = [int(x) * weight << (6 - int(e)) for x, weight, e in zip(row, w, EXPONENTS, strict=False)]
    return sum(terms) + (w[-1] << 6) * ones


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("ones", [True, False])
def test_sums_and_packs_are_those_of_whole_numbers(ones, convert):
    rng = np.random.default_rng(0)
    X = counts(rng, 300)
    short = ShortIntegerRows(convert(X), EXPONENTS, ones)
    ws = [[int(value) for value in rng.integers(-9, 10, 4 + ones) * rng.integers(0, 2, 4 + ones)] for _ in range(40)]
    sums = np.array([[whole_sum(row, w, ones) for w in ws] for row in X])
    assert all(map(short.is_exact_for, ws))
    assert (short.dot_products(ws) * 2**6 == sums).all()
    packs = short.pack(ws[:3]), short.pack(ws)
    assert len(packs[0]) == 1
    assert len(packs[1]) < len(ws) / 2
    assert ((short.dot_products(packs[0]) == 0).all(axis=1) == (sums[:, :3] == 0).all(axis=1)).all()
    assert all(map(short.is_exact_for, packs[1]))
    zero = ShortIntegerRows(convert(np.zeros((1, 4))), EXPONENTS, False)
    assert not zero.dot_products(zero.pack([w[:4] for w in ws])).any()


def test_packed_normals_find_the_same_rows_as_single_ones():
    normals = [[1, -1], [1, 1], [0, 1], [1, 0], [-3, 2]]
    X = np.array([[x, y] for x in range(-7, 8) for y in range(-7, 8)], dtype=float)
    short = ShortIntegerRows(X, np.array([3, 3]), False)
    for count in range(1, len(normals) + 1):
        packs = short.pack(normals[:count])
        alone = (np.array([short.dot_products([normal])[:, 0] for normal in normals[:count]]) == 0).all(axis=0)
        assert ((short.dot_products(packs) == 0).all(axis=1) == alone).all()


def test_every_normal_of_several_packs_is_seen():
    """Two of these normals fill a pack. Each of them sees one row, which no other sees."""
    short = ShortIntegerRows(np.eye(6), np.ones(6, dtype=int), False)
    packs = short.pack([[2**20 * (row == column) for column in range(6)] for row in range(6)])
    assert len(packs) == 3
    assert short.dot_products(packs).any(axis=1).all()


def test_long_numbers_are_left_to_limbs():
    short = ShortIntegerRows(np.array([[1.0, 0.5]]), np.array([1, 0]), True)
    assert short.is_exact_for([2**51, 0, 0])
    assert not short.is_exact_for([2**52, 0, 0])
    assert not short.is_exact_for([2**51, 0, -(2**51)])
    assert not short.is_exact_for([1, 1, 0])  # 0.5 is not whole


@pytest.mark.parametrize("size", [1, 2**30, 2**60])
def test_short_and_long_normals_of_one_table_agree_with_whole_numbers(size):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 2, (400, 3)), rng.choice([0.1, 0.3], 400)])
    problem = ExactProblem(X, np.arange(400) % 2, True)
    normals = [[size, -size, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, *problem.scale_weights([0, 0, 0, 10, -1])[3:]]]
    expected = (X[:, 0] == X[:, 1]) & (X[:, 2] == 0)
    assert expected.any()
    assert (problem.in_span(normals[:2], np.arange(400)) == expected).all()
    assert not problem.in_span(normals, np.arange(400)).any()  # no float is a tenth


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array])
def test_short_integers_need_neither_limbs_nor_passes_over_all_rows(convert, monkeypatch):
    def refuse(*arguments):
        raise AssertionError("this is the slow way")

    X = np.random.default_rng(0).integers(0, 3, (300, 3)).astype(float)
    problem = ExactProblem(convert(X), np.arange(300) % 2, True)
    monkeypatch.setattr(ExactProblem, "_limb_margins", refuse)
    wrong = problem.nonpositive_rows(problem.scale_weights([1, -1, 0, 0]))
    margins = (X[:, 0] - X[:, 1]) * problem.labels
    assert wrong.rows.tolist() == np.flatnonzero(margins <= 0).tolist()
    monkeypatch.setattr(ExactProblem, "margins", refuse)
    normals = [problem.scale_weights([1, -1, 0, 0]), problem.scale_weights([0, 0, 1, -1])]
    assert (problem.in_span(normals, np.arange(300)) == ((X[:, 0] == X[:, 1]) & (X[:, 2] == 1))).all()
