"""Check the trace of mixed perceptrons against the bound of McDonald, Hall and Mann, epoch by epoch.

In epoch n, shard i starts from the mixed weights w_(n-1) and makes k_in mistakes. The weights are mixed by
mu_in = k_in / sum_j k_jn. With K_N = sum over n <= N of sum over i of mu_in k_in, the proof of Novikoff's bound gives

    w_N . w* >= K_N eta gamma    and    ||w_N||^2 <= K_N eta^2 R^2,

so K_N is at most (R / gamma)^2. `docs/theory/parameter-mixing.md` has the proof.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import nan
from typing import Any

import numpy as np

from ...foundation.notebook_html import ShownInNotebooks
from ...foundation.types import Floats
from ..margin.class_hulls import HALF_ULP
from .audit_text import audit_picture, audit_text
from .mistake_bound import MistakeBound, progress_of_rows
from .traced_rows import UNDERFLOW_LOSS, Record, TracedRows, TraceError, has_progress, is_short

MIXING_ROUNDINGS = 64  # at most, of a weight when an epoch is mixed: two at each level of a tree
RECORD_COLUMNS = ("epoch", "mistakes", "mistake", "progress", "least_progress", "squared_norm", "most_squared_norm")
MAX_TABLE_LINES = 20


@dataclass(frozen=True)
class MixedAudit(ShownInNotebooks):
    """The answer of `audit` for shards that were mixed: whether the trace is `ok` or `why_not`.

    `mistakes` are all of them, `mixed_mistakes` is what they count for, the sum of mu k, and `bound` is its bound.
    `record` has one entry for each epoch with mistakes: epoch (1, 2, ..), its mistakes, mistake (the sum of mu k so
    far), progress (w.w*) and least_progress, squared_norm (||w||^2) and most_squared_norm. Printing it gives a table.
    """

    ok: bool
    mistakes: int
    mixed_mistakes: Fraction
    bound: MistakeBound
    record: Record
    why_not: str = ""

    def __bool__(self) -> bool:
        return self.ok

    def _picture(self) -> str:
        return audit_picture(self.record, "after each epoch") if self.mistakes else ""

    def __str__(self) -> str:
        names = ("epoch", "mistakes", "sum mu k", "w.w*", "at least", "||w||^2", "at most")
        cells = list(zip(*(self.record[name] for name in RECORD_COLUMNS), strict=True))
        shown = cells if len(cells) <= MAX_TABLE_LINES else [*cells[: MAX_TABLE_LINES - 1], cells[-1]]
        counted = f"{self.mistakes} mistakes count for {float(self.mixed_mistakes):.6g}"
        return audit_text(names, shown, counted, self.bound, self.why_not, "after every epoch")


def audit_mixing(model: Any, traced: TracedRows, bound: MistakeBound) -> MixedAudit:
    """Replay the trace of mixed perceptrons and check both inequalities after every epoch."""
    replay = _MixedReplay(traced, bound)
    why_not = ""
    try:
        with np.errstate(all="ignore"):  # numbers out of the range of floats are checked in fractions
            replay.check(model)
    except TraceError as reason:
        why_not = str(reason)
    counted = replay.counted[-1] if replay.counted else Fraction(0)
    return MixedAudit(not why_not, traced.count, counted, bound, replay.record, why_not)


class _MixedReplay:
    """w after every epoch: in floats for all, in fractions where rounding could decide."""

    def __init__(self, traced: TracedRows, bound: MistakeBound) -> None:
        self.traced, self.bound = traced, bound
        self.epochs: list[list[range]] = []  # the updates of each epoch, apart for each shard
        self.counted: list[Fraction] = []  # the sum of mu k up to each epoch
        self.record: Record = {name: np.empty(0) for name in RECORD_COLUMNS}

    def check(self, model: Any) -> None:
        """Raise TraceError at the first error."""
        self.traced.check_steps(model)
        self.epochs = _updates_by_epoch(self.traced.trace)
        self._count_mistakes()
        w, travelled = np.zeros(self.traced.columns), 0.0
        for epoch, shards in enumerate(self.epochs):
            w, travelled = self._replay_epoch(w, travelled, epoch, shards)
            self.record["squared_norm"][epoch] = float(w @ w)
        self.traced.check_end(w, model, travelled, self._roundings(len(self.epochs)))
        self._check_inequalities()

    def _count_mistakes(self) -> None:
        """Fill in the columns of the record that only count."""
        made = [sum(map(len, shards)) for shards in self.epochs]
        mixed = (
            Fraction(sum(len(k) ** 2 for k in shards), total) for shards, total in zip(self.epochs, made, strict=True)
        )
        self.counted = list(accumulate(mixed))
        counted, step = np.array([float(total) for total in self.counted]), self.traced.eta * self.bound.radius
        names = [int(self.traced.trace["epoch"][shards[0][0]]) + 1 for shards in self.epochs]
        self.record |= {"epoch": np.array(names), "mistakes": np.array(made), "mistake": counted}
        self.record |= {"least_progress": counted * (self.traced.eta * self.bound.margin)}
        self.record |= {"most_squared_norm": counted * (step * step + self.traced.eta**2 * self.bound.slack)}
        self.record |= {name: np.full(len(names), nan) for name in ("progress", "squared_norm")}

    def _replay_epoch(self, start: Floats, travelled: float, epoch: int, shards: list[range]) -> tuple[Floats, float]:
        """The mixed weights after an epoch, and the length of the longest path to them."""
        mixed, farthest, total = np.zeros_like(start), travelled, sum(map(len, shards))
        for updates in shards:
            w, path = start.copy(), travelled
            for k in updates:
                path = self.traced.replay(k, w, path, self._roundings(epoch + 1))
            mixed, farthest = mixed + (len(updates) / total) * w, max(farthest, path)
        return mixed, farthest

    def _roundings(self, epochs: int) -> int:
        """A bound on the roundings of a weight after so many epochs."""
        return self.traced.count + MIXING_ROUNDINGS * epochs

    def _check_inequalities(self) -> None:
        for epoch in self._undecided(self._lead()) if self.bound else ():
            if not has_progress(self._exact_w(epoch), self.counted[epoch], self.bound):
                raise TraceError(f"After epoch {self.record['epoch'][epoch]}, w.w* is below (sum mu k) eta gamma.")
        room = self.record["most_squared_norm"] - self.record["squared_norm"]
        for epoch in self._undecided(room, 2 * self._length()):
            if not is_short(self._exact_w(epoch), self.counted[epoch], self.bound):
                raise TraceError(f"After epoch {self.record['epoch'][epoch]}, ||w||^2 is above (sum mu k) eta^2 R^2.")

    def _undecided(self, lead: Floats, factor: Floats | float = 1.0) -> list[int]:
        """The epochs at which an inequality, given how far it is from equality, may be decided by rounding."""
        epochs, columns = np.arange(1, len(self.epochs) + 1), self.traced.columns
        error = 8 * (self.traced.count + MIXING_ROUNDINGS * epochs + columns + 8) * HALF_ULP * self._length()
        return np.flatnonzero(~(lead > error * factor + (self.traced.count + columns) * UNDERFLOW_LOSS)).tolist()

    def _length(self) -> Floats:
        """A bound on the length of w, and of the path to it, up to each epoch."""
        longest = [max(map(len, shards)) for shards in self.epochs]
        length: Floats = np.cumsum(longest) * float(self.traced.eta * self.bound.radius)
        return length

    def _lead(self) -> Floats:
        """How much w.w* is above its bound after each epoch, less the errors of the products."""
        assert self.bound.hyperplane is not None
        traced, share = self.traced, np.concatenate([self._shares(shards) for shards in self.epochs] or [np.empty(0)])
        values, off = progress_of_rows(traced.rows, self.bound.hyperplane, traced.places)
        moved = traced.eta * traced.rows.weights[traced.places] * share
        ends = [shards[-1][-1] for shards in self.epochs]
        self.record["progress"] = np.cumsum(moved * values)[ends]
        lead: Floats = self.record["progress"] - self.record["least_progress"] - off * np.cumsum(moved)[ends]
        return lead

    @staticmethod
    def _shares(shards: list[range]) -> Floats:
        """mu of each update of an epoch."""
        made = np.array([len(updates) for updates in shards])
        shares: Floats = np.repeat(made / made.sum(), made)
        return shares

    def _exact_w(self, last: int) -> list[Fraction]:
        """w after an epoch, divided by eta, in fractions."""
        factors: defaultdict[int, Fraction] = defaultdict(Fraction)
        for shards in self.epochs[: last + 1]:
            total = sum(map(len, shards))
            for updates in shards:
                for place in self.traced.places[updates.start : updates.stop].tolist():
                    factors[place] += Fraction(len(updates), total)
        return self.traced.exact_sum(factors)


def _updates_by_epoch(trace: Record) -> list[list[range]]:
    """The updates of each epoch that has some, apart for each shard."""
    lines = np.stack([trace["epoch"], trace["shard"]], axis=1)
    cuts = {0, *(np.flatnonzero((lines[1:] != lines[:-1]).any(axis=1)) + 1).tolist(), len(lines)}
    groups: dict[int, list[range]] = {}
    before: tuple[int, int] = (-1, -1)
    for begin, end in pairwise(sorted(cuts)):
        epoch, shard = lines[begin].tolist()
        if (epoch, shard) <= before:
            raise TraceError(f"Update {begin + 1} is out of order: epochs and their shards must follow one another.")
        groups.setdefault(epoch, []).append(range(begin, end))
        before = epoch, shard
    return list(groups.values())
