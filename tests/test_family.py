"""The core against the definition, over the whole product of parts."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from family import PENALTIES, assert_same, is_exact, labels, name, numbers_for, recipes, run_core, whole_numbers
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import _core, reference
from rosenblatt.engine.run import Run
from rosenblatt.engine.run_learner import NativeLearner
from rosenblatt.engine.train import train
from rosenblatt.foundation.errors import TooLarge
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.losses import LOSSES
from rosenblatt.parts.orders import ORDERS
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.steps import ALMA, SECOND_ORDER
from rosenblatt.parts.stops import Stops
from rosenblatt.reference.learner import LOSSES as learner_losses


@pytest.mark.parametrize("recipe", list(recipes()), ids=name)
def test_core_is_the_reference(recipe):
    for seed, planes in ((1, 1), (2, 1), (3, 3)):
        X, y = numbers_for(recipe, seed, 12, 3, planes)
        run = run_core(X, y, recipe, planes)
        learner = reference.train(X.tolist(), y.tolist(), recipe, planes, seed=7)
        assert_same(run, learner, exact=is_exact(recipe) and recipe.keep != "average")


@pytest.mark.parametrize("penalize_intercept", [True, False])
@pytest.mark.parametrize("keep", ["last", "average", "best"])
@pytest.mark.parametrize("order", ["cyclic", "random-mistake", "batch"])
def test_weights_that_shrink_to_almost_nothing_follow_the_reference(order, keep, penalize_intercept):
    """Each step leaves a tenth of w, so that its scale is folded into it every nine visits.

    Until then the sum for the average and its correction are up to 10^9 times as large as their difference.
    """
    options = {"eta0": 0.9, "alpha": 1.0, "penalize_intercept": penalize_intercept, "stops": Stops(max_iter=4)}
    for loss, planes in itertools.product(LOSSES, (1, 3)):
        recipe = Recipe(loss=loss, order=order, keep=keep, **options)
        X, y = numbers_for(recipe, 4, 12, 3, planes)
        learner = reference.train(X.tolist(), y.tolist(), recipe, planes, seed=7)
        tolerance = 1e-6 if keep == "average" else 1e-9
        assert_same(run_core(X, y, recipe, planes), learner, False, tolerance)


@pytest.mark.parametrize("recipe", list(recipes(["perceptron", "hinge"])), ids=name)
def test_offsets_of_any_scale_follow_the_reference(recipe):
    recipe = replace(recipe, intercept_scaling=2.5)
    for seed, planes in ((1, 1), (3, 3)):
        X, y = numbers_for(recipe, seed, 12, 3, planes)
        learner = reference.train(X.tolist(), y.tolist(), recipe, planes, seed=7)
        assert_same(run_core(X, y, recipe, planes), learner, exact=False)


@pytest.mark.parametrize("recipe", list(recipes(["perceptron", "hinge"], penalties=PENALTIES[::2])), ids=name)
def test_dense_and_sparse_rows_are_the_same_on_whole_numbers(recipe):
    X, y = whole_numbers(5, 30, 7)
    X[X < 1] = 0
    dense = run_core(X, y, recipe)
    for kind, index in itertools.product((np.float64, np.float32), (np.int32, np.int64)):
        S = sparse.csr_matrix(X.astype(kind))
        S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
        other = run_core(S, y, recipe)
        if is_exact(recipe):
            np.testing.assert_array_equal(dense.state.kept()[0], other.state.kept()[0])
        assert dense.state.visits == other.state.visits
        np.testing.assert_allclose(dense.state.kept()[0], other.state.kept()[0], rtol=1e-9, atol=1e-12)


def test_working_sets_of_several_levels_follow_the_reference():
    rng = np.random.default_rng(0)
    w = np.array([1.0, -2, 1, 1])
    X = rng.integers(-9, 10, (3000, 4)).astype(float)
    X = X[X @ w != 0]
    y = np.sign(X @ w).astype(int)
    recipe = Recipe(order="working-set", fit_intercept=False, stops=Stops(max_iter=500))
    run = run_core(X, y, recipe)
    learner = reference.train(X.tolist(), y.tolist(), recipe, seed=7)
    assert learner.clean
    assert_same(run, learner, exact=True)


@pytest.mark.parametrize("planes", [1, 3])
@pytest.mark.parametrize("recipe", list(recipes()), ids=name)
def test_sample_weights_follow_the_reference(recipe, planes):
    X, y = numbers_for(recipe, 11, 10, 2, planes)
    weights = np.random.default_rng(0).integers(1, 4, 10).astype(float)
    run = run_core(X, y, recipe, planes, weights=weights)
    learner = reference.train(X.tolist(), y.tolist(), recipe, planes, seed=7, weights=weights.tolist())
    assert_same(run, learner, exact=False)


@pytest.mark.parametrize("order", ["cyclic", "random-mistake"])
@pytest.mark.parametrize("loss", LOSSES)
def test_losses_and_mistakes_are_summed_by_weight(loss, order):
    """Thousands of visits: the logistic loss multiplies factors, and takes a logarithm once in a while."""
    rng = np.random.default_rng(2)
    X, y, weights = rng.standard_normal((25, 3)), rng.choice([-1, 1], 25), rng.choice([1.0, 1.0, 0.5, 3.0], 25)
    recipe = Recipe(loss=loss, order=order, eta0=0.125, stops=Stops(max_iter=150))
    state = run_core(X, y, recipe, weights=weights).state
    learner = reference.train(X.tolist(), y.tolist(), recipe, seed=7, weights=weights.tolist())
    losses = [weights[row] * learner_losses[loss](margin)[0] for row, margin, _ in learner.moves]
    _, updates, mistakes, mistake_weight, loss_sum, _ = state.counts()
    assert (updates, mistakes) == (learner.updates, learner.mistakes)
    assert mistake_weight == sum(weights[row] for row, margin, _ in learner.moves if margin <= 0)
    assert loss_sum == pytest.approx(sum(losses), rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_first_batch_has_the_loss_of_zero_weights(loss):
    X, y = whole_numbers(3, 12, 3)
    weights = np.arange(1.0, 13.0)
    state = run_core(X, y, Recipe(loss=loss, order="batch", stops=Stops(max_iter=1)), weights=weights).state
    visits, updates, mistakes, mistake_weight, loss_sum, steps = state.counts()
    assert (visits, updates, mistakes, mistake_weight, steps) == (12, 1, 12, 78.0, 1)
    assert loss_sum == pytest.approx(78.0 * learner_losses[loss](0.0)[0])


def test_a_batch_too_large_for_floats_is_refused():
    X, y = whole_numbers(3, 12, 3)
    with pytest.raises(TooLarge):
        train(as_rows(X * 1e200), ((y + 1) // 2).astype(np.int32), 2, Recipe(order="batch"), seed=7)


@pytest.mark.parametrize("order", ORDERS)
def test_trace_is_the_sequence_of_moves(order):
    X, y = whole_numbers(3, 12, 3)
    recipe = Recipe(order=order, stops=Stops(max_iter=5))
    trained = train(as_rows(X), ((y + 1) // 2).astype(np.int32), 2, recipe, seed=7, trace=True)
    learner = reference.train(X.tolist(), y.tolist(), recipe, seed=7)
    assert len(trained.trace["row"]) == trained.n_updates == learner.updates
    if order == "batch":
        assert (trained.trace["row"] == -1).all()
        return
    rows, margins, changes = zip(*learner.moves, strict=True)
    assert trained.trace["row"].tolist() == list(rows)
    assert trained.trace["margin"].tolist() == list(margins)
    assert trained.trace["change"].tolist() == list(changes)
    moved = [w for w, before in zip(learner.path, [None, *learner.path], strict=False) if w is not before]
    np.testing.assert_allclose(trained.trace["norm"], [np.linalg.norm(w[0][:-1]) for w in moved])


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(list(ORDERS)), st.integers(1, 30))
def test_a_run_can_stop_anywhere_and_go_on(seed, order, slice_visits):
    """Saved and restored after every slice, a run ends with the same bits."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((20, 3)), rng.choice([-1, 1], 20)
    keep = "average" if order == "working-set" else "best"
    recipe = Recipe(order=order, keep=keep, stops=Stops(max_iter=6))
    whole = run_core(X, y, recipe)
    run = Run(NativeLearner(as_rows(X), labels(y, 1), recipe, seed=7), recipe)
    while not run.state.clean and run.state.visits < 120:
        run.learner.advance(slice_visits, 120)
        run.learner.restore(run.state.__getstate__())
    assert run.state.visits == whole.state.visits
    for got, expected in zip(run.state.kept(), whole.state.kept(), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("kind", ["dense", "csr", "quadratic"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_bits_on_every_instruction_set_and_thread_count(kind, dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30_000, 37)).astype(dtype)
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(30_000) > 0, 1, 0).astype(np.int32)
    if kind == "csr":
        X = sparse.csr_matrix(np.where(X > 0.5, X, 0))
    if kind == "quadratic":
        X = X[:8000, :9]
        y = y[:8000]
    features = "polynomial-2" if kind == "quadratic" else "identity"
    before = _core.target()
    try:
        for order, loss in itertools.product(ORDERS, ("perceptron", "logistic")):
            if order == "working-set" and loss != "perceptron":
                continue
            recipe = Recipe(loss=loss, order=order, features=features, stops=Stops(max_iter=2))
            results = set()
            for target, threads in itertools.product(_core.targets(), (1, 2, 5)):
                _core.set_target(target)
                trained = train(as_rows(X), y, 2, recipe, seed=3, threads=threads)
                results.add(trained.coef.tobytes() + trained.intercept.tobytes())
            assert len(results) == 1, (order, loss)
    finally:
        _core.set_target(before)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("step", [*ALMA, *SECOND_ORDER])
def test_steps_with_a_memory_have_the_same_bits_on_every_instruction_set_and_in_slices(step, dtype, form):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 37)).astype(dtype)
    codes = (X[:, 0] + 0.3 * rng.standard_normal(600) > 0).astype(np.int32)
    recipe = Recipe(step=step, margin=0.5 * (step in ALMA), keep="average", stops=Stops(max_iter=3))
    before, results = _core.target(), set()
    try:
        for target in _core.targets():
            _core.set_target(target)
            whole = train(as_rows(form(X)), codes, 2, recipe, seed=3)
            sliced = NativeLearner(as_rows(form(X)), labels(2 * codes - 1, 1), recipe, seed=3)
            while sliced.state.visits < 1800:
                sliced.advance(101, 1800)
                sliced.restore(sliced.state.__getstate__())
            results |= {whole.coef.tobytes(), sliced.state.kept()[0].tobytes(), sliced.state.copy().kept()[0].tobytes()}
    finally:
        _core.set_target(before)
    assert len(results) == 1


def test_a_covariance_of_too_many_columns_or_of_another_step_is_refused():
    with pytest.raises(ValueError, match=r"at most 4,096 columns, not 5,000: choose step='diagonal'"):
        NativeLearner(as_rows(np.ones((2, 5000))), labels([-1, 1], 1), Recipe(step="full"))
    X, y = whole_numbers(1, 12, 3)
    diagonal, full = (NativeLearner(as_rows(X), labels(y, 1), Recipe(step=step)) for step in SECOND_ORDER)
    diagonal.advance(5, 5)
    full.restore(diagonal.state.__getstate__())
    with pytest.raises(ValueError, match="covariance is of another step"):
        full.advance(5, 10)


def test_quadratic_rows_are_the_lifted_rows():
    X, y = whole_numbers(4, 25, 3)
    pairs = [(i, j) for i in range(3) for j in range(i, 3)]
    lifted = np.hstack([X, np.stack([X[:, i] * X[:, j] for i, j in pairs], axis=1)])
    codes = ((y + 1) // 2).astype(np.int32)
    for order in ORDERS:
        stops = Stops(max_iter=20)
        generated = train(as_rows(X), codes, 2, Recipe(order=order, features="polynomial-2", stops=stops), seed=1)
        stored = train(as_rows(lifted), codes, 2, Recipe(order=order, stops=stops), seed=1)
        np.testing.assert_array_equal(generated.coef, stored.coef)


def test_gradient_is_the_slope_of_the_loss():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 4)), rng.choice([-1, 1], 30).astype(np.int8)
    w, b = rng.standard_normal((1, 4)), rng.standard_normal(1)
    for loss in ("squared-hinge", "logistic"):
        problem = _core.Problem(as_rows(X), y, None, None, Recipe(loss=loss).native(), 1)
        downhill = _core.inspect(problem, w, b, gradient=True)[4]
        for j in range(5):
            step = np.zeros(5)
            step[j] = 1e-6
            up = _core.inspect(problem, w + step[:4], b + step[4])[2]
            down = _core.inspect(problem, w - step[:4], b - step[4])[2]
            assert downhill[j] == pytest.approx(-(up - down) / 2e-6, rel=1e-5, abs=1e-6)


def test_a_state_in_two_threads_is_refused():
    import threading

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200_000, 20)), rng.choice([-1, 1], 200_000)
    run = NativeLearner(as_rows(X), labels(y, 1), Recipe(stops=Stops(max_iter=100)))
    thread = threading.Thread(target=run.advance, args=(3 * 10**6, 10**8))
    thread.start()
    try:
        while thread.is_alive() and not run.state.visits:
            pass
        with pytest.raises(RuntimeError, match="another thread"):
            run.state.kept()
    finally:
        thread.join()
