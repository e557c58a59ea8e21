"""The records of the log: rows to learn, rows whose truth comes later, and the model that learning starts from.

A record is a line of JSON about it, then its rows as JSON lines. Rows to learn hold their class, so all that was ever
learned stands in the records as it was learned.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from ..foundation.errors import InputError

LEARN, PREDICT, MODEL = "learn", "predict", "model"


@dataclass(frozen=True)
class Record:
    """One record. `rows` are JSON lines, each with a newline at its end.

    >>> Record.unpacked(Record("learn", b'{"size":1,"kind":"a"}\\n', key="k1").packed()).key
    'k1'
    """

    kind: str
    rows: bytes = b""
    key: str | None = None  # the client's idempotency key
    answers: list[str] = field(default_factory=list)  # ids of the predictions whose truth the rows hold
    model: str | None = None  # the SHA-256 of the model file that learning starts from

    @property
    def row_count(self) -> int:
        return self.rows.count(b"\n")

    def packed(self) -> bytes:
        """The bytes of the record in the log."""
        about = {name: value for name, value in asdict(self).items() if name != "rows" and value}
        return json.dumps(about, separators=(",", ":")).encode() + b"\n" + self.rows

    @classmethod
    def unpacked(cls, content: bytes) -> "Record":
        """The record; an InputError if the bytes are none."""
        line, newline, rows = content.partition(b"\n")
        try:
            about: dict[str, Any] = json.loads(line)
            record = cls(rows=rows, **about)
        except (ValueError, TypeError, RecursionError):
            raise InputError("A record of the log is none that this version writes: upgrade rosenblatt.") from None
        if not newline or record.kind not in (LEARN, PREDICT, MODEL) or (rows and not rows.endswith(b"\n")):
            raise InputError("A record of the log is none that this version writes: upgrade rosenblatt.")
        return record
