"""Rows for a log, and the model of a training over them."""

from rosenblatt.model.file import read, serialized
from rosenblatt.serve.log_records import Record
from rosenblatt.serve.log_state import start_learner
from rosenblatt.training.online.calibrate_learner import calibrate_learner
from rosenblatt.training.online.continued_model import request_of
from rosenblatt.training.online.endless_input import EndlessInput


def learn_record(writer, rows, key=None):
    schema = writer.published.schema
    return Record("learn", b"".join(schema.line(row, place, True) for place, row in enumerate(rows, 1)), key)


def batch_model(model_path, lines):
    """The model of `train - --continue` over the rows."""
    model = read(model_path)
    if not lines:
        return serialized(calibrate_learner(start_learner(model))[0])
    endless = EndlessInput(request_of(model), start=model)
    endless.feed(lines)
    endless.end()
    return serialized(endless.stream_outcome("end").model)
