"""Remove the segments of a log that its present model does not follow from.

Learning starts from a model, and the rows before that change nothing. So the segments that end before the record of the
last model can go. What the log remembers of earlier requests, their keys and predictions, is in the snapshots: one of
them must be as new as that record.
"""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..foundation.errors import InputError
from .log_audit import audit_log
from .log_segment import read_head
from .log_start import read_start, write_start
from .log_state import read_snapshot, snapshot_paths
from .write_ahead_log import first_record, segment_paths, sync_folder


class Trimmed(NamedTuple):
    """What was removed, and the first record that is left."""

    segments: int
    size: int
    first_record: int


def trim_log(folder: Path) -> Trimmed:
    """Check a log, and remove what its present model does not need. A service may go on writing the log."""
    model_record = audit_log(folder).model_record
    paths = segment_paths(folder)
    first = max((path for path in paths if first_record(path) <= model_record), key=first_record, default=paths[0])
    if first_record(first) > read_start(folder).record + 1:
        _check_snapshot(folder, model_record)
        write_start(folder, read_head(first, first.read_bytes()))
        sync_folder(folder)
    return _remove_before(folder, first_record(first))


def _check_snapshot(folder: Path, record: int) -> None:
    """Refuse to trim a log without a sound snapshot of this record or a later one."""
    for path in snapshot_paths(folder):
        if int(path.stem.partition("-")[0]) >= record:
            with suppress(InputError):
                read_snapshot(path)
                return
    raise InputError(
        f"{folder} has no snapshot of record {record:,} or later: start the service on it, then trim again."
    )


def _remove_before(folder: Path, record: int) -> Trimmed:
    """Remove the segments and snapshots before a record."""
    old = [path for path in segment_paths(folder) if first_record(path) < record]
    size = sum(path.stat().st_size for path in old)
    stale = [path for path in snapshot_paths(folder) if int(path.stem.partition("-")[0]) < record - 1]
    for path in [*stale, *old]:
        path.unlink(missing_ok=True)
    sync_folder(folder)
    return Trimmed(len(old), size, record)
