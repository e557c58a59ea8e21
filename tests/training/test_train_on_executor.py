"""`fit(executor=...)` and `train --workers`: the ordinary model file, the same for every number of workers."""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from safetensors.numpy import load_file

import rosenblatt
from rosenblatt import fit, save
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.cache import cached_block
from rosenblatt.training.checkpoint import Checkpoint

ROWS = 36_000
COMMAND = [sys.executable, "-m", "rosenblatt.cli", "train"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table with numbers, categories, words and missing values; three classes."""
    rng = np.random.default_rng(0)
    x, colour = rng.standard_normal((ROWS, 2)), rng.choice(["red", "blue", ""], ROWS)
    kind = np.where(x[:, 0] + (colour == "red") + rng.logistic(size=ROWS) > 0, "large", "small")
    kind[rng.random(ROWS) < 0.1] = "odd"
    words = rng.choice(["fig", "plum", "pear", "lime"], (ROWS, 3))
    path = tmp_path_factory.mktemp("table") / "rows.csv"
    with path.open("w") as file:
        file.write("a,b,colour,words,kind\n")
        for row in range(ROWS):
            file.write(f"{x[row, 0]:.6f},{x[row, 1]:.6f},{colour[row]},{' '.join(words[row])},{kind[row]}\n")
    return path


@pytest.fixture
def cache(table, monkeypatch):
    """One cache for all tests of the table."""
    folder = table.parent / "cache"
    monkeypatch.setenv("ROSENBLATT_CACHE", str(folder))
    return folder


def digest(path):
    """All numbers that a model file holds."""
    numbers = load_file(path)
    return hashlib.sha256(b"".join(name.encode() + numbers[name].tobytes() for name in sorted(numbers))).hexdigest()


def test_the_model_file_is_the_same_for_every_number_of_workers(table, cache, tmp_path):
    found = set()
    for workers in (1, 2, 3, 7):
        with ThreadPoolExecutor(workers) as threads:
            save(fit(table, target="kind", kinds={"words": "text"}, executor=threads), tmp_path / "model")
        found.add(digest(tmp_path / "model"))
    for workers in (1, 2):
        subprocess.run([*COMMAND, table, "--target", "kind", "--text", "words", "--workers", str(workers), "--quiet",
                        "--force", "-o", tmp_path / "model"], check=True, capture_output=True)  # fmt: skip
        found.add(digest(tmp_path / "model"))
    assert len(found) == 1


@pytest.mark.parametrize(
    "asked",
    [
        {"algorithm": "perceptron", "max_iter": 3},
        {"algorithm": "averaged", "max_iter": 3, "order": "cyclic"},
        {"algorithm": "pocket", "max_iter": 4, "order": "shuffle"},
        {"algorithm": "passive-aggressive", "max_iter": 3, "C": 0.1},
        {"algorithm": "logistic", "max_iter": 3, "solver": "sgd"},
        {"algorithm": "svm", "max_iter": 3, "solver": "sgd"},
    ],
    ids=lambda asked: asked["algorithm"],
)
def test_mixed_shards_make_the_same_model_file_for_every_number_of_workers(table, cache, tmp_path, asked):
    found = set()
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as threads:
            model = fit(table, target="kind", executor=threads, **asked)
        save(model, tmp_path / "model")
        found.add(digest(tmp_path / "model"))
    given = [f"--set={name}={value}" for name, value in asked.items() if name != "algorithm"]
    subprocess.run([*COMMAND, table, "--target", "kind", "--algorithm", asked["algorithm"], "--workers", "2", "--quiet",
                    "--force", "-o", tmp_path / "model", *given], check=True, capture_output=True)  # fmt: skip
    found.add(digest(tmp_path / "model"))
    assert len(found) == 1
    assert model.report_["algorithm"] == asked["algorithm"]


def test_a_driver_that_mixes_shards_resumes_with_the_same_bits(table, cache, tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    asked = {"target": "kind", "algorithm": "averaged", "max_iter": 4, "multi_class": "joint"}
    write, writes = Checkpoint.write, iter(range(2))

    def write_and_die(self, run, epochs):
        write(self, run, epochs)
        if next(writes, None) == 1:
            raise Killed

    with ThreadPoolExecutor(2) as threads:
        whole = fit(table, **asked, executor=threads)
        monkeypatch.setattr(Checkpoint, "due", lambda self, step: True)
        monkeypatch.setattr(Checkpoint, "write", write_and_die)
        with pytest.raises(Killed):
            fit(table, **asked, executor=threads, checkpoint=tmp_path / "kept")
        resumed = fit(table, **asked, executor=threads, checkpoint=tmp_path / "kept")
    np.testing.assert_array_equal(resumed[-1].coef_, whole[-1].coef_)
    np.testing.assert_array_equal(resumed[-1].history_["mistakes"], whole[-1].history_["mistakes"])


def test_the_model_predicts_as_that_of_one_machine(table, cache):
    with ThreadPoolExecutor(2) as threads:
        many = fit(table, target="kind", executor=threads, class_weight="balanced", tol=1e-9)
    one = fit(table, target="kind", algorithm="logistic", class_weight="balanced", tol=1e-9)
    np.testing.assert_allclose(many[-1].coef_, one[-1].coef_, atol=1e-6)
    assert many.report_["test_accuracy"] == one.report_["test_accuracy"]
    assert many.report_["algorithm"] == "logistic"


def test_a_file_that_changes_during_training_is_refused(table, cache, monkeypatch):
    reduce, passes = Cluster.reduce, []

    def change_after_the_first_pass(self, *args):
        if len(passes) == 1:
            file = self.blocks[0].files[1]
            os.utime(file.path, ns=(file.changed + 1, file.changed + 1))
        passes.append(args)
        return reduce(self, *args)

    monkeypatch.setattr(Cluster, "reduce", change_after_the_first_pass)
    with ThreadPoolExecutor(1) as threads, pytest.raises(InputError, match=r"train\.values changed during training"):
        fit(table, target="kind", executor=threads)


def test_a_file_that_a_worker_does_not_see_is_named(tmp_path):
    gone = cached_block.ArrayFile(str(tmp_path / "train.codes"), "<i4", 4, 0)
    with pytest.raises(InputError, match=r"a worker on .* cannot read .*train\.codes: put the cache"):
        cached_block.CachedBlock((gone,), 1, 0, 1).load()


def test_pages_of_the_cache_leave_a_worker_half_of_its_share(monkeypatch):
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": (256 << 30) // 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    for cores, expected in ((16, 8 << 30), (1024, 1 << 30)):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        assert cached_block.worker_memory() == expected


def test_a_driver_that_was_stopped_resumes_with_the_same_bits(table, cache, tmp_path):
    with ThreadPoolExecutor(2) as threads:
        asked = {"target": "kind", "executor": threads}
        whole = fit(table, **asked)
        fit(table, **asked, checkpoint=tmp_path / "kept", max_iter=2)
        with pytest.raises(InputError, match="max_iter"):
            fit(table, **asked, checkpoint=tmp_path / "kept")
        kept = fit(table, **asked, checkpoint=tmp_path / "other", checkpoint_every=1e-3)
        again = fit(table, **asked, checkpoint=tmp_path / "other", checkpoint_every=1e-3)
    for model in (kept, again):
        np.testing.assert_array_equal(model[-1].coef_, whole[-1].coef_)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"folds": 3}, "folds do not go with an executor"),
        ({"early_stopping": True}, "early stopping does not go with an executor"),
        ({"algorithm": "perceptron", "order": "batch"}, "'batch' chooses among all rows"),
    ],
)
def test_what_an_executor_cannot_train_is_refused(options, sentence):
    rows = {"x": [1.0, 2.0, 3.0, 4.0] * 5, "y": ["a", "a", "b", "b"] * 5}
    with ThreadPoolExecutor(1) as threads, pytest.raises(InputError, match=sentence):
        fit(rows, target="y", executor=threads, **options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--workers", "0"], "--workers must be a whole number of at least 1"),
        (["--workers", "2", "--scheduler", "tcp://h:1"], "--workers does not go with --scheduler"),
        (["--scheduler", "host"], "--scheduler must be an address"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(table, options, sentence):
    done = subprocess.run([*COMMAND, table, "--target", "kind", *options], capture_output=True, text=True)
    assert (done.returncode, sentence in done.stderr) == (2, True)


def test_a_solver_that_workers_do_not_have_is_refused_before_the_table_is_read(table, tmp_path):
    with ThreadPoolExecutor(1) as executor, pytest.raises(InputError, match="solver='gd' does not run on an executor"):
        fit(table, target="kind", algorithm="logistic", solver="gd", executor=executor, cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_an_open_file_is_refused(table):
    with table.open("rb") as file, pytest.raises(InputError, match="read only once"):
        rosenblatt.fit(file, target="kind", executor=2)


def test_the_report_counts_the_bytes_of_each_pass_and_no_row_is_returned(table, tmp_path):
    with ThreadPoolExecutor(2) as threads:
        model = fit(table, target="kind", kinds={"words": "text"}, executor=threads, cache=tmp_path)
    traffic = dict(model.report_["traffic"])
    encoded = traffic.pop("part rows")
    assert encoded["returned"] > 50 * ROWS  # once, into the cache
    assert {"part classes", "part survey", "block facts", "evaluate", "count mistakes"} <= traffic.keys()
    for found in traffic.values():
        assert 0 < found["returned"] < found["tasks"] * 4_000  # less than a byte for each row of a block
        assert 0 < found["sent"] < found["tasks"] * 20_000
    assert traffic["evaluate"]["passes"] > 1
