"""The folder of a log: what is no log, or only the rest of one, is refused in a sentence."""

import shutil

import pytest

from rosenblatt.foundation.errors import InputError
from rosenblatt.serve import log_audit
from rosenblatt.serve.log_audit import audit_log
from rosenblatt.serve.log_records import Record
from rosenblatt.serve.log_state import snapshot_paths
from rosenblatt.serve.log_writer import LogFailure, LogWriter
from rosenblatt.serve.model_provider import LogFollower
from rosenblatt.serve.write_ahead_log import WriteAheadLog, lock_folder, segment_paths


@pytest.fixture
def folder(tmp_path, model_path, new_rows):
    """A log with a snapshot."""
    writer = LogWriter(tmp_path / "log", model_path, print)
    lines = b"".join(writer.published.schema.line(row, 1, True) for row in new_rows(900))
    writer.submit(Record("learn", lines)).result()
    writer.close()
    return writer.folder


@pytest.mark.parametrize("kept", ["acknowledged", "snapshots", "models", "trimmed"])
def test_a_log_without_its_segments_is_refused_and_left_as_it_is(folder, model_path, kept):
    for path in segment_paths(folder):
        path.unlink()
    (folder / "trimmed").write_text("{}")
    for name in {"acknowledged", "snapshots", "models", "trimmed"} - {kept}:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    mark = folder / "acknowledged"
    before = mark.read_bytes() if mark.exists() else None
    with pytest.raises(InputError, match="records are gone: restore the log from a copy"):
        LogWriter(folder, model_path, print)
    assert (mark.read_bytes() if mark.exists() else None) == before
    assert not segment_paths(folder)


def test_a_log_whose_creation_was_cut_off_is_created(tmp_path, model_path):
    (tmp_path / "acknowledged").write_bytes(b"")
    writer = LogWriter(tmp_path, model_path, print)
    writer.close()
    assert audit_log(tmp_path).records == 1


def test_a_log_can_be_verified_while_it_is_written(folder, monkeypatch):
    """A record that is acknowledged while the log is read is not missed."""
    real, log = log_audit.read_log, WriteAheadLog.open(folder, None, lambda some: None, print)

    def read_and_go_on(place):
        yield from real(place)
        log.commit([Record("predict", b"{}\n").packed()])

    monkeypatch.setattr(log_audit, "read_log", read_and_go_on)
    try:
        assert audit_log(folder).records == 2
    finally:
        log.close()


def test_the_folder_is_locked_before_it_is_read(folder, model_path):
    for path in segment_paths(folder):
        path.unlink()  # a process that has the lock may be creating them
    lock = lock_folder(folder)
    with pytest.raises(InputError, match="another process serves"):
        LogWriter(folder, model_path, print)
    lock.close()


def test_a_file_that_is_not_named_as_a_snapshot_is_left_alone(folder, model_path):
    found = snapshot_paths(folder)
    stranger = found[0].with_name("x" + found[0].name)
    stranger.write_bytes(b"anything")
    assert snapshot_paths(folder) == found
    LogWriter(folder, model_path, print).close()
    assert stranger.exists()


def test_what_is_no_log_is_called_so(tmp_path, model_path):
    for place in (tmp_path / "nonexistent", tmp_path):
        with pytest.raises(InputError, match="holds no log: give the folder"):
            LogFollower(place, print)
    with pytest.raises(InputError, match="is no log: give the folder"):
        audit_log(model_path)


@pytest.mark.parametrize("gone", ["", "lock", "acknowledged", "00000000000000000001.log"])
def test_a_removed_file_stops_learning_before_anything_more_is_acknowledged(tmp_path, model_path, new_rows, gone):
    """A removed file takes writes, and its lock keeps nobody out."""
    writer = LogWriter(tmp_path / "log", model_path, print)
    line = writer.published.schema.line(new_rows(1)[0], 1, True)
    assert writer.submit(Record("learn", line)).result().record == 2
    shutil.rmtree(writer.folder) if not gone else (writer.folder / gone).unlink()
    with pytest.raises(LogFailure, match="was removed"):
        writer.submit(Record("learn", line)).result()
    assert "was removed" in writer.failure
    assert writer.published.rows == 1
    with pytest.raises(LogFailure):
        writer.submit(Record("learn", line)).result()
    writer.close()
