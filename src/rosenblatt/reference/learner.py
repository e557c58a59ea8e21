"""The perceptron family in plain Python: losses, steps, visits, passes, and which weights are kept."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from math import exp, inf, log1p, sqrt

from ..parts.recipe import Recipe
from .lifting import lift
from .random_numbers import rows_of_pass
from .weights import Row, Weights

# The loss of a margin m = y (w.x + b), and how hard it pushes, -d loss / d m.
LOSSES: dict[str, Callable[[float], tuple[float, float]]] = {
    "perceptron": lambda m: (max(0.0, -m), float(m <= 0)),
    "hinge": lambda m: (max(0.0, 1 - m), float(m < 1)),
    "squared-hinge": lambda m: (max(0.0, 1 - m) ** 2, 2 * max(0.0, 1 - m)),
    "modified-huber": lambda m: (-4 * m, 4.0) if m < -1 else (max(0.0, 1 - m) ** 2, 2 * max(0.0, 1 - m)),
    "logistic": lambda m: (log1p(exp(-abs(m))) + max(0.0, -m), (1 if m < 0 else exp(-m)) / (1 + exp(-abs(m)))),
}
# eta_t for a row of weight s; the passive-aggressive steps look at its loss and squared norm, and s multiplies their C.
# The step of ALMA counts updates, k. The second-order steps take 1 - m for the loss and x.Sx for the norm.
STEPS: dict[str, Callable[[Recipe, int, float, float, float], float]] = {
    "constant": lambda r, t, loss, norm, s: r.eta0 * s,
    "1/t": lambda r, t, loss, norm, s: r.eta0 / t * s,
    "1/sqrt(t)": lambda r, t, loss, norm, s: r.eta0 / sqrt(t) * s,
    "pegasos": lambda r, t, loss, norm, s: 1 / r.alpha / t * s,
    "pa": lambda r, t, loss, norm, s: loss / norm if norm else 0.0,
    "pa1": lambda r, t, loss, norm, s: min(r.C * s, loss / norm if norm else 0.0),
    "pa2": lambda r, t, loss, norm, s: loss / (norm + 0.5 / (r.C * s)),
    "diagonal": lambda r, t, slack, norm, s: slack / (norm + 0.5 / (r.C * s)),
    "full": lambda r, t, slack, norm, s: slack / (norm + 0.5 / (r.C * s)),
    "alma": lambda r, k, loss, norm, s: s * r.eta0 / sqrt(k * norm) if norm else 0.0,
}


@dataclass
class Learner(Weights):
    """A recipe at work. `run` counts correct visits in a row; a pocket checks all rows when its run beats `bar`."""

    seed: int = 0
    weights: list[float] | None = None
    stream: bool = False  # no row is visited twice, so the pocket trusts the longest run

    def __post_init__(self) -> None:
        constant = self.recipe.intercept_scaling * self.recipe.fit_intercept
        self.X = [[*lift(x, self.recipe.features), constant] for x in self.X]
        self.begin_at_zero()
        self.best = self.w
        self.weight = self.weights or [1.0] * len(self.X)
        self.visits = self.steps = self.updates = self.mistakes = self.run = self.bar = 0
        self.best_mistakes, self.clean = inf, False  # clean: no row is misclassified, and none pushes
        self.path, self.moves = list[list[Row]](), list[tuple[int, float, float]]()  # w; row, margin and change
        # Once every row is right.
        self.can_rest = LOSSES[self.recipe.loss](1e-9)[1] == self.recipe.alpha == self.recipe.margin == 0

    def done(self) -> bool:
        return self.clean or self.visits >= self.recipe.stops.max_iter * len(self.X)

    def visit(self, i: int) -> None:
        """Look at one row, and move w where the loss pushes."""
        m, planes = self.margin(i)
        if m <= 0 and self.recipe.keep == "best" and self.run > self.bar and self.check().done():
            return
        self.visits, self.steps = self.visits + 1, self.steps + 1
        self.mistakes, self.run = self.mistakes + (m <= 0), 0 if m <= 0 else self.run + 1
        norm, step = sum(self.variance(k, self.X[i]) for k, _ in planes), STEPS[self.recipe.step]
        alma, k = self.recipe.step == "alma", self.updates + 1
        loss, push = LOSSES[self.recipe.loss](m - self.recipe.margin_factor * (sqrt(norm / k) if alma else 1))
        time, loss = k if alma else self.steps, 1 - m if self.covariances else loss
        eta, weighted = (step(self.recipe, time, loss, norm, s) for s in (1.0, self.weight[i]))
        ratio = self.recipe.l1_ratio
        self.shrink(eta * self.recipe.alpha * (1 - ratio))
        if push:
            self.updates += 1
            self.moves.append((i, m, weighted * push))
            self.move(i, weighted * push, planes)
            self.project(alma)
            for plane, _ in planes if self.covariances else []:
                self.covariances[plane].learn(self.X[i], norm, 0.5 / (self.recipe.C * self.weight[i]))
        self.clip(eta * self.recipe.alpha * ratio)
        self.path.append(self.w)
        self.bar //= 2 if self.steps % len(self.X) == 0 and not self.stream else 1

    def check(self) -> "Learner":
        """The pocket: look at all rows, and keep w if it makes the fewest mistakes so far."""
        if self.stream:
            self.best, self.bar = self.w, self.run
            return self
        wrong = sum(self.weight[i] for i in range(len(self.X)) if self.margin(i)[0] <= 0)
        if wrong < self.best_mistakes:
            self.best, self.best_mistakes = self.w, wrong
        self.visits, self.clean = self.visits + len(self.X), wrong == 0 and self.can_rest
        self.bar, self.run = self.run, 0
        return self

    def train_in_passes(self) -> None:
        """The orders cyclic, shuffle-once and shuffle: every row once an epoch, until an epoch changes nothing."""
        for number in count():
            before = self.updates, self.mistakes
            for i in rows_of_pass(self.recipe.order, len(self.X), self.seed, number):
                if self.done():
                    return
                self.visit(i)
            if before == (self.updates, self.mistakes) and not self.recipe.alpha:
                self.clean, self.best, self.best_mistakes = True, self.w, 0.0

    def returned(self) -> list[Row]:
        """The weights kept: the last, their mean after each step, or the best met. `returned_scores` has the vote."""
        if self.recipe.keep == "average" and self.path:
            return [[sum(a) / len(plane) for a in zip(*plane, strict=True)] for plane in zip(*self.path, strict=True)]
        in_pocket = self.bar >= self.run and self.bar > 0 if self.stream else self.best_mistakes < inf
        return self.best if self.recipe.keep == "best" and in_pocket else self.w
