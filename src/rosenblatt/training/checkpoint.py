"""Checkpoints: a run that is killed resumes where it was and ends with the same bits as one that was never stopped.

A folder holds one file, which is replaced as a whole each time and has a checksum of every byte
(`foundation/state_file.py`), and a lock, which the system takes back from a process that dies. The file names its
options and rows. A run with others is refused, and the file stays as it is.
"""

import hashlib
import json
import math
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
from ..foundation.types import Codes, Floats
from ..foundation.version import __version__
from ..parts.features import Features, plain
from ..parts.stops import Status

if TYPE_CHECKING:
    from ..tables.encode.encoded_rows import EncodedRows
    from .request import Request

FORMAT = 1
FILE, LOCK = "checkpoint.safetensors", "lock"
EVERY = 30.0  # seconds
EPOCHS_EVERY = 1.0  # seconds that are at least between two epochs that are kept
SHARE = 20  # writing takes at most about one part in so many of the time
UNIMPORTANT = ("memory",)  # what does not change a bit of the result
SPELLED_APART = ("parameters", "kinds", "scale", "tf_idf")
NOT_ASKED = ("null", "false", "[]", "{}")
KIND_OPTIONS = {"text": "text", "category": "categorical", "number": "numeric", "date": "date"}
OWN_OPTIONS = ("C", "alpha", "features", "order", "max_iter", "max_seconds")  # others are --set NAME=VALUE
ANEW = "to go on, or another folder to begin anew"


@dataclass
class Checkpoint:
    """A folder that this process holds; see `held`."""

    folder: str
    options: Mapping[str, str]
    lessons: int
    every: float = EVERY
    tell: Callable[[str], None] = lambda _: None
    signals: list[int] = field(default_factory=list)
    left: bool = False  # where the run is has been kept after Ctrl-C

    def __post_init__(self) -> None:
        self._taught, self._resumed = 0, False
        self._written = self._asked = time.perf_counter()
        self._cost = 0.0
        self._tree: Tree = {"options": dict(self.options), "rows": None, "epochs": 0.0, "trained": [], "run": None}

    @property
    def file(self) -> Path:
        return Path(self.folder, FILE)

    def lesson(
        self,
        rows: "EncodedRows",
        codes: Codes,
        weights: Floats | None,
        teach: Callable[[Bookmark], TrainingResult],
        jury: "tuple[EncodedRows, Codes] | None" = None,
    ) -> TrainingResult:
        """What `teach` comes to with these rows, from where it was left; without it, if it had ended.

        `jury` are rows that it stops by.
        """
        if self._taught == 0:
            now = fingerprint([(rows, codes), *([] if jury is None else [jury])], weights)
            if self._tree["rows"] not in (None, now):
                raise InputError(f"{self.folder} was made from other rows: give the same {ANEW}.")
            self._tree["rows"] = now
        self._taught += 1
        ended: list[Tree] = self._tree["trained"]
        if self._taught <= len(ended):
            if self._taught == self.lessons:
                self.tell(f"{self.folder} holds the end of this run: nothing is left to train.")
            return trained_of(ended[self._taught - 1])
        saved, self._tree["run"] = self._tree["run"], None
        if self._resumed:
            of = "" if self.lessons == 1 else f" of training {self._taught} of {self.lessons}"
            self.tell(f"resuming after {self._tree['epochs']:.1f} epochs{of}, from {self.folder}.")
            self._resumed = False
        try:
            with defer_ctrl_c(self.signals):
                learned = teach(_Page(self, saved))
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            if saved is None or isinstance(error, InputError):
                raise
            raise InputError(f"{self.file} is damaged: {error}. Remove it to begin anew.") from None
        if not learned.interrupted:
            ended.append(tree_of(learned))
            self.write(None, 0.0)
        return learned

    def due(self, step: bool) -> bool:
        """`every` seconds after the last time; after the end of an epoch, one second; later where writing is slow."""
        wait = min(EPOCHS_EVERY, self.every) if step else self.every
        now = time.perf_counter()
        if now - self._written < max(wait, SHARE * self._cost):
            return False
        self._asked = now
        return True

    def write(self, run: Tree | None, epochs: float) -> None:
        """Replace the file. Where that fails, what it held stays."""
        began = time.perf_counter() if run is None else self._asked  # to put the tree together takes time, too
        self._tree |= {"format": FORMAT, "version": __version__, "epochs": epochs}
        content = trees.written({**self._tree, "run": run})
        try:
            with atomic_write(self.file) as file:
                file.write(content)
        except OSError as error:
            kept = "; the checkpoint before it is whole, and the same command goes on" if self.file.exists() else ""
            raise OSError(error.errno, f"{os.strerror(error.errno or 0)}{kept}", str(self.file)) from None
        self._written = time.perf_counter()
        self._cost = self._written - began

    def read(self, spelled: str) -> None:
        """Take what an earlier run left, if it is of this one."""
        if self.file.exists() and not self.file.is_file():
            raise InputError(f"{self.file} is not a file: name another folder for the checkpoint.")
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return
        try:
            tree = trees.read(content)
        except trees.Damaged:
            raise InputError(
                f"{self.file} is damaged or no checkpoint, for its checksum does not hold: remove it to begin anew."
            ) from None
        if (tree.get("format"), tree.get("version")) != (FORMAT, __version__):
            by = f"rosenblatt {tree.get('version')}, and this is {__version__}"
            raise InputError(f"{self.folder} was made by {by}: go on with that one, or give another folder.")
        differences = list(different(tree["options"], self.options, spelled))
        if differences:
            raise InputError(f"{self.folder} was made {' and '.join(differences)}: give the same options {ANEW}.")
        self._tree, self._resumed = tree, True


class _Page(Bookmark):
    """Where one lesson is."""

    def __init__(self, checkpoint: Checkpoint, saved: Tree | None) -> None:
        super().__init__(saved)
        self._checkpoint = checkpoint

    @property
    def stopping(self) -> bool:
        return bool(self._checkpoint.signals)

    def due(self, step: bool) -> bool:
        return self._checkpoint.due(step)

    def write(self, tree: Tree, epochs: float) -> None:
        if not (self.stopping and self._checkpoint.left):
            self._checkpoint.left = self.stopping
            self._checkpoint.write(tree, epochs)


@contextmanager
def held(
    folder: str | os.PathLike[str],
    request: "Request",
    every: float = EVERY,
    spelled: str = "{}",
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Checkpoint]:
    """Hold a folder while a model is made, so that no other process does. `spelled` is how users write options."""
    if not (isinstance(every, int | float) and 0 <= every < math.inf):
        name = spelled.format("checkpoint-every") if spelled.startswith("--") else "checkpoint_every"
        raise InputError(f"{name} must be a number of seconds, not {every!r}.")
    folder = os.fspath(folder)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InputError(f"{folder} is not a folder: name a folder for the checkpoint, which may be new.")
    os.makedirs(folder, exist_ok=True)
    with locked(folder):
        for unfinished in Path(folder).glob(f".{FILE}.*"):  # of a process that was killed as it wrote
            unfinished.unlink(missing_ok=True)
        checkpoint = Checkpoint(folder, options_of(request), 1 + (request.folds or 0), float(every), tell)
        checkpoint.read(spelled)
        yield checkpoint


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """Nobody else has the folder meanwhile. A process that dies, however it does, leaves no lock."""
    import fcntl

    with open(os.path.join(folder, LOCK), "ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"{folder} is in use by another run: wait until it ends, or give another folder."
            ) from None
        yield


def options_of(request: "Request") -> dict[str, str]:
    """All that a user asks for, by the name of its option, as JSON; what is not asked for is not there.

    >>> from rosenblatt.training.request import Request
    >>> options_of(Request(target="kind", kinds={"a": "text"}, parameters={"C": 2.0, "tol": 0.1}))
    {'ngrams': '1', 'target': '"kind"', 'algorithm': '"auto"', 'seed': '0', 'test_fraction': '0.2', 'text': '["a"]', \
'C': '2.0', 'set tol': '0.1'}
    """
    given = {name: value for name, value in vars(request).items() if name not in (*SPELLED_APART, *UNIMPORTANT)}
    for kind, option in KIND_OPTIONS.items():
        given[option] = [name for name, its in request.kinds.items() if its == kind]
    given |= {"no_scale": not request.scale, "no_tf_idf": not request.tf_idf}
    for name, value in request.parameters.items():
        given[name if name in OWN_OPTIONS else f"set {name}"] = value
    texts = {name: json.dumps(value, default=_as_json, sort_keys=True) for name, value in given.items()}
    return {name: text for name, text in texts.items() if text not in NOT_ASKED}


def _as_json(value: Any) -> Any:
    if isinstance(value, Features):
        return plain(value)
    return value.item() if isinstance(value, np.generic) else repr(value)


def different(before: Mapping[str, str], now: Mapping[str, str], spelled: str) -> Iterator[str]:
    """What two sets of options differ in.

    >>> before = {"algorithm": '"averaged"', "set tol": "0.1", "early_stopping": "true"}
    >>> list(different(before, {"algorithm": '"svm"', "max_iter": "5", "set tol": "0.2"}, "--{}"))
    ['with --algorithm averaged, not svm', 'with --set tol=0.1, not 0.2', 'with --early-stopping', 'without --max-iter']
    """
    for name in dict.fromkeys((*before, *now)):
        words = name if name.startswith("set ") else name.replace("_", "-")
        option = spelled.format(words) if spelled.startswith("--") else name.removeprefix("set ")
        was, is_now = (shown(options[name]) if name in options else None for options in (before, now))
        between = "=" if name.startswith("set ") else " "
        if was is None:
            yield f"without {option}"
        elif is_now is None:
            yield f"with {option}{between if was else ''}{was}"
        elif was != is_now:
            yield f"with {option}{between}{was}, not {is_now}"


def shown(text: str) -> str:
    """
    >>> shown('"averaged"'), shown('true'), shown('["a", "b"]'), shown('{"a": "text"}'), shown('0.5')
    ('averaged', '', 'a b', 'a=text', '0.5')
    """
    value = json.loads(text)
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, dict):
        return " ".join(f"{name}={one}" for name, one in value.items())
    return "" if value is True else str(value)


def fingerprint(rows: "Sequence[tuple[EncodedRows, Codes]]", weights: Floats | None) -> str:
    """Of what a run learns from: rows with their classes, and weights."""
    sha = hashlib.sha256()
    arrays: list[Any] = [weights]
    for encoded, codes in rows:
        arrays += [codes, *((encoded.dense,) if encoded.sparse is None else encoded.sparse)]
    for array in arrays:
        if array is not None:
            sha.update(f"{array.dtype.str} {array.shape} ".encode())
            sha.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return sha.hexdigest()


def tree_of(learned: TrainingResult) -> Tree:
    status = learned.status
    return {**vars(learned), "status": [str(status), status.reason, status.mistakes, status.rows, status.epochs]}


def trained_of(tree: Tree) -> TrainingResult:
    return TrainingResult(**{**tree, "status": Status(*tree["status"])})
