"""One run: the loop around the one resumable call, `Learner.advance`.

A run takes one learner through its rows in slices of about 20 ms. Between slices it hears Ctrl-C, reports progress,
closes epochs and asks the stops. `train.py` makes one run a problem; rows that pass only once are in `stream.py`.
"""

import time
from collections.abc import Callable
from math import nan, sqrt

import numpy as np

from .. import _core
from ..foundation.errors import TooLarge
from ..foundation.types import Floats
from ..parts.losses import LOSSES
from ..parts.recipe import Recipe
from ..parts.stops import PATIENCE, PATIENT_EPOCHS, PATIENT_VISITS, VISITS_PER_SQUARED_COLUMN
from .held_out import HeldOutProblem
from .history import Epoch
from .result import Progress, Watch
from .resume import NO_BOOKMARK, Bookmark, Tree
from .run_learner import Learner, LearnerState

SLICE_SECONDS = 0.02
SLICE_VALUES = 1 << 20  # stored values visited in the first slice; later slices follow the clock


class Run:
    """Trains one learner until a stop holds."""

    def __init__(
        self,
        learner: Learner,
        recipe: Recipe,
        held_out: HeldOutProblem | None = None,
        is_inseparable: Callable[[], bool] | None = None,
    ) -> None:
        self.learner, self.recipe = learner, recipe
        self._is_inseparable = is_inseparable if recipe.ends_without_mistakes else None
        self.held_out = held_out
        self._best_weights: tuple[Floats, Floats] | None = None  # on rows held out
        self.reason: str | None = None
        self.going = False
        self._epoch_seconds = 0.0  # spent on the epoch under way before this run resumed
        self.epochs: list[Epoch] = []
        self._budget = max(1, SLICE_VALUES * learner.count // max(learner.stored_values, 1))
        self._counts = self.state.counts()
        self._best_quality, self._since_best = np.inf, 0
        self._settled: Floats | None = None
        self.mean_loss = nan
        self._last_weights = self.state.kept()[0] if recipe.stops.criterion == "weights" else None

    @property
    def state(self) -> LearnerState:
        return self.learner.state

    def saved(self) -> Tree:
        """Everything that decides how this run continues, with the time it has taken."""
        columns = map(np.array, zip(*self.epochs, strict=True))
        return {
            "state": self.state.__getstate__(),
            "passed": self.epochs_done(),
            "reason": self.reason,
            "epochs": dict(zip(Epoch._fields, columns, strict=True)) if self.epochs else None,
            "counts": list(self._counts),
            "epoch_seconds": 0.0 if self.reason else time.perf_counter() - self._epoch_began,
            "best_quality": float(self._best_quality),
            "since_best": self._since_best,
            "settled": self._settled,
            "last_weights": self._last_weights,
            "best_weights": None if self._best_weights is None else list(self._best_weights),
            "trace": list(self.learner.traces),
        }

    def restore(self, saved: Tree) -> None:
        """Continue where a run of the same rows and recipe was saved."""
        self.learner.restore(saved["state"])
        self.reason, self._counts = saved["reason"], tuple(saved["counts"])
        columns = [] if saved["epochs"] is None else [saved["epochs"][name].tolist() for name in Epoch._fields]
        self.epochs = [Epoch(*values) for values in zip(*columns, strict=True)]
        self._epoch_seconds = saved["epoch_seconds"]
        self._best_quality, self._since_best = saved["best_quality"], saved["since_best"]
        self._settled, self._last_weights = saved["settled"], saved["last_weights"]
        best = saved["best_weights"]
        self._best_weights = None if best is None else (best[0], best[1])
        self.learner.traces = list(saved["trace"])

    def epochs_done(self) -> float:
        """How often it has gone through its rows."""
        return self.state.visits / self.learner.count

    def go(
        self,
        watch: Watch | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        began: float | None = None,
        bookmark: Bookmark = NO_BOOKMARK,
    ) -> None:
        """Train until a stop holds. Ctrl-C ends a run like any other stop; the caller raises it again.

        `began` is when the clock of max_seconds started, if not now.
        """
        self._watched = time.perf_counter()
        self._began = self._watched if began is None else began
        self._epoch_began = self._watched - self._epoch_seconds
        self._hears_epochs = getattr(watch, "hears_epochs", False)
        self.going = True
        try:
            while self.reason is None:
                epochs = len(self.epochs)
                self._slice(watch)
                if self.reason is None:
                    bookmark.save_if_due(self.saved, self.epochs_done, step=len(self.epochs) > epochs)
                if self.reason is None and cancelled():
                    self.reason = "interrupted"
        except KeyboardInterrupt:
            self.reason = "interrupted"
        if self.state.visits > self._counts[0]:
            self._record(time.perf_counter())
        self._count_empty_pocket()
        self.going = False

    def _slice(self, watch: Watch | None) -> None:
        stops, state = self.recipe.stops, self.state
        before = len(self.epochs)
        epoch_end = min(before + 1, stops.max_iter) * self.learner.count
        began = time.perf_counter()
        self.learner.advance(self._budget, max(epoch_end, self._counts[0] + 1))
        now = time.perf_counter()
        if state.overflow:
            raise TooLarge
        if now - began > 2 * SLICE_SECONDS or now - began < SLICE_SECONDS / 2:
            pace = min(4.0, max(0.25, SLICE_SECONDS / max(now - began, 1e-6)))
            self._budget = min(int(self._budget * pace) + 1, 1 << 40)
        if state.clean or state.visits >= epoch_end:
            self._end_epoch(now)
        if self.reason is None and stops.max_seconds is not None and now - self._began >= stops.max_seconds:
            self.reason = "max_seconds"
        due = self.reason is not None or now - self._watched > SLICE_SECONDS / 2
        if watch is not None and (due or (self._hears_epochs and len(self.epochs) > before)):
            self._watched = now
            mistakes = self.epochs[-1].mistakes if self.epochs else None
            watch(Progress(self.epochs_done(), stops.max_iter, mistakes, now - self._began))

    def _record(self, now: float) -> None:
        """Close the epoch under way."""
        counts, before, n = self.state.counts(), self._counts, self.learner.count
        visits, updates = counts[0] - before[0], counts[1] - before[1]
        best = self.recipe.keep == "best"
        mistakes = min(self.state.best_mistakes, self.learner.total_weight) if best else counts[2] - before[2]
        self._mistake_weight = mistakes if best else counts[3] - before[3]
        seen = (counts[5] - before[5]) * (n if self.recipe.order == "batch" else 1) * self.learner.total_weight / n
        loss = (counts[4] - before[4]) / seen if seen else np.nan
        self.epochs.append(Epoch(visits, updates, mistakes, loss, now - self._epoch_began))
        self._counts, self._epoch_began = counts, now

    def _count_empty_pocket(self) -> None:
        """Count the mistakes of the last weights, which a run too short for the pocket's first check returns."""
        if self.recipe.keep == "best" and self.epochs and np.isinf(self.state.best_mistakes):
            wrong = float(self.learner.inspect(*self.returned_weights())[1])
            self.epochs[-1] = self.epochs[-1]._replace(mistakes=wrong)

    def _end_epoch(self, now: float) -> None:
        if self.state.visits > self._counts[0] or not self.epochs:
            self._record(now)
        stops = self.recipe.stops
        if self.held_out is not None:
            self._check_held_out(self.held_out)
        elif self.state.clean:
            self.reason = "mistakes"
        else:
            self._apply_criterion()
        if self.reason is None and self.state.visits >= stops.max_iter * self.learner.count:
            self.reason = "max_iter"

    def _apply_criterion(self) -> None:
        stops = self.recipe.stops
        quality = self._quality()
        if quality <= stops.tol and self._holds_for_returned_weights():
            self.reason = stops.criterion
            return
        if quality < self._best_quality:
            self._best_quality, self._since_best = quality, 0
        else:
            self._since_best += 1
        if self._has_waited(stops.n_iter_no_change) and self._is_settled():
            self.reason = "no-change"
        elif self._has_waited(PATIENCE) and self._may_ask_for_proof() and self._is_proved_inseparable():
            self.reason = "overlap"

    def _quality(self) -> float:
        """The number that the criterion compares with tol; for mistakes, what the epoch's visits saw.

        With a margin, a row within it counts as a mistake.
        """
        criterion = self.recipe.stops.criterion
        if criterion == "mistakes" and self.recipe.pushes_correct_rows:
            return self.epochs[-1].updates / self.epochs[-1].visits
        if criterion == "mistakes":
            return self._mistake_weight / self.learner.total_weight
        coef, intercept = self._kept_weights()
        if criterion == "weights":
            assert self._last_weights is not None
            change, size = _norm(coef - self._last_weights), _norm(coef)
            self._last_weights = coef
            no_progress = not size or (change == 0 and self.recipe.keep == "best")  # nothing learned, nothing found
            return np.inf if no_progress else change / size
        if LOSSES[self.recipe.loss].pushes_only_mistakes and not coef.any():
            return np.inf  # weights of 0 separate nothing, though their loss is 0
        _, _, loss, _, gradient = self.learner.inspect(coef, intercept, gradient=criterion == "gradient")
        mean, penalised = float(loss) / self.learner.total_weight, self._penalised(coef, intercept)
        objective = mean + self.recipe.penalty_of(penalised)
        self.epochs[-1] = self.epochs[-1]._replace(objective=objective)
        return mean if criterion == "loss" else self._gradient_norm(gradient / self.learner.total_weight, penalised)

    def _penalised(self, coef: Floats, intercept: Floats) -> Floats:
        """The weights that the penalty counts, with zeros in the place of offsets that it leaves free."""
        offsets = intercept / self.recipe.intercept_scaling
        return np.concatenate([coef.ravel(), offsets if self.recipe.penalize_intercept else 0 * offsets])

    def _gradient_norm(self, downhill: Floats, penalised: Floats) -> float:
        """The norm of the mean gradient with its penalty. The offset is the weight of one more coordinate."""
        downhill[len(downhill) // (self.learner.columns + 1) * self.learner.columns :] *= (
            self.recipe.intercept_scaling if self.recipe.fit_intercept else 0.0
        )
        return _norm(self.recipe.downhill_with_penalty(downhill, penalised))

    def _check_held_out(self, held_out: HeldOutProblem) -> None:
        """Score the weights on the rows held out, keep the best, and end when patience runs out."""
        stops, weights = self.recipe.stops, self._kept_weights()
        quality = held_out.quality(stops.criterion, weights)
        self.epochs[-1] = self.epochs[-1]._replace(held_out=quality)
        if quality < min((epoch.held_out for epoch in self.epochs[:-1]), default=np.inf):
            self._best_weights = weights
        if quality < self._best_quality - stops.tol:
            self._best_quality, self._since_best = quality, 0
        else:
            self._since_best += 1
        if self._since_best >= (stops.n_iter_no_change or PATIENCE):
            self.reason = "held-out"

    def _has_waited(self, patience: int | None) -> bool:
        """Whether so many epochs brought nothing better, after enough visits."""
        if patience is None or self.state.visits < min(PATIENT_VISITS, PATIENT_EPOCHS * self.learner.count):
            return False
        return self._since_best >= patience

    def _may_ask_for_proof(self) -> bool:
        return self.state.visits >= VISITS_PER_SQUARED_COLUMN * self.learner.columns**2

    def _is_proved_inseparable(self) -> bool:
        """Ask once whether it is proved that no weights classify every row correctly. No proof is an answer, too."""
        ask, self._is_inseparable = self._is_inseparable, None
        return ask is not None and ask()

    def _is_settled(self) -> bool:
        """Whether the average has settled. It still moves after the weights stop improving: wait for less than 5 %."""
        if self.recipe.keep != "average":
            return True
        before, now = self._settled, self.state.kept()[0]
        self._settled, self._since_best = now, 0
        return before is not None and _norm(now - before) <= 0.05 * _norm(now)

    def _holds_for_returned_weights(self) -> bool:
        """Whether the returned weights meet the criterion too. Visits see weights that move."""
        if self.recipe.stops.criterion != "mistakes" or self.recipe.keep == "best":
            return True
        if self.state.clean and self.recipe.keep != "average":
            return True
        return (
            float(self.learner.inspect(*self.returned_weights())[1])
            <= self.recipe.stops.tol * self.learner.total_weight
        )

    def returned_weights(self) -> tuple[Floats, Floats]:
        """The weights kept, and the offsets they add. With rows held out, the best weights on those."""
        return self._kept_weights() if self._best_weights is None else self._best_weights

    def _kept_weights(self) -> tuple[Floats, Floats]:
        coef, offsets = self.state.kept()
        scaling = self.recipe.intercept_scaling if self.recipe.fit_intercept else 0.0
        return coef, offsets * scaling

    def count_mistakes(self) -> int:
        """How many rows the returned weights misclassify. The pass over all rows finds their mean loss, too."""
        if self.state.clean and self.recipe.keep != "average" and self._best_weights is None:
            return 0
        wrong, _, loss, _, _ = self.learner.inspect(*self.returned_weights())
        self.mean_loss = float(loss) / self.learner.total_weight
        return int(wrong)


def _norm(weights: Floats) -> float:
    """The Euclidean norm, with the same bits on every machine, which NumPy does not promise."""
    flat = weights.reshape(-1)
    return sqrt(_core.dot(flat, flat))
