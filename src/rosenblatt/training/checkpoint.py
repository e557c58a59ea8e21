"""Checkpoints: a run that was killed resumes where it was, and ends with the same bits as an uninterrupted run.

A folder holds one file, replaced as a whole each time, with a checksum of every byte (`foundation.state_file`). A lock
keeps other processes out; the system releases it when a process dies. The file names the options and rows that it
belongs to. A run with other options or rows is refused, and the file stays as it is.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.interrupts import defer_ctrl_c
from ..engine.result import TrainingResult
from ..engine.resume import Bookmark, Tree
from ..foundation import state_file as trees
from ..foundation.atomic_file import atomic_write
from ..foundation.errors import InputError
from ..foundation.file_lock import lock_file
from ..foundation.types import Floats
from ..foundation.version import __version__
from ..parts.stops import Status
from .checkpoint_options import option_differences, request_options

if TYPE_CHECKING:
    from ..tables.encode.encoded_rows import LabelledRows
    from .request import Request

FORMAT = 1
FILE, LOCK = "checkpoint.safetensors", "lock"
DEFAULT_SECONDS = 30.0  # between two checkpoints
MIN_SECONDS_AFTER_EPOCH = 1.0  # between two checkpoints at the ends of epochs
MIN_TRAINING_PER_WRITING = 20  # so that writing takes at most about 1 / 20 of the time
ADVICE = "to resume, or another folder to start again"


@dataclass
class Checkpoint:
    """A checkpoint folder that this process has locked; see `open_checkpoint`."""

    folder: str
    options: Mapping[str, str]
    runs: int  # trainings: of the model, and of each fold
    every: float = DEFAULT_SECONDS
    tell: Callable[[str], None] = lambda _: None
    signals: list[int] = field(default_factory=list)
    saved_on_signal: bool = False  # whether the state was written after Ctrl-C

    def __post_init__(self) -> None:
        self._started, self._resumed = 0, False
        self._written = self._due = time.perf_counter()
        self._cost = 0.0
        self._tree: Tree = {"options": dict(self.options), "rows": None, "epochs": 0.0, "trained": [], "run": None}

    @property
    def file(self) -> Path:
        return Path(self.folder, FILE)

    def run(
        self,
        rows: "Sequence[LabelledRows]",
        weights: Floats | None,
        train: Callable[[Bookmark], TrainingResult],
    ) -> TrainingResult:
        """The result of `train` on these rows, resumed where it was left, or as saved if it had ended.

        `rows` are those to train on and, with early stopping, those to stop by.
        """
        if self._started == 0:
            self._check_rows(rows_digest(rows, weights))
        self._started += 1
        ended: list[Tree] = self._tree["trained"]
        if self._started <= len(ended):
            if self._started == self.runs:
                self.tell(f"{self.folder} holds the end of this run: nothing is left to train.")
            return result_from_tree(ended[self._started - 1])
        saved, self._tree["run"] = self._tree["run"], None
        if self._resumed:
            of = "" if self.runs == 1 else f" of training {self._started} of {self.runs}"
            self.tell(f"resuming after {self._tree['epochs']:,.1f} epochs{of}, from {self.folder}.")
            self._resumed = False
        result = self._resume(train, saved)
        if not result.interrupted:
            ended.append(result_to_tree(result))
            self.write(None, 0.0)
        return result

    def _check_rows(self, digest: str) -> None:
        if self._tree["rows"] not in (None, digest):
            raise InputError(f"{self.folder} was made from other rows: give the same {ADVICE}.")
        self._tree["rows"] = digest

    def _resume(self, train: Callable[[Bookmark], TrainingResult], saved: Tree | None) -> TrainingResult:
        try:
            with defer_ctrl_c(self.signals):
                return train(FileBookmark(self, saved))
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            if saved is None or isinstance(error, InputError):
                raise
            raise InputError(f"{self.file} is damaged: {error}. Remove it to start again.") from None

    def due(self, step: bool) -> bool:
        """Whether to write now: `every` seconds after the last time, or one second at the end of an epoch (`step`).

        If writing is slow, the time between two checkpoints is longer.
        """
        wait = min(MIN_SECONDS_AFTER_EPOCH, self.every) if step else self.every
        now = time.perf_counter()
        if now - self._written < max(wait, MIN_TRAINING_PER_WRITING * self._cost):
            return False
        self._due = now
        return True

    def write(self, run: Tree | None, epochs: float) -> None:
        """Replace the file. If that fails, the old file stays."""
        began = time.perf_counter() if run is None else self._due  # building the tree takes time, too
        self._tree |= {"format": FORMAT, "version": __version__, "epochs": epochs}
        content = trees.written({**self._tree, "run": run})
        try:
            with atomic_write(self.file) as file:
                file.write(content)
        except OSError as error:
            kept = (
                "; the previous checkpoint is intact, and the same command resumes from it"
                if self.file.exists()
                else ""
            )
            raise OSError(error.errno, f"{os.strerror(error.errno or 0)}{kept}", str(self.file)) from None
        self._written = time.perf_counter()
        self._cost = self._written - began

    def read(self, spelled: str) -> None:
        """Load the state of an earlier run, if its options are the same."""
        if self.file.exists() and not self.file.is_file():
            raise InputError(f"{self.file} is not a file: give another folder for the checkpoint.")
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return
        try:
            tree = trees.read(content)
        except trees.Damaged:
            raise InputError(
                f"{self.file} is damaged or not a checkpoint, because its checksum is wrong: remove it to start again."
            ) from None
        if (tree.get("format"), tree.get("version")) != (FORMAT, __version__):
            by = f"rosenblatt {tree.get('version')}, and this is {__version__}"
            raise InputError(f"{self.folder} was made by {by}: resume with that version, or give another folder.")
        differences = list(option_differences(tree["options"], self.options, spelled))
        if differences:
            raise InputError(f"{self.folder} was made {' and '.join(differences)}: give the same options {ADVICE}.")
        self._tree, self._resumed = tree, True


class FileBookmark(Bookmark):
    """Writes the state of one training to the checkpoint."""

    def __init__(self, checkpoint: Checkpoint, saved: Tree | None) -> None:
        super().__init__(saved)
        self._checkpoint = checkpoint

    @property
    def stopping(self) -> bool:
        return bool(self._checkpoint.signals)

    def due(self, step: bool) -> bool:
        return self._checkpoint.due(step)

    def write(self, tree: Tree, epochs: float) -> None:
        if not (self.stopping and self._checkpoint.saved_on_signal):
            self._checkpoint.saved_on_signal = self.stopping
            self._checkpoint.write(tree, epochs)


@contextmanager
def open_checkpoint(
    folder: str | os.PathLike[str],
    request: "Request",
    every: float = DEFAULT_SECONDS,
    spelled: str = "{}",
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Checkpoint]:
    """Lock a checkpoint folder, and load what it holds. `spelled` is how the user writes an option."""
    folder = os.fspath(folder)
    if request.tune:
        raise InputError("a checkpoint does not go with tune, whose search is not saved: leave out one of them.")
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InputError(f"{folder} is not a folder: give a folder for the checkpoint, new or existing.")
    os.makedirs(folder, exist_ok=True)
    with lock_folder(folder):
        for unfinished in Path(folder).glob(f".{FILE}.*"):  # left by a process that was killed while it wrote
            unfinished.unlink(missing_ok=True)
        checkpoint = Checkpoint(folder, request_options(request), 1 + (request.folds or 0), float(every), tell)
        checkpoint.read(spelled)
        yield checkpoint


@contextmanager
def lock_folder(folder: str) -> Iterator[None]:
    """Keep other processes out of a folder."""
    with open(os.path.join(folder, LOCK), "ab") as lock:
        try:
            lock_file(lock, wait=False)
        except BlockingIOError:
            raise InputError(
                f"{folder} is in use by another run: wait until it ends, or give another folder."
            ) from None
        yield


def rows_digest(rows: "Sequence[LabelledRows]", weights: Floats | None) -> str:
    """A digest of the rows that a run learns from, their classes and weights."""
    sha = hashlib.sha256()
    arrays: list[Any] = [weights]
    for part in rows:
        encoded = part.encoded
        arrays += [part.codes, *((encoded.dense,) if encoded.sparse is None else encoded.sparse)]
    for array in arrays:
        if array is not None:
            sha.update(f"{array.dtype.str} {array.shape} ".encode())
            sha.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return sha.hexdigest()


def result_to_tree(learned: TrainingResult) -> Tree:
    """A result as plain values and arrays."""
    status = learned.status
    return {**vars(learned), "status": [str(status), status.reason, status.mistakes, status.rows, status.epochs]}


def result_from_tree(tree: Tree) -> TrainingResult:
    """The result that `result_to_tree` described."""
    return TrainingResult(**{**tree, "status": Status(*tree["status"])})
