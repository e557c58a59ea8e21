"""Floats decide ordinary data: exact elimination and the exact simplex method are for the rest.

A wrong turn in floats is never a wrong answer, only a slow one. Here the slow ways are closed.
"""

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import separability
from rosenblatt.prove.exact.linear_algebra import PositiveDependence, weighted_sum
from rosenblatt.prove.margin import max_margin as margins
from rosenblatt.prove.margin.alternating import IterativeSystem, solve_alternating
from rosenblatt.prove.margin.augmented_lagrangian import solve_augmented_lagrangian
from rosenblatt.prove.margin.class_hulls import ClassHulls
from rosenblatt.prove.margin.nearest_points import solve_nearest_points
from rosenblatt.prove.separability import gordan, tucker_split
from rosenblatt.prove.time_limit import Clock


def refuse(*arguments):
    raise AssertionError("this is the slow way")


def two_classes(seed, rows=200, columns=4, gap=0.3):
    """Rows of two classes, `gap` apart; they overlap if it is below 0."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((rows, columns)), np.arange(rows) % 2
    w = rng.standard_normal(columns)
    w /= np.linalg.norm(w)
    X -= np.outer(X @ w, w)
    return X + np.outer((2 * y - 1) * (gap / 2 + rng.exponential(size=rows)), w), y


# Separability


@pytest.mark.parametrize("gap", [0.5, 0.01, -0.5])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_ordinary_rows_need_no_exact_program(gap, seed, fit_intercept, monkeypatch):
    monkeypatch.setattr(tucker_split, "solve_gordan", refuse)
    X, y = two_classes(seed, gap=gap)
    answer = separability(X, y, fit_intercept)
    assert answer.kind == ("complete" if gap > 0 else "overlap")
    assert answer.verify(X, y)


@pytest.mark.parametrize("thickness", [1e-4, 1e-6])
@pytest.mark.parametrize("seed", range(3))
def test_rows_that_nearly_share_a_plane_are_whitened(thickness, seed, monkeypatch):
    monkeypatch.setattr(tucker_split, "solve_gordan", refuse)
    X, y = two_classes(seed, rows=300, columns=3)
    X = X * [1.0, 1.0, thickness] @ np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))[0]
    assert separability(X, y).kind == "complete"


@pytest.mark.parametrize("inside", [0, 3])
def test_wide_rows_are_split_at_once(inside, monkeypatch):
    monkeypatch.setattr(tucker_split, "solve_gordan_outside", refuse)
    monkeypatch.setattr(tucker_split, "MIN_COLUMNS_TO_PEEL", 10**6)
    rng = np.random.default_rng(inside)
    X = scipy.sparse.random(80, 320, 0.03, format="lil", random_state=rng)
    X[:, 0] = 1.0
    y = np.arange(80) % 2
    for k in range(inside):  # twins: equal rows with both labels
        X[2 * k + 1] = X[2 * k]
    answer = separability(X.tocsr(), y)
    assert answer.kind == ("quasi" if inside else "complete")
    assert len(answer.certificate["clash"]["rows"]) == 2 * inside
    assert answer.verify(X.tocsr(), y)


@pytest.mark.parametrize("seed", range(20))
def test_small_alternatives_need_no_exact_simplex_method(seed, monkeypatch):
    monkeypatch.setattr(gordan, "solve_gordan_exactly", refuse)
    rng = np.random.default_rng(seed)
    rows = [[int(value) for value in row] for row in rng.integers(-50, 51, (int(rng.integers(3, 9)), 3))]
    answer = gordan.solve_gordan(rows, Clock(None))
    if isinstance(answer, PositiveDependence):
        assert min(answer.multipliers) > 0
        assert not any(weighted_sum(answer.multipliers, [rows[place] for place in answer.rows]))
    else:
        assert all(sum(a * b for a, b in zip(row, answer, strict=True)) > 0 for row in rows)
        assert max(map(abs, answer)) < 2**16  # short weights where they suffice


# The widest margin


def nearest(X, y, fit_intercept):
    hulls = ClassHulls(X, y, fit_intercept, None)
    return hulls.signed_rows(np.arange(len(y)), None), hulls.sides


def assert_optimal(found, rows, sides, tolerance):
    """The gap that is claimed, from weights and direction alone."""
    rows = rows.toarray() if scipy.sparse.issparse(rows) else rows
    assert found.gap < tolerance
    assert found.alpha.min() >= 0
    margins_of_rows = rows @ found.w
    groups = [np.ones(len(rows), dtype=bool)] if sides is None else [sides < 0, sides > 0]
    weights = [found.alpha[group] / found.alpha[group].sum() for group in groups]
    points = sum(weight @ rows[group] for weight, group in zip(weights, groups, strict=True))
    reached = sum(margins_of_rows[group].min() for group in groups) / np.linalg.norm(found.w)
    assert reached == pytest.approx(np.linalg.norm(points), rel=10 * tolerance)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("shape", [(60, 4), (300, 12), (20, 50)])
@pytest.mark.parametrize("seed", range(2))
def test_nearest_points_are_found_in_floats(fit_intercept, shape, seed):
    X, y = two_classes(seed, *shape)
    rows, sides = nearest(X, y, fit_intercept)
    tolerance = 1e-8
    direct = solve_nearest_points(rows, sides, tolerance, Clock(None))
    assert_optimal(direct, rows, sides, tolerance)
    again = solve_nearest_points(rows, sides, tolerance, Clock(None), direct)
    assert_optimal(again, rows, sides, tolerance)
    system = IterativeSystem(scipy.sparse.csr_matrix(rows), sides)
    assert_optimal(solve_augmented_lagrangian(system, tolerance, Clock(None), None), rows, sides, tolerance)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_coordinates_in_turns_find_nearest_points(fit_intercept):
    rows, sides = nearest(*two_classes(1, 60, 400), fit_intercept)
    rows = scipy.sparse.csr_matrix(rows)
    found = solve_alternating(IterativeSystem(rows, sides), 1e-3, Clock(None), None)
    assert_optimal(found, rows, sides, 1e-3)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_growing_set_of_rows_has_the_margin_of_all(form, fit_intercept, monkeypatch):
    """Far more rows than start. The slow way would be exact, or take all rows at once."""
    X, y = two_classes(3, 3000, 5)
    hulls = ClassHulls(form(X), y, fit_intercept, None)
    sizes = []
    solve = margins.solve_nearest_points

    def counted(rows, *arguments):
        sizes.append(rows.shape[0])
        return solve(rows, *arguments)

    monkeypatch.setattr(margins, "solve_nearest_points", counted)
    found = margins._solve_growing_set(hulls, Clock(None))
    assert sizes[0] == 120
    assert max(sizes) < 600
    assert len(sizes) < 20  # no pass is made once no row is nearer
    rows, sides = nearest(X, y, fit_intercept)
    assert_optimal(found, rows, sides, margins.MAX_GAP)
