"""The write-ahead log: a folder of segments. A record is on the disk before anybody is told that it was taken.

One process writes, which holds a lock; any process reads. `commit` appends records, flushes them with one call and
marks them as acknowledged. A commit that fails leaves the log as it was, or closes it for writing if nobody knows.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ..foundation.atomic_file import atomic_write
from ..foundation.errors import InputError
from ..foundation.file_lock import lock_file
from .acknowledged_mark import AcknowledgedMark, read_mark
from .log_segment import FIRST_DIGEST, Position, StoredRecord, TornTail, framed, read_head, read_records, segment_head
from .log_start import read_start

MAX_SEGMENT_BYTES = 64 << 20
APPLIED_TOGETHER = 1024  # records
SUFFIX, MARK_NAME, LOCK_NAME = ".log", "acknowledged", "lock"


class WriteAheadLog:
    """A log open for writing. `position` is that of its last record."""

    def __init__(self, folder: Path, lock: BinaryIO, position: Position, path: Path) -> None:
        self.folder, self.position, self.path = folder, position, path
        self.flush_seconds = 0.0  # of the last commit
        self._lock = lock
        self._file = os.open(path, os.O_WRONLY)
        self._mark = AcknowledgedMark(folder / MARK_NAME)
        self._mark.write(position.record, position.digest)
        self._mark.write(position.record, position.digest)
        self._mark.flush()
        self.unwritable = False  # True after a failed call that leaves the end of the log in doubt

    @classmethod
    def create(cls, folder: Path, lock: BinaryIO | None = None) -> "WriteAheadLog":
        """A new log in an empty or new folder, which may be locked by the caller already."""
        folder.mkdir(parents=True, exist_ok=True)
        sync_folder(folder.parent)
        lock = lock or lock_folder(folder)
        try:
            AcknowledgedMark.create(folder / MARK_NAME)
            path = _new_segment(folder, 1, FIRST_DIGEST)
            return cls(folder, lock, read_head(path, path.read_bytes()), path)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def open(
        cls,
        folder: Path,
        after: Position | None,
        apply: Callable[[Sequence[StoredRecord]], None],
        tell: Callable[[str], None],
        lock: BinaryIO | None = None,
    ) -> "WriteAheadLog":
        """Open a log, and `apply` its records after a position, or all. A torn end nobody was told of is dropped."""
        lock = lock or lock_folder(folder)
        try:
            position, path, torn = _replayed(folder, after, apply)
            check_mark(folder, position.record, position.digest)
            if torn is not None:
                _truncate(path, torn.start)
                dropped = f"its {torn.size:,} bytes are dropped"
                tell(f"note: {path} ended within a record that was never acknowledged; {dropped}.")
            return cls(folder, lock, position, path)
        except BaseException:
            lock.close()
            raise

    def commit(self, contents: Sequence[bytes]) -> list[Position]:
        """Append records, flush them to the disk and mark them. Returns the position of each."""
        if self.unwritable:
            raise OSError("the log is closed for writing")
        if self.position.end > MAX_SEGMENT_BYTES:
            self.begin_segment()
        pieces, positions = [], [self.position]
        for content in contents:
            record, digest, end = positions[-1]
            piece, digest = framed(content, digest)
            pieces.append(piece)
            positions.append(Position(record + 1, digest, end + len(piece)))
        self._write(b"".join(pieces), self.position.end)
        self._acknowledge(positions[-1])
        return positions[1:]

    def _write(self, content: bytes, start: int) -> None:
        """Write at the end; if the disk is full, remove what was written of it."""
        try:
            view, at = memoryview(content), start
            while view:
                written = os.pwrite(self._file, view, at)
                view, at = view[written:], at + written
        except OSError:
            self.unwritable = True  # unless the file can be cut where it ended
            os.ftruncate(self._file, start)
            os.fsync(self._file)
            self.unwritable = False
            raise

    def _acknowledge(self, position: Position) -> None:
        """After a failed flush nobody knows what is on the disk, so nothing more is written."""
        began, self.unwritable = time.perf_counter(), True
        os.fsync(self._file)
        self._check_names()
        self.flush_seconds = time.perf_counter() - began
        self._mark.write(position.record, position.digest)
        self.position, self.unwritable = position, False

    def _check_names(self) -> None:
        """Refuse to go on if a file was removed: it takes writes and locks all the same, but nobody will find them."""
        files = {self.path: self._file, self._mark.path: self._mark.file, self.folder / LOCK_NAME: self._lock.fileno()}
        for path, file in files.items():
            if not os.fstat(file).st_nlink:
                raise OSError(f"{path} was removed")

    def begin_segment(self) -> None:
        """Let the next record be the first of a segment."""
        if first_record(self.path) > self.position.record:
            return
        self._mark.flush()
        path = _new_segment(self.folder, self.position.record + 1, self.position.digest)
        file = os.open(path, os.O_WRONLY)
        os.close(self._file)
        self._file, self.path = file, path
        self.position = self.position._replace(end=path.stat().st_size)

    def size(self) -> int:
        """The bytes of all segments."""
        return sum(segment_sizes(self.folder))

    def close(self) -> None:
        """Close the log, and let another process write it."""
        try:
            self._mark.flush()
        finally:
            self._mark.close()
            os.close(self._file)
            self._lock.close()


def is_log(folder: Path) -> bool:
    return folder.is_dir() and bool(segment_paths(folder))


def segment_paths(folder: Path) -> list[Path]:
    """The segments of a log in order."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.stem.isdigit())


def segment_sizes(folder: Path) -> list[int]:
    """The bytes of each segment; of one that is removed meanwhile there are none."""
    sizes = []
    for path in segment_paths(folder):
        with suppress(FileNotFoundError):
            sizes.append(path.stat().st_size)
    return sizes


def read_log(folder: Path, after: Position | None = None) -> Iterator[tuple[Path, Position | StoredRecord | TornTail]]:
    """The records of a log, after a position or all. The start of each segment and records passed over are positions.

    Only the last segment may end within a record.
    """
    position: Position | None = None
    begins = read_start(folder)
    if after is not None and after.record < begins.record:
        raise InputError(f"{folder} was trimmed, and begins after its snapshot: restore its snapshots from a copy.")
    paths = _segments_after(folder, 0 if after is None else after.record, begins.record + 1)
    for path in paths:
        content = path.read_bytes()
        start = read_head(path, content)
        before = begins if position is None and start.record == begins.record else position
        follows = before is None or (start.record, start.digest) == (before.record, before.digest)
        if not follows or start.record + 1 != first_record(path):
            raise InputError(f"{path} does not follow the records before it: restore the log from a copy.")
        yield path, (position := start)
        for found in read_records(path, content, start):
            if isinstance(found, StoredRecord):
                position = found.position
            elif path != paths[-1]:
                raise InputError(f"{path} ends within a record: restore the log from a copy.")
            yield path, _unless_before(path, found, after)
    if after is not None and (position is None or position.record < after.record):
        raise InputError(f"{folder} is shorter than its snapshot: restore the log from a copy.")


def _segments_after(folder: Path, record: int, first: int) -> list[Path]:
    """The segments from that with this record on, of a log that begins with the record `first`."""
    paths = segment_paths(folder)
    if not paths:
        raise InputError(f"{folder} holds no log: give the folder that serve was given with --log.")
    paths = [path for path in paths if first_record(path) >= first]  # others were being removed
    if not paths or first_record(paths[0]) != first:
        raise InputError(f"{folder} does not hold the first records of its log: restore the log from a copy.")
    return [path for k, path in enumerate(paths) if k + 1 == len(paths) or first_record(paths[k + 1]) > record]


def _unless_before(
    path: Path, found: StoredRecord | TornTail, after: Position | None
) -> Position | StoredRecord | TornTail:
    """What was found; of a record up to `after` only the position, which must agree."""
    if after is None or isinstance(found, TornTail) or found.position.record > after.record:
        return found
    if found.position.record == after.record and found.position.digest != after.digest:
        raise InputError(f"{path} is not the log that the snapshot was taken of: restore it from a copy.")
    return found.position


def _replayed(
    folder: Path, after: Position | None, apply: Callable[[Sequence[StoredRecord]], None]
) -> tuple[Position, Path, TornTail | None]:
    """Apply the records after a position. Returns the last position, its segment, and what is torn after it."""
    group: list[StoredRecord] = []
    last: tuple[Position, Path] | None = None
    torn = None
    for path, found in read_log(folder, after):
        if isinstance(found, TornTail):
            torn = found
            continue
        last = (found if isinstance(found, Position) else found.position), path
        group += [found] if isinstance(found, StoredRecord) else []
        if len(group) == APPLIED_TOGETHER:
            apply(group)
            group = []
    apply(group)
    assert last is not None  # a log has a segment, and a segment a beginning
    return *last, torn


def check_mark(folder: Path, record: int, digest: bytes, mark: tuple[int, bytes] | None = None) -> None:
    """Refuse a log that ends before the last record that was acknowledged; `mark` tells it if it was read before."""
    last, expected = mark or read_mark(folder / MARK_NAME)
    if record < last or (record == last and digest != expected):
        raise InputError(
            f"{folder} ends with record {record:,}, but record {last:,} was acknowledged: restore the log from a copy."
        )


def first_record(path: Path) -> int:
    return int(path.stem)


def lock_folder(folder: Path) -> BinaryIO:
    """Lock a log against other writers until the file returned is closed."""
    file = (folder / LOCK_NAME).open("wb")
    try:
        lock_file(file, wait=False)
    except BlockingIOError:
        file.close()
        raise InputError(f"another process serves {folder}: stop it first, or follow its log with --follow.") from None
    except OSError:
        pass  # a file system without locks
    return file


def sync_folder(folder: Path) -> None:
    """Flush the names of a folder's files, so that a new file survives a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _new_segment(folder: Path, first: int, before: bytes) -> Path:
    path = folder / f"{first:020d}{SUFFIX}"
    with atomic_write(path) as file:
        file.write(segment_head(first, before))
    sync_folder(folder)
    return path


def _truncate(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.truncate(size)
        file.flush()
        os.fsync(file.fileno())
