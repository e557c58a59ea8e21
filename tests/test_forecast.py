"""The time left: what was foreseen, corrected by what is seen."""

from types import SimpleNamespace

import pytest

from rosenblatt.cli.forecast import Forecast
from rosenblatt.data.batches import Foreseen
from rosenblatt.engine import Progress

SIZE = 1000
TRIED = Foreseen(busy=20.0, first=10.0, second=15.0, training=8.0, after=1.0)


def run(first, second, training, after=1.0, epochs=5):
    """Every forecast of a run on two busy processors, beside what is left."""
    forecast, clock, found = Forecast(), 0.0, []
    whole = first + second + training + after
    source = SimpleNamespace(size=SIZE, turns=2, foreseen=TRIED)
    for source.turn, seconds in ((1, first), (2, second)):
        for step in range(101):
            now = clock + seconds * step / 100
            source.done = SIZE * step // 100
            found.append((now, forecast.reading(source, now, 2 * now), whole - now))
        clock += seconds
    for step in range(101):
        now = training * step / 100
        progress = Progress(epochs * step / 100, epochs, None, now)
        found.append((clock + now, forecast.training(progress), whole - clock - now))
    return [(told, true) for now, told, true in found if told is not None and now >= whole / 10]


def test_what_goes_as_foreseen_is_told_rightly_from_the_beginning():
    for told, true in run(10.0, 15.0, 8.0):
        assert told == pytest.approx(true, abs=1e-9)


@pytest.mark.parametrize("times", [0.25, 0.5, 2.0, 4.0])
def test_a_machine_that_is_slower_all_along_is_seen_at_once(times):
    for told, true in run(10.0 * times, 15.0 * times, 8.0 * times, after=times):
        assert told == pytest.approx(true, abs=1e-9)


def test_waiting_for_the_disk_is_not_held_against_what_comes():
    tried = TRIED._replace(busy=10.0)  # half as busy as long
    forecast, source = Forecast(), SimpleNamespace(size=SIZE, turn=1, turns=2, foreseen=tried)
    for step in range(1, 51):
        source.done = SIZE * step // 100
        left = forecast.reading(source, now=0.4 * step, busy=0.1 * step)  # 40 seconds, busy for the usual 10 of them
    assert left == pytest.approx(20 + 15 + 8 + 1, rel=0.15)


@pytest.mark.parametrize("second", [8.0, 15.0, 30.0])
@pytest.mark.parametrize("training", [4.0, 8.0, 16.0])
def test_what_was_foreseen_wrongly_counts_less_and_less(second, training):
    """By the middle of what was foreseen wrongly by twice, the time left is right within a fifth of it."""
    forecasts = run(10.0, second, training)
    after = training + TRIED.after
    late = [(told, true) for told, true in forecasts if true < training / 2 + TRIED.after]
    assert late
    for told, true in late:
        assert told == pytest.approx(true, rel=0.2)
    for told, true in forecasts:
        if after < true < after + second / 2:  # the second pass, in its later half
            assert told - TRIED.training - TRIED.after == pytest.approx(true - after, rel=0.2)


def test_a_stall_is_no_lasting_state():
    """Ten seconds of waiting amid a pass of ten are told as waiting that may come again, but not as all that comes."""
    forecast, source = Forecast(), SimpleNamespace(size=SIZE, turn=1, turns=2, foreseen=TRIED)
    for step in range(51):
        source.done = SIZE * step // 100
        left = forecast.reading(source, now=step / 10, busy=step / 5)
    calm = left
    source.done += 1
    stalled = forecast.reading(source, now=15.0, busy=10.0)
    assert calm < stalled < 1.5 * calm


def test_where_nothing_was_tried_passes_count_as_equal_and_training_as_little():
    forecast, source = Forecast(), SimpleNamespace(size=SIZE, turn=1, turns=2, foreseen=None)
    for source.done in (0, 100, 500):
        left = forecast.reading(source, now=source.done / 100, busy=source.done / 50)
    assert left == pytest.approx(5 + 10 + 2)
    assert forecast.training(Progress(0.1, 5, None, 1.0)) is None
    assert forecast.training(Progress(2.5, 5, None, 3.0)) == pytest.approx(3.0)


def test_one_pass_is_told_by_its_own_rate():
    forecast, source = Forecast(), SimpleNamespace(size=SIZE, turn=1, turns=1, foreseen=None)
    assert forecast.reading(SimpleNamespace(size=SIZE, done=0, turn=1, turns=1, foreseen=None), 0.0, 0.0) is None
    source.done = 250
    assert forecast.reading(source, now=5.0, busy=1.0) == pytest.approx(15.0)


def test_of_unknown_sizes_and_endless_epochs_nothing_is_told():
    forecast = Forecast()
    for done in (0, 10):
        source = SimpleNamespace(size=0, done=done, turn=1, turns=1, foreseen=None)
        assert forecast.reading(source, now=float(done), busy=0.0) is None
    assert forecast.training(Progress(50.0, 1000, None, 5.0)) is None
