"""Tasks that wait for an executor's workers. A task whose worker dies is submitted again.

Of tasks that fail, the first in the order of the places is named, whichever failed first.
"""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from .worker_failures import ClusterError, gave_up, is_worker_death, no_answer

MAX_ATTEMPTS = 5  # of a task whose worker dies
PATIENCE = 600.0  # seconds without any task that ends


@dataclass(frozen=True)
class Attempt:
    """A task on its way: its place among all tasks, what errors call it, how to submit it, and how often that was."""

    place: int
    name: str
    submit: Callable[[], Future[Any]]
    number: int = 1

    def start(self) -> Future[Any]:
        try:
            return self.submit()
        except RuntimeError as error:  # it is shut down or broken
            raise ClusterError(f"the executor takes no tasks any more ({error}): make a new one.") from None
        except Exception as error:  # its worker died while the task was on its way
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed


class TaskQueue:
    """Tasks that were submitted and have not ended. On leaving, those are cancelled.

    `patience` is the longest time in seconds without any task that ends.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._pending: dict[Future[Any], Attempt] = {}
        self._ended: list[Future[Any]] = []  # of those pending
        self._failure: tuple[int, BaseException] | None = None  # the first place that failed

    def __len__(self) -> int:
        return len(self._pending) + (self._failure is not None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for future in self._pending:
            future.cancel()

    def add(self, place: int, name: str, submit: Callable[[], Future[Any]]) -> None:
        """Submit a task."""
        self._start(Attempt(place, name, submit))

    def _start(self, attempt: Attempt) -> None:
        self._pending[attempt.start()] = attempt

    def next_ended(self) -> tuple[int, Any]:
        """The place and the result of a task that has ended. At least one must be pending."""
        while True:
            self._raise_failure()
            if not self._ended:
                done = wait(self._pending, self._patience, FIRST_COMPLETED).done
                self._ended = sorted(done, key=lambda future: -self._pending[future].place)  # errors of the first first
            if not self._ended:
                raise no_answer(self._patience)
            future = self._ended.pop()
            attempt, error = self._pending.pop(future), _error_of(future)
            if error is not None and is_worker_death(error):
                self._start(_next_attempt(attempt, error))
            elif error is not None:
                self._fail(attempt.place, error)
            else:
                return attempt.place, future.result()

    def _fail(self, place: int, error: BaseException) -> None:
        if self._failure is None or place < self._failure[0]:
            self._failure = place, error

    def _raise_failure(self) -> None:
        """Raise the error of the first place that failed, once every task before it has ended."""
        if self._failure is None:
            return
        place, error = self._failure
        if all(attempt.place > place for attempt in self._pending.values()):
            raise error


def _next_attempt(attempt: Attempt, error: BaseException) -> Attempt:
    """The same task once more, after its worker died."""
    if attempt.number == MAX_ATTEMPTS:
        raise gave_up(attempt.name, MAX_ATTEMPTS, error)
    return Attempt(attempt.place, attempt.name, attempt.submit, attempt.number + 1)


def _error_of(future: Future[Any]) -> BaseException | None:
    """The error of a future that has ended; that of a cancelled one, too."""
    try:
        return future.exception()
    except BaseException as error:
        return error
