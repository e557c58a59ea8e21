"""What every calibration is: a map from scores to probabilities, and the targets that it is fitted to.

Calibration changes no decision: labels stay those of the scores. Two classes have one score, which is positive for the
second class; more classes have one score each.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from ...foundation.types import Codes, Floats
from .probability_quality import ProbabilityQuality


@dataclass(frozen=True)
class Calibration(ABC):
    """A fitted map from scores to probabilities. `rows` is the number of rows it was fitted to."""

    method: ClassVar[str]
    rows: int
    quality: ProbabilityQuality | None = field(default=None, compare=False, kw_only=True)  # on rows left out

    @classmethod
    @abstractmethod
    def fit(cls, scores: Floats, codes: Codes, classes: int, weights: Floats | None = None) -> Self:
        """Fit to the scores (one column a plane) and the class numbers of rows held out from training."""

    @abstractmethod
    def log_probabilities(self, scores: Floats) -> Floats:
        """The logarithm of the probability of each class, one column a class."""

    def probabilities(self, scores: Floats) -> Floats:
        """The probability of each class, one column a class."""
        found: Floats = np.exp(self.log_probabilities(scores))
        return found

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """The calibration as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: dict[str, Any], rows: int, classes: int) -> Self:
        """The calibration that `state` describes; a ValueError if it is none for so many classes."""


def smoothed_targets(codes: Codes, classes: int, weights: Floats) -> Floats:
    """The probabilities to fit to, one column a class: near 1 for the class of a row, so that the optimum is finite.

    Two classes: (N + 1) / (N + 2), where N counts the rows of the class (Platt). More: N counts all rows, because some
    classes have few (docs/decisions/0024-calibration.md has the figures).

    >>> smoothed_targets(np.array([0, 0, 1]), 2, np.ones(3)).round(3).tolist()
    [[0.75, 0.25], [0.75, 0.25], [0.333, 0.667]]
    """
    counts = np.bincount(codes, weights, minlength=classes)
    counts = counts if classes == 2 else np.full(classes, weights.sum())
    others = 1 / (counts + 2)
    targets = np.repeat(others[codes][:, None] / (classes - 1), classes, axis=1)
    targets[np.arange(len(codes)), codes] = 1 - others[codes]
    return targets
