"""The time left: what was foreseen, corrected by what is seen."""

from types import SimpleNamespace

import pytest

from rosenblatt.cli.train.time_left import Forecast
from rosenblatt.engine.result import Progress
from rosenblatt.training.pass_times import PassTime, TimeEstimate

SIZE = 1000
TRIED = TimeEstimate(first=PassTime(10.0, 20.0), second=PassTime(15.0, 30.0), before=0.5, training=8.0, after=1.0)


def run(first, second, training, before=0.5, after=1.0, epochs=5, slower=(1.0, 1.0)):
    """Every forecast of a run, beside what is left; in each pass the processor is so much slower than foreseen."""
    forecast, clock, busy, found = Forecast(), 0.0, 0.0, []
    whole = first + second + before + training + after
    source = SimpleNamespace(size=SIZE, passes=2, time_estimate=TRIED)
    for source.pass_number, seconds, foreseen, times in (
        (1, first, TRIED.first, slower[0]),
        (2, second, TRIED.second, slower[1]),
    ):
        for step in range(101):
            now = clock + seconds * step / 100
            source.done = SIZE * step // 100
            left = forecast.reading_left(source, now, busy + times * foreseen.busy * step / 100)
            found.append((now, left, whole - now))
        clock += seconds
        busy += times * foreseen.busy
    clock += before
    for step in range(101):
        now = training * step / 100
        progress = Progress(epochs * step / 100, epochs, None, now)
        found.append((clock + now, forecast.training_left(progress), whole - clock - now))
    return [(told, true) for now, told, true in found if told is not None and now >= whole / 10]


def test_a_correct_estimate_gives_the_exact_time_left():
    for told, true in run(10.0, 15.0, 8.0):
        assert told == pytest.approx(true, abs=1e-9)


@pytest.mark.parametrize("times", [0.25, 0.5, 2.0, 4.0])
def test_a_machine_that_is_slower_all_along_is_seen_at_once(times):
    for told, true in run(*(seconds * times for seconds in (10.0, 15.0, 8.0, 0.5, 1.0)), slower=(times, times)):
        assert told == pytest.approx(true, abs=1e-9)


def test_waiting_for_the_disk_is_not_held_against_what_comes():
    forecast, source = Forecast(), SimpleNamespace(size=SIZE, pass_number=1, passes=2, time_estimate=TRIED)
    for step in range(1, 51):
        source.done = SIZE * step // 100
        left = forecast.reading_left(
            source, now=0.4 * step, busy=0.2 * step
        )  # 40 seconds, busy for the usual 20 of them
    assert left == pytest.approx(20 + 15 + 0.5 + 8 + 1, rel=0.15)


def test_a_processor_that_recovers_is_seen_to():
    """It was half as fast in the first pass, and as fast as foreseen in the second: training is not told for twice."""
    forecasts = run(20.0, 15.0, 8.0, slower=(2.0, 1.0))
    begin, end = (next(told for told, true in forecasts if true <= left) for left in (24.5, 9.5))
    assert begin == pytest.approx(2 * 24.5, rel=0.02)
    assert end == pytest.approx(9.5 * (40 + 30) / (20 + 30))  # what it had to do by then, and what that took


@pytest.mark.parametrize("second", [8.0, 15.0, 30.0])
@pytest.mark.parametrize("training", [4.0, 8.0, 16.0])
def test_a_wrong_estimate_loses_weight_over_time(second, training):
    """By the middle of what was foreseen wrongly by twice, the time left is right within a fifth of it."""
    forecasts = run(10.0, second, training)
    after = TRIED.before + training + TRIED.after
    late = [(told, true) for told, true in forecasts if true < training / 2 + TRIED.after]
    assert late
    for told, true in late:
        assert told == pytest.approx(true, rel=0.2)
    for told, true in forecasts:
        if after < true < after + second / 2:  # the second pass, in its later half
            assert told - TRIED.before - TRIED.training - TRIED.after == pytest.approx(true - after, rel=0.2)


def test_a_stall_is_no_lasting_state():
    """Ten seconds of waiting amid a pass of ten are told as waiting that may come again, but not as all that comes."""
    forecast, source = Forecast(), SimpleNamespace(size=SIZE, pass_number=1, passes=2, time_estimate=TRIED)
    for step in range(51):
        source.done = SIZE * step // 100
        left = forecast.reading_left(source, now=step / 10, busy=step / 5)
    calm = left
    source.done += 1
    stalled = forecast.reading_left(source, now=15.0, busy=10.0)
    assert calm < stalled < 1.5 * calm


def test_time_left_without_an_estimate():
    forecast, source = Forecast(), SimpleNamespace(size=SIZE, pass_number=1, passes=2, time_estimate=None)
    for source.done in (0, 100, 500):
        left = forecast.reading_left(source, now=source.done / 100, busy=source.done / 50)
    assert left == pytest.approx(5 + 10 + 2)
    assert forecast.training_left(Progress(0.1, 5, None, 1.0)) is None
    assert forecast.training_left(Progress(2.5, 5, None, 3.0)) == pytest.approx(3.0)


def test_one_pass_is_told_by_its_own_rate():
    forecast, source = Forecast(), SimpleNamespace(size=SIZE, pass_number=1, passes=1, time_estimate=None)
    assert (
        forecast.reading_left(SimpleNamespace(size=SIZE, done=0, pass_number=1, passes=1, time_estimate=None), 0.0, 0.0)
        is None
    )
    source.done = 250
    assert forecast.reading_left(source, now=5.0, busy=1.0) == pytest.approx(15.0)


def test_of_unknown_sizes_and_endless_epochs_nothing_is_told():
    forecast = Forecast()
    for done in (0, 10):
        source = SimpleNamespace(size=0, done=done, pass_number=1, passes=1, time_estimate=None)
        assert forecast.reading_left(source, now=float(done), busy=0.0) is None
    assert forecast.training_left(Progress(50.0, 1000, None, 5.0)) is None


def test_a_coarse_processor_clock_keeps_the_estimate():
    tried = TRIED._replace(first=PassTime(10.0, 0.0), second=PassTime(15.0, 0.0))
    forecast, source = Forecast(), SimpleNamespace(size=SIZE, pass_number=1, passes=2, time_estimate=tried)
    for source.done in (0, 500):
        left = forecast.reading_left(source, now=source.done / 100, busy=0.016)
    assert left == pytest.approx(5 + 15 + 0.5 + 8 + 1)
