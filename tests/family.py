"""Every combination of parts, rows for it, and the core's run of it, held against the definition."""

import itertools

import numpy as np

from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.engine.run import Run
from rosenblatt.engine.run_learner import NativeLearner
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.keeps import KEEPS
from rosenblatt.parts.losses import LOSSES
from rosenblatt.parts.orders import ORDERS
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.steps import PASSIVE_AGGRESSIVE, SCHEDULES, STEPS
from rosenblatt.parts.stops import Stops

PENALTIES = ((0.0, 0.0), (0.25, 0.0), (0.25, 1.0), (0.25, 0.5))  # alpha and l1_ratio


def recipes(losses=LOSSES, penalties=PENALTIES, margins=(0.0, 0.5)):
    """Every combination of parts that goes together."""
    parts = itertools.product(losses, ORDERS, STEPS, KEEPS, penalties, margins)
    for loss, order, step, keep, (alpha, ratio), margin in parts:
        try:
            yield Recipe(
                loss=loss,
                order=order,
                step=step,
                keep=keep,
                alpha=alpha,
                margin=margin,
                l1_ratio=ratio,
                eta0=0.5,
                C=0.25,
                penalize_intercept=alpha > 0 == ratio and step == "constant",
                stops=Stops(max_iter=4),
            )
        except ValueError:
            continue


def name(recipe):
    more = [] if not recipe.alpha else [{0.0: "l2", 1.0: "l1"}.get(recipe.l1_ratio, "elastic net")]
    more += ["margin"] * (recipe.margin > 0)
    return "-".join([recipe.loss, recipe.order, recipe.step, recipe.keep, *more])


def whole_numbers(seed, rows, columns, planes=1):
    """Small whole numbers, so that every sum is exact."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (rows, columns)).astype(float)
    y = rng.integers(0, planes, rows) if planes > 1 else rng.choice([-1, 1], rows)
    return X, y


def numbers_for(recipe, seed, rows, columns, planes=1):
    """Whole numbers where sums are exact.

    With a penalty the core's w = scale * v rounds, and so do pushes that grow and steps by the norm of a row: no margin
    may sit exactly on a corner.
    """
    X, y = whole_numbers(seed, rows, columns, planes)
    penalty = recipe.alpha * (1 - recipe.l1_ratio)
    rounds = penalty or LOSSES[recipe.loss].push_grows or recipe.step not in (*SCHEDULES, *PASSIVE_AGGRESSIVE)
    return (X + np.random.default_rng(seed).standard_normal(X.shape) if rounds else X), y


def labels(y, planes):
    """Two classes are -1 and +1, more are numbers."""
    codes = (np.asarray(y) > 0 if planes == 1 else np.asarray(y)).astype(np.int32)
    return whole_problem(codes, 2 if planes == 1 else planes)


def run_core(X, y, recipe, planes=1, seed=7, weights=None, **options):
    run = Run(NativeLearner(as_rows(X), labels(y, planes), recipe, weights, seed, **options), recipe)
    while not run.state.clean and run.state.visits < recipe.stops.max_iter * len(y):
        run.learner.advance(3, recipe.stops.max_iter * len(y))  # resumed every few visits
    return run


def assert_same(run, learner, exact, tolerance=1e-9):
    state = run.state
    assert (state.visits, state.mistakes, state.clean) == (learner.visits, learner.mistakes, learner.clean)
    if run.recipe.step not in PASSIVE_AGGRESSIVE:  # these make margins of 1 but for rounding, which may push again
        assert state.updates == learner.updates
    coef, offsets = run.state.kept()
    expected = np.array(learner.returned())
    got = np.hstack([coef, offsets[:, None]]) if run.recipe.fit_intercept else coef
    expected = expected if run.recipe.fit_intercept else expected[:, :-1]
    if exact:
        np.testing.assert_array_equal(got, expected)
    else:
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def is_exact(recipe):
    """Whole numbers, and steps that are powers of two, leave nothing to round."""
    return (
        recipe.loss in ("perceptron", "hinge")
        and recipe.step == "constant"
        and not recipe.alpha * (1 - recipe.l1_ratio)
    )
