"""Dense logistic regression to the optimum, against the strongest solvers on a CPU: scikit-learn-intelex and glum."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks import optimum
from benchmarks.datasets import covtype, mnist, noisy
from benchmarks.optimum import Objective
from benchmarks.other_solvers import Glum
from benchmarks.tasks import Goal, Task, faster, task

ROWS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "covtype": covtype,
    "MNIST": partial(mnist, np.float64),
    "noisy 480,000 x 100": partial(noisy, 480_000, 100),
}


def intelex(free: Objective) -> Mapping[str, tuple[Any, Objective]]:
    """Its accelerated solver. It hands the other solvers to scikit-learn, which is in the group optimum."""
    from sklearnex.linear_model import LogisticRegression

    return {"intelex lbfgs": (LogisticRegression(solver="lbfgs"), free)}


def glum(free: Objective) -> Mapping[str, tuple[Any, Objective]]:
    return {"glum irls": (Glum(free.X, free.y), free)}


def races(short: str, peer: str, peers_of: Any, times: float) -> tuple[Task, ...]:
    return tuple(
        task(f"{short}-{name.split()[0].lower()}", f"logistic optimum, {name}", peer, faster(times))(
            lambda name=name: optimum.race_to(Objective(*ROWS[name](), "logistic"), name, peers_of)
        )
        for name in ROWS
    )


against_intelex = Goal(
    "logistic optimum, geometric mean",
    "scikit-learn-intelex",
    faster(6),
    races("intelex", "scikit-learn-intelex", intelex, 2.5),
)
against_glum = Goal("logistic optimum, geometric mean", "glum", faster(6), races("glum", "glum", glum, 2.5))
