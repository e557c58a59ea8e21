"""What a worker does with a shard: one epoch of the core's training loop from given weights.

The result holds the weights after the epoch and how much they count in the mixture. Results add up: two of them make
one whose weights are their mixture.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .. import _core
from ..engine.class_problems import ClassProblem
from ..engine.native_state import restore_state
from ..engine.run_learner import TRACE_LINES
from ..foundation.errors import TooLarge
from ..foundation.types import Floats, History
from ..parts.keeps import KEEPS
from ..parts.recipe import Recipe
from .block import LoadedBlock
from .block_problem import BlockRecipe

NO_LIMIT = 1 << 40
Share = Literal["updates", "visits"]


@dataclass(frozen=True)
class MixedProblem:
    """One problem of several classes, the recipe of the loop, and what a shard counts by in the mixture."""

    rows: BlockRecipe
    labels: ClassProblem
    recipe: Recipe
    share: Share
    traced: bool = False

    def native(self, block: LoadedBlock) -> _core.Problem:
        """The problem of one block, as the core takes it."""
        rows = self.rows.rows(block)
        return self.labels.relabel(block.codes).native(rows.rows, rows.weights, self.recipe, threads=1)


@dataclass(frozen=True)
class ShardVisit:
    """One shard in one epoch. `first_rows` are the global numbers of the first row of each block, as visited."""

    epoch: int
    shard: int
    seed: int
    first_rows: tuple[int, ...]
    steps: int  # visits of this shard in earlier epochs: the t of falling steps
    visits: int  # visits before those of this shard, if shards were visited one after the other


@dataclass(frozen=True)
class MixedEpoch:
    """What some shards learned in an epoch: the mixture of their weights, and sums of all else.

    `sums` are the sums of the weights after each visit, for their average.
    """

    share: int
    coef: Floats
    offsets: Floats
    visits: int
    updates: int
    mistakes: int
    mistake_weight: float
    loss: float
    sums: Floats | None
    offset_sums: Floats | None
    traces: list[History]

    def __add__(self, other: "MixedEpoch") -> "MixedEpoch":
        left, right = self.share, other.share
        return MixedEpoch(
            left + right,
            mix(self.coef, left, other.coef, right),
            mix(self.offsets, left, other.offsets, right),
            self.visits + other.visits,
            self.updates + other.updates,
            self.mistakes + other.mistakes,
            self.mistake_weight + other.mistake_weight,
            self.loss + other.loss,
            None if self.sums is None or other.sums is None else self.sums + other.sums,
            None if self.offset_sums is None or other.offset_sums is None else self.offset_sums + other.offset_sums,
            self.traces + other.traces,
        )


def mix(left: Floats, left_share: int, right: Floats, right_share: int) -> Floats:
    """The mean of two arrays by their shares. A share of 0 leaves the other array as it is.

    >>> mix(np.array([1.0]), 3, np.array([5.0]), 1)
    array([2.])
    """
    total = left_share + right_share
    if not right_share:
        return left
    if not left_share:
        return right
    mixed: Floats = left * (left_share / total) + right * (right_share / total)
    return mixed


def shard_epoch(
    blocks: Iterator[LoadedBlock], visit: ShardVisit, problem: MixedProblem, coef: Floats, offsets: Floats
) -> MixedEpoch:
    """Visit the rows of all blocks once, block by block, from these weights."""
    state = _start(problem, visit, coef, offsets)
    trace = _core.Trace(TRACE_LINES) if problem.traced else None
    traces: list[History] = []
    for first, block in zip(visit.first_rows, blocks, strict=True):
        native = problem.native(block)
        state.new_rows()
        last = state.visits + len(block.codes)
        while state.visits < last:
            state.advance(native, NO_LIMIT, last, trace)
            if state.overflow:
                raise TooLarge
            if trace is not None:
                traces.append(_located(trace.drain(), visit, first))
    return _epoch_of(state, problem.share, traces)


def _start(problem: MixedProblem, visit: ShardVisit, coef: Floats, offsets: Floats) -> _core.State:
    planes, columns = coef.shape
    state = _core.State(planes, columns, KEEPS[problem.recipe.keep].code, visit.seed)
    state.set_weights(coef, offsets)
    return restore_state({**state.__getstate__(), "steps": visit.steps})


def _located(lines: History, visit: ShardVisit, first: int) -> History:
    """Lines of a trace with global numbers of rows and visits, and with their epoch and shard."""
    where = {
        name: np.full(len(lines["row"]), value) for name, value in (("epoch", visit.epoch), ("shard", visit.shard))
    }
    return {**lines, "row": lines["row"] + first, "visit": lines["visit"] + visit.visits, **where}


def _epoch_of(state: _core.State, share: Share, traces: list[History]) -> MixedEpoch:
    saved = state.__getstate__()
    shape = saved["planes"], saved["columns"]
    visits, updates, mistakes, mistake_weight, loss, _ = state.counts()
    sums = saved["banked"] + saved["scale_sum"] * saved["v"] if "banked" in saved else None  # as the core adds them up
    return MixedEpoch(
        updates if share == "updates" else visits,
        (saved["scale"] * saved["v"]).reshape(shape),
        saved["offset"],
        visits,
        updates,
        mistakes,
        mistake_weight,
        loss,
        None if sums is None else sums.reshape(shape),
        saved.get("offset_sum"),
        traces,
    )
