"""The one thread that learns: it takes requests in groups, learns them, commits them to the log, and then answers.

A request is learned before it is logged, so that nothing unlearnable enters the log. If learning or logging fails, the
state is recovered from the log as after a crash, which holds none of the group. A model is published, and requests are
answered, only after the log was flushed.
"""

import json
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..foundation.errors import InputError
from ..model.file import read
from .group_memory import GroupMemory
from .log_records import LEARN, MODEL, PREDICT, Record
from .log_segment import Position, check_length
from .log_state import (
    LogState,
    check_no_remains,
    keep_model,
    read_kept_model,
    recovered_state,
    start_learner,
    write_snapshot,
)
from .published_model import PublishedModel
from .request_memory import Taken
from .row_schema import encoded_line
from .unfailing_messages import unfailing
from .write_ahead_log import WriteAheadLog, is_log, lock_folder

MAX_GROUP = 512  # requests of one commit
MAX_GROUP_BYTES = 8 << 20
MAX_WAITING = 4096  # requests in the queue


class Busy(Exception):
    """The queue is full. The text says what to do."""


class LogFailure(Exception):
    """The log could not be written. The text is one sentence."""


class Answer(NamedTuple):
    """What became of a request: its record in the log, its rows, and whether an earlier request was the same."""

    record: int
    rows: int
    repeated: bool = False


class Feedback(NamedTuple):
    """The classes of earlier predictions, by their ids."""

    truths: dict[str, str]


class Waiting(NamedTuple):
    """A request in the queue, and where its answer goes."""

    request: Record | Feedback
    future: "Future[Answer]"
    version: str | None = None  # of the model whose columns the rows have

    @property
    def size(self) -> int:
        return len(self.request.rows) if isinstance(self.request, Record) else 64 * len(self.request.truths)


class Committed(NamedTuple):
    """A group that is on the disk: the answers to its requests, its records, and their positions."""

    answers: list[tuple[Waiting, Answer]]
    records: list[Record]
    positions: list[Position]  # that before the first record, too


class LogWriter:
    """Owns the log of a folder and the learner. `published` is the model after all that was acknowledged."""

    def __init__(self, folder: Path, model: Path | None, tell: Callable[[str], None]) -> None:
        self.folder, self._tell = folder, unfailing(tell)
        self.failure: str | None = None  # why learning has stopped for good
        self.commits, self.flush_seconds, self._closing = 0, 0.0, False
        self._queue: queue.Queue[Waiting | None] = queue.Queue(MAX_WAITING)
        self._open(model)
        self._thread = threading.Thread(target=self._run, name="learner", daemon=True)
        self._thread.start()

    def _open(self, model: Path | None) -> None:
        """Lock the folder, and open or create its log. A new one starts with the model."""
        if not self.folder.is_dir():
            self._check_start(model)  # refused before the folder is created
            self.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as undo:
            lock = lock_folder(self.folder)
            undo.callback(lock.close)
            if is_log(self.folder):
                self._read_log(lock)
            else:
                check_no_remains(self.folder)
                self._check_start(model)
                self.state, self.log = LogState(self.folder), WriteAheadLog.create(self.folder, lock)
            undo.pop_all()
            undo.callback(self.log.close)
            self._begin(model)
            undo.pop_all()

    def _check_start(self, model: Path | None) -> None:
        if model is None:
            raise InputError(f"{self.folder} holds no log yet: give the model to start from.")
        start_learner(read(model))

    def _read_log(self, lock: BinaryIO | None = None) -> None:
        """Take the state from the log, and open it."""
        self.state, after = recovered_state(self.folder, self._tell)
        self.log = WriteAheadLog.open(self.folder, after, self.state.apply, self._tell, lock)
        self.state.snapshot = None

    def _begin(self, model: Path | None) -> None:
        """Publish the state of the log; an empty log takes the model as its first record."""
        if self.state.learner is not None:
            return self._publish()
        if model is None:
            raise InputError(f"the log in {self.folder} names no model yet: give the model to start from.")
        self._publish_committed(self._commit([Waiting(self.model_record(model), Future())]))

    # Requests

    def submit(self, request: Record | Feedback, version: str | None = None) -> "Future[Answer]":
        """Put a request into the queue; its answer comes when it is on the disk.

        Rows that were made for another `version` of the model than the present one are refused.
        """
        if self._closing:
            raise Busy("The service is stopping: send the request to another one, or later.")
        if self.failure is not None:
            raise LogFailure(self.failure)
        waiting = Waiting(request, Future(), version)
        try:
            self._queue.put_nowait(waiting)
        except queue.Full:
            raise Busy("Too many requests are waiting to be learned: try again in a second.") from None
        return waiting.future

    def model_record(self, path: Path) -> Record:
        """The record that makes learning start from a model file. A copy of the file is kept beside the log."""
        content = path.read_bytes()
        start_learner(read(path))
        digest = sha256(content).hexdigest()
        keep_model(self.folder, content, digest)
        start_learner(read_kept_model(self.folder, digest))
        return Record(MODEL, model=digest)

    def close(self) -> None:
        """Learn what is waiting, then stop."""
        self._closing = True
        self._queue.put(None)
        self._thread.join()
        with suppress(OSError):
            self.log.close()

    # The learner's thread

    def _run(self) -> None:
        ended = False
        while not ended:
            group, ended = self._next_group()
            if self.failure is None:
                self._take_or_stop(group)
            for each in group:
                _fail(each, LogFailure(self.failure))  # those without an answer

    def _take_or_stop(self, group: list[Waiting]) -> None:
        """Take a group. An error that nobody foresaw stops learning, never the thread that refuses requests."""
        try:
            self._take(group)
        except BaseException as error:
            self._stop(error)

    def _stop(self, error: BaseException) -> None:
        why = str(error).rstrip(".") or type(error).__name__
        self.failure = f"Learning has stopped, because the log cannot be used ({why}): mend it and start again."
        self._tell(f"error: {self.failure}")

    def _next_group(self) -> tuple[list[Waiting], bool]:
        """The requests that are waiting, at least one, and whether the end was among them."""
        group, size = [], 0
        first = self._queue.get()
        while first is not None:
            group.append(first)
            size += first.size
            if len(group) >= MAX_GROUP or size >= MAX_GROUP_BYTES:
                return group, False
            try:
                first = self._queue.get_nowait()
            except queue.Empty:
                return group, False
        return group, True

    def _take(self, group: list[Waiting]) -> None:
        """Commit a group, publish the model, and answer. What the log holds is answered, even if publishing fails."""
        try:
            committed = self._commit(group)
        except Exception as error:
            self._take_apart(group, error)
            return
        try:
            self._publish_committed(committed)
        except Exception as error:
            self._recover(error)
        for each, answer in committed.answers:
            _resolve(each, answer)

    def _take_apart(self, group: list[Waiting], error: Exception) -> None:
        """Take the requests of a group that failed as a whole one by one, but for those that were answered."""
        if not self._recover(error):
            for each in group:
                _fail(each, LogFailure(self.failure))
        elif len(group) == 1 or isinstance(error, OSError):
            for each in group:
                _fail(each, _refusal(error))
        else:
            for each in group:
                if not each.future.done():
                    self._take([each])

    def _commit(self, group: list[Waiting]) -> Committed:
        """Learn a group and log it. Requests that cannot be learned are refused alone."""
        first = self.log.position.record + 1
        records: list[Record] = []
        memory = GroupMemory(self.state.memory, first)
        answers: list[tuple[Waiting, Answer]] = []
        version = self.state.model
        for each in group:
            try:
                self._check_version(each, version)
                record, earlier = self._resolved(each.request, memory)
                if earlier is None:
                    self._check(record)
            except (InputError, Busy) as error:
                _fail(each, error)
                continue
            if earlier is not None:
                answers.append((each, Answer(earlier.record, earlier.rows, True)))
                continue
            answers.append((each, Answer(first + len(records), record.row_count)))
            memory.add(record)
            records.append(record)
            version = record.model or version
        return Committed(answers, records, self._logged(first, records))

    def _check_version(self, waiting: Waiting, version: str | None) -> None:
        """Refuse rows, and truths of rows, that were made for a model before this version."""
        made_for = self.state.model if isinstance(waiting.request, Feedback) else waiting.version
        if made_for not in (None, version):
            raise Busy("The model was replaced meanwhile: send the request again.")

    def _check(self, record: Record) -> None:
        """Refuse what the log cannot hold or the learner cannot read, before anything of it is learned."""
        check_length(record.packed())
        learner = self.state.learner
        if record.kind == LEARN and learner is not None and learner.reads_notations:
            learner.check_rows(record.rows)

    def _resolved(self, request: Record | Feedback, memory: GroupMemory) -> tuple[Record, Taken | None]:
        """The record to log, and the earlier request that was the same, if any."""
        if isinstance(request, Record):
            return request, memory.taken(request.key, request.rows)
        learner = self.state.learner
        assert learner is not None
        rows = memory.unanswered(request.truths)
        lines = [encoded_line({**json.loads(row), learner.target: request.truths[name]}) for name, row in rows.items()]
        record = Record(LEARN, b"".join(lines), answers=list(rows))
        return record, None if rows else Taken(self.log.position.record, 0, "")

    def _logged(self, first: int, records: list[Record]) -> list[Position]:
        """Learn records and commit them; returns their positions after that of the record before them."""
        if not records:
            return []
        if any(record.kind == MODEL for record in records):
            self.log.begin_segment()  # the segments before it can be removed
        before = self.log.position
        self.state.apply_records(first, records)
        positions = [before, *self.log.commit([record.packed() for record in records])]
        self.commits, self.flush_seconds = self.commits + 1, self.flush_seconds + self.log.flush_seconds
        return positions

    def _publish_committed(self, committed: Committed) -> None:
        """Publish the model after records that are on the disk, and write the snapshot taken at them, if any."""
        tree, self.state.snapshot = self.state.snapshot, None
        if any(record.kind != PREDICT for record in committed.records):
            self._publish()
        if tree is not None:
            self._write_snapshot(tree, next(each for each in committed.positions if each.record == tree["record"]))

    def _write_snapshot(self, tree: dict[str, object], position: Position) -> None:
        """Write a snapshot. Without it, recovery only takes longer."""
        try:
            write_snapshot(self.folder, tree, position)
        except Exception as error:
            self._tell(f"note: no snapshot was written: {getattr(error, 'strerror', None) or error}")

    def _publish(self) -> None:
        assert self.state.learner is not None
        record, state = self.log.position.record, self.state
        self.published = PublishedModel.of(self.state.learner, state.model, record, state.learned_rows)

    def _recover(self, error: Exception) -> bool:
        """Take the state from the log again, unless its end is in doubt; returns whether requests can be taken."""
        if not isinstance(error, InputError | OSError | MemoryError):
            self._tell(f"error: learning failed, and the log is read again: {type(error).__name__}: {error}")
        try:
            if self.log.unwritable:
                raise error
            self.log.close()
            self._read_log()
            self._publish()
        except Exception as second:
            self._stop(second)
            return False
        return True


def _refusal(error: Exception) -> Exception:
    if isinstance(error, OSError):
        why = error.strerror or str(error)
        return LogFailure(f"The log cannot be written ({why}): nothing of this request was learned; try again later.")
    if isinstance(error, InputError):
        return error
    return InputError("These rows cannot be learned: the learner failed at them.")


def _fail(waiting: Waiting, error: Exception) -> None:
    if not waiting.future.done():
        with suppress(Exception):
            waiting.future.set_exception(error)


def _resolve(waiting: Waiting, answer: Answer) -> None:
    if not waiting.future.done():
        with suppress(Exception):  # the client has gone
            waiting.future.set_result(answer)
