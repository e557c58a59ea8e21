"""What training reports while it runs, and what it leaves."""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

from ..foundation.types import Floats, History
from ..parts.stops import Status
from .vote import Vote


class Progress(NamedTuple):
    """What a watcher hears after each slice. `mistakes` are those of the last whole epoch."""

    epochs: float
    max_iter: int
    mistakes: float | None
    seconds: float


# Called about every 20 ms; if it has an attribute `hears_epochs` that is true, also at the end of every epoch. It may
# raise KeyboardInterrupt, which ends training as Ctrl-C does.
Watch = Callable[[Progress], None]


@dataclass(frozen=True)
class TrainingResult:
    """The weights that training returns, why it ended, and what it counted."""

    coef: Floats
    intercept: Floats
    status: Status
    history: History
    n_visits: int
    n_updates: int
    n_mistakes: int
    trace: History | None = None
    warm: bool = False  # whether a traced training started from weights other than 0
    interrupted: bool = False
    mean_loss: float = nan  # of the returned weights, where a last pass computed it
    objective: float = nan
    gradient_norm: float = nan
    duality_gap: float = nan
    tuning: Any = None  # what was tried to choose C, of `solvers/tuning`
    vote: Vote | None = None  # of all weights met, with keep="vote"; coef and intercept are then the last weights
    joint: bool | None = None  # whether several classes were trained together; files of older versions do not say it
    label_form: str | None = None  # "matrix" or "lists" where a row may have several labels, each with its plane

    @property
    def returned(self) -> tuple[Floats, Floats]:
        return self.coef, self.intercept

    @property
    def n_iter(self) -> int:
        return self.status.epochs
