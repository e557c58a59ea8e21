"""A cluster: blocks of rows, and an executor that computes on them. Failed tasks are submitted again."""

import operator
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from ..foundation.phrases import count
from ..foundation.version import __version__
from .block import Block, LoadedBlock
from .dask_executor import DaskExecutor
from .sum_tree import add_by_tree, run_length
from .task_queue import PATIENCE, TaskQueue
from .traffic import Traffic, pickled_size
from .worker_count import worker_count
from .worker_failures import ClusterError

MAX_TASKS = 1024  # of one pass; more blocks than that share tasks. A task costs the driver and Dask 1 to 4 ms
TASKS_PER_WORKER = 16  # at most; at least half as many, so that workers end together
MAX_BLOCKS_PER_TASK = 256  # where there are few workers: a task that ends tells that the cluster is alive

T = TypeVar("T")
Submission = tuple[Sequence[Block], "Task", tuple[Any, ...]]  # the last: what a worker runs, and its arguments


@dataclass(frozen=True)
class Task:
    """A part of a pass: a run of blocks that is a node of the sum tree, and what each block must still contain."""

    names: tuple[str, ...]
    fingerprints: tuple[str, ...]
    version: str = __version__

    @property
    def name(self) -> str:
        first, more = self.names[0], len(self.names) - 1
        return f"{first} and {count(more, 'block')} more" if more else first


def run_task(
    blocks: Sequence[Any], task: Task, function: Callable[..., T], combine: Callable[[T, T], T], *args: Any
) -> T:
    """Compute a function of each block of a task, and add the results. This is what workers run."""
    return add_by_tree((function(block, *args) for block in _loaded(blocks, task)), combine)


def run_shard(blocks: Sequence[Any], task: Task, function: Callable[..., T], *args: Any) -> T:
    """Compute a function of all blocks of a task, which it takes one after the other. Workers run this, too."""
    return function(_loaded(blocks, task), *args)


def _loaded(blocks: Sequence[Any], task: Task) -> Iterator[LoadedBlock]:
    if task.version != __version__:
        raise ClusterError(
            f"a worker runs rosenblatt {__version__}, and this program {task.version}: install the same version."
        )
    for place, block in enumerate(blocks):
        loaded: LoadedBlock = block.load()
        if task.fingerprints and loaded.fingerprint != task.fingerprints[place]:
            raise ClusterError(f"{task.names[place]} changed during training: train again while nobody writes there.")
        yield loaded


@dataclass
class Cluster:
    """Blocks in their global order, and the executor that computes on them.

    The result of a pass does not depend on the executor, nor on the number of its workers. `patience` is the longest
    time in seconds without any task that ends.
    """

    executor: Executor
    blocks: Sequence[Block]
    patience: float = PATIENCE
    traffic: Traffic = field(default_factory=Traffic)
    fingerprints: Sequence[str] = field(default=(), init=False)  # known after the first pass

    def __post_init__(self) -> None:
        if isinstance(self.executor, DaskExecutor):
            self.blocks = [self.executor.place(block) for block in self.blocks]

    def every(self, stride: int) -> "Cluster":
        """The cluster of every stride-th block."""
        some = replace(self, blocks=self.blocks[::stride])
        some.fingerprints = self.fingerprints[::stride]
        return some

    def reduce(self, function: Callable[..., T], combine: Callable[[T, T], T], *args: Any) -> T:
        """The results of function(block, *args), added by a fixed tree."""
        call = (run_task, function, combine, *args)
        return self._combined([(*task, call) for task in self._tasks()], combine)

    def reduce_shards(
        self,
        function: Callable[..., T],
        combine: Callable[[T, T], T],
        shards: Sequence[tuple[Any, Sequence[int]]],
        *args: Any,
    ) -> T:
        """The results of function(blocks, shard, *args) of each shard, added by a fixed tree.

        A shard comes with the numbers of its blocks, in the order in which the function takes them.
        """
        return self._combined(
            [(*self._task(numbers), (run_shard, function, shard, *args)) for shard, numbers in shards], combine
        )

    def _combined(self, tasks: Sequence[Submission], combine: Callable[[T, T], T]) -> T:
        results: dict[int, T] = {}
        answers = self._answers(tasks)

        def in_order() -> Iterator[T]:
            for place in range(len(tasks)):
                while place not in results:
                    results.update([next(answers)])
                yield results.pop(place)

        try:
            return add_by_tree(in_order(), combine)
        finally:
            answers.close()

    def gather(self, function: Callable[[LoadedBlock, Any], T], asked: Mapping[int, Any]) -> dict[int, T]:
        """function(block, asked[place]) for the blocks at some places."""
        places = sorted(asked)
        add = operator.add  # of one block nothing is added
        tasks = [(*self._task([place]), (run_task, function, add, asked[place])) for place in places]
        return {places[k]: answer for k, answer in self._answers(tasks)}

    def _tasks(self) -> list[tuple[Sequence[Block], Task]]:
        length = run_length(len(self.blocks), self._most_tasks())
        every = range(len(self.blocks))
        return [self._task(every[first : first + length]) for first in every[::length]]

    def _most_tasks(self) -> int:
        """The most tasks of a pass. What it says changes no bit. Blocks that workers hold are not moved together."""
        if any(block.is_held for block in self.blocks):
            return MAX_TASKS
        workers = worker_count(self.executor)
        wanted = max(TASKS_PER_WORKER * workers, len(self.blocks) // MAX_BLOCKS_PER_TASK)
        return min(wanted, max(MAX_TASKS, 2 * workers))

    def _task(self, numbers: Sequence[int]) -> tuple[Sequence[Block], Task]:
        blocks = [self.blocks[number] for number in numbers]
        known = tuple(self.fingerprints[number] for number in numbers) if self.fingerprints else ()
        return blocks, Task(tuple(block.name for block in blocks), known)

    def _answers(self, tasks: Sequence[Submission]) -> Generator[tuple[int, Any], None, None]:
        """The place and the result of each task, in the order in which they end."""
        if not tasks:
            return
        calls = {id(call): call for _, _, call in tasks}
        sizes = {key: pickled_size(call) for key, call in calls.items()}
        counted = self.traffic.begin(tasks[0][2][1])
        counted.tasks += len(tasks)
        with TaskQueue(self.patience) as queue:
            for place, (blocks, task, call) in enumerate(tasks):
                counted.sent += sizes[id(call)] + pickled_size(task) + sum(block.sent_bytes for block in blocks)
                queue.add(place, task.name, partial(self._submit, blocks, task, *call))
            while queue:
                place, result = queue.next_ended()
                counted.returned += pickled_size(result)
                yield place, result

    def _submit(self, blocks: Sequence[Block], task: Task, run: Callable[..., Any], *args: Any) -> Future[Any]:
        return self.executor.submit(run, [block.argument for block in blocks], task, *args)
