"""Penalised training to the optimum: ours and the fastest peer, to the same relative gap to the least objective.

The objective is sum_i loss_i + 1/2 ||w||^2. A peer that penalises the intercept too minimises another objective, and
its gap is measured in that one. Our `tol` is the loosest power of ten that reaches the gap; a peer runs the fewest
iterations that reach it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression as ScikitLogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.datasets import DATASETS, covtype, mnist
from benchmarks.peers import Peer, fastest
from benchmarks.tasks import Goal, Mark, Pair, Task, compared, faster, task
from benchmarks.timing import stopwatch
from rosenblatt import LinearSVM, LogisticRegression

LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "logistic": lambda margins: np.logaddexp(0, -margins),
    "hinge": lambda margins: np.maximum(0, 1 - margins),
    "squared-hinge": lambda margins: np.maximum(0, 1 - margins) ** 2,
}
NEAR = {"logistic": 1e-6, "hinge": 1e-4, "squared-hinge": 1e-4, "softmax": 1e-4}  # the gap to reach, relative
EXACT = {"logistic": 1e-10, "hinge": 1e-7, "squared-hinge": 1e-10, "softmax": 1e-6}  # `tol` for the least objective
UNREACHABLE = 1e-12  # a `tol` that no peer reaches
SQUARE = 5000  # the most columns for a peer that needs a square matrix of them


@dataclass(frozen=True)
class Objective:
    X: Any
    y: np.ndarray
    loss: str
    penalize_intercept: bool = False
    within: float | None = None  # the relative gap to reach; NEAR has the usual ones

    def ours(self, tol: float) -> LogisticRegression | LinearSVM:
        if self.loss == "logistic":
            return LogisticRegression(tol=tol, penalize_intercept=self.penalize_intercept)
        return LinearSVM(self.loss, tol=tol, penalize_intercept=self.penalize_intercept)

    def value(self, model: Any) -> float:
        w, b = model.coef_.ravel(), float(model.intercept_[0])
        penalty = w @ w + b * b * self.penalize_intercept
        return float(LOSSES[self.loss](self.y * (self.X @ w + b)).sum() + penalty / 2)

    @cached_property
    def least(self) -> float:
        return self.value(self.ours(EXACT[self.loss]).fit(self.X, self.y))

    def gap(self, model: Any) -> float:
        """The relative distance of the model from the least objective."""
        return self.value(model) / self.least - 1

    def near(self, model: Any) -> bool:
        return self.gap(model) <= (self.within or NEAR[self.loss])

    def loosest_tol(self) -> float:
        """The loosest power of ten as `tol` that reaches the gap."""
        decades = (10.0**-digits for digits in range(1, 10))
        return next(tol for tol in decades if self.near(self.ours(tol).fit(self.X, self.y)))


def peers_of(free: Objective) -> Mapping[str, tuple[Any, Objective]]:
    """The peers, each with the objective it minimises. Likely winners come first, so slow ones are stopped early."""
    penalised = replace(free, penalize_intercept=True)
    if free.loss == "hinge":
        return {"dual": (LinearSVC(loss="hinge"), penalised)}
    if free.loss == "squared-hinge":
        return {name: (LinearSVC(dual=name == "dual"), penalised) for name in ("primal", "dual")}
    coordinates = free.X.shape[1] * (len(np.unique(free.y)) if free.loss == "softmax" else 1)
    names = ("newton-cholesky", "lbfgs", "newton-cg", "saga")[coordinates > SQUARE :]
    peers = {name: (ScikitLogisticRegression(solver=name), free) for name in names}
    if free.loss == "softmax":
        return peers
    return {**peers, "liblinear": (ScikitLogisticRegression(solver="liblinear"), penalised)}


def race(dataset: str, loss: str, penalize_intercept: bool) -> Pair:
    return race_to(Objective(*DATASETS[dataset](), loss, penalize_intercept), dataset)


def race_to(
    objective: Objective, dataset: str, peers_of: Callable[[Objective], Mapping[str, tuple[Any, Objective]]] = peers_of
) -> Pair:
    """Ours against the fastest of the peers. They are made by `prepare_peer`, because they may not be installed."""
    X, y = objective.X, objective.y
    tol = objective.loosest_tol()
    ours, found = objective.ours(tol), {}

    def choose_peer() -> None:
        peers = peers_of(replace(objective, penalize_intercept=False))
        fits = {
            name: Peer(model.set_params(tol=UNREACHABLE, random_state=0), its.near)
            for name, (model, its) in peers.items()
        }
        gap = f" to {objective.within:.0e}" if objective.within else ""
        name, iterations = fastest(f"{objective.loss}{gap}, {dataset}", fits, X, y)
        found.update(name=name, iterations=iterations, peer=peers[name][0], its=peers[name][1])
        found["peer"].set_params(max_iter=iterations)

    def remark() -> str:
        return (
            f"gap {objective.gap(ours):.0e} with tol={tol:.0e}; "
            f"{found['name']} {found['its'].gap(found['peer']):.0e} in {found['iterations']} iterations"
        )

    return Pair(stopwatch(lambda: ours.fit(X, y)), stopwatch(lambda: found["peer"].fit(X, y)), remark, choose_peer)


def races(loss: str, peer: str, mark: Mark, penalize_intercept: bool = False) -> tuple[Task, ...]:
    """One task for each dataset."""
    intercept = ", penalised intercept" if penalize_intercept else ""
    end = "-penalised" if penalize_intercept else ""
    return tuple(
        task(f"{loss}-{dataset.lower()}{end}", f"{loss} optimum{intercept}, {dataset}", peer, mark)(
            partial(race, dataset, loss, penalize_intercept)
        )
        for dataset in DATASETS
    )


def goal(loss: str, peer: str, times: float, each: Mark, penalize_intercept: bool = False) -> Goal:
    intercept = ", penalised intercept" if penalize_intercept else ""
    return Goal(
        f"{loss} optimum{intercept}, geometric mean",
        peer,
        faster(times),
        races(loss, peer, each, penalize_intercept),
    )


SCIKIT_LEARN = "scikit-learn, its fastest solver"
logistic = goal("logistic", SCIKIT_LEARN, 3, faster(1))
hinge = goal("hinge", "LIBLINEAR", 1, compared())
hinge_penalised = goal("hinge", "LIBLINEAR", 2, compared(), penalize_intercept=True)
squared_hinge = goal("squared-hinge", "LIBLINEAR", 1, compared())
squared_hinge_penalised = goal("squared-hinge", "LIBLINEAR", 2, compared(), penalize_intercept=True)


def two_threads(X: Any, y: np.ndarray) -> Pair:
    two, one = LogisticRegression(n_jobs=2), LogisticRegression(n_jobs=1)

    def remark() -> str:
        same = np.array_equal(two.coef_, one.coef_) and np.array_equal(two.intercept_, one.intercept_)
        return "same bits" if same else "DIFFERENT BITS"

    return Pair(stopwatch(lambda: two.fit(X, y)), stopwatch(lambda: one.fit(X, y)), remark)


@task("threads-covtype", "logistic optimum, two threads, covtype", "one thread", faster(1.5))
def threads_covtype() -> Pair:
    return two_threads(*covtype())


@task("threads-mnist", "logistic optimum, two threads, MNIST", "one thread", faster(1.5))
def threads_mnist() -> Pair:
    return two_threads(*mnist(np.float64))
