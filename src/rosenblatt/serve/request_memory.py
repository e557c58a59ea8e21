"""What the log remembers of requests: idempotency keys, and predictions whose truth may still come.

Both are bounded, by numbers that do not depend on time: the last 65,536 keys, and the last 65,536 predictions.
"""

import json
from collections import OrderedDict
from hashlib import blake2b
from typing import Any, NamedTuple

from .log_records import LEARN, PREDICT, Record

MAX_KEYS = 1 << 16
MAX_PREDICTIONS = 1 << 16
MAX_PREDICTION_BYTES = 1 << 28


class Taken(NamedTuple):
    """A request that was taken: the number of its record, how many rows it had, and a digest of them."""

    record: int
    rows: int
    digest: str


class RequestMemory:
    """The keys and predictions of a log up to some record.

    >>> memory = RequestMemory()
    >>> memory.add(1, Record("predict", b'{"size":1}\\n'))
    >>> memory.add(2, Record("learn", b'{"size":1,"kind":"a"}\\n', key="k", answers=["1-0"]))
    >>> memory.keys["k"].record, memory.predictions["1-0"]
    (2, None)
    """

    def __init__(self) -> None:
        self.keys: OrderedDict[str, Taken] = OrderedDict()
        self.predictions: OrderedDict[str, bytes | None] = OrderedDict()  # None: the truth has come
        self.truths: dict[str, str] = {}  # digests of the classes that came
        self._bytes = 0

    def add(self, number: int, record: Record) -> None:
        """Remember a record."""
        if record.key is not None:
            self.keys[record.key] = Taken(number, record.row_count, digest_of(record.rows))
            while len(self.keys) > MAX_KEYS:
                self.keys.popitem(last=False)
        if record.kind == PREDICT:
            for place, line in enumerate(record.rows.splitlines(keepends=True)):
                self.predictions[prediction_id(number, place)] = line
                self._bytes += len(line)
        if record.kind == LEARN:
            for answered in record.answers:
                self._bytes -= len(self.predictions.get(answered) or b"")
                self.predictions[answered] = None
            self.truths.update(truths_of(record))
        while len(self.predictions) > MAX_PREDICTIONS or self._bytes > MAX_PREDICTION_BYTES:
            name, forgotten = self.predictions.popitem(last=False)
            self.truths.pop(name, None)
            self._bytes -= len(forgotten or b"")

    def forget_predictions(self) -> None:
        """Forget all predictions, because their rows suit the model no longer."""
        self.predictions.clear()
        self.truths.clear()
        self._bytes = 0

    def to_tree(self) -> dict[str, Any]:
        """All of it, for `state_file`."""
        return {
            "keys": [[key, *taken] for key, taken in self.keys.items()],
            "predictions": [[name, None if line is None else line.decode()] for name, line in self.predictions.items()],
            "truths": list(map(list, self.truths.items())),
        }

    @classmethod
    def from_tree(cls, tree: dict[str, Any]) -> "RequestMemory":
        memory = cls()
        memory.keys.update((key, Taken(*taken)) for key, *taken in tree["keys"])
        for name, line in tree["predictions"]:
            memory.predictions[name] = None if line is None else line.encode()
            memory._bytes += len(memory.predictions[name] or b"")
        memory.truths.update(tree.get("truths", []))  # snapshots of older versions have none
        return memory


def prediction_id(record: int, place: int) -> str:
    """The id of a remembered prediction: its record, and its place there from 0."""
    return f"{record}-{place}"


def truths_of(record: Record) -> dict[str, str]:
    """The digests of the classes that a record gives to earlier predictions: the last member of each of its rows."""
    lines = record.rows.splitlines() if record.answers else []
    labels = [[*json.loads(line).values()][-1] for line in lines]
    return {name: truth_digest(label) for name, label in zip(record.answers, labels, strict=True)}


def truth_digest(label: str) -> str:
    return digest_of(label.encode("utf-8", "surrogatepass"))


def digest_of(rows: bytes) -> str:
    return blake2b(rows, digest_size=8).hexdigest()
