"""The state of parameter mixing on the driver: the mixed weights, and what the core's state would count."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ..engine.run_learner import Planes
from ..foundation.types import Floats
from .shard_epoch import MixedEpoch


@dataclass
class MixedState:
    """Mixed weights, and the sums over all visits of all shards. Its names are those of the core's state.

    The pocket is checked by a pass of its own after each epoch: `checking` says that this is next.
    """

    coef: Floats
    offset: Floats
    keep: str
    visits: int = 0
    steps: int = 0
    updates: int = 0
    mistakes: int = 0
    passes: int = 0  # epochs of learning
    mistake_weight: float = 0.0
    loss_sum: float = 0.0
    sums: Floats | None = None
    offset_sums: Floats | None = None
    best: Floats | None = None
    best_offset: Floats | None = None
    best_mistakes: float = inf
    checking: bool = False
    clean: bool = False
    overflow: bool = False

    def learn(self, epoch: MixedEpoch, rests: bool) -> None:
        """Take over the mixture of all shards. `rests` says that weights without mistakes stay as they are."""
        self.coef, self.offset = epoch.coef, epoch.offsets
        self.visits, self.steps = self.visits + epoch.visits, self.steps + epoch.visits
        self.updates, self.mistakes = self.updates + epoch.updates, self.mistakes + epoch.mistakes
        self.mistake_weight, self.loss_sum = self.mistake_weight + epoch.mistake_weight, self.loss_sum + epoch.loss
        self.passes += 1
        if epoch.sums is not None and epoch.offset_sums is not None:
            self.sums = epoch.sums if self.sums is None else self.sums + epoch.sums
            self.offset_sums = epoch.offset_sums if self.offset_sums is None else self.offset_sums + epoch.offset_sums
        if rests and not epoch.updates and not epoch.mistakes:
            self._rest()
        self.checking = self.keep == "best" and not self.clean

    def check(self, mistakes: float, rows: int, rests: bool) -> None:
        """Keep the present weights if their mistakes, counted on all rows, are the fewest so far."""
        self.visits, self.checking = self.visits + rows, False
        if rests and not mistakes:
            self._rest()
        elif mistakes < self.best_mistakes:
            self.best, self.best_offset, self.best_mistakes = self.coef, self.offset, mistakes

    def _rest(self) -> None:
        self.clean = True
        if self.keep == "best":
            self.best, self.best_offset, self.best_mistakes = self.coef, self.offset, 0.0

    def counts(self) -> tuple[int, int, int, float, float, int]:
        return self.visits, self.updates, self.mistakes, self.mistake_weight, self.loss_sum, self.steps

    def kept(self) -> Planes:
        """The weights that the learner returns: the last mixture, the mean after all visits, or the best mixture."""
        if self.sums is not None and self.offset_sums is not None:
            return self.sums / self.steps, self.offset_sums / self.steps
        if self.best is not None and self.best_offset is not None:
            return self.best, self.best_offset
        return self.coef, self.offset

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)


def restore_state(saved: dict[str, Any], like: MixedState) -> MixedState:
    """A saved state of the same shape as another."""
    state = MixedState.__new__(MixedState)
    state.__setstate__(saved)
    if np.shape(state.coef) != like.coef.shape or vars(state).keys() != vars(like).keys():
        raise ValueError("its weights are not of these columns")
    return state
