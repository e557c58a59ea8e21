"""The widest margin against brute force in fractions, its laws, and where floats see too little."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from margin_truth import NOTES, attained_square, brute_square, gaussian
from sklearn.svm import SVC

from rosenblatt import margins, max_margin, separability, signed_distance
from rosenblatt.prove.margin import alternating
from rosenblatt.prove.margin import max_margin as margin_module
from rosenblatt.prove.margin import nearest_points as nearest
from rosenblatt.prove.time_limit import Clock


def check_against_brute_force(X, y, fit_intercept):
    found = max_margin(np.array(X, dtype=float), y, fit_intercept)
    truth = brute_square(X, y, fit_intercept)
    assert bool(found) == (truth is not None)
    if truth is None:
        assert found.margin == found.upper == 0
        assert found.why_not
        return
    assert Fraction(found.margin) ** 2 <= attained_square(found.hyperplane, X, y) <= truth
    assert truth <= Fraction(found.upper) ** 2
    assert 0 <= found.gap < 1e-6
    assert fit_intercept or found.hyperplane.offset == 0


def small_problem(rng):
    """Few points: on a grid, doubled, on a line, fewer than columns, far away, or one unit in the last place apart."""
    columns = int(rng.integers(1, 4))
    X = rng.integers(-3, 4, (int(rng.integers(2, 7)), columns)).astype(float)
    kind = rng.integers(6)
    if kind == 0:
        X = np.vstack([X, X[:2]])
    elif kind == 1:
        X = np.outer(X[:, 0], np.arange(1, columns + 1.0))
    elif kind == 2:
        X = X[:2]
    elif kind == 3:
        X += 2.0**40
    elif kind == 4:
        X = 1 + X * 2.0**-52
    y = rng.choice([-1, 1], len(X))
    y[0], y[1] = -1, 1
    return X, y


@pytest.mark.parametrize("part", range(4))
def test_bounds_enclose_the_truth_of_brute_force(part):
    rng = np.random.default_rng(part)
    separable = 0
    for _ in range(60):
        X, y = small_problem(rng)
        for fit_intercept in (True, False):
            check_against_brute_force(X.tolist(), y.tolist(), fit_intercept)
            separable += brute_square(X.tolist(), y.tolist(), fit_intercept) is not None
    assert separable > 20


def test_both_ways_of_exact_arithmetic_and_floats_agree(monkeypatch):
    X, y = gaussian(0, rows=60, columns=4)
    for fit_intercept in (True, False):
        by_floats = max_margin(X, y, fit_intercept)
        with monkeypatch.context() as context:
            context.setattr(margin_module, "_solve_in_floats", lambda hulls, clock: None)
            exactly = max_margin(X, y, fit_intercept)
        assert exactly.gap <= 2.0**-52
        assert by_floats.margin <= exactly.upper
        assert exactly.margin <= by_floats.upper
        assert set(exactly.support.rows) == set(by_floats.support.rows)


@pytest.mark.parametrize("of", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("gap", [0.5, 1e-3])
def test_turns_find_what_factoring_finds(monkeypatch, of, gap):
    X, y = gaussian(1, rows=300, columns=40, gap=gap)
    for fit_intercept in (True, False):
        factored = max_margin(X, y, fit_intercept)
        with monkeypatch.context() as context:
            context.setattr(nearest, "MAX_DIRECT_SIZE", 5)
            context.setattr(margin_module, "MAX_DIRECT_SIZE", 5)
            context.setattr(margin_module, "exact_margin", None)  # floats are enough
            in_turns = max_margin(of(X), y, fit_intercept)
        assert in_turns.gap < 1e-6
        assert in_turns.margin == pytest.approx(factored.margin, rel=1e-6)


def test_the_alternating_solver_continues_from_a_rough_solution():
    X, y = gaussian(2, rows=300, columns=40)
    system, clock = alternating.IterativeSystem(X * y[:, None], y.astype(float)), Clock(None)
    rough = alternating.solve_alternating(system, 0.5, clock, None)
    fine = alternating.solve_alternating(system, 1e-7, clock, rough)
    assert fine.gap < 1e-7 < rough.gap
    assert alternating.solve_alternating(system, 1e-7, clock, fine).gap < 1e-7


# Known answers


def test_the_three_points_of_the_notes():
    best = max_margin(*NOTES)
    assert best.margin <= np.sqrt(2) <= best.upper
    assert best.margin == pytest.approx(np.sqrt(2), rel=1e-6)
    coef, intercept = best.hyperplane.coef, best.hyperplane.intercept
    np.testing.assert_allclose(np.append(coef, intercept) / coef[0], [1, 1, -4], rtol=1e-6)
    assert best.support.rows.tolist() == [0, 2]
    np.testing.assert_allclose(best.support.weights, 1)
    assert str(best) == "margin 1.41421, at most 1.41422, supported by 2 rows"


def test_one_row_of_each_class():
    best = max_margin([[0.0, 0.0, 0.0], [2.0, 3.0, 6.0]], ["no", "yes"])
    assert best.margin <= 3.5 <= best.upper
    np.testing.assert_allclose(best.hyperplane.coef / best.hyperplane.coef[0], [1, 1.5, 3])


def test_doubled_rows_change_nothing():
    X, y = gaussian(2)
    once, twice = max_margin(X, y), max_margin(np.vstack([X, X]), np.append(y, y))
    assert twice.margin == pytest.approx(once.margin, rel=1e-6)


def test_a_hundred_thousand_equal_rows():
    X = np.vstack([np.zeros((100_000, 2)), np.ones((1, 2))])
    best = max_margin(X, np.append(np.zeros(100_000), 1))
    assert best.margin <= np.sqrt(0.5) <= best.upper
    assert best.gap < 1e-6


def test_sparse_rows_with_nothing_in_them():
    rng = np.random.default_rng(0)
    separable = 0
    for _ in range(40):
        X, y = rng.integers(-1, 2, (6, 3)).astype(float), np.array([-1, 1, -1, 1, -1, 1])
        for fit_intercept in (True, False):
            found, truth = max_margin(scipy.sparse.csr_matrix(X), y, fit_intercept), brute_square(X, y, fit_intercept)
            assert bool(found) == (truth is not None)
            separable += bool(found)
            assert not found or Fraction(found.margin) ** 2 <= truth <= Fraction(found.upper) ** 2
    assert separable > 5


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((12, 500)), np.repeat([0, 1], 6)
    best = max_margin(X, y)
    assert best.gap < 1e-6
    assert len(best.support.rows) == 12  # points in general position, all at the margin
    np.testing.assert_allclose(margins(best.hyperplane, X, y), best.margin, rtol=1e-5)


def test_a_margin_of_half_a_unit_in_the_last_place():
    best = max_margin([[1.0], [1 + 2.0**-52]], [0, 1])
    assert best.margin == best.upper == 2.0**-53


@pytest.mark.parametrize("scale", [1e-300, 1e300, 5e-324, 2.0**-1074 * 3])
def test_sizes_at_the_ends_of_what_floats_hold(scale):
    best = max_margin(np.array([[1.0, 0.0], [3.0, 0.0], [3.0, 1.0]]) * scale, [0, 1, 1])
    truth = Fraction(float(np.float64(3.0) * scale)) - Fraction(float(np.float64(1.0) * scale))
    assert 2 * Fraction(best.margin) <= truth <= 2 * Fraction(best.upper)


def test_columns_of_very_different_size():
    X = np.array([[1e-300, 1e300], [-1e-300, 1e300], [1e-300, -1e300], [-1e-300, -1e300]])
    best = max_margin(X, [1, 0, 1, 0])
    assert best.margin <= 1e-300 <= best.upper
    assert best.upper == pytest.approx(1e-300, rel=1e-12)


def test_a_margin_of_one_in_ten_million_of_the_rows():
    X, y = gaussian(3, rows=80, columns=3, gap=0.0)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] = 1e8 + y * 1.0
    best = max_margin(X, y)
    assert best.gap < 1e-6
    assert best.upper >= 1
    assert best.margin == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("sparse", [False, True])
def test_many_rows_by_way_of_a_few(sparse):
    X, y = gaussian(4, rows=20_000, columns=8, gap=0.1)
    found = max_margin(scipy.sparse.csr_matrix(X) if sparse else X, y)
    assert found.gap < 1e-6
    near = np.argsort(margins(found.hyperplane, X, y))[:50]
    few = max_margin(X[near], y[near])
    assert few.margin <= found.upper * (1 + 1e-9)
    assert found.margin <= few.upper


def test_the_peer_finds_no_wider_margin():
    X, y = gaussian(5, rows=100, columns=5)
    peer, ours = SVC(kernel="linear", C=1e6, tol=1e-6).fit(X, y), max_margin(X, y)
    assert ours.upper * (1 - 1e-3) < margins(peer, X, y).min() <= ours.upper


# Laws


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2.0, 0.1, 1e-5, 1e5]), st.booleans())
def test_the_margin_grows_with_the_rows(seed, factor, fit_intercept):
    X, y = gaussian(seed, rows=30, columns=3)
    first, second = max_margin(X, y, fit_intercept), max_margin(X * factor, y, fit_intercept)
    assert second.margin == pytest.approx(factor * first.margin, rel=2e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_moving_all_rows_moves_the_hyperplane_with_them(seed):
    """Hyperplanes within a gap of 1e-6 of the best are within an angle of sqrt(2e-6) of it."""
    X, y = gaussian(seed, rows=30, columns=3)
    shift = np.random.default_rng(seed).standard_normal(3) * 10
    first, second = max_margin(X, y), max_margin(X + shift, y)
    assert second.margin == pytest.approx(first.margin, rel=2e-6)
    np.testing.assert_allclose(
        signed_distance(second.hyperplane, X + shift), signed_distance(first.hyperplane, X), atol=5e-3
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(1e-3, 1e3), st.booleans())
def test_any_constant_column_but_zero_stands_for_the_offset(seed, constant, negative):
    """Notes 001 and 002: rows separable with an offset are separable through the origin with one more column."""
    rng = np.random.default_rng(seed)
    X, y = small_problem(rng)
    constant = -constant if negative else constant
    lifted = np.column_stack([X, np.full(len(X), constant)])
    with_offset, through_origin = separability(X, y).kind, separability(lifted, y, fit_intercept=False).kind
    assert with_offset == through_origin
    assert bool(max_margin(X, y)) == bool(max_margin(lifted, y, fit_intercept=False)) == (with_offset == "complete")


def test_the_constant_zero_does_not():
    X, y = np.array([[1.0], [2.0]]), [0, 1]
    lifted = np.column_stack([X, np.zeros(2)])
    assert max_margin(X, y)
    assert not max_margin(lifted, y, fit_intercept=False)


# What is refused, and what cannot be


def test_rows_that_cannot_be_separated_say_why():
    missing = max_margin([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    assert not missing
    assert missing.hyperplane is None
    assert "clash" in missing.why_not
    assert str(missing) == missing.why_not
    assert not max_margin([[1], [2], [3], [3]], [0, 0, 1, 0])  # touching, but not separable


def test_one_flipped_row_among_many_is_seen():
    X, y = gaussian(6, rows=5000, columns=5, gap=1.0)
    assert max_margin(X, y)
    deepest = np.argmax(margins(max_margin(X, y).hyperplane, X, y))
    y[deepest] *= -1
    assert not max_margin(X, y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.nan]], [0, 1], "NaN in column 0, row 1"),
        ([[1.0], [2.0]], [1, 1], "two classes"),
        ([[1.0], [2.0], [3.0]], [1, 2, 3], "y has 3 classes"),
        ([[1.0], [2.0]], [1], "inconsistent lengths"),
        ([1.0, 2.0], [0, 1], "two dimensions"),
    ],
)
def test_bad_input_is_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        max_margin(X, y)


def test_bad_time_limits_are_refused_and_short_ones_kept():
    with pytest.raises(ValueError, match="time_limit"):
        max_margin(*NOTES, time_limit=0)
    hurried = max_margin([[1.0], [1 + 2.0**-52]], [0, 1], time_limit=1e-9)
    assert not hurried
    assert "time limit" in hurried.why_not
    assert hurried.upper == np.inf


def test_three_classes_by_pairs():
    X, y = np.array([[0.0], [1.0], [5.0]]), np.array(["a", "b", "c"])
    best = max_margin(X, y, classes=("a", "c"))
    assert best.margin == pytest.approx(2.5)
    assert best.support.rows.tolist() == [0, 2]
