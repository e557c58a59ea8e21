"""Failures around a commit: an answered request is not taken again, and the learner's thread never dies silently."""

import threading

import pytest

from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import serialized
from rosenblatt.serve import model_provider
from rosenblatt.serve.log_audit import audit_log
from rosenblatt.serve.log_records import Record
from rosenblatt.serve.log_state import LogState
from rosenblatt.serve.log_writer import Busy, LogFailure, LogWriter
from rosenblatt.serve.model_provider import LogFollower
from rosenblatt.serve.published_model import PublishedModel


@pytest.fixture
def writer(tmp_path, model_path):
    writer = LogWriter(tmp_path / "log", model_path, print)
    yield writer
    if not writer._closing:
        writer.close()


def record_of(writer, rows):
    return Record("learn", b"".join(writer.published.schema.line(row, 1, True) for row in rows))


def submit_together(writer, requests):
    """Submit requests that are taken as one group."""
    blocked, go, take = threading.Event(), threading.Event(), writer._take
    writer._take = lambda group: (blocked.set(), go.wait(), take(group))
    first = writer.submit(Record("predict", b""))
    blocked.wait()
    writer._take = take
    futures = [writer.submit(*each) for each in requests]
    go.set()
    first.result()
    return futures


def fail_once(monkeypatch, owner, name, error):
    real, calls = getattr(owner, name), []

    def fail(*given):
        calls.append(given)
        if len(calls) == 1:
            raise error
        return real(*given)

    monkeypatch.setattr(owner, name, fail)
    return calls


def test_a_request_that_was_refused_is_not_taken_again(writer, new_rows, monkeypatch):
    rows, present = new_rows(2), writer.published.version
    missing = Record("model", model="0" * 64)  # the group fails as a whole
    futures = submit_together(
        writer, [(missing,), (record_of(writer, rows[:1]), present), (record_of(writer, rows[1:]), None)]
    )
    assert isinstance(futures[1].exception(), Busy)
    assert futures[2].result().rows == 1
    assert writer.published.rows == 1


def test_what_was_committed_is_answered_once_although_publishing_fails(writer, new_rows, monkeypatch):
    rows = new_rows(4)
    calls = fail_once(monkeypatch, PublishedModel, "of", MemoryError())
    futures = submit_together(writer, [(record_of(writer, rows[:3]),), (record_of(writer, rows[3:]),)])
    assert [future.result().rows for future in futures] == [3, 1]
    assert len(calls) == 2
    assert writer.published.rows == 4
    assert audit_log(writer.folder).learned == 4


def test_a_message_that_cannot_be_printed_does_not_end_the_learner(tmp_path, model_path, new_rows, monkeypatch):
    def tell(text):
        raise BrokenPipeError

    writer = LogWriter(tmp_path / "log", model_path, tell)
    fail_once(monkeypatch, LogState, "_learn_lines", RuntimeError("unforeseen"))
    with pytest.raises(InputError, match="the learner failed at them"):
        writer.submit(record_of(writer, new_rows(2))).result(60)
    assert writer.submit(record_of(writer, new_rows(2))).result(60).rows == 2
    writer.close()


def test_an_unforeseen_error_stops_learning_and_refuses_what_waits(writer, new_rows):
    def fail(group):
        raise SystemExit("unforeseen")

    writer._take = fail
    with pytest.raises(LogFailure, match="unforeseen"):
        writer.submit(record_of(writer, new_rows(1))).result(60)
    with pytest.raises(LogFailure, match="Learning has stopped"):
        writer.submit(record_of(writer, new_rows(1)))


def test_a_follower_goes_on_after_a_failure_and_applies_nothing_twice(writer, new_rows, monkeypatch):
    monkeypatch.setattr(model_provider, "FOLLOW_SECONDS", 0.001)
    follower = LogFollower(writer.folder, print)
    failed, real = threading.Event(), LogState._learn_lines

    def fail(state, lines):
        count = real(state, lines)
        if state is not writer.state and not failed.is_set():
            failed.set()
            raise RuntimeError("unforeseen")
        return count

    monkeypatch.setattr(LogState, "_learn_lines", fail)
    writer.submit(record_of(writer, new_rows(50))).result()
    assert failed.wait(60)
    follower.close()
    follower.follow()
    assert follower.published.rows == 50
    assert serialized(follower.published.calibrated) == serialized(writer.published.calibrated)
