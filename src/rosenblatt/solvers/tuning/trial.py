"""One choice of parameters on trial: the losses of the rows that its trainings did not see."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from ...foundation.types import Floats

WORSE_ERRORS = 3.0  # standard errors of the difference to the best, by which a trial is clearly worse
MIN_COMPARED_ROWS = 30
HOPELESS_ERRORS = 2.0  # standard errors of the best itself: no trial within one of them is abandoned


class Estimate(NamedTuple):
    """A mean and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, losses: Floats, weights: Floats | None) -> "Estimate":
        """The mean of the losses of rows, and its standard error if the rows are independent.

        >>> Estimate.of(np.array([1.0, 1.0, 3.0, 3.0]), None)
        Estimate(mean=2.0, error=0.5)
        """
        if weights is None:
            mean = float(losses.mean())
            return cls(mean, float(losses.std()) / sqrt(len(losses)))
        total = float(weights.sum())
        mean = float(weights @ losses) / total
        return cls(mean, float(np.linalg.norm(weights * (losses - mean))) / total)


NOT_MEASURED = Estimate(nan, nan)


@dataclass(eq=False)
class Trial:
    """Settings and a C. `losses` are those of the rows seen so far, fold after fold."""

    settings: Mapping[str, Any]
    C: float
    losses: list[Floats] = field(default_factory=list)
    fold_means: list[float] = field(default_factory=list)
    weights_used: int = 0  # that are not 0, in all folds together
    seconds: float = 0.0
    estimate: Estimate = NOT_MEASURED
    abandoned: str = ""  # why the remaining folds are not tried

    def add(self, losses: Floats, weights: Floats | None, seen: Floats | None, weights_used: int) -> None:
        """Add the losses of one more fold. `weights` are those of its rows, `seen` those of all rows so far."""
        self.losses.append(losses)
        self.fold_means.append(Estimate.of(losses, weights).mean)
        self.weights_used += weights_used
        self.estimate = Estimate.of(np.concatenate(self.losses), seen)

    def forget_fold(self, folds: int, seen: Floats | None) -> None:
        """Go back to so many folds, which all trials have seen. `seen` are the weights of their rows."""
        if len(self.losses) > folds > 0:
            self.weights_used = self.weights_used * folds // len(self.losses)
            del self.losses[folds:], self.fold_means[folds:]
            self.estimate = Estimate.of(np.concatenate(self.losses), seen)

    def abandon(self, why: str) -> None:
        """Try no more folds. The losses of rows are no longer needed."""
        self.abandoned, self.losses = why, []


def is_worse(losses: Floats, best: Floats, weights: Floats | None) -> bool:
    """Whether losses are clearly above the best ones of the same rows. Of few rows chance decides, so none are."""
    difference = Estimate.of(losses - best, weights)
    return len(losses) >= MIN_COMPARED_ROWS and difference.mean > WORSE_ERRORS * difference.error


def is_hopeless(losses: Floats, best: Floats, weights: Floats | None) -> bool:
    """Whether losses are so much worse than the best ones that neither choice could become theirs."""
    above = Estimate.of(losses - best, weights).mean > HOPELESS_ERRORS * Estimate.of(best, weights).error
    return above and is_worse(losses, best, weights)
