"""The state that a log defines: the learner after all its rows, and what it remembers of requests.

It is a pure function of the log: the same records give the same bits, in one run, after a crash, or on another machine.
A snapshot holds it at a renewal of the learner's columns or at its start, so that recovery replays only the rows since.
"""

import re
from collections import deque
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..foundation import state_file
from ..foundation.atomic_file import atomic_write
from ..foundation.errors import InputError
from ..model.file import read
from ..model.model import Model
from ..tables.read.text_lines import Block
from ..tables.read.typed_json_lines import TypedJsonLines
from ..training.online.continued_model import check_continuable, continue_model
from ..training.online.learner_state import learner_from_tree, learner_to_tree
from ..training.online.online_learner import OnlineLearner
from ..training.online.progressive_accuracy import ProgressiveAccuracy
from .acknowledged_mark import marks_records
from .log_records import LEARN, MODEL, Record
from .log_segment import Position, StoredRecord
from .log_start import START_NAME, read_start
from .request_memory import RequestMemory
from .write_ahead_log import MARK_NAME, sync_folder

SNAPSHOTS, MODELS = "snapshots", "models"
SNAPSHOT_NAME = re.compile(r"[0-9]{20}-[0-9]{1,20}\.snapshot")
KEPT_SNAPSHOTS = 8
ROWS_NAME = "the rows"  # how errors call the rows of a request
Tree = dict[str, Any]


class LogState:
    """The learner and the memory of requests after some records of the log in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.learner: OnlineLearner | None = None
        self.memory = RequestMemory()
        self.model: str | None = None  # the SHA-256 of the model that learning started from
        self.first_record = 0  # that names this model
        self.learned_rows = 0  # since then
        self.snapshot: Tree | None = None  # the newest one that is not on the disk yet
        self._skip = 0  # rows of the next record that a snapshot holds already

    def apply(self, stored: Sequence[StoredRecord]) -> None:
        """Apply records of the log, one after the other."""
        if stored:
            self.apply_records(stored[0].position.record, [Record.unpacked(each.content) for each in stored])

    def apply_records(self, first: int, records: Sequence[Record]) -> None:
        """Apply records that have, or will have, numbers from `first` on. Their rows are learned together."""
        numbered: list[tuple[int, Record]] = []
        for number, record in enumerate(records, first):
            if record.kind == MODEL:
                self._learn(numbered)
                numbered = []
                self._start(number, record)
            else:
                numbered.append((number, record))
        self._learn(numbered)

    def _start(self, number: int, record: Record) -> None:
        assert record.model is not None
        before, self.learner = self.learner, start_learner(read_kept_model(self.folder, record.model))
        if before is None or not _same_columns(before, self.learner):
            self.memory.forget_predictions()  # their rows have other columns, or their truths are other classes
        self.model, self.first_record, self.learned_rows = record.model, number, 0
        self.memory.add(number, record)
        self.snapshot = self._tree(number + 1, 0)

    def _learn(self, numbered: Sequence[tuple[int, Record]]) -> None:
        """Learn the rows of records. After each renewal of the columns a snapshot is taken."""
        lines: list[bytes] = []
        owners: list[tuple[int, int]] = []  # of each row: its record, and how many rows of it are learned by then
        for number, record in numbered:
            if record.kind == LEARN:
                rows = record.rows.splitlines(keepends=True)
                owners += [(number, place) for place in range(self._skip + 1, len(rows) + 1)]
                lines += rows[self._skip :]
                self._skip = 0
        waiting = deque(numbered)
        while lines:
            learned, renewed = self._learn_lines(lines)
            if renewed:
                while waiting[0][0] < owners[learned - 1][0]:
                    self.memory.add(*waiting.popleft())
                self.snapshot = self._tree(*owners[learned - 1])
            lines, owners = lines[learned:], owners[learned:]
        for each in waiting:
            self.memory.add(*each)

    def _learn_lines(self, lines: Sequence[bytes]) -> tuple[int, bool]:
        """Learn rows up to the next renewal; returns how many, and whether the columns were renewed."""
        learner = self.learner
        assert learner is not None
        left = learner.renewal_row - learner.rows
        count = min(len(lines), left)
        learner.learn_block(Block(b"".join(lines[:count]), 1, 0))
        self.learned_rows += count
        return count, count == left

    def _tree(self, number: int, done: int) -> Tree:
        """The state before or amid a record, of which so many rows were learned."""
        assert self.learner is not None
        return {
            "record": number - 1,
            "skip": done,
            "model": self.model,
            "first_record": self.first_record,
            "learned_rows": self.learned_rows,
            "learner": learner_to_tree(self.learner),
            "memory": self.memory.to_tree(),
        }

    def restore(self, tree: Tree) -> None:
        """Take the state from a snapshot."""
        check_kept_model(self.folder, tree["model"])
        names = tree["learner"]["columns_read"]
        self.learner = learner_from_tree(tree["learner"], TypedJsonLines(ROWS_NAME, names))
        self.memory = RequestMemory.from_tree(tree["memory"])
        self.model, self.first_record = tree["model"], tree["first_record"]
        self.learned_rows, self._skip = tree["learned_rows"], tree["skip"]


def start_learner(model: Model) -> OnlineLearner:
    """A learner that goes on from a model, with rows as JSON lines."""
    check_continuable(model)
    assert model.encoder is not None
    names = [*model.encoder.column_encoders, model.about["target"]]
    return continue_model(model, TypedJsonLines(ROWS_NAME, names), ProgressiveAccuracy())


def _same_columns(before: OnlineLearner, after: OnlineLearner) -> bool:
    """Whether two learners read the same columns and learn the same target."""
    return before.target == after.target and before.encoder.reading() == after.encoder.reading()


def model_path(folder: Path, digest: str) -> Path:
    """Where a log keeps the model with this SHA-256."""
    return folder / MODELS / f"{digest}.safetensors"


def check_kept_model(folder: Path, digest: str) -> None:
    """Refuse a kept model whose file is missing, or is not the one that its name, the SHA-256, tells."""
    path = model_path(folder, digest)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} is missing, and the log needs it: restore it from a copy.") from None
    if sha256(content).hexdigest() != digest:
        raise InputError(f"{path} was changed, for its SHA-256 is not its name: restore it from a copy.")


def read_kept_model(folder: Path, digest: str) -> Model:
    """A model that is kept beside the log, after its content was checked."""
    check_kept_model(folder, digest)
    return read(model_path(folder, digest))


def keep_model(folder: Path, content: bytes, digest: str) -> None:
    """Keep a model file beside the log. A file there that was changed is written again."""
    path = model_path(folder, digest)
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        with atomic_write(path) as file:
            file.write(content)
        sync_folder(path.parent)
    sync_folder(folder)


def write_snapshot(folder: Path, tree: Tree, position: Position) -> None:
    """Write a snapshot whose record is on the disk. The oldest ones are removed."""
    whole = {**tree, "digest": position.digest.hex()}
    path = folder / SNAPSHOTS / f"{tree['record']:020d}-{tree['skip']}.snapshot"
    path.parent.mkdir(exist_ok=True)
    with atomic_write(path) as file:
        file.write(state_file.written(whole))
    sync_folder(path.parent)
    for old in snapshot_paths(folder)[:-KEPT_SNAPSHOTS]:
        old.unlink(missing_ok=True)


def snapshot_paths(folder: Path) -> list[Path]:
    """The snapshots of a log, the oldest first. Files with other names are left alone."""
    found = [path for path in (folder / SNAPSHOTS).glob("*.snapshot") if SNAPSHOT_NAME.fullmatch(path.name)]
    return sorted(found, key=lambda path: [int(part) for part in path.stem.split("-")])


def read_snapshot(path: Path) -> Tree:
    try:
        return state_file.read(path.read_bytes())
    except state_file.Damaged:
        raise InputError(f"{path} is damaged: remove it, the log holds all it says.") from None


def recovered_state(folder: Path, tell: Callable[[str], None]) -> tuple[LogState, Position | None]:
    """The state of the newest sound snapshot, and its position in the log; without one, the empty state."""
    state, begins = LogState(folder), read_start(folder).record
    for path in reversed(snapshot_paths(folder)):
        try:
            tree = read_snapshot(path)
        except (InputError, OSError) as error:
            tell(f"note: an older snapshot is used: {error}")
            continue
        if tree["record"] >= begins:
            state.restore(tree)
            return state, Position(tree["record"], bytes.fromhex(tree["digest"]), 0)
    if begins:
        raise InputError(f"{folder} was trimmed and has no sound snapshot: restore its snapshots from a copy.")
    return state, None


def check_no_remains(folder: Path) -> None:
    """Refuse to begin a log where one was: its segments are gone, but what stands beside them tells of it."""
    beside = [*(folder / SNAPSHOTS).glob("*.snapshot"), *(folder / MODELS).glob("*.safetensors")]
    if beside or (folder / START_NAME).exists() or marks_records(folder / MARK_NAME):
        gone = f"{folder} holds the rest of a log whose records are gone"
        raise InputError(f"{gone}: restore the log from a copy, or give a new folder.")
