"""A trimmed log: what the present model follows from stays, and nothing else is claimed."""

import json
import os
from contextlib import suppress
from hashlib import sha256

import pytest
from typer.testing import CliRunner

from rosenblatt.cli.app import app
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import read, serialized
from rosenblatt.serve.log_audit import audit_log, learned_rows
from rosenblatt.serve.log_records import Record
from rosenblatt.serve.log_start import START_NAME
from rosenblatt.serve.log_state import keep_model, snapshot_paths
from rosenblatt.serve.log_writer import LogWriter
from rosenblatt.serve.model_provider import LogFollower
from rosenblatt.serve.trim_log import trim_log
from rosenblatt.serve.write_ahead_log import segment_paths
from rosenblatt.training.online.continued_model import request_of
from rosenblatt.training.online.endless_input import EndlessInput


def open_writer(folder, model=None):
    return LogWriter(folder, model, print)


def learn(writer, rows, key=None):
    lines = b"".join(writer.published.schema.line(row, place, True) for place, row in enumerate(rows, 1))
    return writer.submit(Record("learn", lines, key)).result()


def go_back(writer):
    """Keep the present model, and start from it."""
    content = serialized(writer.published.calibrated)
    digest = sha256(content).hexdigest()
    keep_model(writer.folder, content, digest)
    return writer.submit(Record("model", model=digest)).result().record


def trained_over(folder):
    """The model of a training over the rows that the log exports."""
    audit = audit_log(folder)
    model = read(audit.model)
    endless = EndlessInput(request_of(model), start=model)
    for rows in learned_rows(folder, audit.model_record):
        endless.feed(rows)
    endless.end()
    return serialized(endless.stream_outcome("end").model)


def call(action, place, *options):
    return CliRunner().invoke(app, ["log", action, str(place), *options], catch_exceptions=False)


@pytest.fixture
def grown(tmp_path, model_path, new_rows):
    """A closed log of three models, of which the last has learned rows; and the model that it served."""
    writer, rows = open_writer(tmp_path / "log", model_path), new_rows(900)
    learn(writer, rows[:500], "first")
    go_back(writer)
    learn(writer, rows[500:600], "second")
    go_back(writer)
    learn(writer, rows[600:], "third")
    served = serialized(writer.published.calibrated)
    writer.close()
    return writer.folder, served


def test_a_trimmed_log_gives_the_same_model_and_remembers_its_keys(grown, new_rows):
    folder, served = grown
    before = audit_log(folder)
    done = trim_log(folder)
    assert (done.segments, done.first_record, len(segment_paths(folder))) == (2, before.model_record, 1)
    audit = audit_log(folder)
    assert (audit.removed, audit.removed + audit.records) == (before.model_record - 1, before.records)
    assert (audit.digest, audit.learned, audit.model) == (before.digest, 300, before.model)
    assert trained_over(folder) == served
    writer = open_writer(folder)
    assert serialized(writer.published.calibrated) == served
    assert learn(writer, new_rows(900)[:500], "first").repeated
    assert learn(writer, new_rows(900)[600:], "third").repeated
    learn(writer, new_rows(3, 2))
    served = serialized(writer.published.calibrated)
    writer.close()
    assert trained_over(folder) == served


def test_an_interrupted_trimming_leaves_a_log_that_can_be_trimmed(grown, monkeypatch):
    folder, served = grown
    unlink, failed, left, done = os.unlink, 0, [0], None

    def unlink_one(path, *args, **kwargs):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(5, "Input/output error")
        return unlink(path, *args, **kwargs)

    while done is None:
        left[0] = 1
        with monkeypatch.context() as patched, suppress(OSError):
            patched.setattr(os, "unlink", unlink_one)
            done = trim_log(folder)
        failed += done is None
        assert audit_log(folder).removed == 4
        writer = open_writer(folder)
        assert serialized(writer.published.calibrated) == served
        writer.close()
    assert failed > 2
    assert (len(segment_paths(folder)), audit_log(folder).records) == (1, 2)


def test_a_log_is_not_trimmed_beyond_its_snapshots(grown):
    folder, served = grown
    for path in snapshot_paths(folder):
        path.unlink()
    with pytest.raises(InputError, match="no snapshot of record 5 or later"):
        trim_log(folder)
    writer = open_writer(folder)  # the whole log is still there
    assert serialized(writer.published.calibrated) == served
    writer.close()


def test_a_trimmed_log_without_snapshots_is_refused(grown):
    """Its rows would give the model, but not the keys of earlier requests."""
    folder, _ = grown
    trim_log(folder)
    for path in snapshot_paths(folder):
        path.unlink()
    with pytest.raises(InputError, match="was trimmed and has no sound snapshot"):
        open_writer(folder)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"record": 1}', b'{"record": 3, "digest": "00"}'])
def test_a_damaged_beginning_is_refused(grown, content):
    folder, _ = grown
    trim_log(folder)
    (folder / START_NAME).write_bytes(content)
    with pytest.raises(InputError, match="restore the log from a copy"):
        audit_log(folder)


def test_a_missing_beginning_is_refused(grown):
    folder, _ = grown
    trim_log(folder)
    (folder / START_NAME).unlink()
    with pytest.raises(InputError, match="does not hold the first records"):
        open_writer(folder)


def test_another_digest_before_the_first_record_is_refused(grown):
    folder, _ = grown
    trim_log(folder)
    found = json.loads((folder / START_NAME).read_bytes())
    (folder / START_NAME).write_text(json.dumps({**found, "digest": "00" * 16}))
    with pytest.raises(InputError, match="does not follow the records before it"):
        audit_log(folder)


def test_a_service_and_a_replica_go_on_while_their_log_is_trimmed(tmp_path, model_path, new_rows):
    writer, rows = open_writer(tmp_path / "log", model_path), new_rows(60)
    learn(writer, rows[:20])
    follower = LogFollower(writer.folder, print)
    follower._stopped.set()
    follower._thread.join()  # the test follows by itself
    learn(writer, rows[20:30])
    go_back(writer)
    learn(writer, rows[30:40])
    assert trim_log(writer.folder).segments == 1
    learn(writer, rows[40:])
    follower.follow()  # it had not read all that was removed
    assert (follower.published.record, follower.published.rows) == (writer.published.record, 30)
    assert serialized(follower.published.calibrated) == serialized(writer.published.calibrated)
    assert writer.log.size() == sum(path.stat().st_size for path in segment_paths(writer.folder))
    writer.close()


def test_the_command_says_what_it_removed(grown):
    folder, _ = grown
    done = call("trim", folder)
    assert (done.exit_code, "2 segments of" in done.stdout) == (0, True)
    assert json.loads(call("trim", folder, "--json").stdout) == {"segments": 0, "size": 0, "first_record": 5}
    verdict = call("verify", folder)
    assert (verdict.exit_code, "the log was trimmed: it begins with record 5" in verdict.stderr) == (0, True)
    refused = call("trim", segment_paths(folder)[0])
    assert (refused.exit_code, "give its folder" in refused.stderr) == (2, True)
