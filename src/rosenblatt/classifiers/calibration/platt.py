"""Platt's scaling: log odds are a line of the score; for several classes, the softmax of one slope and an offset each.

J. Platt, "Probabilistic outputs for support vector machines" (1999), fitted by Newton's method with a line search as in
H.-T. Lin, C.-J. Lin, R. Weng, "A note on Platt's probabilistic outputs", Machine Learning 68 (2007).
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...foundation.json_values import require_type
from ...foundation.types import Codes, Floats
from .calibration import Calibration, smoothed_targets
from .log_probabilities import log_chances, normalise_logs

MAX_STEPS, TOLERANCE = 100, 1e-12  # of the gradient of the mean loss, for scores of at most 1
SUFFICIENT_DECREASE, LEAST_STEP = 1e-4, 1e-10
RIDGE = 1e-12  # as a share of the curvature; Newton's matrix is singular if all scores are equal
DIGITS = 10  # that are kept: the last bits of exp differ between processors
LEAST_SCORE = 1e-290  # so that the slope is finite
COMMON_SHARE, MAX_DISTANCE = 0.99, 10.0  # scores beyond 10 times the size of 99 % of all are clipped
MAX_LOGIT = 1e300  # so that differences of logits are finite


@dataclass(frozen=True)
class PlattCalibration(Calibration):
    """P = softmax(slope * score + offset), with a score of 0 for the first of two classes.

    >>> scores, codes = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> PlattCalibration.fit(scores, codes, 2).probabilities(np.array([[0.0], [3.0]])).round(3).tolist()
    [[0.5, 0.5], [0.117, 0.883]]
    """

    method = "platt"
    slope: float
    offsets: Floats  # one a plane

    @classmethod
    def fit(cls, scores: Floats, codes: Codes, classes: int, weights: Floats | None = None) -> Self:
        weights = np.ones(len(codes)) if weights is None else weights
        scores = without_outliers(scores)
        every = np.column_stack([np.zeros(len(scores)), scores]) if classes == 2 else scores
        scale = max(float(np.abs(every).max(initial=0.0)), LEAST_SCORE)
        targets = smoothed_targets(codes, classes, weights)
        by_column = np.asfortranarray(every / scale), np.asfortranarray(targets)  # sums over few classes are faster so
        solution = minimum(SoftmaxProblem(*by_column, weights / weights.sum()))
        slope, offsets = float(solution[0]) / scale, np.concatenate([[0.0], solution[1:]])
        return cls(len(codes), _short(slope), np.array([_short(offset) for offset in offsets[classes == 2 :]]))

    def log_probabilities(self, scores: Floats) -> Floats:
        with np.errstate(over="ignore"):
            logits = np.clip(self.slope * scores, -MAX_LOGIT, MAX_LOGIT) + self.offsets
        if logits.shape[1] > 1:
            return normalise_logs(logits)
        return np.column_stack([log_chances(-logits[:, 0]), log_chances(logits[:, 0])])

    def state(self) -> dict[str, Any]:
        return {"slope": self.slope, "offsets": self.offsets}

    @classmethod
    def from_state(cls, state: dict[str, Any], rows: int, classes: int) -> Self:
        slope, offsets = require_type(state["slope"], float), state["offsets"]
        planes = 1 if classes == 2 else classes
        if offsets.dtype != np.float64 or offsets.shape != (planes,):
            raise ValueError("its calibration does not fit its classes")
        if not (np.isfinite(slope) and (np.abs(offsets) <= MAX_LOGIT).all()):
            raise ValueError("its calibration holds numbers that are not finite")
        return cls(rows, slope, offsets)


def without_outliers(scores: Floats) -> Floats:
    """The scores, with those clipped that are far beyond nearly all others: one of 1e6 would decide the slope alone.

    >>> float(without_outliers(np.array([[-1.0]] * 100 + [[2.0]] * 99 + [[1e6]])).max())
    20.0
    """
    most = MAX_DISTANCE * float(np.quantile(np.abs(scores), COMMON_SHARE))
    return np.clip(scores, -most, most) if most else scores


@dataclass(frozen=True)
class SoftmaxProblem:
    """The mean cross-entropy of softmax(slope * score + offset); the offset of the first class is 0."""

    scores: Floats
    targets: Floats
    weights: Floats  # of the rows; their sum is 1

    def logs(self, at: Floats) -> Floats:
        logits = at[0] * self.scores
        logits[:, 1:] += at[1:]
        return normalise_logs(logits)

    def value(self, logs: Floats) -> float:
        return -float((self.weights * (self.targets * logs).sum(axis=1)).sum())

    def derivatives(self, logs: Floats) -> tuple[Floats, Floats]:
        """The gradient and the matrix of second derivatives."""
        probabilities, weights = np.exp(logs), self.weights[:, None]
        apart, likely = weights * (probabilities - self.targets), weights * probabilities
        centred = self.scores - (probabilities * self.scores).sum(axis=1, keepdims=True)
        gradient = np.concatenate([[(apart * self.scores).sum()], apart.sum(axis=0)[1:]])
        hessian = np.empty((len(gradient), len(gradient)))
        hessian[0, 0] = (likely * centred * self.scores).sum()
        hessian[0, 1:] = hessian[1:, 0] = (likely * centred).sum(axis=0)[1:]
        hessian[1:, 1:] = np.diag(likely.sum(axis=0)[1:]) - probabilities[:, 1:].T @ likely[:, 1:]
        return gradient, hessian


def minimum(problem: SoftmaxProblem) -> Floats:
    """The slope and the offsets of all classes but the first, by Newton's method from the shares of the classes."""
    shares = (problem.weights[:, None] * problem.targets).sum(axis=0)
    at = np.concatenate([[0.0], np.log(shares[1:] / shares[0])])
    logs = problem.logs(at)
    value = problem.value(logs)
    for _ in range(MAX_STEPS):
        gradient, hessian = problem.derivatives(logs)
        if np.abs(gradient).max() <= TOLERANCE:
            break
        ridge = RIDGE * max(float(np.trace(hessian)), 1e-300)
        direction = -np.linalg.solve(hessian + ridge * np.eye(len(at)), gradient)
        fall, step = float(gradient @ direction), 1.0
        while True:
            logs = problem.logs(at + step * direction)
            reached = problem.value(logs)
            if reached <= value + SUFFICIENT_DECREASE * step * fall:
                break
            step /= 2
            if step < LEAST_STEP:
                return at  # as near as rounding allows
        at, value = at + step * direction, reached
    return at


def _short(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")
