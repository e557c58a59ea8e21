"""Runs that are stopped between any two slices and go on: the same bits, over the product of parts."""

import math
from itertools import product

import numpy as np
import pytest
import scipy.sparse

from rosenblatt.engine import run as engine
from rosenblatt.engine import side_by_side
from rosenblatt.engine.class_problems import class_problems
from rosenblatt.engine.held_out import HeldOut
from rosenblatt.engine.resume import NO_BOOKMARK, Bookmark, SharedBookmark
from rosenblatt.engine.run_learner import NativeLearner
from rosenblatt.engine.train import train
from rosenblatt.foundation import state_file as trees
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.keeps import KEEPS
from rosenblatt.parts.losses import LOSSES
from rosenblatt.parts.orders import ORDERS
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.steps import STEPS
from rosenblatt.parts.stops import Stops
from rosenblatt.solvers import dual, penalised_optimum
from rosenblatt.solvers.defaults import default_parts
from rosenblatt.solvers.gradient_descent import descend
from rosenblatt.solvers.newton import smooth_objective, start
from rosenblatt.solvers.objective import Objective
from rosenblatt.solvers.penalised_optimum import train_to_optimum


class Killed(BaseException):
    """What no code but a test raises."""


class Mortal(Bookmark):
    """Kills the run after so many slices, once it has put down where it is; what it leaves has been through a file."""

    def __init__(self, content=None, slices=math.inf):
        super().__init__(None if content is None else trees.read(content))
        self.content, self.slices, self.counted = content, slices, 0

    def due(self, step):
        self.counted += 1
        return self.counted >= self.slices

    def write(self, tree, epochs):
        assert math.isfinite(epochs)
        self.content = trees.written(tree)
        raise Killed


class Everything(Mortal):
    """Keeps what is put down, and lets the run live."""

    def due(self, step):
        return True

    def write(self, tree, epochs):
        self.content = trees.written(tree)


def bits(learned):
    """All that must be the same: everything but the time it took."""
    tables = {"history": learned.history, "trace": learned.trace or {}}
    found = {
        f"{name}.{column}": (values.dtype.str, values.tobytes())
        for name, table in tables.items()
        for column, values in table.items()
        if column != "seconds"
    }
    status = learned.status
    numbers = np.array([learned.objective, learned.gradient_norm, learned.duality_gap])
    counts = (learned.n_visits, learned.n_updates, learned.n_mistakes)
    ending = (str(status), status.reason, status.mistakes, status.rows, status.epochs, learned.interrupted)
    return found, learned.coef.tobytes(), learned.intercept.tobytes(), numbers.tobytes(), counts, ending


def same_after_deaths(teach, seed=0, least_deaths=2):
    """A run that is killed again and again comes to what one does that never is. Returns that."""
    counting = Mortal()
    whole = teach(counting)
    random, content, deaths = np.random.default_rng(seed), None, 0
    while True:
        bookmark = Mortal(content, random.integers(1, max(2, counting.counted // 3) + 1))
        try:
            learned = teach(bookmark)
            break
        except Killed:
            content, deaths = bookmark.content, deaths + 1
            assert deaths < 10_000
    for one, other in zip(bits(learned), bits(whole), strict=True):
        assert one == other
    assert deaths >= least_deaths
    return whole


@pytest.fixture(autouse=True)
def short_slices(monkeypatch):
    """Slices hold few visits, so that runs stop in the middle of epochs, checks and levels."""
    for module in (engine, dual):
        monkeypatch.setattr(module, "SLICE_VALUES", 100)
        monkeypatch.setattr(module, "SLICE_SECONDS", 1e-9)
    monkeypatch.setattr(side_by_side, "WAIT_SECONDS", 1e-4)


def table(n=150, d=4, classes=2, seed=0, noise=0.6):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    scores = X @ random.standard_normal((d, classes)) + noise * random.standard_normal((n, classes))
    return X, scores.argmax(axis=1).astype(np.int32)


CLASSES = {"two": (2, "ovr"), "ovr": (3, "ovr"), "joint": (3, "joint")}


def recipes():
    """Every loss, order and keep, each step once for every loss, as far as they go together."""
    for loss, order, keep, step in product(LOSSES, ORDERS, KEEPS, STEPS):
        if step not in ("constant", "pa1") and (order, keep) not in (("shuffle", "average"), ("cyclic", "last")):
            continue
        for alpha in (0.0, 0.01):
            try:
                yield Recipe(loss, order, step, keep, alpha=alpha, eta0=0.5, stops=Stops(max_iter=6))
            except ValueError:
                continue


def named(recipe):
    return f"{recipe.loss}-{recipe.order}-{recipe.step}-{recipe.keep}-{recipe.alpha:g}"


@pytest.mark.parametrize("recipe", list(recipes()), ids=named)
def test_recipes_go_on_with_the_same_bits(recipe):
    for k, (classes, multi_class) in enumerate(CLASSES.values()):
        if recipe.keep == "vote" and multi_class == "joint":
            continue  # which plans refuse
        X, codes = table(classes=classes)
        rows = as_rows(scipy.sparse.csr_matrix(X)) if k == 1 else as_rows(X)
        same_after_deaths(
            lambda at, rows=rows, codes=codes, classes=classes, multi_class=multi_class: train(
                rows, codes, classes, recipe, multi_class=multi_class, seed=5, bookmark=at
            ),
            seed=k,
        )


@pytest.mark.parametrize("keep", ["last", "average", "best"])
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random-mistake", "batch"])
@pytest.mark.parametrize("criterion", ["mistakes", "loss", "gradient", "weights"])
def test_criteria_and_patience_go_on_with_the_same_bits(criterion, order, keep):
    X, codes = table(n=60, noise=1.5)
    weights = np.random.default_rng(1).uniform(0, 2, len(X))
    stops = Stops(criterion, 1e-3, 400, n_iter_no_change=3)
    loss = "perceptron" if criterion == "mistakes" else "logistic"
    recipe = Recipe(loss, order, "1/sqrt(t)", keep, alpha=0.0 if criterion == "mistakes" else 0.1, stops=stops)
    same_after_deaths(lambda at: train(as_rows(X), codes, 2, recipe, weights=weights, bookmark=at))


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("criterion", ["mistakes", "loss"])
def test_rows_held_out_judge_on(criterion, multi_class):
    X, codes = table(n=200, classes=3, noise=1.0)
    held_out = HeldOut(as_rows(X[150:]), codes[150:], None)
    recipe = Recipe("hinge", "shuffle", "1/sqrt(t)", "average", alpha=0.01, stops=Stops(criterion, 1e-4, 100))
    rows, parts = as_rows(X[:150]), {"multi_class": multi_class, "held_out": held_out}
    ended = same_after_deaths(lambda at: train(rows, codes[:150], 3, recipe, bookmark=at, **parts))
    assert ended.status.reason == "held-out"


@pytest.mark.parametrize("order", ["shuffle", "shuffle-once"])
def test_many_rows_go_on_in_the_middle_of_their_windows(order, monkeypatch):
    monkeypatch.setattr(engine, "SLICE_SECONDS", math.nan)  # no clock changes the slices
    monkeypatch.setattr(engine, "SLICE_VALUES", 2 * 9973)
    X, codes = table(n=100_000, d=2)
    recipe = Recipe(order=order, stops=Stops(max_iter=3))
    same_after_deaths(lambda at: train(as_rows(X), codes, 2, recipe, bookmark=at))


def test_a_trace_goes_on():
    X, codes = table(n=60, classes=3)
    recipe = Recipe(stops=Stops(max_iter=5))
    learned = same_after_deaths(lambda at: train(as_rows(X), codes, 3, recipe, trace=True, bookmark=at))
    assert len(learned.trace["row"]) == learned.n_updates


@pytest.mark.parametrize("order", ["shuffle", "working-set", "random-mistake"])
def test_runs_side_by_side_go_on_with_the_same_bits(order):
    X, codes = table(n=600, d=10, classes=5, noise=2.0)
    recipe = Recipe(order=order, stops=Stops(max_iter=8))

    def teach(at, threads=2):
        return train(as_rows(X), codes, 5, recipe, seed=1, threads=threads, bookmark=at)

    learned = same_after_deaths(teach, least_deaths=1)  # threads may end before the thread that writes wakes up
    assert bits(teach(NO_BOOKMARK, threads=1)) == bits(learned)
    first = Mortal(slices=20)
    with pytest.raises(Killed):
        teach(first)
    assert bits(teach(Mortal(first.content), threads=1)) == bits(learned)  # on a machine with fewer cores


def test_a_run_that_ended_beside_others_is_kept_with_its_end():
    X, codes = table(n=300, classes=3, noise=0.0)
    problems = list(class_problems(codes, 3, joint=False))[:2]
    recipe = Recipe(stops=Stops(max_iter=3))
    runs = [engine.Run(NativeLearner(as_rows(X), problem, recipe), recipe) for problem in problems]
    runs[0].go()
    everything = Everything()
    shared = SharedBookmark(everything, runs, [None, None], dict, side_by_side=True)
    shared.write_if_all_are_fresh()
    assert everything.content is None  # no run has handed in its state
    runs[1].go(bookmark=shared.bookmark_of(1))
    shared.write_if_all_are_fresh()
    assert [tree["reason"] for tree in trees.read(everything.content)["runs"]] == ["max_iter", "max_iter"]


PENALISED = ("logistic", "squared-hinge", "hinge")
JOINT = [("logistic", 3, True), ("hinge", 3, True)]


@pytest.mark.parametrize(("loss", "classes", "joint"), [*product(PENALISED, (2, 3), (False,)), *JOINT])
@pytest.mark.parametrize("columns", [4, 30])
def test_optima_go_on_with_the_same_bits(loss, classes, joint, columns):
    X, codes = table(n=400, d=columns, classes=classes)
    weights = np.random.default_rng(1).uniform(0, 2, len(X))
    same_after_deaths(
        lambda at: train_to_optimum(
            as_rows(X), codes, classes, Objective(loss, 3.0), joint=joint, weights=weights, tol=1e-9, bookmark=at
        ),
    )


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
@pytest.mark.parametrize("C", [1.0, math.inf])
def test_conjugate_gradients_go_on_with_the_same_bits(loss, C, monkeypatch):
    monkeypatch.setattr(smooth_objective, "MAX_HESSIAN_COORDINATES", 0)
    monkeypatch.setattr(smooth_objective, "MAX_SAMPLED_COORDINATES", 0)
    X, codes = table(n=300, d=12, noise=2.0)
    asked = Objective(loss, C)
    same_after_deaths(lambda at: train_to_optimum(as_rows(X), codes, 2, asked, tol=1e-9, bookmark=at))


def test_a_start_on_few_rows_goes_on_with_the_same_bits(monkeypatch):
    monkeypatch.setattr(smooth_objective, "MAX_HESSIAN_COORDINATES", 0)
    X, codes = table(n=9000, d=5)
    asked = Objective("logistic", 1.0)
    assert start.SUBSAMPLE_STRIDES[0] * max(start.MIN_SUBSAMPLE_ROWS, start.SUBSAMPLE_ROWS_PER_COORDINATE * 6) <= len(X)
    same_after_deaths(lambda at: train_to_optimum(as_rows(X), codes, 2, asked, tol=1e-10, bookmark=at))


def test_a_start_one_row_at_a_time_goes_on_with_the_same_bits(monkeypatch):
    monkeypatch.setattr(smooth_objective, "MAX_SAMPLED_COORDINATES", 0)
    X, codes = table(n=500, d=8)
    asked = Objective("squared-hinge", 1.0)
    same_after_deaths(lambda at: train_to_optimum(as_rows(X), codes, 2, asked, tol=1e-8, bookmark=at))


def test_the_hinge_by_single_rows_goes_on_with_the_same_bits(monkeypatch):
    monkeypatch.setattr(dual, "NEWTON_COLUMNS", 0)
    X, codes = table(n=300, d=6)
    for max_iter in (3, 40):
        same_after_deaths(
            lambda at, most=max_iter: train_to_optimum(
                as_rows(X), codes, 2, Objective("hinge", 1.0), tol=1e-9, max_iter=most, bookmark=at
            ),
        )


def test_the_hinge_in_levels_goes_on_with_the_same_bits():
    X, codes = table(n=40_000, d=6, noise=1.0)
    for asked in (Objective("hinge", 1.0), Objective("hinge", 1.0, penalize_intercept=True, intercept_scaling=2.0)):
        same_after_deaths(lambda at, asked=asked: train_to_optimum(as_rows(X), codes, 2, asked, tol=1e-7, bookmark=at))


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("solver", ["gd", "sgd"])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_descents_go_on_with_the_same_bits_and_steps(loss, solver, early):
    X, codes = table(n=120, classes=3)
    parts = {**default_parts(solver, loss), "max_iter": 8}
    stops = Stops(parts.pop("criterion"), parts.pop("tol"), parts.pop("max_iter"))
    if early:
        stops = Stops("loss", 1e-4, 20)
    recipe = Recipe(loss, alpha=1.0, stops=stops, **parts)
    held_out = HeldOut(as_rows(X[100:]), codes[100:], None) if early else None
    same_after_deaths(
        lambda at: descend(
            *(as_rows(X[:100]), codes[:100], 3, recipe, Objective(loss, 1.0), solver),
            total=100.0,
            held_out=held_out,
            bookmark=at,
        )
    )


def test_seconds_of_a_limit_count_on():
    X, codes = table(n=2000, noise=2.0)
    limits = {"max_iter": 10**9, "max_seconds": 1000.0}
    asked = {
        "runs": lambda at: train(as_rows(X), codes, 2, Recipe(stops=Stops(**limits)), bookmark=at),
        "ascent": lambda at: train_to_optimum(
            as_rows(X), codes, 2, Objective("hinge"), tol=1e-18, bookmark=at, **limits
        ),
        "newton": lambda at: train_to_optimum(
            as_rows(X), codes, 2, Objective("logistic"), tol=1e-18, bookmark=at, **limits
        ),
    }
    for name, teach in asked.items():
        bookmark = Mortal(slices=3)
        with pytest.raises(Killed):
            teach(bookmark)
        tree = trees.read(bookmark.content)
        place = tree if name == "runs" else tree["solver"]
        place["seconds"] += 2000.0
        if name == "ascent":
            place["ascent"]["seconds"] += 2000.0
        assert teach(Mortal(trees.written(tree))).status.reason == "max_seconds"


def test_a_problem_that_had_ended_is_not_solved_again(monkeypatch):
    X, codes = table(n=200, classes=4)
    solved, solve = [], penalised_optimum.find_optimum
    monkeypatch.setattr(
        penalised_optimum, "find_optimum", lambda *args, **given: solved.append(0) or solve(*args, **given)
    )
    first = Everything()
    train_to_optimum(as_rows(X), codes, 4, Objective("hinge"), bookmark=first)
    assert len(trees.read(first.content)["found"]) == 3
    train_to_optimum(as_rows(X), codes, 4, Objective("hinge"), bookmark=Mortal(first.content))
    assert len(solved) == 4 + 1
