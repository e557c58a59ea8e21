"""The optimum: ours and the fastest peer to the same distance from the least objective that there is.

The objective is sum_i loss_i + 1/2 ||w||^2. Where a peer penalises the offset too, that is another objective, and each
side is judged by the one it minimises. Ours has the loosest power of ten as `tol` that comes near enough; a peer is
told the fewest iterations that do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression as ScikitLogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.datasets import a9a, covtype, ijcnn1, imdb, mnist, w8a
from benchmarks.peers import Peer, fastest
from benchmarks.tasks import Goal, Pair, Target, Task, compared, faster, task
from benchmarks.timing import stopwatch
from rosenblatt import LinearSVM, LogisticRegression

DATASETS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "a9a": a9a,
    "w8a": w8a,
    "ijcnn1": ijcnn1,
    "covtype": covtype,
    "MNIST": partial(mnist, np.float64),
    "IMDB": imdb,
}
LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "logistic": lambda margins: np.logaddexp(0, -margins),
    "hinge": lambda margins: np.maximum(0, 1 - margins),
    "squared-hinge": lambda margins: np.maximum(0, 1 - margins) ** 2,
}
NEAR = {"logistic": 1e-6, "hinge": 1e-4, "squared-hinge": 1e-4}  # relative to the least objective
EXACT = {"logistic": 1e-10, "hinge": 1e-7, "squared-hinge": 1e-10}  # the `tol` that finds the least objective
NEVER = 1e-12  # a `tol` that no peer reaches
SQUARE = 5000  # columns up to which a peer may make a square matrix of them


@dataclass(frozen=True)
class Objective:
    X: Any
    y: np.ndarray
    loss: str
    penalize_intercept: bool = False

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
        """How far the model is above the least objective, relative to it."""
        return self.value(model) / self.least - 1

    def near(self, model: Any) -> bool:
        return self.gap(model) <= NEAR[self.loss]

    def loosest(self) -> float:
        """The loosest power of ten as `tol` with which ours comes near enough."""
        decades = (10.0**-digits for digits in range(1, 10))
        return next(tol for tol in decades if self.near(self.ours(tol).fit(self.X, self.y)))


def peers_of(free: Objective) -> Mapping[str, tuple[Any, Objective]]:
    """Each with what it minimises; those likely to be fast first, so that the slow are given up soon."""
    penalised = replace(free, penalize_intercept=True)
    if free.loss == "hinge":
        return {"dual": (LinearSVC(loss="hinge"), penalised)}
    if free.loss == "squared-hinge":
        return {name: (LinearSVC(dual=name == "dual"), penalised) for name in ("primal", "dual")}
    names = ("newton-cholesky", "lbfgs", "newton-cg", "saga")[free.X.shape[1] > SQUARE :]
    peers = {name: (ScikitLogisticRegression(solver=name), free) for name in names}
    return {**peers, "liblinear": (ScikitLogisticRegression(solver="liblinear"), penalised)}


def race(dataset: str, loss: str, penalize_intercept: bool) -> Pair:
    X, y = DATASETS[dataset]()
    objective = Objective(X, y, loss, penalize_intercept)
    tol = objective.loosest()
    ours, peers = objective.ours(tol), peers_of(replace(objective, penalize_intercept=False))
    limited = {
        name: Peer(model.set_params(tol=NEVER, random_state=0), its.near) for name, (model, its) in peers.items()
    }
    name, iterations = fastest(f"{loss}, {dataset}", limited, X, y)
    peer, its = peers[name]
    peer.set_params(max_iter=iterations)

    def remark() -> str:
        gap, gap_of_peer = objective.gap(ours), its.gap(peer)
        return f"gap {gap:.0e} with tol={tol:.0e}; {name} {gap_of_peer:.0e} in {iterations} iterations"

    return Pair(stopwatch(lambda: ours.fit(X, y)), stopwatch(lambda: peer.fit(X, y)), remark)


def races(loss: str, peer: str, target: Target, penalize_intercept: bool = False) -> tuple[Task, ...]:
    """One for each dataset."""
    offset = ", offset penalised" if penalize_intercept else ""
    end = "-penalised" if penalize_intercept else ""
    return tuple(
        task(f"{loss}-{dataset.lower()}{end}", f"{loss} optimum{offset}, {dataset}", peer, target)(
            partial(race, dataset, loss, penalize_intercept)
        )
        for dataset in DATASETS
    )


def goal(loss: str, peer: str, times: float, each: Target, penalize_intercept: bool = False) -> Goal:
    offset = ", offset penalised" if penalize_intercept else ""
    return Goal(
        f"{loss} optimum{offset}, geometric mean",
        peer,
        faster(times),
        races(loss, peer, each, penalize_intercept),
    )


logistic = goal("logistic", "scikit-learn, its fastest solver", 3, faster(1))
hinge = goal("hinge", "LIBLINEAR", 1, compared())
hinge_penalised = goal("hinge", "LIBLINEAR", 2, compared(), penalize_intercept=True)
squared_hinge = goal("squared-hinge", "LIBLINEAR", 1, compared())
squared_hinge_penalised = goal("squared-hinge", "LIBLINEAR", 2, compared(), penalize_intercept=True)


def two_threads(X: Any, y: np.ndarray) -> Pair:
    two, one = LogisticRegression(n_jobs=2), LogisticRegression(n_jobs=1)

    def remark() -> str:
        same = np.array_equal(two.coef_, one.coef_) and np.array_equal(two.intercept_, one.intercept_)
        return "same bits" if same else "OTHER BITS"

    return Pair(stopwatch(lambda: two.fit(X, y)), stopwatch(lambda: one.fit(X, y)), remark)


@task("threads-covtype", "logistic optimum on two threads, covtype", "on one thread", faster(1.5))
def threads_covtype() -> Pair:
    return two_threads(*covtype())


@task("threads-mnist", "logistic optimum on two threads, MNIST", "on one thread", faster(1.5))
def threads_mnist() -> Pair:
    return two_threads(*mnist(np.float64))
