"""Histories of many clients that learn, predict, reload and roll back at once are linear in the log."""

import itertools
import threading

import pytest
from linear_history import PREDICT, Operation, violations

from rosenblatt.serve.log_records import LEARN, MODEL
from rosenblatt.serve.log_writer import Busy, LogWriter
from rosenblatt.serve.row_formats import Rows
from rosenblatt.serve.service import Service


class Clients:
    """Clients of one service, each a thread, and what they were told."""

    def __init__(self, service, asked):
        self.service, self.asked, self.history = service, asked, []
        self._clock = itertools.count()  # of which each value is given once

    def learn(self, rows):
        for row in rows:
            content = self.service.published.schema.line(row, 1, True)
            self._write(LEARN, lambda row=row: self.service.learn(Rows([row]), None), lambda content=content: content)

    def reload(self, times):
        for _ in range(times):
            self._write(MODEL, self.service.reload, self.newest_model)

    def roll_back(self, versions):
        for version in versions:
            self._write(MODEL, lambda version=version: self.service.rollback(version), lambda v=version: v)

    def newest_model(self):
        return self.reloaded

    def _write(self, kind, submit, content):
        while True:
            begin = next(self._clock)
            try:
                answer = submit().result()
            except Busy:  # the model was replaced between the request and its turn
                continue
            self.history.append(Operation(kind, begin, next(self._clock), answer.record, content()))
            return

    def predict(self, done):
        """Predict while others write, and once after."""
        last = False
        while not last:
            last = done.wait(0.002)
            begin = next(self._clock)
            columns, published = self.service.predict(Rows([self.asked]), False)
            self.history.append(Operation(PREDICT, begin, next(self._clock), published.record, columns["score"][0]))


@pytest.fixture(scope="module")
def told(tmp_path_factory, model_path, new_rows):
    """A history, the folder of its log, and the row that was asked for."""
    folder = tmp_path_factory.mktemp("history") / "log"
    writer = LogWriter(folder, model_path, print)
    service = Service(writer, model=model_path)
    clients = Clients(service, {key: new_rows(1, 9)[0][key] for key in ("size", "colour")})
    clients.reloaded = writer.published.version
    clients.learn(new_rows(30, 8))
    kept = service.keep_version()
    threads = [threading.Thread(target=clients.learn, args=[new_rows(20, seed)]) for seed in range(4)]
    threads += [threading.Thread(target=clients.reload, args=[4])]
    threads += [threading.Thread(target=clients.roll_back, args=[[kept] * 4])]
    done = threading.Event()
    readers = [threading.Thread(target=clients.predict, args=[done]) for _ in range(3)]
    for thread in threads + readers:
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    batch = writer.published.arrow_batch([clients.asked])
    writer.close()
    return clients.history, folder, batch


def test_the_history_is_linear_in_the_log(told):
    history, folder, batch = told
    kinds = [one.kind for one in history]
    assert (kinds.count(LEARN), kinds.count(MODEL)) == (110, 8)
    assert len({one.record for one in history if one.kind == PREDICT}) > 5
    assert list(violations(history, folder, batch)) == []
    assert len({one.content for one in history if one.kind == MODEL}) == 2  # reloaded, and rolled back


def replaced(history, kind, **change):
    """A history in which one operation was told something else."""
    place = next(k for k, one in enumerate(history) if one.kind == kind and one.record > 35)
    new = {name: value(history[place]) for name, value in change.items()}
    return [*history[:place], history[place]._replace(**new), *history[place + 1 :]]


WRONG = {
    "a lost write": lambda some: replaced(some, LEARN, record=lambda one: 10_000),
    "a write of other rows": lambda some: replaced(some, LEARN, content=lambda one: b"{}\n"),
    "a write told the record of another": lambda some: replaced(some, LEARN, record=lambda one: one.record - 1),
    "another model": lambda some: replaced(some, MODEL, content=lambda one: "0" * 64),
    "another score": lambda some: replaced(some, PREDICT, content=lambda one: one.content + 1e-12),
    "a score of an older model": lambda some: replaced(some, PREDICT, record=lambda one: 1),
    "a stale prediction": lambda some: [
        *some,
        next(one for one in some if one.kind == PREDICT)._replace(begin=10**6, end=10**6 + 1),
    ],
    "a prediction of the future": lambda some: [
        *some,
        max((one for one in some if one.kind == PREDICT), key=lambda one: one.record)._replace(begin=-2, end=-1),
    ],
    "a row acknowledged twice": lambda some: [*some, next(one for one in some if one.kind == LEARN)],
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_history_is_found(wrong, told):
    history, folder, batch = told
    assert list(violations(WRONG[wrong](history), folder, batch))
