"""The learner and its log: the model is a function of the log, keys and truths count once, and histories are linear."""

import errno
import os
import random
import threading
from contextlib import suppress

import pytest

from rosenblatt.foundation import atomic_file
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import read, serialized
from rosenblatt.serve import request_memory, write_ahead_log
from rosenblatt.serve.group_memory import AnotherTruth
from rosenblatt.serve.log_audit import audit_log, learned_rows
from rosenblatt.serve.log_records import Record
from rosenblatt.serve.log_state import LogState, snapshot_paths, start_learner
from rosenblatt.serve.log_writer import Busy, Feedback, LogFailure, LogWriter
from rosenblatt.serve.model_provider import LogFollower
from rosenblatt.training.online.calibrate_learner import calibrate_learner
from rosenblatt.training.online.continued_model import request_of
from rosenblatt.training.online.endless_input import EndlessInput


@pytest.fixture
def opened(tmp_path, model_path):
    """Open writers of one log; all are closed at the end."""
    writers = []

    def open_writer(model=model_path):
        writers.append(LogWriter(tmp_path / "log", model, print))
        return writers[-1]

    yield open_writer
    for writer in writers:
        if not writer._closing:
            writer.close()


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


def test_the_model_has_the_bits_of_train_over_the_log_and_after_a_restart(opened, new_rows, model_path):
    writer, rows = opened(), new_rows(1200)
    futures = [writer.submit(learn_record(writer, [row])) for row in rows[:300]]
    futures.append(writer.submit(learn_record(writer, rows[300:])))
    assert [future.result().record for future in futures] == list(range(2, 303))
    served = serialized(writer.published.calibrated)
    writer.close()
    assert served == batch_model(model_path, b"".join(learned_rows(writer.folder, 0)))
    assert snapshot_paths(writer.folder)
    again = opened(None)
    assert serialized(again.published.calibrated) == served
    assert (again.published.rows, again.published.record) == (1200, 302)
    again.close()
    for path in snapshot_paths(writer.folder):  # without snapshots the whole log is replayed
        path.unlink()
    assert serialized(opened(None).published.calibrated) == served


def test_a_damaged_snapshot_is_passed_over(opened, new_rows, capsys):
    writer = opened()
    writer.submit(learn_record(writer, new_rows(900))).result()
    served = serialized(writer.published.calibrated)
    writer.close()
    newest = snapshot_paths(writer.folder)[-1]
    newest.write_bytes(newest.read_bytes()[:-1] + b"!")
    assert serialized(opened(None).published.calibrated) == served
    assert "an older snapshot is used" in capsys.readouterr().out


def test_a_key_counts_once_and_belongs_to_its_rows(opened, new_rows):
    writer, rows = opened(), new_rows(3)
    first = writer.submit(learn_record(writer, rows[:2], "k")).result()
    again = writer.submit(learn_record(writer, rows[:2], "k")).result()
    assert (first.record, first.rows, first.repeated) == (again.record, again.rows, False)
    assert again.repeated
    with pytest.raises(InputError, match="was used for another request"):
        writer.submit(learn_record(writer, rows[2:], "k")).result()
    writer.close()
    writer = opened(None)
    assert writer.submit(learn_record(writer, rows[:2], "k")).result().repeated
    assert writer.published.rows == 2


def test_the_same_key_twice_in_one_group_counts_once(opened, new_rows):
    writer, rows = opened(), new_rows(1)
    blocked, go = threading.Event(), threading.Event()
    take = writer._take
    writer._take = lambda group: (blocked.set(), go.wait(), take(group))
    first = writer.submit(learn_record(writer, rows))
    blocked.wait()
    same = [writer.submit(learn_record(writer, rows, "k")) for _ in range(3)]
    go.set()
    assert [future.result().repeated for future in [first, *same]] == [False, False, True, True]
    assert writer.commits == 3  # the model, the first request, and the group
    assert writer.published.rows == 2


def test_old_keys_are_forgotten(opened, new_rows, monkeypatch):
    monkeypatch.setattr(request_memory, "MAX_KEYS", 2)
    writer, rows = opened(), new_rows(1)
    for key in "abc":
        writer.submit(learn_record(writer, rows, key)).result()
    assert list(writer.state.memory.keys) == ["b", "c"]


def test_feedback_is_learned_once_also_after_a_restart(opened, new_rows, monkeypatch):
    writer, rows = opened(), new_rows(2)
    lines = b"".join(writer.published.schema.line(row, 1) for row in rows)
    remembered = writer.submit(Record("predict", lines)).result()
    names = [f"{remembered.record}-0", f"{remembered.record}-1"]
    writer.close()
    writer = opened(None)
    assert writer.submit(Feedback({names[0]: "large"})).result().rows == 1
    answer = writer.submit(Feedback({names[0]: "large", names[1]: "small"})).result()
    assert (answer.rows, answer.repeated) == (1, False)
    writer.close()
    writer = opened(None)
    assert writer.submit(Feedback({names[0]: "large", names[1]: "small"})).result().repeated
    with pytest.raises(AnotherTruth, match="was learned with another class"):
        writer.submit(Feedback(dict.fromkeys(names, "small"))).result()
    assert writer.published.rows == 2
    with pytest.raises(InputError, match="There is no prediction '99-0'"):
        writer.submit(Feedback({"99-0": "large"})).result()
    monkeypatch.setattr(request_memory, "MAX_PREDICTIONS", 2)
    writer.submit(Record("predict", lines)).result()
    assert len(writer.state.memory.predictions) == 2


def test_another_model_is_a_record_and_rows_for_the_old_one_are_refused(opened, new_rows, model_path):
    writer = opened()
    writer.submit(learn_record(writer, new_rows(40))).result()
    with pytest.raises(Busy, match="The model was replaced meanwhile"):
        writer.submit(learn_record(writer, new_rows(1)), version="another").result()
    writer.submit(writer.model_record(model_path)).result()
    assert writer.published.rows == 0
    last = writer.submit(learn_record(writer, new_rows(30, 5))).result()
    served = serialized(writer.published.calibrated)
    writer.close()
    audit = audit_log(writer.folder)
    assert (audit.learned, audit.learned_since_model, audit.model_record) == (70, 30, last.record - 1)
    assert served == batch_model(model_path, b"".join(learned_rows(writer.folder, audit.model_record)))
    assert serialized(opened(None).published.calibrated) == served


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


def test_a_follower_has_the_model_of_what_was_acknowledged(opened, new_rows):
    writer = opened()
    follower = LogFollower(writer.folder, print)
    try:
        assert follower.published.record == 1
        writer.submit(learn_record(writer, new_rows(700))).result()
        writer.submit(learn_record(writer, new_rows(5, 2))).result()
        follower.follow()
        assert (follower.published.record, follower.published.rows) == (3, 705)
        assert serialized(follower.published.calibrated) == serialized(writer.published.calibrated)
    finally:
        follower.close()


def test_a_log_without_a_model_is_refused(tmp_path, model_path):
    with pytest.raises(InputError, match="holds no log yet: give the model"):
        LogWriter(tmp_path / "none", None, print)
    assert not (tmp_path / "none").exists()
    with pytest.raises(InputError, match="does not exist"):
        LogWriter(tmp_path / "none", tmp_path / "missing", print)


def test_histories_of_many_clients_are_linear_in_the_log(opened, new_rows, model_path):
    """Each prediction is that of the model after some record acknowledged before its end and not before its start."""
    writer, asked = opened(), new_rows(1, 9)[0]
    history, answers, lock = [], [], threading.Lock()

    def learn(seed):
        for row in new_rows(25, seed):
            answer = writer.submit(learn_record(writer, [row])).result()
            with lock:
                answers.append((answer.record, row))

    def predict(seed):
        generator = random.Random(seed)
        for _ in range(40):
            with lock:
                least = max((record for record, _ in answers), default=1)
            published = writer.published
            score = published.score(published.batch([asked])).scores[0, 0]
            history.append((least, published.record, float(score)))
            threading.Event().wait(generator.random() / 500)

    threads = [threading.Thread(target=learn, args=[seed]) for seed in range(4)]
    threads += [threading.Thread(target=predict, args=[seed]) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers.sort(key=lambda each: each[0])
    assert [record for record, _ in answers] == list(range(2, 102))
    rows = [learn_record(writer, [row]).rows for _, row in answers]
    assert b"".join(learned_rows(writer.folder, 0)) == b"".join(rows)  # learned in the order of the log
    for least, record, score in {(0, record, score) for _, record, score in history} | set(history[::10]):
        assert record >= least
        model = read(model_path)
        endless = EndlessInput(request_of(model), start=model)
        endless.feed(b"".join(rows[: record - 1]))
        endless.end()
        after = endless.learner.model() if record > 1 else model
        batch = writer.published.arrow_batch([asked])
        assert float(after.table_scores(batch)[0, 0]) == score
    assert all(record >= least for least, record, _ in history)
