"""Blocks that Dask computes from the chunks of a collection. Workers keep the blocks of a run together."""

import operator
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from .block import Block
from .cluster import Cluster
from .dask_executor import current_client, live
from .sum_tree import run_length

MAX_RUNS = 256  # or two for each worker, where that is more. A run costs Dask some milliseconds in the first passes
RUNS_PER_WORKER = 8  # at least half as many where chunks are large, so that all workers get rows


class DaskRun:
    """Values that Dask computes by one task: on a client's workers, one of which keeps them, or here at each pass."""

    def __init__(self, values: Any, client: Any) -> None:
        self._values, self.client = values, client
        self.kept: Any = None  # the future of them, once a task has asked for it

    def compute(self) -> Sequence[Any]:
        computed: Sequence[Any] = self._values.compute(scheduler="synchronous")
        return computed

    @property
    def future(self) -> Any:
        """The future of the values; None where there is no client."""
        if self.client is not None:
            self.kept = live(self.kept, lambda: self.client.compute(self._values))
        return self.kept


class DaskBlock(Block):
    """A block at some place in a run."""

    def __init__(self, name: str, run: DaskRun, place: int) -> None:
        self._name, self._run, self._place = name, run, place

    @property
    def name(self) -> str:
        return self._name

    def load(self) -> Any:
        return self._run.compute()[self._place]

    @property
    def holder(self) -> Any:
        return None if self._run.client is None else self._run

    @property
    def argument(self) -> Any:
        future = self._run.future
        return self if future is None else (future, self._place)


@dataclass(frozen=True)
class Held:
    """A value that a worker holds in the place of a block."""

    value: Any

    def load(self) -> "Held":
        return self


def compute_results(executor: Executor, function: Any, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    """function(*call) for each call, whose arguments Dask computes first. Failed ones are computed again."""
    from dask.delayed import delayed

    client = current_client()
    runs = [DaskRun(delayed(hold)(function, *call), client) for call in calls]
    blocks = [DaskBlock(f"part {number}", run, 0) for number, run in enumerate(runs)]
    return Cluster(executor, blocks).reduce(held_values, operator.add)


def hold(function: Any, *args: Any) -> list[Held]:
    return [Held(function(*args))]


def held_values(held: Any) -> list[Any]:
    return [held.value]


def block_runs(chunks: Sequence[int], workers: int) -> list[range]:
    """The blocks of each run: neighbours that begin in the same chunk, of which the numbers are given, block by block.

    So few rows move from worker to worker. A run is made of nodes of the sum tree as large as shards, so that no shard
    has blocks of two runs, unless there are more workers than shards.

    >>> [len(run) for run in block_runs([0] * 30 + [1] * 30, workers=1)]
    [8, 8, 8, 6, 8, 8, 8, 6]
    """
    blocks = len(chunks)
    unit = run_length(blocks, max(MAX_RUNS, 2 * workers))
    longest = run_length(blocks, RUNS_PER_WORKER * workers)
    starts = [0]
    for first in range(unit, blocks, unit):
        if first - starts[-1] >= longest or chunks[first] != chunks[starts[-1]]:
            starts.append(first)
    return [range(start, stop) for start, stop in zip(starts, [*starts[1:], blocks], strict=True)]
