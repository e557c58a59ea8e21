"""Checkpoints: a run that is killed goes on, and ends with the same bits; nothing that was there is lost."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import rosenblatt
from rosenblatt.cli.app import app
from rosenblatt.engine import run as engine
from rosenblatt.engine import side_by_side
from rosenblatt.foundation import state_file as trees
from rosenblatt.model.file import read
from rosenblatt.solvers import dual
from rosenblatt.tables.cache import storage
from rosenblatt.training import checkpoint
from rosenblatt.training.checkpoint import DEFAULT_SECONDS, MIN_TRAINING_PER_WRITING, Checkpoint, open_checkpoint
from rosenblatt.training.request import Request

COMMAND = [sys.executable, "-m", "rosenblatt.cli", "train"]
SOURCES = str(Path(rosenblatt.__file__).parents[1])
LONG = ("--algorithm", "perceptron", "--max-iter", "10000000", "--set", "n_iter_no_change=10000000")


class Killed(BaseException):
    """What no code but a test raises."""


def write_table(path, rows=1300, classes=2, seed=0):
    """Classes that overlap."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, 4))
    scores = X @ random.standard_normal((4, classes)) + random.standard_normal((rows, classes))
    lines = [
        ",".join([*(f"{value:.4f}" for value in row), f"k{k}"]) for row, k in zip(X, scores.argmax(1), strict=True)
    ]
    path.write_text("\n".join(["a,b,c,d,kind", *lines]) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "two.csv")
    write_table(tmp_path / "three.csv", classes=3)
    return tmp_path


def train(*words, table="two.csv", model="model", into="kept"):
    where = () if into is None else ("--checkpoint", into)
    return CliRunner().invoke(app, ["train", table, "--target", "kind", "--model", model, *where, *map(str, words)])


def killed(monkeypatch, writes, *words, **how):
    """The same, but killed, if only in this process, after some checkpoints; each of its slices ends with one.

    Returns the result where it ends before.
    """
    write, count = Checkpoint.write, [0]

    def written(self, *given):
        write(self, *given)
        count[0] += 1
        if count[0] == writes:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "write", written)
        patched.setattr(Checkpoint, "due", lambda self, step: True)
        for module in (engine, dual):
            patched.setattr(module, "SLICE_VALUES", 1000)
            patched.setattr(module, "SLICE_SECONDS", 1e-4)
        patched.setattr(side_by_side, "WAIT_SECONDS", 1e-4)
        try:
            return train(*words, **how)
        except Killed:
            return None


@pytest.fixture
def start_training(start):
    """Start `rosenblatt train` in a process of its own."""

    def start_command(*words, table="two.csv", model="model", into="kept"):
        where = [] if into is None else ["--checkpoint", into]
        command = [*COMMAND, table, "--target", "kind", "--model", model, *where, *map(str, words)]
        environment = {**os.environ, "PYTHONPATH": SOURCES}
        return start(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start_command


def content(path):
    """All of a model but the time it took."""
    model = read(path)
    learned = model.learned
    history = {name: values.tobytes() for name, values in learned.history.items() if name != "seconds"}
    return learned.coef.tobytes(), learned.intercept.tobytes(), str(learned.status), history, model.parameters


def refused(result, *words):
    """One sentence on standard error, after that it resumes if it did, and exit code 2."""
    assert result.exit_code == 2
    *before, line = result.stderr.splitlines()
    assert all(text.startswith("resuming") for text in before)
    assert line.startswith("error: ")
    for word in words:
        assert word in line
    return line


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
def test_whatever_is_asked_goes_on_and_ends_with_the_same_model(folder, monkeypatch, asked, table):
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
def test_runs_from_the_disk_go_on_too_and_in_memory(folder, monkeypatch, name):
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


def test_rows_to_stop_by_are_rows_of_the_run(folder):
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


def test_resuming_is_reported(folder, monkeypatch):
    assert killed(monkeypatch, 3, *LONG[:3], "50") is None
    result = train(*LONG[:3], "50")
    assert re.search(r"^resuming after \d+\.\d epochs, from kept\.$", result.stderr, re.MULTILINE)
    assert "resuming" not in train(*LONG[:3], "50", "--quiet").stderr


def wait_for(path, process, since=None):
    """Until a file is there, and not as old as another."""
    for _ in range(6000):
        if process.poll() is not None or (path.exists() and path.stat().st_mtime_ns != since):
            return
        time.sleep(0.01)


def test_killed_processes_leave_no_lock_and_no_half_of_a_file(folder, start_training):
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


def test_a_second_process_is_refused_and_the_first_goes_on(folder, start_training):
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


def test_ctrl_c_keeps_a_model_and_where_it_is(folder, start_training):
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
def test_ctrl_c_loses_nothing(folder, monkeypatch, table):
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
def test_ctrl_c_in_python_returns_what_was_learned(folder, monkeypatch, keeps):
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


OTHERS = {
    "--algorithm averaged, not perceptron": ("--algorithm", "perceptron"),
    "--max-iter 20, not 30": ("--algorithm", "averaged", "--max-iter", 30),
    "without --order": ("--algorithm", "averaged", "--max-iter", 20, "--order", "cyclic"),
    "--seed 0, not 7": ("--algorithm", "averaged", "--max-iter", 20, "--seed", 7),
    "without --features": ("--algorithm", "averaged", "--max-iter", 20, "--features", "polynomial-2"),
    "without --drop": ("--algorithm", "averaged", "--max-iter", 20, "--drop", "a"),
    "without --categorical": ("--algorithm", "averaged", "--max-iter", 20, "--categorical", "a"),
    "without --no-scale": ("--algorithm", "averaged", "--max-iter", 20, "--no-scale"),
    "without --set n_iter_no_change": ("--algorithm", "averaged", "--max-iter", 20, "--set", "n_iter_no_change=3"),
    "without --class-weight": ("--algorithm", "averaged", "--max-iter", 20, "--class-weight", "k0=2"),
    "--test-fraction 0.2, not 0.1": ("--algorithm", "averaged", "--max-iter", 20, "--test-fraction", "0.1"),
    "without --folds": ("--algorithm", "averaged", "--max-iter", 20, "--folds", 3),
    "with --max-iter 20": ("--algorithm", "averaged"),
}


@pytest.mark.parametrize("difference", OTHERS)
def test_other_options_are_refused_by_name(folder, difference):
    assert train("--algorithm", "averaged", "--max-iter", 20).exit_code == 0
    before = Path("kept", checkpoint.FILE).read_bytes()
    line = refused(train(*OTHERS[difference]), "kept was made", difference, "another folder to start again")
    assert line.count(" and ") <= 1
    assert Path("kept", checkpoint.FILE).read_bytes() == before


def test_options_are_refused_before_the_table_is_read(folder):
    assert train("--algorithm", "averaged", "--max-iter", 20).exit_code == 0
    Path("two.csv").write_text("a,kind\nx\n")  # it could not be read
    refused(train("--algorithm", "svm"), "--algorithm averaged, not svm")


def test_other_rows_are_refused(folder):
    assert train("--algorithm", "averaged", "--max-iter", 20).exit_code == 0
    before = Path("kept", checkpoint.FILE).read_bytes()
    write_table(folder / "two.csv", seed=1)
    refused(train("--algorithm", "averaged", "--max-iter", 20), "kept was made from other rows")
    assert Path("kept", checkpoint.FILE).read_bytes() == before


def test_one_number_more_makes_other_rows(folder):
    assert train("--algorithm", "averaged", "--max-iter", 20, "--test-fraction", 0).exit_code == 0
    text = Path("two.csv").read_text()
    Path("two.csv").write_text(text.replace(",k1", ",k0", 1))
    refused(train("--algorithm", "averaged", "--max-iter", 20, "--test-fraction", 0), "from other rows")


def spoilt(content):
    yield "empty", b""
    yield "cut", content[: len(content) // 2]
    yield "flipped", content[:-1] + bytes([content[-1] ^ 1])
    yield "foreign", b"a,b\n1,2\n" * 100


def test_damaged_and_foreign_files_are_refused_and_left_alone(folder):
    assert train("--algorithm", "averaged", "--max-iter", 20).exit_code == 0
    file = Path("kept", checkpoint.FILE)
    others = [*spoilt(file.read_bytes()), ("model", Path("model").read_bytes())]
    others.append(("tree", trees.written({"something": "else"})))
    for _, content in others:
        file.write_bytes(content)
        refused(train("--algorithm", "averaged", "--max-iter", 20), "kept")
        assert file.read_bytes() == content


def test_another_version_is_refused_by_name(folder, monkeypatch):
    assert train("--algorithm", "averaged", "--max-iter", 20).exit_code == 0
    monkeypatch.setattr(checkpoint, "__version__", "9.9")
    refused(train("--algorithm", "averaged", "--max-iter", 20), rosenblatt.__version__, "9.9")


def test_states_that_do_not_fit_are_damage(folder, monkeypatch):
    for asked in (("--algorithm", "perceptron", "--max-iter", 50), ("--algorithm", "svm", "--set", "tol=1e-12")):
        into = asked[1]
        assert killed(monkeypatch, 2, *asked, into=into) is None
        file = Path(into, checkpoint.FILE)
        tree = trees.read(file.read_bytes())

        def shortened(value):
            if isinstance(value, dict):
                return {name: shortened(one) for name, one in value.items()}
            if isinstance(value, list):
                return [shortened(one) for one in value]
            return value[:-1] if isinstance(value, np.ndarray) else value

        for spoil in (shortened, lambda run: {"runs": [{}], "found": [{}], "seconds": 0.0}):
            file.write_bytes(trees.written({**tree, "run": spoil(tree["run"])}))
            refused(train(*asked, into=into), "is damaged")


def test_a_file_is_no_folder(folder):
    refused(train(into="two.csv"), "two.csv is not a folder")
    os.mkdir("strange")
    os.mkfifo(Path("strange", checkpoint.FILE))  # to read it would take for ever
    refused(train(into="strange"), "is not a file")
    refused(train("--checkpoint-every", "nan"), "--checkpoint-every must be a finite number above 0, not nan.")


def test_a_full_disk_is_told_and_what_was_there_stays(folder, monkeypatch):
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


def test_python_does_the_same(folder, monkeypatch, capsys):
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
