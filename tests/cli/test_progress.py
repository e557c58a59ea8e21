"""Bars: what they say while work is under way, and when it is done."""

from types import SimpleNamespace

import pytest

from rosenblatt.cli.train import progress
from rosenblatt.engine.result import Progress
from rosenblatt.training.pass_times import PassTime, TimeEstimate


class Bars(list):
    """Stands for rich's: the last words of each bar."""

    def add_task(self, text, total):
        self.append(text)
        return len(self) - 1

    def update(self, task, description, **_):
        self[task] = description

    def stop_task(self, task):
        pass

    def stop(self):
        pass


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(value=0.0)
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now.value)
    monkeypatch.setattr(progress, "processor_seconds", lambda: now.value)
    return now


def test_bars_tell_what_is_left_and_finished_ones_what_it_took(clock, monkeypatch):
    bars = Bars()
    monkeypatch.setattr(progress.ProgressBar, "_start_bars", lambda _: bars)
    foreseen = TimeEstimate(PassTime(10.0, 10.0), PassTime(20.0, 20.0), training=6.0)
    source = SimpleNamespace(size=100 * 10**6, done=0, pass_number=1, passes=2, time_estimate=foreseen)
    with progress.ProgressBar(quiet=False) as bar:
        bar.silent = False
        for source.done in range(0, 101 * 10**6, 10**7):
            bar.show_reading(source)
            if source.done == 50 * 10**6:
                assert bars == ["50 MB read (pass 1 of 2), 10 MB/s, 31 s left"]
            clock.value += 1
        source.pass_number = 2
        for source.done in range(0, 101 * 10**6, 10**7):
            bar.show_reading(source)
            clock.value += 2
            if source.done == 20 * 10**6:
                assert bars == [
                    "100 MB read (pass 1 of 2) in 10 s",
                    "20 MB read (pass 2 of 2), 5 MB/s, 22 s left",
                ]
        bar.show_training(Progress(1.0, 4, None, 1.5))
        assert bars[1:] == ["100 MB read (pass 2 of 2) in 20 s", "epoch 1.0 of 4 at most, 4.5 s left; Ctrl-C stops"]
        bar.show_training(Progress(4.0, 4, 7.0, 6.0))
        assert bars[2] == "epoch 4.0 of 4 at most in 6.0 s, 7 mistakes; Ctrl-C stops"
