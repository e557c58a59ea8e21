"""Rows that keep coming: learned while they come, at any pace, and saved whatever happens."""

import gzip
import io
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from copy import deepcopy

import numpy as np
import pytest

from rosenblatt import PassiveAggressive, Perceptron, fit, load, save
from rosenblatt.classifiers.calibration.methods import calibration_state
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import read, write
from rosenblatt.model.predict import predictions
from rosenblatt.tables.read.pipe_reader import PipeReader
from rosenblatt.tables.read.text_lines import Block
from rosenblatt.training.online.endless_input import MAX_HELD_ROWS, EndlessInput, open_text
from rosenblatt.training.online.one_pass import option_needing_all_rows
from rosenblatt.training.online.online_learner import MAX_COLUMNS
from rosenblatt.training.request import Request
from rosenblatt.training.train_table import train_table

COMMAND = [sys.executable, "-m", "rosenblatt.cli"]
HEADER = "size,colour,kind\n"


def lines(rows, seed=0, scale=1.0, flip=False):
    """Rows whose class depends on a number and a category."""
    random = np.random.default_rng(seed)
    size, colour = random.normal(0, 1, rows), random.choice(["red", "blue", "green"], rows)
    large = (size + (colour == "red") > 0.5) != flip
    return [f"{s * scale:.6g},{c},{'large' if k else 'small'}\n" for s, c, k in zip(size, colour, large, strict=True)]


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


def piped(text, *options, ends=0):
    data = text if isinstance(text, bytes) else text.encode()
    result = subprocess.run([*COMMAND, "train", "-", *map(str, options)], input=data, capture_output=True, timeout=120)
    assert result.returncode == ends, result.stderr.decode()
    return result


def fed(text, pieces=1, predict_batch=1, **request):
    """A stream in this process, its bytes cut into so many pieces."""
    endless = EndlessInput(Request(**{"target": "kind", **request}), predict_batch)
    data = text if isinstance(text, bytes) else text.encode()
    for first in range(0, len(data), max(1, len(data) // pieces)):
        endless.feed(data[first : first + max(1, len(data) // pieces)])
    endless.end()
    return endless


def scores(model, texts):
    """What a model says of rows of text."""
    source = open_text((HEADER + "".join(texts)).encode())
    return np.concatenate([found.scores for found in predictions(model, source)])


# A process that reads a pipe


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


# Predicted, then learned


def flipping(rows, every=100):
    """Numbers whose classes change places every so many rows."""
    X = np.random.default_rng(0).normal(0, 1, (rows, 3)).round(3)
    side = (X @ [1.0, -2.0, 0.5] > 0) != (np.arange(rows) // every % 2 == 1)
    return X, np.where(side, "yes", "no")


@pytest.mark.parametrize("algorithm", ["perceptron", "passive-aggressive"])
def test_labels_that_flip_are_predicted_as_one_row_after_the_other(algorithm):
    """The same rows through scikit-learn's interface: predict one row, then learn it."""
    X, y = flipping(3000)
    text = "a,b,c,kind\n" + "".join(f"{a},{b},{c},{label}\n" for (a, b, c), label in zip(X, y, strict=True))
    endless = fed(text, pieces=7, algorithm=algorithm, scale=False)
    model = {"perceptron": Perceptron, "passive-aggressive": PassiveAggressive}[algorithm]()
    model.partial_fit(X[:20], y[:20], classes=["no", "yes"])  # held to determine the kinds of columns
    right = []
    for row, label in zip(X[20:], y[20:], strict=True):
        right.append(model.predict([row])[0] == label)
        model.partial_fit([row], [label])
    assert (endless.accuracy.right, endless.accuracy.rows) == (sum(right), len(right))
    assert np.array_equal(endless.model().learned.coef, model.coef_)
    assert np.mean(right) > 0.8
    stale = fed(text, algorithm=algorithm, scale=False, predict_batch=200).accuracy
    assert stale.right / stale.rows < 0.6  # half of each batch has its classes the other way round


def predicted(model, row):
    """The class that a model gives to a row of text, by the way of `rosenblatt predict`."""
    [found] = predictions(model, open_text((HEADER + row).encode()))
    return model.classes[model.decide(found.scores)[0]]


@pytest.mark.parametrize("batch", [1, 101])
@pytest.mark.parametrize("algorithm", ["auto", "perceptron", "pocket", "svm"])
def test_each_row_is_predicted_by_the_model_that_would_be_saved_before_it(algorithm, batch):
    """Outliers, which are learned as if they were nearer, new classes and renewed columns included."""
    rows = lines(1010, flip=True) + lines(100, seed=1, scale=3.0) + ["-300,blue,large\n", "250,red,small\n"]
    rows += ["1,red,huge\n", "70,violet,tiny\n", "2,red,huge\n"] if batch == 1 else ["1,violet,large\n"] * 3
    rows += lines(60, seed=2) + ["2,violet,small\n"] * 3 + lines(130, seed=3, flip=True)
    slow, right = EndlessInput(Request(target="kind", algorithm=algorithm)), []
    slow.feed((HEADER + "".join(rows[:1010])).encode())
    columns, model = slow.learner.encoder.columns, None
    for row in rows[1010:]:
        encoder = slow.learner.encoder.state()
        if slow.rows % batch == 0:
            model = deepcopy(slow.model())
        right.append(predicted(model, row) == row.strip().split(",")[-1])
        slow.feed(row.encode())
        if slow.learner.encoder.state() != encoder:
            model = deepcopy(slow.model())  # a batch goes on with renewed columns
    fast = fed(HEADER + "".join(rows), algorithm=algorithm, predict_batch=batch).accuracy
    before = fed(HEADER + "".join(rows[:1010]), algorithm=algorithm, predict_batch=batch).accuracy
    assert slow.learner.encoder.columns > columns
    assert (fast.right - before.right, fast.rows - before.rows) == (sum(right), len(right))


def test_the_size_of_predicted_batches_does_not_change_the_model():
    text = HEADER + "".join(lines(1500) + lines(1500, seed=1, flip=True))
    one, many = fed(text), fed(text, pieces=31, predict_batch=500)
    assert np.array_equal(one.model().learned.coef, many.model().learned.coef)
    assert one.accuracy.rows == many.accuracy.rows
    assert one.accuracy.right > many.accuracy.right
    assert many.accuracy.right == fed(text, predict_batch=500).accuracy.right


def test_the_report_names_predicted_batches(tmp_path):
    text = HEADER + "".join(lines(2500))
    said = piped(text, "--target", "kind", "--model", tmp_path / "m", "--predict-batch", 1000)
    assert "rows right, each predicted before its batch of 1,000 was learned" in said.stdout.decode()
    assert "% right before learned in batches of 1,000, " in said.stderr.decode()
    for options, size in ((("--predict-batch", 1000), 1000), ((), 1)):
        result = piped(text, "--target", "kind", "--model", tmp_path / "m", "--json", *options)
        report = json.loads(result.stdout)
        assert (report["predict_batch"], report["progressive_rows"]) == (size, 2480)
    plain = piped(text, "--target", "kind", "--model", tmp_path / "m").stdout.decode()
    assert "rows right, each predicted before it was learned" in plain


def test_predicted_batches_are_refused_where_they_mean_nothing(tmp_path):
    text = HEADER + "".join(lines(1500))
    (tmp_path / "t.csv").write_text(text)
    command = [*COMMAND, "train", str(tmp_path / "t.csv"), "--target", "kind", "--predict-batch", "10"]
    refused = subprocess.run(command, capture_output=True, timeout=600)
    assert refused.returncode == 2
    assert b"--predict-batch goes with standard input" in refused.stderr
    for options, what in (
        (("--predict-batch", 0), "--predict-batch must be a whole number of at least 1, not 0."),
        (("--predict-batch", 5, "--folds", 3), "--predict-batch does not go with --folds"),
    ):
        assert what in piped(text, "--target", "kind", "--model", tmp_path / "m", *options, ends=2).stderr.decode()
    with pytest.raises(InputError, match="predict_batch goes with an open file"):
        fit(tmp_path / "t.csv", target="kind", predict_batch=10)
    assert fit(io.BytesIO(text.encode()), target="kind", predict_batch=10).report_["predict_batch"] == 10


# The same at any pace


@pytest.mark.parametrize(
    "algorithm", ["auto", "perceptron", "averaged", "pocket", "passive-aggressive", "alma", "arow", "svm", "logistic"]
)
def test_the_model_depends_on_the_rows_and_not_on_their_pace(algorithm):
    text = HEADER + "".join(lines(1200) + lines(900, seed=1, scale=300.0) + ["9e9,red,large\n"] + lines(900, seed=2))
    text += "1,red,huge\n0,blue,tiny\n" + "".join(lines(500, seed=3))
    whole, cut = fed(text, algorithm=algorithm), fed(text, pieces=997, algorithm=algorithm)
    assert (whole.accuracy.right, whole.accuracy.rows) == (cut.accuracy.right, cut.accuracy.rows)
    assert whole.accuracy.recent == cut.accuracy.recent
    first, second = whole.model(), cut.model()
    assert first.encoder.state() == second.encoder.state()
    assert np.array_equal(first.learned.coef, second.learned.coef)
    assert np.array_equal(first.learned.intercept, second.learned.intercept)
    assert first.classes.tolist() == second.classes.tolist() == ["huge", "large", "small", "tiny"]
    if algorithm != "logistic":
        assert calibration_state(first.calibration)["rows"] == 501  # since the last new class
        assert str(calibration_state(first.calibration)) == str(calibration_state(second.calibration))


def test_long_streams_depend_on_no_pace_either():
    rows = (
        lines(17_000)
        + [f"{k / 500:.3f},{'violet' if k % 2 else 'pink'},large\n" for k in range(9000)]
        + lines(15_000, 1)
    )
    whole, cut = (fed(HEADER + "".join(rows), pieces=pieces) for pieces in (1, 1009))
    assert (whole.accuracy.right, whole.accuracy.recent) == (cut.accuracy.right, cut.accuracy.recent)
    assert whole.model().encoder.state() == cut.model().encoder.state()
    assert "colour=violet" in cut.model().encoder.names
    assert np.array_equal(whole.model().learned.coef, cut.model().learned.coef)


def test_texts_depend_on_no_pace_either():
    random = np.random.default_rng(0)
    words = [f"word{k}" for k in range(3000)]
    rows = []
    for k in range(4000):
        said = random.choice(words[: 200 + k // 2], 12)
        rows.append(" ".join(said) + "\t" + ("odd" if sum(int(word[4:]) % 2 for word in said) > 6 else "even") + "\n")
    text = "said\tkind\n" + "".join(rows)
    whole, cut = (fed(text, pieces=pieces).model() for pieces in (3, 301))
    assert whole.encoder.names == cut.encoder.names
    assert np.array_equal(whole.learned.coef, cut.learned.coef)


def test_few_rows_are_an_ordinary_table():
    text = HEADER + "".join(lines(MAX_HELD_ROWS))
    endless = fed(text, pieces=50)
    assert not endless.is_streaming
    plain = train_table(open_text(text.encode()), Request(target="kind"))
    assert np.array_equal(endless.table_outcome("end").model.learned.coef, plain.model.learned.coef)
    assert fed(text + "1,red,large\n").is_streaming


# What changes on the way


def test_scores_stay_when_columns_are_renewed():
    """Other scales, new values, a gap where there was none: every score is what it was just before."""
    endless = fed(HEADER + "".join(lines(3000)))
    learning = endless.learner
    rows = lines(900, seed=1, scale=3.0)
    rows += [",red,large\n"] * 5 + [f"{k / 9},violet,small\n" for k in range(9)]
    asked = [*lines(50, seed=2), "0.3,red,small\n", "2,violet,large\n", ",blue,small\n"]
    batch = learning._read(Block("".join(rows).encode(), 1, 0))
    learning.monitor.observe(batch.table)
    before = scores(learning.model(), asked)
    width = learning.encoder.columns
    learning.stream.remap(learning.monitor.renew(1000))
    after = scores(learning.model(), asked)
    assert learning.encoder.columns == width + 2  # violet, and where the size is missing
    assert "colour=violet" in learning.encoder.names
    assert "size is missing" in learning.encoder.names
    assert after == pytest.approx(before, abs=1e-6 * np.abs(before).max())


def test_new_words_are_learned():
    random = np.random.default_rng(0)

    def texts(rows, good, bad):
        for k in range(rows):
            said = " ".join(random.choice(["the", "a", "film", "of", "it", "was"], 5))
            yield f"{k} {said} {random.choice(good)}\tgood\n"
            yield f"{k} {said} {random.choice(bad)}\tbad\n"

    old = list(texts(1000, ["lovely", "fine"], ["dull", "poor"]))
    new = list(texts(2000, ["splendid", "superb"], ["ghastly", "dreary"]))
    endless = fed("said\tkind\n" + "".join(old + new))
    assert {"said: splendid", "said: ghastly", "said: lovely"} <= set(endless.learner.encoder.names)
    recent = endless.accuracy.recent
    assert recent.right / recent.rows > 0.98  # only the first rows with new words are guesses
    assert recent.right < recent.rows


def test_columns_have_a_limit(monkeypatch):
    monkeypatch.setattr("rosenblatt.training.online.online_learner.MAX_COLUMNS", 600)
    rows = [f"w{k % 700} w{k * 7 % 900} and w{k * k % 800}\t{'a' if k % 2 else 'b'}\n" for k in range(4000)]
    learning = fed("said\tkind\n" + "".join(rows)).learner
    assert learning.columns_full
    assert learning.encoder.columns <= max(600, 900)
    more = fed("said\tkind\n" + "".join(rows + [f"new{k % 50} w1 or w2 x\ta\n" for k in range(3000)])).learner
    assert more.encoder.columns == learning.encoder.columns


def test_classes_may_turn_up_at_any_time():
    random = np.random.default_rng(0)
    rows = [f"{x:.3f},red,{'low' if x < 0 else 'high'}\n" for x in random.normal(0, 1, 2000)]
    rows += [f"{x:.3f},red,{'low' if x < 0 else 'high' if x < 2 else 'top'}\n" for x in random.normal(1, 2, 8000)]
    endless = fed(HEADER + "".join(rows))
    assert endless.model().classes.tolist() == ["high", "low", "top"]
    assert endless.learner.classes.sorted_counts[2] == sum("top" in row for row in rows)
    recent = endless.accuracy.recent
    assert recent.right / recent.rows > 0.8
    only = fed(HEADER + "1,red,large\n2,blue,large\n" * 1000 + "".join(lines(3000)))  # the first thousand of one class
    assert only.model().classes.tolist() == ["large", "small"]
    assert only.accuracy.recent.right / only.accuracy.recent.rows > 0.8


def test_columns_that_said_nothing_wake_up():
    rows = ["1," + row for row in lines(1500)]
    asleep = fed("flag," + HEADER + "".join(rows)).learner
    assert asleep.encoder.left_out == {"flag": "it is always the same"}
    rows += [f"{5 if 'large' in row else 1}," + row for row in lines(1500, seed=1)]
    awake = fed("flag," + HEADER + "".join(rows)).learner
    assert awake.encoder.left_out == {}
    weights = dict(zip(awake.encoder.names, np.abs(awake.stream.coef[0]), strict=True))
    assert weights["flag"] > weights["colour=blue"]


@pytest.mark.parametrize("algorithm", ["auto", "logistic", "passive-aggressive", "svm"])
def test_a_stream_that_changes_is_followed(algorithm):
    """Other units, an outlier beyond all measure, and then the opposite rule."""
    rows = lines(4000) + lines(8000, seed=1, scale=1000.0) + ["1e12,red,small\n"] + lines(12000, seed=2, scale=1000.0)
    recent = fed(HEADER + "".join(rows), algorithm=algorithm).accuracy.recent
    assert recent.right / recent.rows > 0.85
    turned = rows + lines(40000, seed=3, scale=1000.0, flip=True)
    recent = fed(HEADER + "".join(turned), algorithm=algorithm).accuracy.recent
    assert recent.right / recent.rows > 0.85


# Kinds of input


def test_every_kind_of_text_streams(tmp_path):
    rows = lines(2500)
    cells = [row.strip().split(",") for row in rows]
    csv = HEADER + "".join(rows)
    wanted = fed(csv).model()
    tsv = csv.replace(",", "\t")
    records = [{"size": float(size), "colour": colour, "kind": kind} for size, colour, kind in cells]
    for text in (tsv, "".join(json.dumps(record) + "\n" for record in records)):
        assert np.array_equal(fed(text).model().learned.coef, wanted.learned.coef)
    numbered = "".join(
        f"{'+1' if kind == 'large' else '-1'} 1:{size} {2 + len(colour)}:1\n" for size, colour, kind in cells
    )
    endless = fed(numbered, target=None)
    assert endless.is_streaming
    assert endless.accuracy.right / endless.accuracy.rows > 0.9
    for name in ("gzip", "bz2", "lzma"):
        packed = __import__(name).compress(csv.encode())
        (tmp_path / "rows").write_bytes(packed)
        with open(tmp_path / "rows", "rb", buffering=0) as file:
            endless = EndlessInput(Request(target="kind"))
            assert endless.run(PipeReader(file), lambda _: None) == "end"
        assert np.array_equal(endless.model().learned.coef, wanted.learned.coef)


def test_a_table_of_a_typed_file_is_read_whole(tmp_path):
    import pyarrow as arrow
    from pyarrow import parquet

    cells = list(zip(*(row.strip().split(",") for row in lines(1500)), strict=True))
    table = arrow.table({"size": [float(x) for x in cells[0]], "colour": cells[1], "kind": cells[2]})
    file = io.BytesIO()
    parquet.write_table(table, file)
    result = json.loads(piped(file.getvalue(), "--target", "kind", "--model", tmp_path / "m", "--json").stdout)
    assert (result["rows"], result["streamed"], result["test_rows"]) == (1500, False, 300)


def test_quoted_rows_are_cut_nowhere():
    rows = [f'{k % 7},"a ""b""\nc, {k % 5}",{"large" if k % 7 > 3 else "small"}\n' for k in range(2500)]
    endless = fed(HEADER + "".join(rows), pieces=211)
    assert endless.rows == 2500
    assert endless.learner.encoder.kinds == {"size": "number", "colour": "category"}


def test_compressed_rows_come_as_soon_as_they_are_there():
    import zlib

    read_end, write_end = os.pipe()
    with open(read_end, "rb", buffering=0) as file, open(write_end, "wb", buffering=0) as pipe:
        arriving, packer = PipeReader(file), zlib.compressobj(wbits=31)
        for text in (b"a,b\n", b"1,2\n"):
            pipe.write(packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH))
            assert arriving.take(30) == text
        assert arriving.take(0.01) == b""
        pipe.write(packer.flush() + gzip.compress(b"3,4\n"))
        assert arriving.take(30) == b"3,4\n"
        pipe.close()
        assert arriving.take(30) is None


def test_bytes_read_ahead_are_bounded(monkeypatch):
    monkeypatch.setattr("rosenblatt.tables.read.pipe_reader.MAX_AHEAD_SIZE", 1000)
    monkeypatch.setattr("rosenblatt.tables.read.pipe_reader.READ_SIZE", 100)
    file = io.BytesIO(bytes(100_000))
    arriving = PipeReader(file)
    while file.tell() < 900:
        time.sleep(0.01)
    time.sleep(0.1)  # a reader without a bound would go on
    assert file.tell() <= 1200
    taken = b""
    while (piece := arriving.take(30)) is not None:
        taken += piece
    assert taken == bytes(100_000)


def test_which_options_need_all_rows():
    for parameters in (
        {"C": 1.0},
        {"max_iter": 3},
        {"order": "shuffle"},
        {"solver": "gd"},
        {"features": "polynomial-2"},
    ):
        assert option_needing_all_rows(
            Request(algorithm="logistic", parameters=parameters)
            if "order" not in parameters
            else Request(parameters=parameters)
        ) == next(iter(parameters))
    assert option_needing_all_rows(Request(class_weight="balanced")) == "class_weight"
    assert option_needing_all_rows(Request(class_weight={"a": 2.0}, parameters={"alpha": 0.1})) is None
    assert option_needing_all_rows(Request(algorithm="passive-aggressive", parameters={"C": 0.1})) is None


def test_class_weights_count_in_a_stream():
    rows = [
        f"{x:.3f},red,{'large' if x + y > 1.5 else 'small'}\n"
        for x, y in np.random.default_rng(0).normal(0, 1, (6000, 2))
    ]
    plain, heavy = (fed(HEADER + "".join(rows), class_weight=weight) for weight in (None, {"large": 20.0}))
    asked = lines(2000, seed=5)
    found = [int((scores(model.model(), asked)[:, 0] < 0).sum()) for model in (plain, heavy)]
    assert found[1] > found[0] + 100


def test_a_stream_is_saved_and_read_back_as_it_was(tmp_path):
    endless = fed(HEADER + "".join(lines(3000)))
    write(endless.model(), tmp_path / "m")
    asked = lines(100, seed=9)
    assert np.array_equal(scores(read(tmp_path / "m"), asked), scores(endless.model(), asked))


def test_numbers_beyond_all_measure_do_no_harm():
    endless = fed(
        HEADER + "".join(lines(1500) + ["1e308,red,large\n", "-1e308,blue,small\n"] * 3 + lines(1500, seed=1))
    )
    assert endless.accuracy.right / endless.accuracy.rows > 0.9  # they are learned from as if they were less far
    with pytest.raises(InputError, match="too large or too small"):
        fed(HEADER + "".join(lines(1500) + ["1e308,red,large\n", "-1e308,blue,small\n"] * 3), scale=False)


def test_fit_takes_an_open_file(tmp_path):
    text = HEADER + "".join(lines(3000))
    (tmp_path / "rows.csv").write_text(text)
    with open(tmp_path / "rows.csv", "rb") as file:
        model = fit(file, target="kind")
    assert model.report_["rows"] == 3000
    assert model.report_["progressive_accuracy"] > 0.9
    assert np.array_equal(model[-1].coef_, fed(text).model().learned.coef)
    assert fit(io.BytesIO((HEADER + "".join(lines(300))).encode()), target="kind").report_["test_rows"] == 60
    for file, options, what in (
        (io.BytesIO(), {"folds": 3}, "folds needs all rows at once"),
        (io.StringIO(text), {}, "open it with mode 'rb'"),
        (io.BytesIO(), {}, "is empty"),
    ):
        with pytest.raises(InputError, match=what):
            fit(file, target="kind", **options)


class Tap(io.RawIOBase):
    """A pipe that gives some rows and then never ends."""

    def __init__(self, rows):
        self.left = iter([(HEADER + "".join(rows)).encode()])

    def readable(self):
        return True

    def read(self, size=-1):
        if (piece := next(self.left, None)) is not None:
            return piece
        return None  # as a pipe that does not wait


@pytest.fixture
def ctrl_c_when_idle(monkeypatch):
    """Ctrl-C reaches this process when it waits for rows in vain: it has then learned from those that were there."""
    take = PipeReader.take

    def take_or_interrupt(self, seconds):
        if (piece := take(self, seconds)) == b"":
            os.kill(os.getpid(), signal.SIGINT)
        return piece

    monkeypatch.setattr(PipeReader, "take", take_or_interrupt)


@pytest.mark.usefixtures("ctrl_c_when_idle")
def test_ctrl_c_ends_a_fit_of_an_open_file_and_leaves_what_it_learned():
    model = fit(Tap(lines(3000)), target="kind")
    assert (model.report_["rows"], model.report_["reason"]) == (3000, "interrupted")
    assert np.array_equal(model[-1].coef_, fed(HEADER + "".join(lines(3000))).model().learned.coef)
    few = fit(Tap(lines(300)), target="kind")
    assert few.report_["test_rows"] == 60  # few rows are an ordinary table
    with pytest.raises(KeyboardInterrupt):  # there is nothing to leave
        fit(Tap([]), target="kind")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_open_file_is_left_after_max_seconds():
    model = fit(Tap(lines(3000)), target="kind", max_seconds=2.0)
    assert (model.report_["rows"], model.report_["reason"]) == (3000, "max_seconds")


def test_a_column_0_may_turn_up_late():
    rows = [f"{k % 2} {'' if k < 1500 else '0:1 '}{1 + k % 2}:1 3:1\n" for k in range(4000)]
    learner = fed("".join(rows), target=None).learner
    assert learner.encoder.names == ["0", "1", "2", "3"]
    assert learner.stream.coef[0, 1] < 0 < learner.stream.coef[0, 2]
    assert fed("".join(rows[:1500]), target=None).learner.encoder.names == ["1", "2", "3"]


def test_columns_numbered_far_beyond_are_refused():
    with pytest.raises(InputError, match=r"2,000,000,000 columns, but a stream allows 16,777,216"):
        fed("".join(f"{k % 2} 1:1 {2_000_000_000 if k == 500 else 7}:1\n" for k in range(2000)), target=None)
    endless = fed("".join(f"{k % 2} 1:1 {2_000_000_000 if k == 1500 else 7}:1\n" for k in range(2000)), target=None)
    assert endless.learner.encoder.columns == MAX_COLUMNS


@pytest.mark.parametrize("algorithm", ["averaged", "logistic"])
def test_a_row_whose_score_overflows_leaves_probabilities_alone(algorithm, tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(2500, 2))
    rows = [f"{a:.4f},{b:.4f},{'p' if a + b > 0 else 'n'}" for a, b in X]
    rows[1500] = "1e308,-1e308,n"
    path = tmp_path / "m"
    stream = io.BytesIO(("a,b,y\n" + "\n".join(rows) + "\n").encode())
    model = fit(io.BufferedReader(stream), target="y", algorithm=algorithm)
    save(model, path)
    assert model.report_["log_loss"] < 0.3
    assert np.isfinite(load(path).predict_proba({"a": [0.0, 3.0], "b": [0.0, 3.0]})).all()
