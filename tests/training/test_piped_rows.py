"""`train -` reads a pipe: rows are learned soon after they come, and saved whatever happens."""

import gzip
import json
import os
import queue
import signal
import subprocess
import threading
import time

import pytest
from stream_rows import COMMAND, HEADER, lines, piped

from rosenblatt import load
from rosenblatt.model.file import read


class Child:
    """`rosenblatt train -` in a process of its own; what it says is heard at once."""

    start = staticmethod(subprocess.Popen)

    def __init__(self, *options):
        self.process = self.start(
            [*COMMAND, "train", "-", *map(str, options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.said = queue.Queue()
        self.heard = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stderr:
            self.said.put(line.decode())
        self.said.put(None)

    def write(self, text):
        self.process.stdin.write(text if isinstance(text, bytes) else text.encode())

    def hears(self, what, seconds=60):
        """Waits until it says something; how long that took."""
        began = time.monotonic()
        while (line := self.said.get(timeout=seconds)) is not None:
            self.heard.append(line)
            if what in line:
                return time.monotonic() - began
        raise AssertionError(f"{what!r} was never said: {self.heard}")

    def end(self, number=None):
        """By a signal or the end of the input: the exit code, and what was printed."""
        if number is None:
            self.process.stdin.close()
        else:
            self.process.send_signal(number)
        printed = self.process.stdout.read().decode()
        code = self.process.wait(60)
        while (line := self.said.get(timeout=600)) is not None:
            self.heard.append(line)
        self.close()
        return code, printed

    def close(self):
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()


@pytest.fixture(autouse=True)
def end_children(start, monkeypatch):
    """A child that still runs when the test ends is killed."""
    monkeypatch.setattr(Child, "start", staticmethod(start))


def test_rows_are_learned_soon_after_they_come_however_slowly(tmp_path):
    child = Child("--target", "kind", "--model", tmp_path / "m", "--save-every", "1rows")
    child.write(HEADER)
    rows = iter(lines(400))
    for _ in range(60):
        child.write(next(rows))
        time.sleep(0.005)
    child.hears("right before learned")
    began = time.monotonic()  # the writer rests; nothing but what came can be learned
    while True:
        assert time.monotonic() - began < 60
        if (tmp_path / "m").exists() and read(tmp_path / "m").learned.status.rows == 48:  # a fifth is held out
            break
        time.sleep(0.05)
    child.write(next(rows))
    began = time.monotonic()
    while read(tmp_path / "m").learned.status.rows == 48:
        assert time.monotonic() - began < 60
        child.write(next(rows))
        time.sleep(0.02)
    code, printed = child.end()
    assert code == 0
    assert "held out" in printed  # few rows are an ordinary table, at any pace


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_save_what_was_learned(number, code, tmp_path):
    child = Child("--target", "kind", "--model", tmp_path / "m", "--json")
    child.write(HEADER + "".join(lines(3000)))
    child.hears("rows: ")
    ended, printed = child.end(number)
    assert ended == code
    assert f"what was learned so far is saved in {tmp_path / 'm'}" in child.heard[-1]
    report = json.loads(printed)
    assert 1000 < report["rows"] <= 3000
    assert report["progressive_accuracy"] > 0.9
    assert report["streamed"]
    assert report["reason"] == ("interrupted" if code == 130 else "terminated")
    assert read(tmp_path / "m").classes.tolist() == ["large", "small"]
    assert os.listdir(tmp_path) == ["m"]


def test_a_signal_among_the_first_rows_saves_their_table(tmp_path):
    child = Child("--target", "kind", "--model", tmp_path / "m")
    child.write(HEADER + "".join(lines(200)) + "1.5,re")  # a row that has not ended is no row
    child.hears("rows: ")
    code, printed = child.end(signal.SIGINT)
    assert code == 130
    assert "-: 200 rows" in printed
    assert read(tmp_path / "m").encoder.kinds == {"size": "number", "colour": "category"}


def test_models_are_saved_on_the_way(tmp_path):
    child = Child("--target", "kind", "--model", tmp_path / "m", "--save-every", "0.2s")
    child.write(HEADER + "".join(lines(2000)))
    began, seen = time.monotonic(), 0
    while seen < 2000:
        assert time.monotonic() - began < 60
        if (tmp_path / "m").exists():
            seen = read(tmp_path / "m").learned.n_visits
        time.sleep(0.05)
    child.process.kill()  # not even then is anything lost
    child.process.wait()
    child.close()
    assert read(tmp_path / "m").learned.n_visits == 2000


def test_a_row_that_cannot_be_used_ends_it_and_those_before_are_saved(tmp_path):
    rows = lines(3000)
    rows[2500] = "0.5,red\n"
    said = piped(HEADER + "".join(rows), "--target", "kind", "--model", tmp_path / "m", ends=2).stderr.decode()
    assert "error: -, line 2502 has 2 values where the first line names 3 columns." in said
    assert f"what was learned from the 2,500 rows before is saved in {tmp_path / 'm'}." in said
    assert read(tmp_path / "m").learned.n_visits == 2500
    rows[2500] = "many,red,large\n"
    said = piped(HEADER + "".join(rows), "--target", "kind", "--model", tmp_path / "m", ends=2).stderr.decode()
    assert "column 'size' does not hold numbers ('many' in line 2502)" in said
    assert "--drop size" in said
    for row, what in (("inf,red,large\n", "infinite number in line 2502"), ("1,red,\n", "has no class in line 2502")):
        rows[2500] = row
        said = piped(HEADER + "".join(rows), "--target", "kind", "--model", tmp_path / "m", ends=2).stderr.decode()
        assert what in said
        assert read(tmp_path / "m").learned.n_visits == 2500
    text = (HEADER + "".join(rows)).encode().replace(b"1,red,\n", b"1,ros\xe9,large\n")
    said = piped(text, "--target", "kind", "--model", tmp_path / "m", ends=2).stderr.decode()
    assert "-, line 2502 is not text in UTF-8" in said
    rows[300] = "0.5\n"
    said = piped(HEADER + "".join(rows), "--target", "kind", "--model", tmp_path / "m", ends=2).stderr.decode()
    assert "line 302 has 1 value" in said
    assert "the 300 rows before" in said


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "- is empty"),
        (HEADER, "- names columns but has no rows."),
        ("size;kind\n", "- names columns but has no rows."),
        ("size,colour,kin\n1,red,large\n", "- has no column 'kind' to predict: did you mean 'kin'?"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 99, "- is not text in UTF-8"),
        (b"\x89HDF\r\n\x1a\n" + bytes(99), "- is an HDF5 file, not a table that can be read"),
        (HEADER + "1,red,large\n2,blue,large\n" * 30, "only one class"),
        (HEADER + "1,red,large\n2,blue,large\n" * 3000, "only one class"),
        (gzip.compress((HEADER + "".join(lines(90))).encode())[:-20], "is cut off before its end"),
    ],
)
def test_input_that_is_no_use_is_said_in_one_sentence(text, what, tmp_path):
    said = piped(text, "--target", "kind", "--model", tmp_path / "m", ends=2).stderr.decode()
    [error] = [line for line in said.splitlines() if line.startswith("error: ")]
    assert what in error
    assert "Traceback" not in said


def test_a_missing_target_is_said_before_rows_come(tmp_path):
    child = Child("--target", "knid", "--model", tmp_path / "m")
    child.write(HEADER)
    child.hears("did you mean 'kind'?")
    assert child.process.wait(60) == 2
    child.close()


def test_options_that_need_all_rows_wait_for_them_and_others_are_refused(tmp_path):
    text = HEADER + "".join(lines(1500))
    result = piped(text, "--target", "kind", "--model", tmp_path / "m", "--folds", 3, "--json")
    assert len(json.loads(result.stdout)["fold_accuracies"]) == 3
    assert "note: --folds needs all rows, so standard input is read to its end" in result.stderr.decode()
    result = piped(text, "--target", "kind", "--model", tmp_path / "m", "--checkpoint", tmp_path / "c", "--json")
    assert json.loads(result.stdout)["test_rows"] == 300
    assert "note: --checkpoint needs all rows" in result.stderr.decode()
    for options, what in (
        (("--folds", 3, "--save-every", "5s"), "--save-every does not go with --folds"),
        (("--set", "tol=0.1", "--save-every", "5s"), "--save-every does not go with --set tol"),
        (("--save-every", "soon"), "--save-every takes seconds, or a number of rows"),
        (("--save-every", "0"), "--save-every takes seconds"),
        (("--algorithm", "perceptron", "--alpha", 1), "--alpha does not go with algorithm 'perceptron'"),
    ):
        assert what in piped(text, "--target", "kind", "--model", tmp_path / "m", *options, ends=2).stderr.decode()
    (tmp_path / "t.csv").write_text(text)
    command = [*COMMAND, "train", str(tmp_path / "t.csv"), "--target", "kind", "--save-every", "5s"]
    refused = subprocess.run(command, capture_output=True, timeout=600)
    assert refused.returncode == 2
    assert b"--save-every goes with standard input" in refused.stderr


def test_a_stream_can_be_given_a_time(tmp_path):
    child = Child("--target", "kind", "--model", tmp_path / "m", "--max-seconds", 1, "--json")
    child.write(HEADER + "".join(lines(2000)))
    assert child.process.wait(60) == 0
    assert json.loads(child.process.stdout.read())["reason"] == "max_seconds"
    child.close()


def test_what_was_saved_predicts_evaluates_explains_exports_and_learns_on(tmp_path):
    text, path = HEADER + "".join(lines(3000)), tmp_path / "m"
    piped(text, "--target", "kind", "--model", path)
    (tmp_path / "new.csv").write_text(HEADER + "".join(lines(500, seed=1)))
    for command in (
        ["evaluate", path, tmp_path / "new.csv", "--json"],
        ["explain", path],
        ["export", path, tmp_path / "m.onnx"],
    ):
        done = subprocess.run([*COMMAND, *map(str, command)], capture_output=True, timeout=600)
        assert done.returncode == 0, done.stderr
        if command[0] == "evaluate":
            assert json.loads(done.stdout)["accuracy"] > 0.93
    model = load(path)
    visits = model[-1].n_visits_
    rows = model[0].transform({"size": [3.0], "colour": ["red"]})
    assert model[-1].partial_fit(rows, ["large"]).n_visits_ == visits + 1
