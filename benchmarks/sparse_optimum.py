"""Sparse penalised training to a relative gap of 1e-4 on all cores, against liblinear-multicore and skglm."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks import optimum
from benchmarks.datasets import a9a, imdb, w8a, wide_sparse
from benchmarks.optimum import Objective
from benchmarks.other_solvers import MulticoreLiblinear, SkglmSVC
from benchmarks.tasks import Goal, Pair, Task, compared, faster, task

GAP = 1e-4
MULTICORE = "liblinear-multicore"
ROWS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "a9a": a9a,
    "w8a": w8a,
    "IMDB": imdb,
    "500,000 x 50,000": cache(partial(wide_sparse, 500_000, 50_000, 100)),
}
KINDS = {"logistic": ("logistic",), "squared-hinge": ("primal", "dual"), "hinge": ("hinge",)}


def multicore(free: Objective) -> Mapping[str, tuple[Any, Objective]]:
    penalised = replace(free, penalize_intercept=True)
    return {
        kind: (
            MulticoreLiblinear(kind, free.X, free.y),
            free if kind in MulticoreLiblinear.FREE_INTERCEPT else penalised,
        )
        for kind in KINDS[free.loss]
    }


def skglm(free: Objective) -> Mapping[str, tuple[Any, Objective]]:
    return {"skglm": (SkglmSVC(free.X, free.y), replace(free, penalize_intercept=True))}


def race(loss: str, name: str, peers_of: Any = multicore) -> Pair:
    return optimum.race_to(Objective(*ROWS[name](), loss, within=GAP), name, peers_of)


def races(loss: str, least: float, imdb_least: float) -> tuple[Task, ...]:
    return tuple(
        task(
            f"multicore-{loss}-{name.split(',')[0].lower()}",
            f"{loss} optimum, {name}",
            MULTICORE,
            faster(imdb_least if name == "IMDB" else least),
        )(partial(race, loss, name))
        for name in ROWS
    )


def goal(loss: str, times: float, least: float, imdb_least: float) -> Goal:
    return Goal(f"{loss} optimum, geometric mean", MULTICORE, faster(times), races(loss, least, imdb_least))


logistic = goal("logistic", 2.5, 1.5, 1.5)
squared_hinge = goal("squared-hinge", 2.5, 1.5, 1.5)
hinge = goal("hinge", 2, 2, 1.3)
hinge_skglm = task("skglm-hinge-a9a", "hinge optimum, a9a", "skglm LinearSVC", compared())(
    partial(race, "hinge", "a9a", skglm)
)
