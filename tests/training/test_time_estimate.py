"""What comes is tried on the first rows of a table: what that tells, and what it leaves alone."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from cached_tables import TABLES
from people_table import call

import rosenblatt.training.train_table
from rosenblatt.foundation import memory
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.cache import cache_folder as cache
from rosenblatt.tables.cache import storage
from rosenblatt.tables.encode.prepare import prepare_encoder
from rosenblatt.tables.read import delimited
from rosenblatt.tables.read.sources import open_source
from rosenblatt.training import time_estimate
from rosenblatt.training.pass_times import PassTime, TimeEstimate
from rosenblatt.training.request import Request
from rosenblatt.training.time_estimate import estimate_time, fastest_round
from rosenblatt.training.training_job import TrainingJob


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name in ("dense", "both", "text"):
        TABLES[name]().to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture
def small(monkeypatch):
    """Memory enough for one batch, in blocks so small that there are many."""
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 12)


def roomy():
    """Memory for a trial run, however much this process already holds after other tests."""
    return storage.Storage(memory.resident_memory() + (1 << 30))


@pytest.mark.parametrize("name", ["dense", "both", "text"])
@pytest.mark.parametrize("options", [{}, {"algorithm": "averaged", "max_iter": 9}, {"algorithm": "logistic", "C": 2.0}])
def test_the_time_estimate_is_measured_on_the_first_rows(tables, cache_folder, name, options):
    own = {key: value for key, value in options.items() if key != "algorithm"}
    request = Request(target="kind", algorithm=options.get("algorithm", "auto"), parameters=own)
    source = open_source(tables / f"{name}.csv")
    reading = {**prepare_encoder(source, request, "kind").reading(), "kind": "category"}
    source.size, source.done = source.size * 10_000, 17
    found = estimate_time(TrainingJob(source, request, "kind"), reading, roomy())
    assert min(found.first.seconds, found.second.seconds) > 0
    assert min(found.first.busy, found.second.busy) >= 0  # of so little, its clock need not tell
    assert source.done == 17
    assert not Path(cache_folder).exists() or not any(Path(cache_folder).iterdir())
    if options.get("algorithm") == "logistic":
        assert found.training is None  # to the optimum: who knows
    else:
        assert found.training > 0


@pytest.mark.parametrize("name", ["dense", "both"])
def test_training_is_estimated_without_held_out_rows(tables, cache_folder, name):
    request = Request(target="kind", algorithm="averaged", test_fraction=0.0, parameters={"max_iter": 3})
    source = open_source(tables / f"{name}.csv")
    reading = {**prepare_encoder(source, request, "kind").reading(), "kind": "category"}
    assert estimate_time(TrainingJob(source, request, "kind"), reading, roomy()).training > 0


def test_a_table_with_one_class_has_no_time_estimate(tmp_path, cache_folder):
    (tmp_path / "t.csv").write_text("a,kind\n1,x\n1,x\n")
    asked = TrainingJob(open_source(tmp_path / "t.csv"), Request(target="kind"), "kind")
    assert estimate_time(asked, {"a": "number", "kind": "category"}, roomy()) is None


def trial(tables, **options):
    asked = TrainingJob(
        open_source(tables / "dense.csv"), Request(target="kind", algorithm="averaged", **options), "kind"
    )
    return (
        asked,
        {**prepare_encoder(asked.source, asked.request, "kind").reading(), "kind": "category"},
        roomy(),
    )


@pytest.mark.parametrize("error", [MemoryError, RuntimeError("no more threads"), KeyError, OSError])
def test_an_error_in_the_trial_gives_no_time_estimate(tables, cache_folder, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(time_estimate, "train_plan", fail)
    assert estimate_time(*trial(tables, parameters={"max_iter": 3})) is None
    assert not any(Path(cache_folder).iterdir())


def test_what_a_killed_trial_leaves_is_swept(tables, cache_folder, monkeypatch):
    with monkeypatch.context() as killed:
        killed.setattr(time_estimate.shutil, "rmtree", lambda *_, **__: None)
        assert estimate_time(*trial(tables, parameters={"max_iter": 3}))
    assert any(Path(cache_folder).iterdir())
    cache.clear_caches(Path(cache_folder))
    assert not Path(cache_folder).exists()


def test_ctrl_c_in_a_trial_ends_the_run(tables, cache_folder, monkeypatch):
    monkeypatch.setattr(time_estimate, "train_plan", lambda *_: SimpleNamespace(interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        estimate_time(*trial(tables, parameters={"max_iter": 3}))
    assert not any(Path(cache_folder).iterdir())


@pytest.mark.parametrize("options", [{"parameters": {"max_iter": 101}}, {"early_stopping": True}])
def test_training_without_a_limit_is_not_estimated(tables, cache_folder, options):
    assert estimate_time(*trial(tables, **options)).training is None


def test_training_takes_no_longer_than_allowed(tables, cache_folder):
    asked, *rest = trial(tables, parameters={"max_iter": 100, "max_seconds": 1e-9})
    assert estimate_time(asked, *rest).training == 1e-9


def test_a_request_that_is_refused_is_not_estimated(tables, small, cache_folder, monkeypatch):
    monkeypatch.setattr(time_estimate, "estimate_time", lambda *_: pytest.fail("tried"))
    with pytest.raises(InputError, match="folds need all rows"):
        rosenblatt.training.train_table.train_table(
            open_source(tables / "dense.csv"), Request(target="kind", folds=3), reading=lambda _: None
        )


def test_the_best_of_several_rounds_counts():
    quick, slow = (
        TimeEstimate(PassTime(1.0, 2.0), PassTime(3.0, 4.0), 5.0, 6.0, 7.0),
        TimeEstimate(PassTime(9.0, 9.0), PassTime(9.0, 9.0), 9.0),
    )
    assert fastest_round([slow, quick]) == quick
    assert fastest_round([slow, slow]) == slow
    mixed = fastest_round([quick, quick._replace(first=PassTime(0.5, 3.0), after=1.0)])
    assert mixed == quick._replace(first=PassTime(0.5, 2.0), after=1.0)


def test_an_unusable_cache_folder_gives_no_time_estimate(tables, tmp_path):
    (tmp_path / "file").write_text("in the way")
    asked = TrainingJob(open_source(tables / "dense.csv"), Request(target="kind"), "kind")
    reading = {**prepare_encoder(asked.source, asked.request, "kind").reading(), "kind": "category"}
    assert estimate_time(asked, reading, storage.Storage(folder=tmp_path / "file" / "cache")) is None


def test_training_is_estimated_only_for_a_progress_bar(tables, small, cache_folder, monkeypatch):
    tried, found = [], TimeEstimate(PassTime(1.0, 1.0), PassTime(1.0, 1.0), training=2.0)
    monkeypatch.setattr(time_estimate, "estimate_time", lambda *given: tried.append(given) or found)
    call("train", tables / "dense.csv", "--target", "kind")
    assert not tried
    source = open_source(tables / "dense.csv")
    rosenblatt.training.train_table.train_table(
        source,
        Request(target="kind"),
        reading=lambda _: None,
        storage=storage.Storage(folder=Path(cache_folder) / "b"),
    )
    assert len(tried) == 1
    assert source.time_estimate is found
