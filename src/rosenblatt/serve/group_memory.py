"""What a group of requests sees of earlier ones while it is taken: those of the log, and those of the group itself."""

from collections.abc import Mapping

from ..foundation.errors import InputError
from .log_records import Record
from .request_memory import RequestMemory, Taken, digest_of, truth_digest, truths_of


class AnotherTruth(InputError):
    """Feedback that contradicts what was learned for the same prediction. The text is one sentence."""


class GroupMemory:
    """The memory of requests, together with those of a group that is not committed yet."""

    def __init__(self, memory: RequestMemory, first: int) -> None:
        self._memory, self._number = memory, first
        self._keys: dict[str, Taken] = {}
        self._truths: dict[str, str] = {}  # digests of the classes of predictions that the group answers

    def add(self, record: Record) -> None:
        if record.key is not None:
            self._keys[record.key] = Taken(self._number, record.row_count, digest_of(record.rows))
        self._truths.update(truths_of(record))
        self._number += 1

    def taken(self, key: str | None, rows: bytes) -> Taken | None:
        """The earlier request with this key, if there was one. Other rows under the same key are refused."""
        found = None if key is None else self._keys.get(key, self._memory.keys.get(key))
        if found is not None and found.digest != digest_of(rows):
            raise InputError(f"The idempotency key {key!r} was used for another request: choose another key.")
        return found

    def unanswered(self, truths: Mapping[str, str]) -> dict[str, bytes]:
        """The rows of predictions by their ids, but for those whose truth has come.

        Ids that are unknown are refused, and so is another truth than the one that was learned.
        """
        predictions = self._memory.predictions
        unknown = next((name for name in truths if name not in predictions), None)
        if unknown is not None:
            raise InputError(f"There is no prediction {unknown!r}, or it is too old: send its row to /learn instead.")
        for name, truth in truths.items():
            digest = truth_digest(truth)
            if self._truths.get(name, self._memory.truths.get(name, digest)) != digest:
                raise AnotherTruth(f"The prediction {name!r} was learned with another class: it cannot be changed.")
        return {name: row for name in truths if name not in self._truths and (row := predictions[name]) is not None}
