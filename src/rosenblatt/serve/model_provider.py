"""Where a service takes its model from: a file, a log that it writes, or a log that another process writes.

Each of them has the model that is `published` now, and `failure`: the sentence that says why it no longer keeps up, if
it does not.
"""

import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from ..foundation.errors import InputError
from ..model.file import read
from .acknowledged_mark import read_mark
from .log_segment import Position, StoredRecord, TornTail
from .log_start import read_start
from .log_state import recovered_state
from .published_model import PublishedModel
from .unfailing_messages import unfailing
from .write_ahead_log import MARK_NAME, is_log, read_log, segment_sizes

FOLLOW_SECONDS = 0.2


class ModelProvider(Protocol):
    """What a service asks of its source."""

    published: PublishedModel
    failure: str | None

    def close(self) -> None: ...


class ModelFile:
    """A model that is read from a file, and does not learn."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure: str | None = None
        self.reload()

    def reload(self) -> None:
        """Read the file again. A file that cannot be used leaves the old model."""
        self.published = PublishedModel(read(self.path), sha256(self.path.read_bytes()).hexdigest())

    def close(self) -> None:
        """There is nothing to close."""


class LogFollower:
    """The model of a log that another process writes. Only records that were acknowledged are applied."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self.folder, self._tell = folder, unfailing(tell)
        self.failure: str | None = None
        if not is_log(folder):
            raise InputError(f"{folder} holds no log: give the folder that serve was given with --log.")
        self._recover()
        self._stopped = threading.Event()
        self.follow()
        if self._state.learner is None:
            raise InputError(f"the log in {folder} names no model yet: start the service that writes it first.")
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)
        self._thread.start()

    def _recover(self) -> None:
        """Take the state from the newest snapshot."""
        self._state, self._position = recovered_state(self.folder, self._tell)
        self._sizes: list[int] = []
        self._half_applied = False

    def follow(self) -> None:
        """Apply the records that were acknowledged since the last call. If that failed, read all again."""
        if self._half_applied or self._is_trimmed():
            self._recover()
        sizes = segment_sizes(self.folder)
        last, _ = read_mark(self.folder / MARK_NAME)
        if self._position is not None and last <= self._position.record and sizes == self._sizes:
            return
        found = [each for each in self._acknowledged(last) if isinstance(each, StoredRecord)]
        if found:
            self._half_applied = True
            self._state.apply(found)
            self._half_applied = False
            self._position = found[-1].position
            self._state.snapshot = None
        if self._state.learner is not None:
            record = 0 if self._position is None else self._position.record
            state = self._state
            self.published = PublishedModel.of(self._state.learner, state.model, record, state.learned_rows)
        self._sizes = sizes

    def _is_trimmed(self) -> bool:
        """Whether records were removed that are not applied yet."""
        return (0 if self._position is None else self._position.record) < read_start(self.folder).record

    def _acknowledged(self, last: int) -> list[Position | StoredRecord | TornTail]:
        found = []
        for _, each in read_log(self.folder, self._position):
            if isinstance(each, StoredRecord) and each.position.record > last:
                break
            found.append(each)
        return found

    def _run(self) -> None:
        while not self._stopped.wait(FOLLOW_SECONDS):
            try:
                self.follow()
                self.failure = None
            except Exception as error:
                why = str(error) or type(error).__name__
                if self.failure is None:
                    self._tell(f"error: the log cannot be followed: {why}")
                self.failure = f"The log cannot be followed: {why}"

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()
