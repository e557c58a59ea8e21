"""A checker of histories: whether what concurrent clients were told agrees with one order, that of the log.

Each operation has the moments of its begin and end. A history is linear in the log if every write is the record that it
was told, every prediction is that of the model after the record that it names, and an operation that ended before
another began comes before it in the log.
"""

from typing import NamedTuple

from rosenblatt.model.file import read
from rosenblatt.serve.log_audit import read_place
from rosenblatt.serve.log_records import LEARN, MODEL, Record
from rosenblatt.serve.log_segment import StoredRecord
from rosenblatt.serve.log_state import model_path
from rosenblatt.training.online.continued_model import request_of
from rosenblatt.training.online.endless_input import EndlessInput

PREDICT = "predict"


class Operation(NamedTuple):
    """What a client did and was told: the content is the rows learned, the model's name, or the score predicted."""

    kind: str
    begin: int
    end: int
    record: int
    content: object


def log_records(folder):
    """The records of a log by their numbers."""
    found = [each for _, each in read_place(folder) if isinstance(each, StoredRecord)]
    return {each.position.record: Record.unpacked(each.content) for each in found}


def model_after(folder, records, number):
    """The model after a record, by a training over the rows since the model that it started from."""
    first = max(k for k, record in records.items() if record.kind == MODEL and k <= number)
    rows = [records[k].rows for k in range(first + 1, number + 1) if records[k].kind == LEARN]
    model = read(model_path(folder, records[first].model))
    if not rows:
        return model
    endless = EndlessInput(request_of(model), start=model)
    endless.feed(b"".join(rows))
    endless.end()
    return endless.learner.model()


def violations(history, folder, batch):
    """Why a history is not linear in the log of a folder; `batch` holds the row that every prediction asked for."""
    records, scores = log_records(folder), {}
    for one in history:
        if one.record not in records:
            yield f"record {one.record} is not in the log"
        elif one.kind == PREDICT:
            if one.record not in scores:
                scores[one.record] = float(model_after(folder, records, one.record).table_scores(batch)[0, 0])
            if scores[one.record] != one.content:
                yield f"a prediction is not that of the model after record {one.record}"
        elif one.content != (records[one.record].rows if one.kind == LEARN else records[one.record].model):
            yield f"record {one.record} holds something else than was acknowledged"
    told = [one.record for one in history if one.kind != PREDICT]
    if len(set(told)) < len(told):
        yield "a record was acknowledged twice"
    for early in history:
        for late in history:
            if early.end < late.begin and not _in_order(early, late):
                yield f"{late.kind} of record {late.record} began after {early.kind} of record {early.record} had ended"


def _in_order(early, late):
    """A write adds a record of its own; a prediction may see the record that an earlier operation saw."""
    return early.record < late.record if late.kind != PREDICT else early.record <= late.record
