"""The core's passes for Newton's method, compared with NumPy."""

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import _core
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.recipe import Recipe


@pytest.mark.parametrize("columns", [1, 5, 16, 37])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_passes_agree_with_numpy_on_every_instruction_set(form, columns):
    rng = np.random.default_rng(columns)
    X, signs = rng.standard_normal((300, columns)), rng.choice([-1, 1], 300).astype(np.int8)
    X[rng.random(X.shape) < rng.random((300, 1))] = 0.0  # rows from nearly full to nearly empty
    lifted, scores, p = np.column_stack([X, np.ones(300)]), rng.standard_normal(300), rng.standard_normal(columns + 1)
    chance = 1 / (1 + np.exp(signs * scores))
    before = _core.target()
    try:
        for target in _core.targets():
            _core.set_target(target)
            problem = _core.Problem(as_rows(form(X)), signs, None, None, Recipe(loss="logistic").native(), 2)
            pull, curvature, along = np.empty(300), np.empty(300), np.empty(300)
            loss = _core.loss_derivatives(problem, scores, pull, curvature)
            assert loss == pytest.approx(np.logaddexp(0, -signs * scores).sum())
            np.testing.assert_allclose(pull, signs * chance)
            np.testing.assert_allclose(curvature, chance * (1 - chance))
            out, square = np.empty(columns + 1), np.zeros((columns + 1, columns + 1))
            _core.transpose_product(problem, pull, out)
            np.testing.assert_allclose(out, lifted.T @ pull, atol=1e-10)
            hessian = lifted.T @ (curvature[:, None] * lifted)
            _core.hessian_product(problem, curvature, p, along, out)
            np.testing.assert_allclose(along, lifted @ p, atol=1e-10)
            np.testing.assert_allclose(out, hessian @ p, atol=1e-10)
            _core.hessian(problem, curvature, None, square)
            np.testing.assert_allclose(np.tril(square), np.tril(hessian), atol=1e-10)
            assert _core.factor(square, 0.0) == 0
            solution = p.copy()
            _core.solve(square, solution)
            np.testing.assert_allclose(hessian @ solution, p, atol=1e-8)
    finally:
        _core.set_target(before)


@pytest.mark.parametrize("planes", [2, 3, 5, 7, 10, 19])
@pytest.mark.parametrize("columns", [3, 37, 130])
@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_matrix])
def test_passes_for_several_planes_agree_with_single_planes_bit_by_bit(form, columns, planes):
    rng = np.random.default_rng(columns + planes)
    X, z = np.float32(rng.standard_normal((301, columns))), rng.standard_normal(planes * (columns + 1))
    X[rng.random(X.shape) < rng.random((301, 1))] = 0.0
    codes, change = rng.integers(0, planes, 301).astype(np.int32), rng.standard_normal((301, planes))
    signs, rows, recipe = np.ones(301, np.int8), as_rows(form(X)), Recipe(loss="logistic").native()
    before, found = _core.target(), []
    try:
        for target, threads in [(target, threads) for target in _core.targets() for threads in (1, 2)]:
            _core.set_target(target)
            joint = _core.Problem(rows, None, codes, None, recipe, threads)
            single = _core.Problem(rows, signs, None, None, recipe, threads)
            scores, pulled, of_plane = np.empty(301 * planes), np.empty(len(z)), np.empty(columns + 1)
            _core.scores_into(rows, z[:-planes].reshape(planes, -1), z[-planes:].copy(), threads, scores)
            _core.transpose_product(joint, change.ravel(), pulled)
            for k in range(planes):
                one = np.empty(301)
                weights = np.append(z[k * columns : (k + 1) * columns], z[columns * planes + k])
                _core.scores_into(rows, weights[None, :-1].copy(), weights[-1:].copy(), threads, one)
                np.testing.assert_array_equal(scores.reshape(-1, planes)[:, k], one)
                _core.transpose_product(single, change[:, k].copy(), of_plane)
                np.testing.assert_allclose(pulled[k * columns : (k + 1) * columns], of_plane[:-1], atol=1e-10)
            found.append((scores.copy(), pulled.copy()))
    finally:
        _core.set_target(before)
    for scores, pulled in found[1:]:
        np.testing.assert_array_equal(scores, found[0][0])
        np.testing.assert_array_equal(pulled, found[0][1])


def test_hessians_of_planes_agree_with_numpy():
    rng = np.random.default_rng(5)
    X, codes, sample = rng.standard_normal((200, 9)), rng.integers(0, 4, 200).astype(np.int32), np.arange(0, 200, 3)
    curvature, lifted = rng.random((200, 4)), np.column_stack([X, np.ones(200)])
    problem = _core.Problem(as_rows(X), None, codes, None, Recipe(loss="logistic").native(), 2)
    found, diagonal = np.empty((4, 10, 10)), np.empty(40)
    _core.plane_hessians(problem, curvature[sample].ravel(), sample.astype(np.uint32), found)
    _core.hessian_diagonal(problem, curvature.ravel(), diagonal)
    for k in range(4):
        hessian = lifted[sample].T @ (curvature[sample, k][:, None] * lifted[sample])
        np.testing.assert_allclose(np.tril(found[k]), np.tril(hessian), atol=1e-10)
        np.testing.assert_allclose(diagonal[9 * k : 9 * (k + 1)], curvature[:, k] @ X**2)
        assert diagonal[36 + k] == pytest.approx(curvature[:, k].sum())
    squares, right = found.copy(), rng.standard_normal((4, 10))
    _core.factor_each(squares, 0.0, 2)
    solutions = right.copy()
    _core.solve_each(squares, solutions, 2)
    for k in range(4):
        hessian = np.tril(found[k]) + np.tril(found[k], -1).T
        np.testing.assert_allclose(hessian @ solutions[k], right[k], atol=1e-9)
