"""The learner and its log: the model is a function of the log, keys and truths count once, and histories are linear."""

import random
import threading

import pytest
from log_rows import batch_model, learn_record

from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import read, serialized
from rosenblatt.serve import request_memory
from rosenblatt.serve.group_memory import AnotherTruth
from rosenblatt.serve.log_audit import audit_log, learned_rows
from rosenblatt.serve.log_records import Record
from rosenblatt.serve.log_state import snapshot_paths
from rosenblatt.serve.log_writer import Busy, Feedback, LogWriter
from rosenblatt.serve.model_provider import LogFollower
from rosenblatt.training.online.continued_model import request_of
from rosenblatt.training.online.endless_input import EndlessInput


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
