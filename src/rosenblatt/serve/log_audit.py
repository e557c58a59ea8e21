"""What a whole log holds, with every digest checked, and the rows learned in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..foundation.errors import InputError
from .acknowledged_mark import read_mark
from .log_records import LEARN, MODEL, Record
from .log_segment import FIRST_DIGEST, MAGIC, StoredRecord, TornTail, read_head, read_records
from .log_start import read_start
from .log_state import check_kept_model, model_path
from .write_ahead_log import MARK_NAME, SUFFIX, check_mark, is_log, read_log


class LogAudit(NamedTuple):
    """The figures of a sound log. `model` is the file that learning last started from, by record `model_record`.

    `removed` records were trimmed from its beginning; the others are counted.
    """

    segments: int
    removed: int
    records: int
    learned: int
    learned_since_model: int
    model: str | None
    model_record: int
    digest: str
    torn_bytes: int


def audit_log(place: Path) -> LogAudit:
    """Check a log, or one segment of it. Damage, and records or models that are missing, are refused."""
    paths: set[Path] = set()
    removed = read_start(place).record if is_log(place) else 0
    records = learned = since = model_record = torn = 0
    model, digest = None, FIRST_DIGEST
    mark = read_mark(place / MARK_NAME) if is_log(place) else None  # first, because a service may go on writing
    for path, found in read_place(place):
        paths.add(path)
        if isinstance(found, TornTail):
            torn = found.size
        if not isinstance(found, StoredRecord):
            continue
        record, records, digest = Record.unpacked(found.content), records + 1, found.position.digest
        if record.kind == MODEL:
            if place.is_dir() and record.model is not None:
                check_kept_model(place, record.model)
            model, model_record, since = record.model, found.position.record, 0
        elif record.kind == LEARN:
            learned, since = learned + record.row_count, since + record.row_count
    if mark is not None and removed + records <= mark[0]:
        check_mark(place, removed + records, digest, mark)
    shown = None if model is None else str(model_path(place if place.is_dir() else place.parent, model))
    return LogAudit(len(paths), removed, records, learned, since, shown, model_record, digest.hex(), torn)


def learned_rows(place: Path, after: int) -> Iterator[bytes]:
    """The rows of each record after a number that were learned, as JSON lines."""
    for _, found in read_place(place):
        if isinstance(found, StoredRecord) and found.position.record > after:
            record = Record.unpacked(found.content)
            if record.kind == LEARN:
                yield record.rows


def read_place(place: Path) -> Iterator[tuple[Path, object]]:
    """The records of a folder or of one segment."""
    if place.is_dir():
        yield from read_log(place)
        return
    content = place.read_bytes()
    if place.suffix != SUFFIX and not content.startswith(MAGIC):
        raise InputError(f"{place} is no log: give the folder that serve was given with --log, or a segment of it.")
    for found in read_records(place, content, read_head(place, content)):
        yield place, found
