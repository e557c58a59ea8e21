"""What a search found: every trial, the best one, and the simplest one within one standard error of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from .trial import Trial


@dataclass(frozen=True)
class TrialRecord:
    """A trial as plain values. `loss` is the mean over the rows of the folds it was measured on."""

    settings: Mapping[str, Any]
    C: float
    loss: float | None  # None if it was not tried
    standard_error: float | None
    fold_losses: list[float]
    weights: float  # that are not 0, in the mean of the folds
    seconds: float
    abandoned: str

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings and C."""
        return {**self.settings, "C": self.C}


@dataclass(frozen=True)
class Tuning:
    """The trials of a search. `best` and `simplest` are places among them; None if nothing was measured, or nothing
    that could be compared with the default C.

    `simplest` is the one-standard-error choice (Breiman and others, 1984): of the trials whose loss is at most one
    standard error above the least, the one with the fewest weights that are not 0, and of these the smallest C.
    """

    trials: list[TrialRecord]
    best: int | None
    simplest: int | None
    folds: int
    rows: int
    seconds: float
    ended: str  # "interrupted" or "max_seconds" if the search was cut short, else ""

    @property
    def chosen(self) -> TrialRecord | None:
        """The trial with the least loss of those that were measured on the most folds."""
        return None if self.best is None else self.trials[self.best]

    def as_dict(self) -> dict[str, Any]:
        """The tuning as plain values."""
        return asdict(self)

    def without_seconds(self) -> "Tuning":
        """The same without its times, so that equal searches are equal values."""
        return replace(self, trials=[replace(trial, seconds=0.0) for trial in self.trials], seconds=0.0)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Tuning":
        """The tuning of plain values; ValueError if the choices are no trials of it."""
        found = cls(**{**values, "trials": [TrialRecord(**trial) for trial in values["trials"]]})
        for place in (found.best, found.simplest):
            if place is not None and (type(place) is not int or not 0 <= place < len(found.trials)):
                raise ValueError("the choice of its tuning is none of its trials")
        for trial in found.trials:
            if type(trial.C) is not float or len(trial.fold_losses) > found.folds:
                raise ValueError("a trial of its tuning is unsound")
        return found


def tuning_of(trials: Sequence[Trial], folds: int, rows: int, seconds: float, ended: str) -> Tuning:
    """The choice among trials: only those measured on the most folds can be chosen."""
    most = max((len(trial.fold_means) for trial in trials), default=0)
    eligible = [k for k, trial in enumerate(trials) if most and len(trial.fold_means) == most]
    best = simplest = None
    if eligible:
        best = min(eligible, key=lambda k: trials[k].estimate.mean)
        limit = sum(trials[best].estimate)
        near = [k for k in eligible if trials[k].estimate.mean <= limit]
        simplest = min(near, key=lambda k: (trials[k].weights_used, trials[k].C, k))
    return Tuning([_record(trial) for trial in trials], best, simplest, folds, rows, seconds, ended)


def _record(trial: Trial) -> TrialRecord:
    seen = len(trial.fold_means)
    mean, error = trial.estimate
    return TrialRecord(
        dict(trial.settings),
        trial.C,
        mean if seen else None,
        error if seen else None,
        list(trial.fold_means),
        trial.weights_used / seen if seen else 0.0,
        trial.seconds,
        trial.abandoned,
    )
