"""A training in a thread of its own, so that a page can show its progress and end it."""

import threading
from collections.abc import Callable
from typing import Any

from ..engine.result import Progress, Watch
from .seen_model import SeenModel


class BackgroundTraining:
    """Trains in a thread. `cancel` ends it as Ctrl-C does: what was learned so far is the result."""

    def __init__(self, train: Callable[[Watch], SeenModel]) -> None:
        self._train, self._cancelled = train, threading.Event()
        self._progress: Progress | None = None
        self._result: SeenModel | BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="rosenblatt-lab-training", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = self._train(self._watch)
        except BaseException as error:  # raised again where the result is asked for
            self._result = error

    def _watch(self, progress: Progress) -> None:
        self._progress = progress
        if self._cancelled.is_set():
            raise KeyboardInterrupt

    def cancel(self) -> None:
        """End the training at the next slice."""
        self._cancelled.set()

    def wait(self, seconds: float | None) -> bool:
        """Whether the training has ended, after at most so many seconds; None waits for its end."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def result(self) -> SeenModel:
        """What was learned; an error of the training is raised."""
        self._thread.join()
        if isinstance(self._result, SeenModel):
            return self._result
        assert self._result is not None
        raise self._result

    def progress(self) -> dict[str, Any]:
        """Where the training is: epochs done and allowed, mistakes of the last epoch, seconds."""
        if self._progress is None:
            return {"epochs": 0, "max_iter": None, "mistakes": None, "seconds": 0.0}
        return self._progress._asdict()
