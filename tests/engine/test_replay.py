"""A replay repeats a run: its weights and its quality are those of `train`."""

import numpy as np
import pytest

from rosenblatt.engine.replay import replay_training
from rosenblatt.engine.train import train
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.stops import Stops

X = np.random.default_rng(0).normal(size=(40, 3)).round(2)
CASES = [(2, "ovr"), (3, "ovr"), (3, "joint")]


def trained(recipe, classes, multi_class, weights=None):
    codes = (np.arange(len(X)) % classes).astype(np.int32)
    given = {"multi_class": multi_class, "weights": weights, "seed": 7}
    rows = as_rows(X)
    result = train(rows, codes, classes, recipe, trace=True, **given)
    return result, replay_training(rows, codes, classes, recipe, **given)


def runs_of(result):
    return result.trace.get("class", np.zeros(len(result.trace["row"]), dtype=int))


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random-mistake", "batch"])
@pytest.mark.parametrize(("classes", "multi_class"), CASES)
def test_the_path_ends_with_the_weights_of_the_run(classes, multi_class, order):
    result, replay = trained(Recipe(order=order, stops=Stops(max_iter=5)), classes, multi_class)
    path = replay.weights_path(result.trace["visit"], runs_of(result))
    assert path.shape == (result.n_updates + 1, len(result.coef), 4)
    assert not path[0].any()
    np.testing.assert_array_equal(path[-1], np.column_stack([result.coef, result.intercept]))


@pytest.mark.parametrize(("classes", "multi_class"), CASES)
def test_each_update_moves_the_planes_of_its_own_run_only(classes, multi_class):
    result, replay = trained(Recipe(order="cyclic", stops=Stops(max_iter=3)), classes, multi_class)
    by_visit = np.argsort(result.trace["visit"], kind="stable")
    runs = runs_of(result)[by_visit]
    path = replay.weights_path(result.trace["visit"][by_visit], runs)
    for update, run in enumerate(runs):
        moved = np.flatnonzero((path[update + 1] != path[update]).any(axis=1))
        assert set(moved) <= set(range(replay.plane_count)[replay.problems[run].planes])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("classes", "multi_class"), CASES)
def test_the_last_quality_is_that_of_the_run(classes, multi_class, weighted):
    weights = np.full(len(X), 2.0) if weighted else None
    recipe = Recipe(order="cyclic", stops=Stops(max_iter=5))
    result, replay = trained(recipe, classes, multi_class, weights)
    updates = [[0, int((runs_of(result) == run).sum())] for run in range(len(replay.problems))]
    mistakes, loss = replay.quality("last", updates)
    assert mistakes.tolist() == [len(X), result.status.mistakes]
    assert np.isfinite(loss).all()
    best, _ = replay.quality("best", updates)
    assert best[-1] <= mistakes[0]
