"""An executor of processes on this machine, which replaces those that die."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Lock, Thread
from typing import Any


class LocalProcesses(Executor):
    """So many processes of this machine.

    A `ProcessPoolExecutor` takes no tasks any more once a process has died. This executor starts another pool.
    """

    def __init__(self, workers: int) -> None:
        self.workers, self._lock = workers, Lock()
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        context = get_context("spawn")  # threads of this process make a fork unsafe
        return ProcessPoolExecutor(self.workers, context, initializer=prepare_process)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with self._lock:
            try:
                return self._pool.submit(fn, *args, **kwargs)
            except BrokenProcessPool:
                self._pool.shutdown(wait=False)
                self._pool = self._new_pool()
                return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def prepare_process() -> None:
    """Use one thread. Leave Ctrl-C, which a terminal sends to all processes, to the parent; end when it is killed."""
    os.environ["OMP_NUM_THREADS"] = "1"  # as Dask's workers do; results never depend on it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
