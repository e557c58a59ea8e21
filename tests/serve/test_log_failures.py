"""Rows, disks and calls that fail: the log holds what was acknowledged, once, and the model is that of the log."""

import errno
import os
from contextlib import suppress

import pytest
from log_rows import batch_model, learn_record

from rosenblatt.foundation import atomic_file
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import serialized
from rosenblatt.serve import write_ahead_log
from rosenblatt.serve.log_audit import audit_log, learned_rows
from rosenblatt.serve.log_state import LogState
from rosenblatt.serve.log_writer import LogFailure, LogWriter


def test_rows_that_fail_in_the_learner_are_refused_alone(opened, new_rows, monkeypatch):
    """The learner is made to fail at one row, as an overflow would: the others of its group are learned."""
    writer, rows = opened(), new_rows(12)
    real = LogState._learn_lines

    def fail_at_777(state, lines):
        if any(b"777" in line for line in lines):
            real(state, lines[:1])
            raise InputError("sums overflow.")
        return real(state, lines)

    monkeypatch.setattr(LogState, "_learn_lines", fail_at_777)
    futures = [writer.submit(learn_record(writer, [row])) for row in [*rows[:6], {**rows[0], "size": 777}, *rows[6:]]]
    outcomes = [future.exception() for future in futures]
    assert [str(error) for error in outcomes if error is not None] == ["sums overflow."]
    assert outcomes[6] is not None
    assert writer.published.rows == 12
    assert b"".join(learned_rows(writer.folder, 0)) == b"".join(learn_record(writer, [row]).rows for row in rows)


def test_a_full_disk_refuses_the_group_and_learning_goes_on_later(opened, new_rows, model_path, monkeypatch):
    writer, rows = opened(), new_rows(9)
    writer.submit(learn_record(writer, rows[:4])).result()
    before = serialized(writer.published.calibrated)

    def fail(file, content, place):
        if len(content) > 40:  # a record, not the mark
            raise OSError(errno.ENOSPC, "No space left on device")
        return len(content)

    monkeypatch.setattr(os, "pwrite", fail)
    with pytest.raises(LogFailure, match=r"No space left on device.*nothing of this request was learned"):
        writer.submit(learn_record(writer, rows[4:8])).result()
    monkeypatch.undo()
    assert serialized(writer.published.calibrated) == before
    writer.submit(learn_record(writer, rows[8:])).result()
    lines = b"".join(learn_record(writer, [row]).rows for row in [*rows[:4], rows[8]])
    assert serialized(writer.published.calibrated) == batch_model(model_path, lines)


def test_after_a_failed_flush_learning_stops_and_the_model_stays(opened, new_rows, monkeypatch):
    writer, rows = opened(), new_rows(5)
    writer.submit(learn_record(writer, rows[:2])).result()
    before = writer.published

    def fail(file):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(LogFailure, match="Learning has stopped"):
        writer.submit(learn_record(writer, rows[2:3])).result()
    monkeypatch.undo()
    assert writer.published is before
    with pytest.raises(LogFailure, match="Learning has stopped"):
        writer.submit(learn_record(writer, rows[3:4]))
    writer.close()
    assert opened(None).published.rows in (2, 3)  # nobody was told of the third


class FailingFile:
    """A file whose writes are those of a function."""

    def __init__(self, file, write):
        self.file, self.writes = file, write

    def __enter__(self):
        self.file.__enter__()
        return self

    def __exit__(self, *error):
        return self.file.__exit__(*error)

    def write(self, content):
        return self.writes(self.file, content)

    def __getattr__(self, name):
        return getattr(self.file, name)


def replace_call(monkeypatch, call, function):
    """Let each call of a kind be another function's; "write" are those into models, snapshots and new segments."""
    if call == "write":
        opened = atomic_file.open_temporary_file
        monkeypatch.setattr(atomic_file, "open_temporary_file", lambda path: FailingFile(opened(path), function))
    else:
        monkeypatch.setattr(os, call, function)


@pytest.mark.parametrize("call", ["write", "pwrite", "fsync", "replace", "ftruncate"])
def test_whichever_call_fails_the_log_holds_what_was_acknowledged_once(
    call, new_rows, model_path, tmp_path, monkeypatch
):
    """Every call of a kind fails in turn: while the log is created, learned to, cut into segments, and snapshotted,
    and while a model is kept and learning starts from it again."""
    monkeypatch.setattr(write_ahead_log, "MAX_SEGMENT_BYTES", 20_000)
    real = (lambda file, content: file.write(content)) if call == "write" else getattr(os, call)
    rows, at, failed = new_rows(520), 0, True
    while failed:
        at, failed, counted = at + 1, False, [0]

        def fail(*given, at=at, counted=counted):
            counted[0] += 1
            if counted[0] == at:
                raise OSError(errno.EIO, "Input/output error")
            return real(*given)

        folder, acknowledged = tmp_path / f"{call}{at}", []
        with monkeypatch.context() as patch, suppress(OSError):
            replace_call(patch, call, fail)
            writer = LogWriter(folder, model_path, lambda text: None)
            for k in (0, 100, 200, 300, 400):
                try:
                    if k == 100:
                        writer.submit(writer.model_record(model_path)).result()
                    writer.submit(learn_record(writer, rows[k : k + 100], f"k{k}")).result()
                    acknowledged.append(k)
                except (LogFailure, OSError):
                    pass
            writer.close()
        failed = counted[0] >= at
        again = LogWriter(folder, model_path, lambda text: None)
        audit = audit_log(folder)
        lines = b"".join(learned_rows(folder, 0)).splitlines()
        since = b"".join(learned_rows(folder, audit.model_record))
        told = [learn_record(again, rows[k : k + 100]).rows.splitlines() for k in acknowledged]
        assert all(lines.count(line) == 1 for each in told for line in each)
        assert serialized(again.published.calibrated) == batch_model(model_path, since)
        for k in acknowledged:
            assert again.submit(learn_record(again, rows[k : k + 100], f"k{k}")).result().repeated
        again.close()
    assert at > (1 if call == "ftruncate" else 3) - (call == "ftruncate")
