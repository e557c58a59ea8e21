"""Losses: when w moves, and how hard. m = y (w.x + b) is the margin; a row pushes with -d loss / d m.

CONTRIBUTING.md says how to add one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..foundation.types import Floats
from .part import Part


def _log_odds(shares: Floats) -> Floats:
    odds: Floats = np.log(shares / (1 - shares))
    return odds


@dataclass(frozen=True)
class Loss(Part):
    """A loss, and what solvers need to know about it."""

    algorithm: Literal["perceptron", "svm", "logistic"]  # the named algorithm that offers it
    value: Callable[[Floats], Floats]  # of margins
    pushes_only_mistakes: bool = False  # so training can stop when no row is misclassified
    curvature: float | None = None  # bounds the second derivative; for the hinge, the value that gave the best steps
    push_grows: bool = False  # with the distance to the margin, so large first steps would diverge
    reaches_zero: bool = True  # at finite weights, if the classes are separable
    optimum: Literal["newton", "dual"] | None = None  # the method that finds the optimum
    joint_optimum: bool = False  # whether that method trains joint classes
    joint_descent: bool = True  # whether gradient descent does: softmax has no single margin to push
    dual_start: bool = False  # whether coordinate descent on the dual can find Newton's start
    best_offset: Callable[[Floats], Floats] = np.sign  # of a plane without weights, by the share of positive rows


LOSSES = {
    "perceptron": Loss(
        0,
        "max(0, -m): pushes with 1 where m <= 0",
        "perceptron",
        lambda m: np.maximum(0.0, -m),
        pushes_only_mistakes=True,
    ),
    "hinge": Loss(
        1,
        "max(0, 1 - m): pushes with 1 where m < 1",
        "svm",
        lambda m: np.maximum(0.0, 1 - m),
        curvature=0.25,  # the push jumps; 0.25 gave the best steps of 1/200 to 10 on two data sets
        optimum="dual",
        joint_optimum=True,
        best_offset=lambda shares: np.sign(2 * shares - 1),
    ),
    "squared-hinge": Loss(
        2,
        "max(0, 1 - m)^2: pushes with 2 (1 - m) where m < 1",
        "svm",
        lambda m: np.maximum(0.0, 1 - m) ** 2,
        curvature=2.0,
        push_grows=True,
        optimum="newton",
        dual_start=True,
        best_offset=lambda shares: 2 * shares - 1,
    ),
    "logistic": Loss(
        3,
        "log(1 + exp(-m)): pushes with 1 / (1 + exp(m)) everywhere",
        "logistic",
        lambda m: np.logaddexp(0.0, -m),
        curvature=0.25,
        reaches_zero=False,
        optimum="newton",
        joint_optimum=True,
        joint_descent=False,
        best_offset=_log_odds,
    ),
    "modified-huber": Loss(
        4,
        "max(0, 1 - m)^2 where m >= -1, else -4 m: pushes with 2 (1 - m) where m < 1, at most 4",
        "svm",
        lambda m: np.where(m < -1, -4 * m, np.maximum(0.0, 1 - m) ** 2),
        curvature=2.0,
        push_grows=True,
    ),
}


def losses_of(algorithm: str) -> dict[str, Loss]:
    """The losses that a named algorithm offers.

    >>> list(losses_of("logistic"))
    ['logistic']
    """
    return {name: loss for name, loss in LOSSES.items() if loss.algorithm == algorithm}
