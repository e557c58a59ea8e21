"""A cluster: blocks of rows, and an executor that computes on them. Failed tasks are submitted again."""

import operator
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from ..foundation.phrases import count
from ..foundation.version import __version__
from .block import Block, LoadedBlock, load_block
from .dask_executor import DaskExecutor
from .sum_tree import Nodes, SumTree
from .task_groups import Leaf, leaves_by_holder, runs_of_leaves
from .task_queue import PATIENCE, TaskQueue
from .traffic import Traffic, pickled_size
from .worker_count import worker_count
from .worker_failures import ClusterError

T = TypeVar("T")


@dataclass(frozen=True)
class Task:
    """A part of a pass: the names of its blocks, what each must still contain, and the leaves that they make.

    A leaf comes with its number, with how many blocks it takes, and with what it is besides them.
    """

    names: tuple[str, ...]
    fingerprints: tuple[str, ...] = ()
    leaves: tuple[tuple[int, int, Any], ...] = ()
    version: str = __version__

    @property
    def name(self) -> str:
        first, more = self.names[0], len(self.names) - 1
        return f"{first} and {count(more, 'block')} more" if more else first


def run_task(
    blocks: Sequence[Any], task: Task, function: Callable[..., T], combine: Callable[[T, T], T], *args: Any
) -> Nodes[T]:
    """Compute a function of each block of a task, and add the results to nodes. This is what workers run."""
    tree = SumTree(combine)
    for (number, _, _), block in zip(task.leaves, load_blocks(blocks, task), strict=True):
        tree.add(0, number, function(block, *args))
    return tree.nodes


def run_shards(
    blocks: Sequence[Any], task: Task, function: Callable[..., T], combine: Callable[[T, T], T], *args: Any
) -> Nodes[T]:
    """Compute a function of the blocks of each shard, which it takes one after the other. Workers run this, too."""
    tree, loaded = SumTree(combine), load_blocks(blocks, task)
    for number, length, shard in task.leaves:
        tree.add(0, number, function(islice(loaded, length), shard, *args))
    return tree.nodes


def load_blocks(blocks: Sequence[Any], task: Task) -> Iterator[LoadedBlock]:
    """The blocks of a task, one after the other. One that has changed is refused."""
    if task.version != __version__:
        raise ClusterError(
            f"a worker runs rosenblatt {__version__}, and this program {task.version}: install the same version."
        )
    for place, block in enumerate(blocks):
        loaded = load_block(block)
        if task.fingerprints and loaded.fingerprint != task.fingerprints[place]:
            raise ClusterError(f"{task.names[place]} changed during training: train again while nobody writes there.")
        yield loaded


def answer_of_block(blocks: Iterator[LoadedBlock], asked: tuple[int, Any], function: Callable[..., T]) -> dict[int, T]:
    """function(block, question) of one block, by its place, so that answers of several blocks can be joined."""
    [block], (place, question) = blocks, asked
    return {place: function(block, question)}


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
        leaves = [Leaf(number, (number,)) for number in range(len(self.blocks))]
        added: T = self._added(function, leaves, run_task, function, combine, *args)
        return added

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
        leaves = [Leaf(number, blocks, shard) for number, (shard, blocks) in enumerate(shards)]
        added: T = self._added(function, leaves, run_shards, function, combine, *args)
        return added

    def gather(self, function: Callable[[LoadedBlock, Any], T], asked: Mapping[int, Any]) -> dict[int, T]:
        """function(block, asked[place]) for the blocks at some places."""
        leaves = [Leaf(number, (place,), (place, asked[place])) for number, place in enumerate(sorted(asked))]
        return self._added(function, leaves, run_shards, answer_of_block, operator.or_, function) if leaves else {}

    def _added(self, kind: Callable[..., Any], leaves: Sequence[Leaf], run: Any, *call: Any) -> Any:
        """The results of all leaves, added by the tree. `kind` is what the pass is counted by."""
        _, combine, *_ = call
        tree: SumTree[Any] = SumTree(combine)
        tasks = [self._task(group) for group in self._groups(leaves)]
        with closing(self._answers(kind, tasks, (run, *call))) as answers:
            for nodes in answers:
                tree.merge(nodes)
        return tree.total()

    def _groups(self, leaves: Sequence[Leaf]) -> list[Sequence[Leaf]]:
        """The leaves of each task. Blocks that workers hold are not moved together."""
        first = [self.blocks[leaf.blocks[0]].holder for leaf in leaves]
        if isinstance(self.executor, DaskExecutor) and all(holder is not None for holder in first):
            return leaves_by_holder(leaves, *self.executor.locations(first))
        return runs_of_leaves(leaves, worker_count(self.executor))

    def _task(self, leaves: Sequence[Leaf]) -> tuple[Sequence[Block], Task]:
        numbers = [number for leaf in leaves for number in leaf.blocks]
        blocks = [self.blocks[number] for number in numbers]
        known = tuple(self.fingerprints[number] for number in numbers) if self.fingerprints else ()
        parts = tuple((leaf.number, len(leaf.blocks), leaf.own) for leaf in leaves)
        return blocks, Task(tuple(block.name for block in blocks), known, parts)

    def _answers(
        self, kind: Callable[..., Any], tasks: Sequence[tuple[Sequence[Block], Task]], call: tuple[Any, ...]
    ) -> Generator[Any, None, None]:
        """The answers of all tasks, in the order in which they end."""
        counted, size = self.traffic.begin(kind), pickled_size(call)
        counted.tasks += len(tasks)
        with TaskQueue(self.patience) as queue:
            for place, (blocks, task) in enumerate(tasks):
                counted.sent += size + pickled_size(task) + sum(block.sent_bytes for block in blocks)
                queue.add(place, task.name, partial(self._submit, blocks, task, *call))
            while queue:
                _, result = queue.next_ended()
                counted.returned += pickled_size(result)
                yield result

    def _submit(self, blocks: Sequence[Block], task: Task, run: Callable[..., Any], *args: Any) -> Future[Any]:
        return self.executor.submit(run, [block.argument for block in blocks], task, *args)
