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
            loss = _core.slopes(problem, scores, pull, curvature)
            assert loss == pytest.approx(np.logaddexp(0, -signs * scores).sum())
            np.testing.assert_allclose(pull, signs * chance)
            np.testing.assert_allclose(curvature, chance * (1 - chance))
            out, square = np.empty(columns + 1), np.zeros((columns + 1, columns + 1))
            _core.pull_together(problem, pull, out)
            np.testing.assert_allclose(out, lifted.T @ pull, atol=1e-10)
            hessian = lifted.T @ (curvature[:, None] * lifted)
            _core.curve(problem, curvature, p, along, out)
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
