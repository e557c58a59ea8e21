"""Checkpoints: a run that is killed goes on, and ends with the same bits; nothing that was there is lost."""

import os
import re
import time
from pathlib import Path

import pytest
from checkpointed_runs import LONG, content, killed, refused, train

import rosenblatt
from rosenblatt.tables.cache import storage
from rosenblatt.training import checkpoint
from rosenblatt.training.checkpoint import DEFAULT_SECONDS, MIN_TRAINING_PER_WRITING, Checkpoint, open_checkpoint
from rosenblatt.training.request import Request

ASKED = {
    "perceptron": ("--algorithm", "perceptron", "--max-iter", 30),
    "overlap": ("--algorithm", "perceptron"),
    "averaged": ("--algorithm", "averaged", "--order", "cyclic", "--max-iter", 30),
    "pocket": ("--algorithm", "pocket", "--max-iter", 30),
    "passive-aggressive": ("--algorithm", "passive-aggressive", "--max-iter", 30),
    "joint": ("--algorithm", "perceptron", "--multi-class", "joint", "--max-iter", 30),
    "svm": ("--algorithm", "svm", "--multi-class", "ovr"),
    "joint-svm": ("--algorithm", "svm", "--set", "tol=1e-5"),
    "squared": ("--algorithm", "svm", "--set", "loss=squared-hinge", "--set", "tol=1e-9"),
    "logistic": ("--algorithm", "logistic", "--multi-class", "ovr", "--set", "tol=1e-9"),
    "softmax": ("--algorithm", "logistic", "--multi-class", "joint", "--set", "tol=1e-9"),
    "sgd": ("--algorithm", "logistic", "--set", "solver=sgd", "--max-iter", 20),
    "gd": ("--algorithm", "svm", "--set", "solver=gd", "--max-iter", 20),
    "lifted": ("--algorithm", "pocket", "--features", "polynomial-2", "--max-iter", 20),
    "early": ("--algorithm", "logistic", "--early-stopping"),
    "folds": ("--algorithm", "perceptron", "--max-iter", 4, "--folds", 3),
    "weights": ("--class-weight", "balanced", "--algorithm", "averaged", "--max-iter", 30),
}


@pytest.mark.parametrize("table", ["two.csv", "three.csv"])
@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED.keys())
def test_whatever_is_asked_goes_on_and_ends_with_the_same_model(run_folder, monkeypatch, asked, table):
    whole = train(*asked, table=table, model="whole", into=None)
    assert whole.exit_code == 0
    deaths = 0
    for writes in (1, 2, 3, 5, 2, 7, 0):
        result = killed(monkeypatch, writes, *asked, table=table)
        if result is not None:
            break
        deaths += 1
    assert deaths >= 1
    assert content("model") == content("whole")
    accuracy = r"(held out .*\n)"
    assert re.findall(accuracy, result.stdout) == re.findall(accuracy, whole.stdout)
    model = Path("model").read_bytes()
    again = train(*asked, table=table)
    assert (again.exit_code, Path("model").read_bytes()) == (0, model)
    assert "kept holds the end of this run: nothing is left to train." in again.stderr


@pytest.mark.parametrize("name", ["perceptron", "averaged", "svm", "logistic", "sgd", "early", "weights"])
def test_runs_from_the_disk_go_on_too_and_in_memory(run_folder, monkeypatch, name):
    """A table larger than memory: the cache is made once, and the run goes on from it, or from memory."""
    asked = ASKED[name]
    whole = train(*asked, model="whole", into=None)
    assert whole.exit_code == 0
    with monkeypatch.context() as patched:
        patched.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)  # nothing has room
        deaths = sum(killed(monkeypatch, writes, *asked, "--cache", "cache") is None for writes in (1, 2, 3))
        assert deaths >= 1
        [entry] = [path for path in Path("cache").iterdir() if path.is_dir()]
        made = entry.stat().st_mtime_ns
        assert killed(monkeypatch, 1, *asked, "--cache", "cache", into="beside") is None
        result = train(*asked, "--cache", "cache")
        assert result.exit_code == 0
        assert entry.stat().st_mtime_ns == made
        assert content("model") == content("whole")
    assert train(*asked, model="other", into="beside").exit_code == 0  # now with memory enough
    assert content("other") == content("whole")


def test_rows_to_stop_by_are_rows_of_the_run(run_folder):
    asked = ("--algorithm", "logistic", "--early-stopping", "--test-fraction", 0)
    assert train(*asked).exit_code == 0
    header, *rows = Path("two.csv").read_text().splitlines()
    refusals = 0
    for k in range(0, 100, 4):
        numbers, label = rows[k].rsplit(",", 1)
        changed = [*rows[:k], f"{numbers},{'k0' if label == 'k1' else 'k1'}", *rows[k + 1 :]]
        Path("two.csv").write_text("\n".join([header, *changed]) + "\n")
        refusals += train(*asked).exit_code == 2
    assert refusals == 25  # wherever the row belongs


def test_resuming_is_reported(run_folder, monkeypatch):
    assert killed(monkeypatch, 3, *LONG[:3], "50") is None
    result = train(*LONG[:3], "50")
    assert re.search(r"^resuming after \d+\.\d epochs, from kept\.$", result.stderr, re.MULTILINE)
    assert "resuming" not in train(*LONG[:3], "50", "--quiet").stderr


def test_a_full_disk_is_told_and_what_was_there_stays(run_folder, monkeypatch):
    asked = ("--algorithm", "perceptron", "--max-iter", 50)
    assert killed(monkeypatch, 4, *asked) is None
    before = Path("kept", checkpoint.FILE).read_bytes()
    real = os.fsync

    def full(number):
        if os.readlink(f"/proc/self/fd/{number}").startswith(str(Path("kept").resolve())):
            raise OSError(28, "No space left on device")
        real(number)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        refused(train(*asked), "no space left on device", "the previous checkpoint is intact", checkpoint.FILE)
    assert Path("kept", checkpoint.FILE).read_bytes() == before
    assert sorted(os.listdir("kept")) == [checkpoint.FILE, checkpoint.LOCK]
    assert train(*asked).exit_code == 0


def test_python_does_the_same(run_folder, monkeypatch, capsys):
    asked = {"target": "kind", "algorithm": "averaged", "max_iter": 30}
    whole = rosenblatt.fit("two.csv", **asked)
    assert killed(monkeypatch, 3, "--algorithm", "averaged", "--max-iter", 30) is None  # by the command, too
    model = rosenblatt.fit("two.csv", checkpoint=Path("kept"), checkpoint_every=1, **asked)
    assert "resuming after" in capsys.readouterr().err
    assert model[-1].coef_.tobytes() == whole[-1].coef_.tobytes()
    with pytest.raises(ValueError, match="made with algorithm averaged, not pocket and with max_iter 30"):
        rosenblatt.fit("two.csv", "kind", checkpoint="kept", algorithm="pocket")
    with pytest.raises(ValueError, match="made from other rows"):
        rosenblatt.fit("three.csv", checkpoint="kept", **asked)


def test_a_run_in_this_process_has_the_folder_alone(tmp_path):
    request = Request(target="kind")
    with (
        open_checkpoint(tmp_path, request),
        pytest.raises(ValueError, match="in use by another run"),
        open_checkpoint(tmp_path, request),
    ):
        pass


def test_writing_takes_a_small_share_of_the_time(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    kept = Checkpoint(str(tmp_path), {}, 1)

    def after(seconds, step):
        kept._written = now[0] - seconds
        return kept.due(step)

    assert [after(seconds, True) for seconds in (0.9, 1.1)] == [False, True]
    assert [after(seconds, False) for seconds in (1.1, DEFAULT_SECONDS - 0.1, DEFAULT_SECONDS + 0.1)] == [
        False,
        False,
        True,
    ]
    kept._cost = 3.0  # seconds that the last one took
    assert [
        after(seconds, True) for seconds in (3.0 * MIN_TRAINING_PER_WRITING - 1, 3.0 * MIN_TRAINING_PER_WRITING + 1)
    ] == [False, True]
    quick = Checkpoint(str(tmp_path), {}, 1, every=0.1)
    quick._written = now[0] - 0.2
    assert quick.due(True)
    assert quick.due(False)
