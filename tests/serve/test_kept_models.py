"""The models beside a log: each is the one that its name tells, and predictions are forgotten with another target."""

import pytest

from rosenblatt import fit
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import save
from rosenblatt.serve.log_audit import audit_log
from rosenblatt.serve.log_records import Record
from rosenblatt.serve.log_state import model_path as kept_path
from rosenblatt.serve.log_state import snapshot_paths
from rosenblatt.serve.log_writer import Feedback, LogWriter
from rosenblatt.serve.request_memory import RequestMemory
from rosenblatt.serve.service import Service


@pytest.fixture
def opened(tmp_path, model_path):
    writers = []

    def open_writer():
        writers.append(LogWriter(tmp_path / "log", model_path, print))
        return writers[-1]

    yield open_writer
    for writer in writers:
        if not writer._closing:
            writer.close()


def learn(writer, rows):
    lines = b"".join(writer.published.schema.line(row, 1, True) for row in rows)
    return writer.submit(Record("learn", lines)).result()


def damage(path):
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))


@pytest.mark.parametrize("snapshots", [False, True])
@pytest.mark.parametrize(("harm", "words"), [(damage, "was changed"), (lambda path: path.unlink(), "is missing")])
def test_a_changed_or_missing_model_is_refused_at_the_start_and_by_verify(opened, new_rows, snapshots, harm, words):
    writer = opened()
    learn(writer, new_rows(3))
    writer.close()
    for path in [] if snapshots else snapshot_paths(writer.folder):
        path.unlink()
    harm(kept_path(writer.folder, writer.published.version))
    for refused in (opened, lambda: audit_log(writer.folder)):
        with pytest.raises(InputError, match=f"{words}.*restore it from a copy"):
            refused()


def test_a_changed_version_is_not_gone_back_to_and_is_written_again(opened, new_rows):
    writer = opened()
    learn(writer, new_rows(30))
    service = Service(writer)
    kept = service.keep_version()
    damage(kept_path(writer.folder, kept))
    with pytest.raises(InputError, match="was changed"):
        service.rollback(kept)
    assert service.keep_version() == kept
    service.rollback(kept).result()
    assert writer.published.version == kept


def test_predictions_are_forgotten_when_the_target_is_another(opened, new_rows, tmp_path):
    rows = [{**row, "kind": row["colour"], "class": row["kind"]} for row in new_rows(300)]
    columns = {name: [row[name] for row in rows] for name in ("size", "colour", "class")}
    save(fit(columns, target="class", algorithm="averaged"), tmp_path / "another.safetensors")
    writer = opened()
    remembered = writer.submit(Record("predict", writer.published.schema.line(new_rows(1)[0], 1))).result()
    writer.submit(writer.model_record(tmp_path / "another.safetensors")).result()
    assert writer.published.schema.columns.keys() == {"size", "colour"}
    with pytest.raises(InputError, match="There is no prediction"):
        writer.submit(Feedback({f"{remembered.record}-0": "large"})).result()


def test_forgotten_predictions_take_no_bytes():
    memory = RequestMemory()
    memory.add(1, Record("predict", b'{"size":1}\n'))
    memory.forget_predictions()
    memory.add(2, Record("predict", b'{"size":12}\n'))
    assert memory._bytes == RequestMemory.from_tree(memory.to_tree())._bytes == 12
