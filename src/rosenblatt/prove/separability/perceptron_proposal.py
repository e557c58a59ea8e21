"""A separating hyperplane by training: with many columns the perceptron is faster than linear programs."""

from fractions import Fraction

import numpy as np

from ...engine.train import train
from ...foundation.errors import TooLarge
from ...foundation.matrices import as_rows
from ...foundation.types import Floats
from ...parts.recipe import Recipe
from ...parts.stops import Stops
from ..exact.linear_algebra import IntVector, primitive_vector
from ..exact.problem import ExactProblem
from ..time_limit import Clock

TRIAL_EPOCHS = 20
MIN_ROWS_PER_MISTAKE = 50  # after the trial; with fewer a linear program takes over
MAX_EPOCHS = 200
MAX_WIDE_COLUMNS = 2000  # with more columns a linear program is too slow, and training gets more epochs
MAX_EPOCHS_WIDE = 5000


def separate_by_perceptron(problem: ExactProblem, clock: Clock) -> IntVector | None:
    """A separating w in scaled columns, found by the perceptron; None if it does not find one soon."""
    if problem.columns > MAX_WIDE_COLUMNS:
        return _train(problem, MAX_EPOCHS_WIDE, clock)[0]
    w, wrong = _train(problem, TRIAL_EPOCHS, clock)
    return w if w is not None or wrong * MIN_ROWS_PER_MISTAKE > problem.rows else _train(problem, MAX_EPOCHS, clock)[0]


def _train(problem: ExactProblem, epochs: int, clock: Clock) -> tuple[IntVector | None, int]:
    """The w after some epochs if it makes no mistake, else None; and the number of mistakes."""
    left = clock.seconds_left()
    stops = Stops(max_iter=epochs, max_seconds=left if 0 < left < np.inf else None)
    recipe = Recipe(order="working-set", fit_intercept=problem.fit_intercept, stops=stops)
    try:
        result = train(problem.view, (problem.labels == 1).astype(np.int32), 2, recipe, threads=problem.threads)
    except TooLarge:
        return None, problem.rows
    if result.interrupted:
        raise KeyboardInterrupt
    if result.status.mistakes:
        return None, int(result.status.mistakes)
    offset = result.intercept[: problem.size - problem.columns].tolist()
    return primitive_vector([*problem.scale_view_weights(result.coef[0]), *map(Fraction, offset)]), 0


def separate_modulo(problem: ExactProblem, inside: list[int], clock: Clock) -> Floats | None:
    """A w in floats that is 0 on some rows and positive on all others, by the perceptron; None if it finds none soon.

    The rows are projected to the complement of those on which w must be 0.
    """
    rows = problem.sparse_floats()
    basis = np.linalg.qr(rows[inside].toarray().T)[0]
    outside = np.setdiff1d(np.arange(problem.rows), inside)
    projected = rows[outside].toarray()
    projected -= (projected @ basis) @ basis.T
    left = clock.seconds_left()
    stops = Stops(max_iter=MAX_EPOCHS, max_seconds=left if 0 < left < np.inf else None)
    recipe = Recipe(order="working-set", fit_intercept=False, stops=stops)
    labels = problem.labels[outside]
    result = train(as_rows(labels[:, None] * projected), (labels == 1).astype(np.int32), 2, recipe, threads=1)
    if result.interrupted:
        raise KeyboardInterrupt
    w = result.coef[0]
    return None if result.status.mistakes else np.asarray(w - basis @ (basis.T @ w))
