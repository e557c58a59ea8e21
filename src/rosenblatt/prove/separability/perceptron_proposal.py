"""A hyperplane by training: where there are many columns, the perceptron separates sooner than linear programmes do."""

from fractions import Fraction

import numpy as np

from ...engine.train import train
from ...foundation.errors import TooLarge
from ...parts.recipe import Recipe
from ...parts.stops import Stops
from ..exact.linear_algebra import IntVector, primitive_vector
from ..exact.problem import ExactProblem
from ..time_limit import Clock

TRIAL_EPOCHS = 20  # epochs after which a linear programme takes over if more than one row in
MAX_TRIAL_MISTAKES_INVERSE = 50  # is wrong
MAX_EPOCHS = 200  # where a linear programme can follow
MAX_EPOCHS_WIDE = 5000  # where it hardly can: with more columns than
MIN_WIDE_COLUMNS = 2000


def separate_by_perceptron(problem: ExactProblem, clock: Clock) -> IntVector | None:
    """A w, in scaled columns, for which the perceptron makes no mistake; None if it finds none soon."""
    if problem.columns > MIN_WIDE_COLUMNS:
        return _train(problem, MAX_EPOCHS_WIDE, clock)[0]
    w, wrong = _train(problem, TRIAL_EPOCHS, clock)
    return (
        w
        if w is not None or wrong * MAX_TRIAL_MISTAKES_INVERSE > problem.rows
        else _train(problem, MAX_EPOCHS, clock)[0]
    )


def _train(problem: ExactProblem, epochs: int, clock: Clock) -> tuple[IntVector | None, int]:
    """The w of some epochs if no row is on its wrong side, and how many rows are."""
    left = clock.seconds_left()
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
    return primitive_vector([*problem.scale_view_weights(result.coef[0]), *map(Fraction, offset)]), 0
