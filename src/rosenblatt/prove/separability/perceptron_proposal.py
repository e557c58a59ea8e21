"""A hyperplane by training: where there are many columns, the perceptron separates sooner than linear programmes do."""

from fractions import Fraction

import numpy as np

from ...engine.train import train
from ...foundation.errors import TooLarge
from ...parts.recipe import Recipe
from ...parts.stops import Stops
from ..exact.linear_algebra import Whole, primitive
from ..exact.problem import Problem
from ..time_limit import Clock

SOON = 20  # epochs after which a linear programme takes over if more than one row in
FEW = 50  # is wrong
EPOCHS = 200  # where a linear programme can follow
MOST_EPOCHS = 5000  # where it hardly can: with more columns than
COLUMNS = 2000


def learned(problem: Problem, clock: Clock) -> Whole | None:
    """A w, in scaled columns, for which the perceptron makes no mistake; None if it finds none soon."""
    if problem.columns > COLUMNS:
        return _trained(problem, MOST_EPOCHS, clock)[0]
    w, wrong = _trained(problem, SOON, clock)
    return w if w is not None or wrong * FEW > problem.rows else _trained(problem, EPOCHS, clock)[0]


def _trained(problem: Problem, epochs: int, clock: Clock) -> tuple[Whole | None, int]:
    """The w of some epochs if no row is on its wrong side, and how many rows are."""
    left = clock.left()
    stops = Stops(max_iter=epochs, max_seconds=left if 0 < left < np.inf else None)
    recipe = Recipe(order="working-set", fit_intercept=problem.fit_intercept, stops=stops)
    try:
        result = train(problem.view, (problem.labels > 0).astype(np.int32), 2, recipe, threads=problem.threads)
    except TooLarge:
        return None, problem.rows
    if result.interrupted:
        raise KeyboardInterrupt
    if result.status.mistakes:
        return None, int(result.status.mistakes)
    offset = result.intercept[: problem.size - problem.columns].tolist()
    return primitive([*problem.scaled_weights(result.coef[0]), *map(Fraction, offset)]), 0
