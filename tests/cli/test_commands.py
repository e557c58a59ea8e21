"""The command line, as people and programs meet it: run in a process of its own, or through typer's runner."""

import contextlib
import csv
import io
import json
import os
import pty
import re
import resource
import select
import signal
import stat
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from typer.testing import CliRunner

import rosenblatt
from rosenblatt.cli.app import app
from rosenblatt.cli.fast_parser import option_names
from rosenblatt.cli.train import train
from rosenblatt.parts import catalogue

COMMAND = [sys.executable, "-m", "rosenblatt.cli"]
HOURS = ("--max-iter", "100000000", "--set", "n_iter_no_change=100000000")  # of training, where classes overlap
FLOWERS = """length,width,kind
5.1,3.5,setosa
4.9,3.0,setosa
4.7,3.2,setosa
4.6,3.1,setosa
5.0,3.6,setosa
7.0,3.2,virginica
7.4,3.2,virginica
6.9,3.1,virginica
7.5,2.8,virginica
7.3,3.3,virginica
"""


SOURCES = os.path.dirname(os.path.dirname(os.path.abspath(rosenblatt.__file__)))


def run(*arguments, cwd=None):
    """In a process of its own, with a terminal 80 wide."""
    environment = {**os.environ, "COLUMNS": "80", "PYTHONPATH": SOURCES}
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=cwd, env=environment)


def call(*arguments):
    """In this process, which is faster."""
    return CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)


def trained(*arguments):
    result = call("train", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def refusal(result):
    """The one sentence a command ends with when it cannot use what it was given."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert re.fullmatch(r"error: .*[.?]\n", result.stderr), result.stderr
    return result.stderr


@pytest.fixture
def flowers(tmp_path):
    path = tmp_path / "flowers.csv"
    path.write_text(FLOWERS)
    return path


@pytest.fixture(scope="module")
def tumours(tmp_path_factory):
    """A real table: scikit-learn's breast cancer."""
    path = tmp_path_factory.mktemp("real") / "tumours.csv"
    bunch = load_breast_cancer()
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*bunch.feature_names, "diagnosis"])
        for row, target in zip(bunch.data.tolist(), bunch.target, strict=True):
            writer.writerow([*row, bunch.target_names[target]])
    return path


def noise(path, rows=20_000, columns=30):
    """A table that no plane separates."""
    random = np.random.default_rng(0)
    X, y = random.integers(0, 9, size=(rows, columns)), random.integers(0, 2, size=rows)
    names = ",".join(f"x{place}" for place in range(columns))
    np.savetxt(path, np.column_stack([X, y]), fmt="%d", delimiter=",", header=f"{names},y", comments="")
    return path


# Help


def test_help_imports_nothing_that_takes_long():
    code = (
        "import sys; sys.argv = ['rosenblatt', '--help']\n"
        "from rosenblatt.cli import main\n"
        "try: main()\n"
        "finally: print(sorted({'numpy', 'pyarrow', 'rich', 'sklearn', 'scipy'} & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "[]"
    assert "train" in result.stdout


def fastest(command):
    """Seconds of processor time, which other programs on the machine hardly change; the best of five runs."""

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(5))


def test_help_is_there_at_once():
    """Within 150 ms where Python itself starts in 12; slower machines get as much more."""
    start = fastest([sys.executable, "-c", "pass"])
    assert fastest([*COMMAND, "--help"]) < 0.150 * max(1.0, start / 0.012)


@pytest.mark.parametrize("command", [[], ["train"], ["predict"], ["check"], ["verify"]])
def test_help_fits_a_screen_and_shows_examples(command):
    text = run(*command, "--help").stdout
    assert len(text.splitlines()) <= 50
    assert max(map(len, text.splitlines())) <= 80
    assert "\n    rosenblatt " in text


def test_help_all_shows_every_option():
    """Apart from old spellings of other options. The plain help says that there is more."""
    plain, every = (run("train", option).stdout for option in ("--help", "--help-all"))
    assert "--help-all " in plain
    assert option_names(train) - set(re.findall(r"(?<= )--?[\w-]+", every)) == {"--model"}
    assert "--checkpoint-every S " not in plain
    assert "--checkpoint-every S " in every
    assert max(map(len, every.splitlines())) <= 80
    assert set(plain.splitlines()) - set(every.splitlines()) == set()


def test_help_names_every_algorithm():
    text = " ".join(call("train", "--help").stdout.split())
    assert all(name in text for name in catalogue.ALGORITHMS)


def test_version():
    assert call("--version").stdout == f"rosenblatt {rosenblatt.__version__}\n"


# Training


def test_a_newcomer_sees_what_happened(flowers):
    result = run("train", "flowers.csv", "--target", "kind", cwd=flowers.parent)
    assert result.returncode == 0
    found = dict(re.findall(r"^(\S[\w ]*?)  +(.*)$", result.stdout, re.MULTILINE))
    assert found["table"] == "flowers.csv: 10 rows, 2 columns"
    assert found["target"] == "kind: setosa (5), virginica (5)"
    assert found["columns"] == "number: length, width"
    assert found["algorithm"] == "logistic (seed 0)"
    assert found["stopped"].endswith(" steps, with no mistakes left")
    assert found["training"] == "0 mistakes in 8 rows (100.0 % right)"
    assert found["held out"] == "100.0 % of 2 rows right (95 % interval: 34.2 to 100.0 %)"
    assert found["model"] == "flowers.rosenblatt.safetensors"
    assert result.stderr == "hint: rosenblatt predict flowers.rosenblatt.safetensors flowers.csv\n"
    following = run(*result.stderr.split()[2:], cwd=flowers.parent)
    assert following.stdout.split() == ["prediction", *["setosa"] * 5, *["virginica"] * 5]


def test_json_is_one_object_with_everything(tumours, tmp_path):
    result = call("train", tumours, "--target", "diagnosis", "--model", tmp_path / "model", "--json")
    found = json.loads(result.stdout)
    assert (found["rows"], found["columns"], found["classes"]) == (569, 30, ["benign", "malignant"])
    assert (found["train_rows"] + found["test_rows"], found["class_counts"]) == (569, [357, 212])
    assert abs(found["test_rows"] - 0.2 * 569) < 2
    assert found["algorithm"] == "logistic"
    assert set(found["kinds"].values()) == {"number"}
    assert f"{found['mistakes']} of {found['train_rows']} rows misclassified" in found["status"]
    assert 0.93 < found["test_accuracy"] < 1
    assert found["test_interval"][0] < found["test_accuracy"] < found["test_interval"][1]
    assert 0 < found["seconds"] < 5
    assert found["model"] == str(tmp_path / "model")


def test_training_leaves_scikit_learn_alone(flowers):
    code = (
        "import sys; sys.argv = ['rosenblatt', 'train', sys.argv[1], '--target', 'kind', '-q']\n"
        "from rosenblatt.cli import main\n"
        "try: main()\n"
        "finally: print(sorted({'sklearn', 'scipy', 'pandas'} & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code, flowers], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "[]"
    assert "flowers.rosenblatt.safetensors" in result.stdout


@pytest.mark.parametrize("name", catalogue.ALGORITHMS)
def test_the_command_line_and_python_learn_the_same(name, tumours, tmp_path):
    parts = {"max_iter": 20} if catalogue.ALGORITHMS[name].solver else {"max_iter": 20, "order": "shuffle"}
    found = trained(
        *(tumours, "--target", "diagnosis", "--algorithm", name, "--no-scale", "--test-fraction", 0, "--seed", 5),
        *(word for part, value in parts.items() for word in (f"--{part.replace('_', '-')}", value)),
        *("--model", tmp_path / "model"),
    )
    model = rosenblatt.load(tmp_path / "model")[-1]
    bunch = load_breast_cancer()
    labels = bunch.target_names[bunch.target]
    parts |= {} if name == "logistic" else {"calibration": "platt"}
    again = type(model)(random_state=5, **parts)
    warns = found["reason"] == "max_iter"
    if not catalogue.ALGORITHMS[name].solver:
        warns = found["mistakes"] and found["reason"] != "no-change"
    with pytest.warns(UserWarning, match=re.escape(found["status"])) if warns else io.StringIO():
        again.fit(bunch.data, labels)
    assert type(model).__name__ == catalogue.ALGORITHMS[name].class_name
    assert model.get_params() == again.get_params()
    np.testing.assert_array_equal(model.coef_, again.coef_)
    np.testing.assert_array_equal(model.intercept_, again.intercept_)
    np.testing.assert_allclose(model.predict_proba(bunch.data), again.predict_proba(bunch.data), atol=1e-9)
    assert (found["status"], model.status_) == (again.status_, again.status_)
    assert found["test_accuracy"] is None


@pytest.mark.parametrize("algorithm", catalogue.ALGORITHMS)
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_a_scaled_model_takes_the_columns_as_they_are(algorithm, multi_class, tmp_path):
    """The weights are saved in the columns' own units, and the mistakes reported are those of the saved weights."""
    random = np.random.default_rng(1)
    X = random.normal([1e6, -3.0, 7.0], [1e3, 1e-3, 0.0], size=(120, 3))
    y = np.argmax((X - X.mean(axis=0)) / [1e3, 1e-3, 1.0] + random.normal(scale=0.3, size=X.shape), axis=1)
    path = tmp_path / "units.csv"
    np.savetxt(path, np.column_stack([X, y]), fmt=["%.17g"] * 3 + ["%d"], delimiter=",", header="a,b,c,y", comments="")
    found = trained(
        *(path, "--target", "y", "--algorithm", algorithm, "--multi-class", multi_class, "--test-fraction", 0),
        *("--max-iter", 50),
    )
    model = rosenblatt.load(found["model"])
    wrong = int((model.predict(pd.read_csv(path)[["a", "b", "c"]]) != y).sum())
    assert found["mistakes"] == model[-1].status_.mistakes == wrong < 50
    assert list(model[0].get_feature_names_out()) == ["a", "b"]
    assert found["left_out"] == {"c": "it is always the same"}


def test_mistakes_are_those_of_the_saved_model(tmp_path):
    """So far from 0 that weights for the raw column could not tell the rows apart: the model keeps the scaling."""
    x = 1e15 + np.arange(16) / 8
    path = tmp_path / "far.csv"
    path.write_text("x,y\n" + "".join(f"{value!r},{place // 8}\n" for place, value in enumerate(x.tolist())))
    found = trained(path, "--target", "y", "--algorithm", "perceptron", "--test-fraction", 0)
    scores = rosenblatt.load(found["model"]).decision_function(pd.DataFrame({"x": x}))
    margins = np.where(np.arange(16) < 8, -1, 1) * scores
    assert found["reason"] == "mistakes"
    assert found["mistakes"] == (margins <= 0).sum() == 0


def test_the_accuracy_is_that_of_rows_not_trained_on(tmp_path):
    """Labels drawn at random: what was learned by heart shows on the training rows, not on those held out."""
    path = noise(tmp_path / "noise.csv", rows=300, columns=200)
    found = trained(path, "--target", "y", "--algorithm", "perceptron", "--test-fraction", 0.5)
    assert found["mistakes"] == 0
    assert found["test_accuracy"] < 0.65


def test_the_same_seed_makes_the_same_model(tumours, tmp_path):
    def weights(seed):
        trained(tumours, "--target", "diagnosis", "--seed", seed, "--model", tmp_path / "model")
        return rosenblatt.load(tmp_path / "model")[-1].coef_.tolist()

    assert weights(1) == weights(1) != weights(2)


def test_columns_can_be_left_out(flowers):
    flowers.write_text(
        FLOWERS.replace("length,", ",city,length,").replace("\n", "\n7,Paris,").replace("7,Paris,,", ",")
    )
    flowers.write_text("\n".join(line for line in flowers.read_text().splitlines() if line != "7,Paris,"))
    found = trained(flowers, "--target", "kind", "--drop", "city", "--drop", "width")
    assert list(rosenblatt.load(found["model"])[0].feature_names_in_) == ["length"]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ([], "rosenblatt predict"),
        (["--max-iter", 1, "--set", "tol=1e-12"], "training was cut short"),
        (["--algorithm", "averaged"], "where classes overlap"),
        (["--algorithm", "averaged", "--max-iter", 5], "training was cut short"),
        (["--algorithm", "perceptron", "--max-iter", 5], "where classes overlap"),
        (["--algorithm", "passive-aggressive"], "where classes overlap"),
        (["--algorithm", "pocket"], "rosenblatt predict"),
        (["--algorithm", "pocket", "--max-iter", 5], "training was cut short"),
    ],
    ids=str,
)
def test_overlapping_classes_get_a_hint_unless_quiet(tmp_path, options, hint):
    path = noise(tmp_path / "noise.csv", rows=500, columns=3)
    arguments = ("train", path, "--target", "y", *options)
    assert call(*arguments).stderr.startswith(f"hint: {hint}")
    assert call(*arguments, "--quiet").stderr == ""


def test_columns_without_names_are_left_out_however_many(flowers):
    flowers.write_text(re.sub("(?m)$", ",x,1", FLOWERS.strip()).replace("kind,x,1", "kind,,"))
    found = trained(flowers, "--target", "kind")
    assert list(rosenblatt.load(found["model"])[0].feature_names_in_) == ["length", "width"]
    assert "no column '' to predict" in refusal(call("train", flowers, "--target", ""))
    assert call("predict", found["model"], flowers).stdout.split() == [
        "prediction",
        *["setosa"] * 5,
        *["virginica"] * 5,
    ]


def test_the_model_file_can_be_read_by_others(flowers):
    path = trained(flowers, "--target", "kind")["model"]
    assert stat.S_IMODE(os.stat(path).st_mode) == stat.S_IMODE(flowers.stat().st_mode)


# Long runs


def read_until(terminal, wanted, seconds=60):
    """What a terminal shows, until something wanted is there."""
    shown, until = b"", time.monotonic() + seconds
    while wanted not in shown and time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 1 << 16)
    return shown.decode()


@pytest.fixture
def on_terminal(start):
    """Run a command on a terminal 80 wide, and return what it shows."""
    return partial(show_on_terminal, start)


def show_on_terminal(start, *arguments, cwd, **more):
    terminal, its_end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "PYTHONPATH": SOURCES, **more}
    environment = {name: value for name, value in environment.items() if value is not None}
    process = start([*COMMAND, *arguments], stdout=its_end, stderr=its_end, cwd=cwd, env=environment)
    os.close(its_end)
    shown = b""
    with contextlib.suppress(OSError):  # the end of a terminal that nobody writes to
        while part := os.read(terminal, 1 << 16):
            shown += part
    os.close(terminal)
    assert process.wait(timeout=600) == 0, shown
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_lines_that_fit_it_and_colour(tumours, tmp_path, on_terminal):
    wide = ("train", tumours, "--target", "diagnosis", "-o", "m")
    shown = on_terminal(*wide, cwd=tmp_path, NO_COLOR=None)
    plain = on_terminal(*wide, cwd=tmp_path, NO_COLOR="1")
    assert "\x1b[1mtarget\x1b[0m     diagnosis: " in shown
    assert "\x1b[36mhint:\x1b[0m rosenblatt predict m " in shown
    assert "\x1b" not in plain
    assert "\x1b" not in on_terminal(*wide, cwd=tmp_path, NO_COLOR=None, TERM="dumb")
    report = plain[: plain.index("hint:")].splitlines()
    assert max(map(len, report)) <= 80
    assert all(line.startswith(" " * 11) or line[:11].rstrip() in TITLES for line in report), "\n".join(report)
    assert json.loads(on_terminal(*wide, "--json", "-q", cwd=tmp_path))["rows"] == 569


TITLES = {"table", "target", "columns", "algorithm", "stopped", "training", "possible", "bound", "time", "model"}
TITLES |= {"held out", "log-loss"}


def test_a_terminal_shows_progress_and_ctrl_c_keeps_what_was_learned(tmp_path, start):
    path = noise(tmp_path / "noise.csv")
    terminal, its_end = pty.openpty()
    options = ["--target", "y", "--algorithm", "perceptron", *HOURS]
    process = start(
        [*COMMAND, "train", path, *options],
        stdout=subprocess.PIPE,
        stderr=its_end,
        text=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "500"},
    )
    shown = read_until(terminal, b"; Ctrl-C stops")
    process.send_signal(signal.SIGINT)
    talk = read_until(terminal, b"safetensors.")
    output, _ = process.communicate(timeout=600)
    os.close(terminal)
    os.close(its_end)
    assert re.search(r"epoch \d[\d,]* of 100,000,000 at most, [\d,]+ mistakes; Ctrl-C stops", shown)
    assert process.returncode == 130
    assert "interrupted: what was learned so far is saved in " in talk
    assert "stopped    interrupted after " in output
    assert rosenblatt.load(tmp_path / "noise.rosenblatt.safetensors")[-1].status_.reason == "interrupted"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_other_signals_that_ask_for_an_end_keep_what_was_learned_too(name, tmp_path, start):
    path, kept = noise(tmp_path / "noise.csv"), tmp_path / "kept"
    options = ["--target", "y", "--algorithm", "perceptron", *HOURS]
    process = start(
        [*COMMAND, "train", path, *options, "--checkpoint", kept, "--checkpoint-every", "0.05"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    began = time.monotonic()
    while not (kept / "checkpoint.safetensors").exists():
        assert time.monotonic() - began < 60
        time.sleep(0.01)
    process.send_signal(getattr(signal, name))
    output, talk = process.communicate(timeout=600)
    assert process.returncode == 128 + getattr(signal, name)
    model = tmp_path / "noise.rosenblatt.safetensors"
    assert talk.endswith(
        f"terminated: what was learned so far is saved in {model}; the same command goes on from {kept}.\n"
    )
    assert "stopped    interrupted after " in output
    assert rosenblatt.load(model)[-1].status_.reason == "interrupted"
    assert sorted(os.listdir(tmp_path)) == ["kept", "noise.csv", model.name]


def test_no_progress_where_there_is_no_terminal(tmp_path):
    path = noise(tmp_path / "noise.csv")
    result = run("train", path, "--target", "y", "--algorithm", "perceptron", "--max-seconds", "1", *HOURS)
    assert "stopped    max_seconds=1.0 reached after " in result.stdout
    assert [line.split()[0] for line in result.stderr.splitlines()] == ["hint:", "hint:"]


# Predicting


@pytest.fixture
def model(flowers):
    return trained(flowers, "--target", "kind")["model"]


def test_predictions_with_scores_match_python(model, flowers, tmp_path):
    out = tmp_path / "labels.csv"
    result = call("predict", model, flowers, "--scores", "--output", out)
    assert (result.exit_code, result.output) == (0, "")
    rows = list(csv.reader(out.read_text().splitlines()))
    X = pd.read_csv(io.StringIO(FLOWERS))
    loaded = rosenblatt.load(model)
    assert rows[0] == ["prediction", "score_virginica"]
    assert [label for label, _ in rows[1:]] == loaded.predict(X).tolist()
    assert [float(score) for _, score in rows[1:]] == loaded.decision_function(X).tolist()


def test_columns_in_any_order_and_more_of_them(model, tmp_path):
    table = tmp_path / "new.csv"
    table.write_text("note,width,length\nfirst,3.0,4.8\nsecond,3.0,6.8\n")
    assert call("predict", model, table).stdout.split() == ["prediction", "setosa", "virginica"]


def test_own_columns_can_be_added_to_rows_of_standard_input(model):
    """As they are written, though the model reads some of them as numbers, and though the rows come only once."""
    table = "note,width,length\nNA,3.00,4.8\n,3,6.80\n"
    command = [*COMMAND, "predict", model, "-", "--add"]
    result = subprocess.run(command, input=table, capture_output=True, text=True, timeout=600)
    assert result.stdout == "note,width,length,prediction\nNA,3.00,4.8,setosa\n,3,6.80,virginica\n", result.stderr


def test_three_classes_have_three_scores_and_keep_their_type(tmp_path):
    table = tmp_path / "three.csv"
    table.write_text("x,y,kind\n" + "0,0,10\n9,0,20\n0,9,30\n" * 5)
    found = trained(table, "--target", "kind")
    rows = list(csv.DictReader(io.StringIO(call("predict", found["model"], table, "--scores").stdout)))
    assert found["classes"] == [10, 20, 30]
    assert list(rows[0]) == ["prediction", "score_10", "score_20", "score_30"]
    assert [row["prediction"] for row in rows[:3]] == ["10", "20", "30"]


def test_a_model_without_column_names(tmp_path):
    rosenblatt.save(rosenblatt.Perceptron(random_state=0).fit([[-1.0, 0.0], [1.0, 0.0]], ["no", "yes"]), tmp_path / "m")
    table = tmp_path / "new.csv"
    table.write_text("a,b\n-2,0\n2,0\n")
    assert call("predict", tmp_path / "m", table).stdout.split() == ["prediction", "no", "yes"]
    table.write_text("a\n-2\n")
    assert "has 1 columns where the model, which has no names, takes 2" in refusal(
        call("predict", tmp_path / "m", table)
    )


@pytest.fixture
def long_table(tmp_path):
    """A table whose predictions no pipe holds."""
    table = tmp_path / "long.csv"
    table.write_text("length,width\n" + "5.1,3.5\n" * 100_000)
    return table


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_had_enough(model, long_table, start, unbuffered):
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    process = start(
        [*COMMAND, "predict", model, long_table], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline() == b"prediction\n"
    process.stdout.close()
    assert (process.stderr.read(), process.wait(timeout=600)) == (b"", 141)
    process.stderr.close()


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_does_not_fit_on_the_disk(model, long_table, tmp_path, unbuffered):
    """The first write writes a part of the text, as on a disk that fills up. The rest must not be lost in silence."""
    limited = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000,) * 2); "
    limited += "os.execv(sys.argv[1], sys.argv[1:])"
    with open(tmp_path / "out.csv", "wb") as out:
        result = subprocess.run(
            [sys.executable, "-c", limited, *COMMAND, "predict", model, long_table],
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith("error: ")


def test_the_demo_runs_as_it_says(tmp_path):
    """`make demo` runs this script with the installed command on the path."""
    program = tmp_path / "rosenblatt"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rosenblatt.cli "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": SOURCES}
    demo = Path(__file__).parents[2] / "examples" / "demo.py"
    result = subprocess.run(
        [sys.executable, demo], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600
    )
    assert result.returncode == 0, result.stderr
    assert "$ rosenblatt train tumours.csv --target diagnosis\n" in result.stdout
    labels = [line.split(",")[0] for line in result.stdout.splitlines()[-5:]]
    assert labels == ["malignant", "malignant", "benign", "benign", "benign"]


# What cannot be used


TABLES = {
    "empty": ("", "flowers.csv is empty"),
    "header only": ("length,width,kind\n", "flowers.csv names columns but has no rows"),
    "ragged": (FLOWERS + "1,2\n", "flowers.csv, line 12 has 2 values where the first line names 3 columns"),
    "text": (FLOWERS + "1,wide,setosa\n", "column 'width' holds numbers, but 'wide' in line 12: correct it"),
    "no class": (FLOWERS + "1,1,\n", "column 'kind' has no class in 1 row, the first in line 12"),
    "infinity": (FLOWERS + "1,inf,setosa\n", "column 'width' has an infinite number in line 12"),
    "one class": (FLOWERS.replace("virginica", "setosa"), "column 'kind' has only one class, 'setosa'"),
    "target only": ("kind\na\nb\n", "no columns to learn from besides 'kind'"),
    "too large": ("x,kind\n1.7e308,a\n-1.7e308,b\n1.7e308,a\n", "numbers too large or too small to learn from"),
    "overflow": (
        "x,kind\n1e200,a\n-1e200,b\n-1e200,a\n1e200,b\n",
        "too large or too small",
        *("--no-scale", "--algorithm", "averaged"),
    ),
    "no header": ("5.1,3.5,0\n4.9,3.0,1\n", "no column 'kind' to predict: the first line must name the columns"),
    "quantity": ("x,kind\n" + "".join(f"{i},{i}.5\n" for i in range(40)), "a quantity rather than classes"),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_that_cannot_be_used(case, flowers):
    content, what, *options = TABLES[case]
    flowers.write_text(content)
    assert what in refusal(call("train", flowers, "--target", "kind", *options))
    assert [file.name for file in flowers.parent.iterdir()] == ["flowers.csv"]


OPTIONS = {
    "target": (["--target", "knd"], "no column 'knd' to predict: did you mean 'kind'?"),
    "drop": (["--drop", "widht"], "no column 'widht' to drop: did you mean 'width'?"),
    "dropped target": (["--drop", "kind"], "'kind' is the target, so it cannot be dropped"),
    "kind of nothing": (["--text", "widht"], "no column 'widht' to give a kind: did you mean 'width'?"),
    "kind of a dropped column": (
        ["--text", "width", "--drop", "width"],
        "column 'width' is dropped and also given a kind",
    ),
    "algorithm": (["--algorithm", "forest"], "algorithm must be one of 'auto', 'perceptron', 'averaged', 'pocket', "),
    "C and alpha": (["--C", "1", "--alpha", "1"], "--C 1.0 and --alpha 1.0 say the same thing"),
    "C": (["--C", "-1"], "C must be a finite number above 0, not -1.0"),
    "no penalty": (["--algorithm", "pocket", "--alpha", "1"], "alpha does not go with algorithm 'pocket'"),
    "folds": (["--folds", "1"], "--folds must be a whole number of at least 2, not 1"),
    "split": (["--split-column", "length"], "column 'length' must say train or test, not '5.1'"),
    "class-weight": (["--class-weight", "rose=2"], "class-weight names 'rose', which is not among the classes"),
    "class-weight number": (["--class-weight", "setosa=much"], "--class-weight takes a number, not 'much'"),
    "set": (["--set", "tol"], "--set takes NAME=VALUE, not 'tol'"),
    "ngrams": (["--ngrams", "9"], "ngrams must be from 1 to 5, not 9"),
    "order": (["--order", "zigzag"], "order must be one of 'cyclic', "),
    "multi-class": (["--multi-class", "all"], "--multi-class must be one of 'ovr', 'joint', 'auto', not 'all'"),
    "max-iter": (["--max-iter", "0"], "--max-iter must be a whole number of at least 1, not 0"),
    "max-seconds": (["--max-seconds", "-1"], "--max-seconds must be a finite number above 0, not -1.0"),
    "seed": (["--seed", "-1"], "seed must be a whole number from 0 to 4294967295, not -1"),
    "test-fraction": (["--test-fraction", "1"], "--test-fraction must be at least 0 and below 1, not 1"),
    "near algorithm": (["--algorithm", "logistc"], "not 'logistc': did you mean 'logistic'?"),
    "near order": (["--order", "shufle"], "not 'shufle': did you mean 'shuffle'?"),
    "near class": (["--class-weight", "setsoa=2"], "['setosa', 'virginica']: did you mean 'setosa'?"),
    "near parameter": (["--set", "max_itr=3"], "'logistic' has no parameter 'max_itr': did you mean 'max_iter'?"),
    "unknown parameter": (["--set", "foo=1"], "'logistic' has no parameter 'foo': it has C, alpha, "),
    "option as parameter": (["--set", "folds=3"], "no parameter 'folds': folds is an option of its own."),
    "case of a column": (["--drop", "WIDTH"], "no column 'WIDTH' to drop: did you mean 'width'?"),
    "no order": (
        ["--algorithm", "svm", "--order", "cyclic"],
        "--order cyclic does not go with solver='optimum', which",
    ),
    "joint": (
        ["--algorithm", "logistic", "--set", "solver=sgd", "--multi-class", "joint"],
        "--multi-class joint does not go with solver='sgd'",
    ),
    "parts": (["--algorithm", "passive-aggressive", "--order", "batch"], "step='pa1' does not go with --order batch"),
    "folder": (["--model", "."], ". is a folder: give --output the name of a file"),
    "nowhere": (["--model", "no/such/folder/m"], "no/such/folder, where the model should go, is not a folder"),
}


@pytest.mark.parametrize(("options", "what"), OPTIONS.values(), ids=OPTIONS)
def test_options_that_cannot_be_used(options, what, flowers):
    assert what in refusal(call("train", flowers, "--target", "kind", *options))
    assert [file.name for file in flowers.parent.iterdir()] == ["flowers.csv"]


def test_a_table_is_never_written_over(flowers, model):
    assert "is the table" in refusal(call("train", flowers, "--target", "kind", "--model", flowers))
    assert "is read here" in refusal(call("predict", model, flowers, "--output", flowers))
    assert flowers.read_text() == FLOWERS


@pytest.mark.parametrize("command", ["train", "predict", "check", "export"])
def test_outputs_have_one_option_and_overwrite_only_their_own_kind(command, flowers, model, tmp_path):
    out = tmp_path / "out.json"
    words = {
        "train": (flowers, "--target", "kind"),
        "predict": (model, flowers),
        "check": (flowers, "--target", "kind"),
        "export": (model,),
    }[command]
    for option in ("-o", "--output", "--output"):  # the last two overwrite what the first wrote
        result = call(command, *words, option, out)
        assert result.exit_code == 0, result.stderr
    out.write_text("the notes of a year")
    assert f"{out} exists and is not a" in refusal(call(command, *words, "-o", out))
    assert out.read_text() == "the notes of a year"
    assert call(command, *words, "-o", out, "--force").exit_code == 0
    assert "the notes" not in out.read_bytes().decode(errors="replace")
    out.write_text("")
    assert call(command, *words, "-o", out).exit_code == 0


def test_predictions_as_json_and_onnx_models_are_overwritten(flowers, model, tmp_path):
    for words in (("predict", model, flowers, "--add", "--json"), ("export", model, "--format", "onnx")):
        for _ in range(2):
            assert call(*words, "-o", tmp_path / words[0]).exit_code == 0


def test_older_names_of_the_output_still_work(flowers, tmp_path):
    train = ("train", flowers, "--target", "kind")
    assert call(*train, "--model", tmp_path / "m").exit_code == 0
    assert (tmp_path / "m").exists()
    assert "--output and --model mean the same" in refusal(
        call(*train, "--model", tmp_path / "m", "-o", tmp_path / "n")
    )
    assert "which file is to be written?" in refusal(call("export", tmp_path / "m"))


def test_stored_models_of_every_version_are_known_as_models(flowers, tmp_path):
    for stored in sorted((Path(__file__).parents[1] / "model" / "models").glob("*.safetensors")):
        copy = tmp_path / "copy"
        copy.write_bytes(stored.read_bytes())
        assert call("train", flowers, "--target", "kind", "-o", copy).exit_code == 0, stored


def test_files_that_are_not_there(flowers, model, tmp_path):
    nowhere = tmp_path / "no.csv"
    for arguments in (
        ("train", nowhere, "--target", "kind"),
        ("predict", model, nowhere),
        ("predict", nowhere, flowers),
    ):
        assert f"{nowhere} does not exist: check its name." in refusal(call(*arguments))
    misspelled = str(flowers).replace("flowers", "flower")
    said = refusal(call("train", misspelled, "--target", "kind"))
    assert f"{misspelled} does not exist: did you mean '{flowers}'?" in said
    empty = tmp_path / "empty"
    empty.mkdir()
    assert f"{empty} is a folder that holds no files" in refusal(call("train", empty, "--target", "kind"))
    assert "matches no files" in refusal(call("train", tmp_path / "*.xyz", "--target", "kind"))


def test_predict_names_what_is_wrong(flowers, model, tmp_path):
    assert "flowers.csv is not a model file" in refusal(call("predict", flowers, flowers))
    flowers.write_text(FLOWERS.replace("width", "widths"))
    said = refusal(call("predict", model, flowers))
    assert "flowers.csv has no column 'width' which the model needs: did you mean 'widths'?" in said
    flowers.write_text("length,width\n1e308,-1e308\n")
    assert "numbers too large for this model" in refusal(call("predict", model, flowers))
    flowers.write_text(FLOWERS + "1,inf,x\n")
    out = tmp_path / "labels.csv"
    said = refusal(call("predict", model, flowers, "--output", out))
    assert "column 'width' has an infinite number in line 12" in said
    assert not out.exists()


def test_costs_name_classes(flowers, model):
    said = refusal(call("evaluate", model, flowers, "--cost", "setosa:virginca=2"))
    assert "not 'setosa:virginca': did you mean 'setosa:virginica'?" in said


def test_usage_errors_suggest_options_and_commands():
    assert "--target" in call("train", "x.csv", "--targt", "kind").stderr
    assert "Did you mean 'train'?" in call("trian", "x.csv").stderr


def test_usage_errors_end_with_2():
    for arguments in (["train"], ["train", "x.csv"], ["predict", "a"], ["fly"], ["train", "x.csv", "--flie", "1"]):
        result = call(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")


WITHOUT_RIGHTS = """
import os, sys
from rosenblatt.cli.app import app
os.umask(0o022)
table, model, *arguments = sys.argv[1:]
app(["train", table, "--target", "kind", "--quiet", "--model", model], standalone_mode=False)  # imports everything
sys.stdout.flush()
if os.getuid() == 0:
    os.setuid(65534)
app(arguments)
"""


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs users")
def test_files_without_permission():
    with tempfile.TemporaryDirectory() as name:
        check_rights(Path(name))


def check_rights(folder):
    folder.chmod(0o755)
    table, locked, closed = folder / "flowers.csv", folder / "locked.csv", folder / "closed"
    for path, mode in ((table, 0o644), (locked, 0)):
        path.write_text(FLOWERS)
        path.chmod(mode)
    closed.mkdir(mode=0o555)

    def attempt(*arguments):
        command = [sys.executable, "-c", WITHOUT_RIGHTS, table, folder / "m", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=600)

    for arguments, what in (
        (("train", locked, "--target", "kind"), "locked.csv: permission denied."),
        (("train", table, "--target", "kind", "--model", closed / "m"), "closed, where the model should go, cannot be"),
        (("predict", folder / "m", table, "--output", closed / "out"), "out: permission denied."),
    ):
        result = attempt(*arguments)
        assert result.returncode == 2
        assert what in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert list(closed.iterdir()) == []
