"""Verdicts that are known: Boolean functions, Iris, capacity, scales, ties and rows that nearly share a plane."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.datasets import load_iris
from slow_truth import brute_kind, independent_verdict
from small_problems import CORNERS

from rosenblatt import separability
from rosenblatt.prove.separability.margin_program import whitening_matrix

# Known answers


@pytest.mark.parametrize(
    ("y", "kind"), [([0, 0, 0, 1], "complete"), ([0, 1, 1, 1], "complete"), ([0, 1, 1, 0], "overlap")]
)
def test_and_or_xor(y, kind):
    result = separability(CORNERS, y)
    assert result.kind == kind
    assert result.certificate["clash"]["rows"] == ([0, 1, 2, 3] if kind == "overlap" else [])
    assert set(result.certificate["clash"]["multipliers"]) <= {"1"}


def test_a_column_that_ends_in_a_tie_is_quasi():
    result = separability([[1], [2], [3], [3]], [-1, -1, 1, -1])
    assert result.kind == "quasi"
    assert result.certificate["clash"] == {"rows": [2, 3], "multipliers": ["1", "1"]}


def test_a_contradictory_duplicate_is_shown_by_its_two_rows():
    X = np.vstack([np.random.default_rng(0).normal(size=(50, 3)), np.zeros((1, 3))])
    y = (X[:, 0] > 0).astype(int)
    X[50], y[50] = X[np.argmax(X[:, 0])], 0
    assert separability(X, y).kind == "overlap"
    result = separability(X[[0, 1, 50, np.argmax(X[:, 0])]], [0, 0, 0, 1])
    assert result.certificate["clash"]["rows"] == [2, 3]


def test_iris():
    X, y = load_iris(return_X_y=True)
    assert separability(X, y == 0).kind == "complete"
    result = separability(X, y, classes=(1, 2))
    assert result.kind == "overlap"
    assert result.verify(X, y)
    assert min(result.certificate["clash"]["rows"]) >= 50


def test_classes_in_pairs_and_against_the_rest():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    rest = separability(X, names, multi_class="ovr")
    assert {name: answer.kind for name, answer in rest.items()} == {
        "setosa": "complete",
        "versicolor": "overlap",
        "virginica": "overlap",
    }
    assert rest["virginica"].kind == separability(X, y == 2).kind
    assert rest["virginica"].certificate["classes"] == [None, "virginica"]
    pairs = separability(X, names, multi_class="ovo")
    assert [pair for pair, answer in pairs.items() if answer.kind != "complete"] == [("versicolor", "virginica")]
    assert all(answer.verify(X, names) for answer in (*rest.values(), *pairs.values()))
    assert not rest["setosa"].verify(X, np.roll(names, 1))


@pytest.mark.parametrize("maker", [pd.DataFrame, pl.DataFrame])
def test_explanations_name_the_columns_of_a_data_frame(maker):
    frame = maker({"width": [0.0, 0.0, 0.0], "length": [1.0, 2.0, 3.0]})
    assert "It uses column 'length'." in separability(frame, [0, 0, 1]).explain()


def test_a_hyperplane_of_several_columns_is_not_called_the_only_one():
    """Of three categories, the last alone separates; the certificate may use all of them, which sum to a constant."""
    sites, ill = np.eye(3)[[0, 1, 2] * 4], np.array([0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1])
    answer = separability(sites, ill)
    used = np.count_nonzero([float(weight) for weight in answer.certificate["weights"]])
    assert answer.kind == "quasi"
    assert ("another hyperplane may do with fewer of them" in answer.explain()) == (used > 1)


@pytest.mark.parametrize(("inputs", "count"), [(2, 14), (3, 104)])
def test_linearly_separable_boolean_functions(inputs, count):
    X = np.array(list(itertools.product([0.0, 1.0], repeat=inputs)))
    labellings = [y for y in itertools.product([0, 1], repeat=len(X)) if len(set(y)) == 2]
    assert 2 + sum(separability(X, y).kind == "complete" for y in labellings) == count


def symmetries(inputs):
    """How permuting and inverting the inputs moves the corners of the cube, one row a symmetry."""
    corners = np.array(list(itertools.product([0, 1], repeat=inputs)))
    values = 1 << np.arange(inputs)[::-1]
    orders = itertools.permutations(range(inputs))
    return np.array([(corners[:, order] ^ flip) @ values for order in orders for flip in corners])


def test_linearly_separable_boolean_functions_of_four_inputs():
    """1,882 of 65,536. Functions that a symmetry of the cube turns into each other stand or fall together."""
    X = np.array(list(itertools.product([0.0, 1.0], repeat=4)))
    functions = (np.arange(1 << 16)[:, None] >> np.arange(16)) & 1
    least = np.arange(1 << 16)
    for moved in symmetries(4):
        np.minimum(least, functions @ (1 << moved), out=least)
    numbers, sizes = np.unique(least, return_counts=True)
    kinds = [separability(X, functions[f]).kind if 0 < f < 65535 else "complete" for f in numbers]
    assert sizes[[kind == "complete" for kind in kinds]].sum() == 1882


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_capacity(d):
    """Every labelling of d + 1 points in general position is separable, not every one of d + 2."""
    X = np.random.default_rng(d).normal(size=(d + 2, d))
    for n, every in ((d + 1, True), (d + 2, False)):
        labellings = [y for y in itertools.product([0, 1], repeat=n) if len(set(y)) == 2]
        assert all(separability(X[:n], y).kind == "complete" for y in labellings) is every


def test_one_unit_in_the_last_place_separates():
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    assert separability(X, [0, 1]).kind == "complete"
    assert separability(X[[0, 0]], [0, 1]).kind == "overlap"


def test_scales_and_denormals():
    X = np.array([[1e300, 1e-300, 5e-324], [1e300, 2e-300, 5e-324], [-1e300, 1e-300, 0], [1e300, 1e-300, 1e-323]])
    for y in ([0, 1, 0, 1], [1, 0, 0, 1], [0, 0, 0, 1]):
        result = separability(X, y)
        assert result.kind == brute_kind(X, y)
        assert result.verify(X, y)
        assert np.isfinite(result.hyperplane.coef).all()


def test_tiny_and_huge_in_one_column():
    X = np.array([[1e300], [1e-300], [-1e-300], [5e-324]])
    assert separability(X, [1, 1, 0, 1], fit_intercept=False).kind == "complete"
    assert separability(X, [1, 1, 0, 0]).kind == "complete"
    assert separability(X, [1, 1, 0, 0], fit_intercept=False).kind == "overlap"


def test_rows_of_zeros_through_the_origin():
    X = np.array([[0.0, 0.0], [1.0, 2.0], [-1.0, -2.0]])
    result = separability(X, [0, 1, 0], fit_intercept=False)
    assert result.kind == "quasi"
    assert result.verify(X, [0, 1, 0])
    assert "Rows of zeros" in result.explain()
    assert separability(0 * X, [0, 1, 0], fit_intercept=False).kind == "overlap"
    assert separability(scipy.sparse.csr_array(0 * X), [0, 1, 0], fit_intercept=False).kind == "overlap"


def test_rows_that_nearly_share_a_plane():
    """Flatter than floats can see, with many rows: neither a wrong answer nor one that takes for ever."""
    rng = np.random.default_rng(2)
    X, w = rng.normal(size=(3000, 12)), rng.normal(size=12)
    y = (X @ w > 0).astype(int)
    X -= np.outer((X @ w) * (1 - 1e-13) / (w @ w), w)
    result = separability(X, y, time_limit=60)
    assert independent_verdict(result.certificate, X, y) == result.kind != "undecided"


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array])
def test_many_columns(convert):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (60, 400)).astype(float)
    y = np.arange(60) % 2
    result = separability(convert(X), y)
    assert result.kind == "complete"
    assert independent_verdict(result.certificate, X, y) == "complete"
    X[59] = X[0]
    result = separability(convert(X), y)
    assert result.kind != "complete"
    assert result.certificate["clash"]["rows"] == [0, 59]
    assert result.verify(X, y)


def test_many_identical_rows():
    X, y = np.full((1_000_000, 3), 0.1), np.arange(1_000_000) % 2
    result = separability(X, y)
    assert result.kind == "overlap"
    assert result.verify(X, y)
    assert len(result.certificate["clash"]["rows"]) == 2


# Bad input


def test_rows_of_which_floats_see_nothing_are_decided_without_a_warning():
    """Modulo the two rows that clash, the square of the third is too small for floats; they would divide by 0."""
    X, y = [[1.7e308], [1.7e308], [2e-323]], [1, 0, 0]
    for degree in (2, 3):
        verdict = separability(X, y, False, features=f"polynomial-{degree}")
        assert verdict.kind == "quasi"
        assert verdict.verify(X, y), verdict.why_not
    assert (whitening_matrix(np.zeros((3, 2))) == np.eye(2)).all()
