"""Where a log begins: with record 1, or after the records that `rosenblatt log trim` removed.

The file `trimmed` names the last record removed and its digest. It is written before anything is removed, so that a log
whose trimming was interrupted is read as one that was trimmed.
"""

import json
from pathlib import Path

from ..foundation.atomic_file import atomic_write
from ..foundation.errors import InputError
from .log_segment import FIRST_DIGEST, Position

START_NAME = "trimmed"


def read_start(folder: Path) -> Position:
    """The position before the first record of a log."""
    path = folder / START_NAME
    try:
        found = json.loads(path.read_bytes())
        return Position(int(found["record"]), bytes.fromhex(found["digest"]), 0)
    except FileNotFoundError:
        return Position(0, FIRST_DIGEST, 0)
    except (ValueError, TypeError, KeyError):
        raise InputError(f"{path} is damaged: restore the log from a copy.") from None


def write_start(folder: Path, position: Position) -> None:
    """Let a log begin after a position."""
    with atomic_write(folder / START_NAME) as file:
        file.write(json.dumps({"record": position.record, "digest": position.digest.hex()}).encode() + b"\n")
