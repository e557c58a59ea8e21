"""Processes that are killed or interrupted, and Ctrl-C in Python: nothing that was learned is lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checkpointed_runs import LONG, content, refused, train

import rosenblatt
from rosenblatt.engine import run as engine
from rosenblatt.foundation import state_file as trees
from rosenblatt.model.file import read
from rosenblatt.training import checkpoint

COMMAND = [sys.executable, "-m", "rosenblatt.cli", "train"]
SOURCES = str(Path(rosenblatt.__file__).parents[1])


@pytest.fixture
def start_training(start):
    """Start `rosenblatt train` in a process of its own."""

    def start_command(*words, table="two.csv", model="model", into="kept"):
        where = [] if into is None else ["--checkpoint", into]
        command = [*COMMAND, table, "--target", "kind", "--model", model, *where, *map(str, words)]
        environment = {**os.environ, "PYTHONPATH": SOURCES}
        return start(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start_command


def wait_for(path, process, since=None):
    """Until a file is there, and not as old as another."""
    for _ in range(6000):
        if process.poll() is not None or (path.exists() and path.stat().st_mtime_ns != since):
            return
        time.sleep(0.01)


def test_killed_processes_leave_no_lock_and_no_half_of_a_file(run_folder, start_training):
    """The real thing, three times; `make evidence` does it 200 times."""
    asked = ("--algorithm", "perceptron", "--max-iter", "20000", "--set", "n_iter_no_change=20000")
    asked += ("--checkpoint-every", "0.05")
    assert train(*asked, model="whole", into=None).exit_code == 0
    file, since = Path("kept", checkpoint.FILE), None
    for _ in range(3):
        process = start_training(*asked)
        wait_for(file, process, since)
        since = file.stat().st_mtime_ns
        process.kill()
        process.communicate()
        assert not Path("model").exists()
        trees.read(file.read_bytes())
    Path("kept", f".{checkpoint.FILE}.0123abcd").write_bytes(b"half")
    process = start_training(*asked)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0
    assert "resuming after" in said
    assert content("model") == content("whole")
    assert sorted(os.listdir("kept")) == [checkpoint.FILE, checkpoint.LOCK]


def test_a_second_process_is_refused_and_the_first_goes_on(run_folder, start_training):
    process = start_training(*LONG)
    wait_for(Path("kept", checkpoint.LOCK), process)
    time.sleep(0.3)
    assert process.poll() is None
    refused(train(*LONG, model="other"), "kept is in use by another run")
    assert process.poll() is None
    process.kill()
    process.communicate()
    assert not Path("other").exists()
    with checkpoint.lock_folder("kept"):  # a process that was killed leaves no lock
        pass


def test_ctrl_c_keeps_a_model_and_where_it_is(run_folder, start_training):
    for table, asked in (("two.csv", LONG), ("three.csv", LONG), ("three.csv", (*LONG, "--multi-class", "joint"))):
        into = f"kept-{len(asked)}-{table}"
        process = start_training(*asked, "--checkpoint-every", "0.05", table=table, model="cut", into=into)
        wait_for(Path(into, checkpoint.FILE), process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=600)
        assert process.returncode == 130
        assert f"interrupted: what was learned so far is saved in cut; the same command goes on from {into}." in said
        assert read("cut").learned.status.reason == "interrupted"
        tree = trees.read(Path(into, checkpoint.FILE).read_bytes())
        assert all(run["reason"] is None for run in tree["run"]["runs"])


@pytest.mark.parametrize("table", ["two.csv", "three.csv"])
def test_ctrl_c_loses_nothing(run_folder, monkeypatch, table):
    """Interrupted in whatever slice, a run goes on with the same bits."""
    asked = ("--algorithm", "pocket", "--max-iter", "300")
    monkeypatch.setattr(engine, "SLICE_SECONDS", float("nan"))  # all slices alike, however fast the machine is
    monkeypatch.setattr(engine, "SLICE_VALUES", 1000)
    assert train(*asked, table=table, model="whole", into=None).exit_code == 0
    work = engine.Run._slice
    for slices in (1, 7, 40):
        left = iter(range(slices, 0, -1))

        def interrupting(self, watch, left=left):
            if next(left, 0) == 1:
                os.kill(os.getpid(), signal.SIGINT)
            work(self, watch)

        with monkeypatch.context() as patched:
            patched.setattr(engine.Run, "_slice", interrupting)
            assert train(*asked, table=table).exit_code == 130
    assert train(*asked, table=table).exit_code == 0
    assert content("model") == content("whole")


@pytest.mark.parametrize("keeps", [False, True])
def test_ctrl_c_in_python_returns_what_was_learned(run_folder, monkeypatch, keeps):
    work = engine.Run._slice
    asked = {"target": "kind", "algorithm": "pocket", "max_iter": 300}
    into = {"checkpoint": "kept"} if keeps else {}
    whole = rosenblatt.fit("two.csv", **asked)
    with monkeypatch.context() as patched:
        slices = iter(range(3))

        def interrupting(self, watch):
            if next(slices, 0) == 2:
                os.kill(os.getpid(), signal.SIGINT)
            work(self, watch)

        patched.setattr(engine, "SLICE_SECONDS", 1e-4)
        patched.setattr(engine, "SLICE_VALUES", 1000)
        patched.setattr(engine.Run, "_slice", interrupting)
        cut = rosenblatt.fit("two.csv", **asked, **into)
    assert cut.report_["reason"] == cut[-1].status_.reason == "interrupted"
    assert cut[-1].n_iter_ < whole[-1].n_iter_
    assert cut.predict("two.csv").shape == whole.predict("two.csv").shape
    again = rosenblatt.fit("two.csv", **asked, **into)
    assert (again[-1].coef_ == whole[-1].coef_).all()
