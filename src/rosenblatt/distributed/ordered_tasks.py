"""A function of each part of the data, the results in the order of the parts: for what cannot be added up, as rows.

Few results are held at a time, so results of any number of parts fit into the memory of the driver.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from .cluster import Task, load_blocks
from .dask_executor import DaskExecutor, Kept
from .task_queue import PATIENCE, TaskQueue
from .traffic import PassTraffic, Traffic, pickled_size
from .worker_count import worker_count

T = TypeVar("T")
AHEAD = 2  # tasks for each worker: one that it computes, and one that waits


class Part(Protocol):
    """Some of the data, described so that every worker can load it. `name` is what an error calls it."""

    @property
    def name(self) -> str: ...

    def load(self) -> Any: ...


def in_order(
    executor: Executor,
    parts: Iterable[Part],
    function: Callable[..., T],
    *args: Any,
    patience: float = PATIENCE,
    traffic: Traffic | None = None,
) -> Iterator[T]:
    """function(part.load(), *args) of each part, by the workers of an executor, in the order of the parts.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from rosenblatt.distributed.block import blocks_of_arrays
    >>> import numpy as np
    >>> blocks = blocks_of_arrays(np.arange(6.0).reshape(3, 2), np.zeros(3, np.int32), rows=1)
    >>> with ThreadPoolExecutor(2) as threads:
    ...     list(in_order(threads, blocks, lambda block: block.X.sum()))
    [np.float64(1.0), np.float64(5.0), np.float64(9.0)]
    """
    shared = executor.keep(args) if isinstance(executor, DaskExecutor) else Sent(args)
    most, ready, wanted = AHEAD * worker_count(executor), dict[int, T](), 0
    counted, common = (traffic or Traffic()).begin(function), pickled_size(args)
    with TaskQueue(patience) as queue:
        for place, part in enumerate(parts):
            counted.tasks += 1
            counted.sent += common + pickled_size(part)
            queue.add(place, part.name, partial(_submit, executor, part, function, shared))
            while place - wanted + 1 >= most:
                yield _take(queue, ready, wanted, counted)
                wanted += 1
        while queue or ready:
            yield _take(queue, ready, wanted, counted)
            wanted += 1


@dataclass(frozen=True)
class Sent:
    """Arguments that are sent with each task."""

    argument: tuple[Any, ...]


def _submit(executor: Executor, part: Part, function: Callable[..., T], shared: Sent | Kept) -> Future[T]:
    return executor.submit(run_part, part, Task((part.name,)), function, shared.argument)


def run_part(part: Part, task: Task, function: Callable[..., T], args: tuple[Any, ...]) -> T:
    """Compute a function of a part. This is what workers run."""
    [loaded] = load_blocks([part], task)
    return function(loaded, *args)


def _take(queue: TaskQueue, ready: dict[int, T], wanted: int, counted: PassTraffic) -> T:
    """The result of one place, once it has ended. Those that end before are kept."""
    while wanted not in ready:
        ready.update([queue.next_ended()])
    counted.returned += pickled_size(ready[wanted])
    return ready.pop(wanted)
