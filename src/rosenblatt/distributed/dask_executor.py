"""A Dask client as an executor, and blocks that its workers keep between passes."""

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from itertools import chain
from typing import Any

from .block import ArrayBlock, Block, LoadedBlock


class DaskExecutor(Executor):
    """The workers of a Dask client. `place` lets them keep rows that would otherwise be sent with each task.

    `options` are Dask's own for each task, such as `workers` or `resources`.
    """

    def __init__(self, client: Any, **options: Any) -> None:
        self.client, self._options = client, options
        self._threads: dict[str, int] = {}  # of each worker that was seen

    @classmethod
    def of_adapter(cls, adapter: Any) -> "DaskExecutor":
        """The executor for what `client.get_executor(...)` returns, with the same options for its tasks."""
        given = getattr(adapter, "_kwargs", {})
        return cls(adapter._client, **{name: value for name, value in given.items() if name != "pure"})

    @property
    def workers(self) -> int:
        """How many tasks the workers compute at once; 1 where the scheduler does not answer."""
        try:
            return sum(self.client.nthreads().values())
        except OSError:
            return 1

    def locations(self, keepers: Sequence[Any]) -> tuple[list[str], dict[str, int]]:
        """The address of a worker that holds what each `Kept` or run keeps, and the threads of each worker.

        Where it is not computed yet, or lost, a name of its own stands for the address.
        """
        futures = {id(keeper): keeper.kept for keeper in keepers if keeper.kept is not None}
        try:
            holders = self.client.who_has(list(futures.values())) if futures else {}
            if not self._threads.keys() >= set(chain(*holders.values())):
                self._threads = self.client.nthreads()
        except Exception:  # the scheduler does not answer: tasks will tell
            holders = {}
        known = {place: next(iter(holders.get(future.key, ())), "") for place, future in futures.items()}
        return [known.get(id(keeper)) or str(id(keeper)) for keeper in keepers], self._threads

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The same as Dask's own executor, whose futures never end if a worker dies while its result is fetched."""
        promised: Future[Any] = Future()
        task = submit_large(self.client, fn, *args, **self._options, **kwargs)
        task.add_done_callback(partial(_answer, promised))
        promised.add_done_callback(lambda _: task.cancel() if promised.cancelled() else None)
        return promised

    def keep(self, value: Any) -> "Kept":
        """A value that many tasks take. It is sent once."""
        return Kept(value, self.client)

    def place(self, block: Block) -> Block:
        """The same block; one that carries its rows is kept by a worker."""
        return KeptBlock(block, self.client) if isinstance(block, ArrayBlock) else block


def is_dask_adapter(executor: Executor) -> bool:
    """Whether an executor is Dask's own, which `client.get_executor()` returns."""
    return type(executor).__module__.partition(".")[0] == "distributed" and hasattr(executor, "_client")


def submit_large(client: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Submit a task. Dask's warning of large arguments is left out: weights of many columns are large."""
    from dask import config

    with config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
        return client.submit(fn, *args, pure=False, **kwargs)


def _answer(promised: Future[Any], task: Any) -> None:
    """Hand the result of a Dask task, or its error, to the future that stands for it."""
    if not promised.set_running_or_notify_cancel():
        return
    try:
        promised.set_result(task.result())
    except BaseException as error:
        promised.set_exception(error)


def live(kept: Any, make: Callable[[], Any]) -> Any:
    """A Dask future whose value can be had: the one kept; else the same, computed again; else a new one."""
    if kept is None or kept.status in ("cancelled", "lost"):
        return make()
    if kept.status == "error":
        try:
            kept.retry()
        except KeyError:  # the client forgot it, together with the worker that died
            return make()
    return kept


class Kept:
    """A value that some worker keeps. If that worker dies, the scheduler sends the value to another."""

    def __init__(self, value: Any, client: Any) -> None:
        self._value, self._client = value, client
        self.kept: Any = None  # the future of it, once it is sent

    @property
    def argument(self) -> Any:
        self.kept = live(self.kept, self._send)
        return self.kept

    def _send(self) -> Any:
        """Send the value with a task that returns it: unlike scattered data, the scheduler can make it again."""
        return submit_large(self._client, itself, self._value)


def itself(value: Any) -> Any:
    return value


class KeptBlock(Block):
    """A block whose rows some worker keeps."""

    def __init__(self, block: ArrayBlock, client: Any) -> None:
        self._block, self._kept = block, Kept(block.loaded, client)

    @property
    def name(self) -> str:
        return self._block.name

    def load(self) -> LoadedBlock:
        return self._block.load()

    @property
    def holder(self) -> Any:
        return self._kept

    @property
    def argument(self) -> Any:
        return self._kept.argument


def current_client() -> Any:
    """The Dask client in use; None where Dask runs in this process."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_client()
    except ValueError:
        return None
