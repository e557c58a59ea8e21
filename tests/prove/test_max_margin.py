"""The widest margin against brute force in fractions, its laws, and where floats see too little."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.svm import SVC, LinearSVC

from rosenblatt import Perceptron, margins, max_margin, separability, signed_distance
from rosenblatt.prove.exact.hyperplane import Hyperplane
from rosenblatt.prove.margin import alternating
from rosenblatt.prove.margin import max_margin as margin_module
from rosenblatt.prove.margin import nearest_points as nearest
from rosenblatt.prove.time_limit import Clock

NOTES = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]

# Slow truth, with fractions alone


def solved(matrix, right):
    """The solution of square equations by elimination; None if there is not just one."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(len(rows)):
        pivot = next((r for r in range(column, len(rows)) if rows[r][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for r in range(len(rows)):
            if r != column and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column], strict=True)]
    return [row[-1] for row in rows]


def dot(left, right):
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def brute_square(X, y, fit_intercept):
    """The square of the widest margin, or None: of all w that give some rows margin 1 exactly and no row less, the
    shortest, of length 1 / margin."""
    rows = [[int(label) * Fraction(value) for value in row] for row, label in zip(X, y, strict=True)]
    best = None
    for size in range(1, min(len(rows), len(rows[0]) + 1) + 1):
        for subset in itertools.combinations(range(len(rows)), size):
            gram = [[dot(rows[i], rows[j]) for j in subset] for i in subset]
            right = [Fraction(1)] * size
            if fit_intercept:
                gram = [[*line, Fraction(int(y[i]))] for line, i in zip(gram, subset, strict=True)]
                gram.append([*(Fraction(int(y[i])) for i in subset), Fraction(0)])
                right.append(Fraction(0))
            answer = solved(gram, right)
            if answer is None:
                continue
            w = [sum(c * rows[i][j] for c, i in zip(answer, subset, strict=False)) for j in range(len(rows[0]))]
            b = answer[-1] if fit_intercept else Fraction(0)
            if all(dot(row, w) + int(label) * b >= 1 for row, label in zip(rows, y, strict=True)):
                best = dot(w, w) if best is None else min(best, dot(w, w))
    return None if not best else 1 / best


def attained_square(plane, X, y):
    """The square of the margin of a hyperplane, times its sign."""
    least = min(
        int(label) * (dot(plane.weights, map(Fraction, row)) + plane.offset) for row, label in zip(X, y, strict=True)
    )
    return least * abs(least) / dot(plane.weights, plane.weights)


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


def gaussian(seed, rows=200, columns=10, gap=0.5):
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((rows, columns)), rng.standard_normal(columns)
    w /= np.linalg.norm(w)
    side = np.where(X @ w > 0, 1, -1)
    return X + gap * side[:, None] * w, side


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


# Distances


def test_signed_distance_and_margins_of_the_notes():
    plane = Hyperplane((Fraction(3), Fraction(4)), Fraction(-5))
    np.testing.assert_allclose(signed_distance(plane, [[3.0, 4.0], [0.0, 0.0]]), [4, -1])
    np.testing.assert_allclose(margins(plane, [[3.0, 4.0], [0.0, 0.0]], [1, -1]), [4, 1])
    through = Hyperplane((Fraction(3), Fraction(4)), Fraction(0))
    np.testing.assert_allclose(signed_distance(through, [[3.0, 4.0]]), [5])


def test_opposite_weights_are_the_same_plane_and_the_opposite_classifier():
    plane, other = Hyperplane((Fraction(1),), Fraction(2)), Hyperplane((Fraction(-1),), Fraction(-2))
    np.testing.assert_allclose(signed_distance(plane, [[5.0]]), -signed_distance(other, [[5.0]]))


@pytest.mark.parametrize("sparse", [False, True])
def test_models_of_ours_and_of_scikit_learn(sparse):
    X, y = gaussian(7)
    data = scipy.sparse.csr_matrix(X) if sparse else X
    for model in (Perceptron(random_state=0).fit(X, y), LinearSVC(random_state=0).fit(X, y)):
        expected = (X @ model.coef_[0] + model.intercept_[0]) / np.linalg.norm(model.coef_)
        np.testing.assert_allclose(signed_distance(model, data), expected)
        np.testing.assert_allclose(margins(model, data, y), y * expected)
        assert (margins(model, data, y) > 0).tolist() == (model.predict(X) == y).tolist()


def test_several_classes_give_a_distance_for_each_and_the_margin_towards_the_nearest_rival():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((90, 2)), np.repeat(["a", "b", "c"], 30)
    X += np.array([[5, 0], [0, 5], [-5, -5]])[np.searchsorted(["a", "b", "c"], y)]
    model = Perceptron(random_state=0, multi_class="joint").fit(X, y)
    assert signed_distance(model, X).shape == (90, 3)
    found = margins(model, X, y)
    assert ((found > 0) == (model.predict(X) == y)).all()
    row, scores = 4, X[4] @ model.coef_.T + model.intercept_
    rivals = [(scores[0] - scores[k]) / np.linalg.norm(model.coef_[0] - model.coef_[k]) for k in (1, 2)]
    assert found[row] == pytest.approx(min(rivals))


def test_what_has_no_hyperplane_is_refused():
    with pytest.raises(ValueError, match="all weights are 0"):
        signed_distance(Hyperplane((Fraction(0),), Fraction(1)), [[1.0]])
    with pytest.raises(ValueError, match="coef_"):
        signed_distance("plane", [[1.0]])
    with pytest.raises(ValueError, match="2 columns"):
        signed_distance(Hyperplane((Fraction(1),) * 3, Fraction(1)), [[1.0, 2.0]])
    with pytest.raises(ValueError, match="not fitted"):
        signed_distance(Perceptron(), [[1.0]])
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="not among the classes"):
        margins(model, [[0.0]], [7])
    with pytest.raises(ValueError, match="NaN"):
        signed_distance(model, [[np.nan]])
    with pytest.raises(ValueError, match="Ridge has 1 for 0 classes"):
        margins(Ridge().fit([[0.0], [1.0]], [0, 1]), [[0.0]], [0])
    with pytest.raises(ValueError, match="-1 and"):
        margins(Hyperplane((Fraction(1),), Fraction(0)), [[0.0]], ["yes"])
