"""Problems to decide: small random ones of every awkward kind, rows about a planted plane, corners of the square."""

import numpy as np


def integer_grid(rng, n, d):
    return rng.integers(-2, 3, (n, d)).astype(float)


def duplicates(rng, n, d):
    return rng.integers(0, 2, (n, d)).astype(float)[rng.integers(0, n, n)]


def collinear(rng, n, d):
    return np.outer(rng.integers(-3, 4, n), rng.integers(-2, 3, d)) + rng.integers(-2, 3, d).astype(float)


def rank_deficient(rng, n, d):
    return rng.integers(-1, 2, (n, 2)).astype(float) @ rng.integers(-2, 3, (2, d))


def one_unit_apart(rng, n, d):
    """Tenths, whose sums miss each other by roundings, moved by one unit in the last place or not."""
    X = rng.integers(-2, 3, (n, d)) * 0.1 + 0.3
    return np.where(rng.random((n, d)) < 0.5, X, np.nextafter(X, np.inf))


def wild_scales(rng, n, d):
    return rng.integers(-2, 3, (n, d)) * rng.choice([1e-300, 1e300, 5e-324, 1.0, 0.1], d)


MAKERS = [integer_grid, duplicates, collinear, rank_deficient, one_unit_apart, wild_scales]


def random_problem(make, rng):
    n, d = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    X = make(rng, n, d)
    y = rng.permutation([0, 1, *rng.integers(0, 2, n - 2)])
    if rng.random() < 0.5:  # labels by a plane, so that few kinds are overlap
        scores = np.sign(X @ rng.normal(size=d)) * (rng.random(n) < 0.9)
        y = np.where(scores == 0, y, scores > 0).astype(int)
        y[:2] = y[:2] if len(set(y)) == 2 else [0, 1]
    return X, y, bool(rng.random() < 0.7)


def planted(rng, n, d, on_plane, flipped):
    """Labels by a plane through whole numbers; some rows on it, of both classes; some rows flipped."""
    X = rng.integers(-9, 10, (n, d)).astype(float)
    w = rng.integers(1, 5, d)
    X[:on_plane, 0] = 0
    X[:on_plane, 0] = -(X[:on_plane] @ w) / w[0]
    X[:, 0] = np.round(X[:, 0] * 12) / 12
    scores = X @ w
    y = np.where(np.abs(scores) < 1e-9, np.arange(n) % 2, scores > 0).astype(int)
    y[n - flipped :] = 1 - y[n - flipped :]
    return X, y


CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
