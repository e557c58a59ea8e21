"""Small slips at the command line: each is understood, or answered in the words of the command line."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import rosenblatt
from rosenblatt.cli.app import app
from rosenblatt.foundation.suggestions import closest_name


def call(*words, ends=0):
    result = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    assert result.exit_code == ends, result.stderr
    return result


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A folder with two tables of four columns, which is the current one."""
    random = np.random.default_rng(0)
    for name in ("a.csv", "b.csv"):
        X = random.normal(size=(60, 4))
        rows = [",".join(map(str, row)) + (",yes\n" if sum(row) > 0 else ",no\n") for row in X.round(3).tolist()]
        (tmp_path / "rows").mkdir(exist_ok=True)
        (tmp_path / "rows" / name).write_text("".join(["w,x,y,z,kind\n", *rows]))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "rows" / "a.csv"


def test_a_dash_is_standard_output_for_predictions(table):
    call("train", table, "--target", "kind", "-o", "m")
    assert call("predict", "m", table, "-o", "-").stdout == call("predict", "m", table).stdout
    assert not os.path.exists("-")


def test_a_dash_is_no_name_of_a_model(table):
    call("train", table, "--target", "kind", "-o", "m")
    for words in (("train", table, "--target", "kind"), ("check", table, "--target", "kind"), ("export", "m")):
        assert "give the name of a file" in call(*words, "-o", "-", ends=2).stderr
    assert not os.path.exists("-")


def test_models_beside_tables_are_no_tables(table):
    shell = sorted(map(str, table.parent.iterdir()))
    for files in (["rows/*"], ["rows"], shell):
        for _ in ("first", "again"):
            found = json.loads(call("train", *files, "--target", "kind", "--json").stdout)
            assert found["rows"] == 120
            assert os.path.exists(found["model"])
            shell[:] = sorted(map(str, table.parent.iterdir()))


def test_models_beside_tables_may_have_any_name(table):
    shell = sorted(map(str, table.parent.iterdir()))
    for files in (["rows/*"], ["rows"], shell):
        for _ in ("first", "again"):
            assert json.loads(call("train", *files, "--target", "kind", "-o", "rows/m", "--json").stdout)["rows"] == 120
            shell[:] = sorted(map(str, table.parent.iterdir()))


def test_models_among_tables_are_told_of(table):
    assert "note: " not in call("train", "rows", "--target", "kind", "-o", "rows/m").stderr
    for files in (["rows/*"], ["rows"], ["rows/a.csv", "rows/b.csv", "rows/m"]):
        for command in ("train", "check"):
            told = call(command, *files, "--target", "kind", "-o", f"{command}ed").stderr.splitlines()
            assert told.count("note: rows/m is a model, and left out of the table") == 1
    assert not call("train", "rows", "--target", "kind", "--quiet").stderr
    call("train", "rows", "--target", "kind", "-o", "rows/n")
    assert "note: rows/m and 1 more are models, and left out" in call("train", "rows", "--target", "kind").stderr


def test_a_folder_of_models_only_is_refused(table):
    os.mkdir("models")
    call("train", table, "--target", "kind", "-o", "models/m")
    said = call("train", "models", "--target", "kind", ends=2).stderr
    assert said == "error: models is a folder that holds no tables, only models.\n"


def test_a_model_given_as_a_table_is_named(table):
    call("train", table, "--target", "kind", "-o", "m")
    assert "m is a model or another safetensors file" in call("predict", "m", "m", ends=2).stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--test-fraction", 2), "--test-fraction must be at least 0 and below 1, not 2."),
        (("--folds", 1), "--folds must be a whole number of at least 2"),
        (("--ngrams", 9), "--ngrams must be from 1 to 5"),
        (("--multi-class", "all"), "--multi-class must be one of"),
        (("--algorithm", "averaged", "--order", "cycle"), "--order must be one of"),
        (("--algorithm", "averaged", "--max-iter", 0), "--max-iter must be a whole number"),
        (("--algorithm", "averaged", "--set", "eta0=-1"), "error: eta0 must be a finite number"),
        (("--C", 1, "--alpha", 1), "error: --C 1.0 and --alpha 1.0 say the same thing"),
        (("--algorithm", "svm", "--order", "batch"), "error: --order batch does not go with solver='optimum'"),
        (("--set", "C=auto"), "error: --C auto is for classifiers: for a table, --tune chooses C."),
        (("--algorithm", "logistic", "--set", "bounds=(1, 0)"), "bounds must have low <= high for every column"),
        (("--features", "poly"), "did you mean 'polynomial-2'?"),
        (("--features", "rbf"), "did you mean 'fourier-100'?"),
        (("--algorithm", "svm", "--set", "solver=liblinear"), "as solver='optimum' with penalize_intercept=True does"),
    ],
    ids=lambda given: " ".join(map(str, given)) if isinstance(given, tuple) else "",
)
def test_errors_name_options_as_they_are_typed(options, sentence, table):
    assert sentence in call("train", table, "--target", "kind", *options, ends=2).stderr


def test_errors_name_parameters_as_python_spells_them(table):
    with pytest.raises(ValueError, match=r"^test_fraction must be"):
        rosenblatt.fit(table, target="kind", test_fraction=2)
    with pytest.raises(ValueError, match=r"^multi_class must be"):
        rosenblatt.fit(table, target="kind", multi_class="all")


@pytest.mark.parametrize(("theirs", "ours"), [("lbfgs", "optimum"), ("saga", "optimum"), ("newton_cg", "optimum")])
def test_the_names_of_scikit_learn_are_known(theirs, ours):
    assert closest_name(theirs, ["optimum", "gd", "sgd"]) == ours


@pytest.mark.parametrize("top", [1, 3, 10])
def test_an_explanation_adds_up(top, table):
    call("train", table, "--target", "kind", "-o", "m")
    found = json.loads(call("explain", "m", table, "--row", 3, "--top", top, "--json").stdout)
    assert found["others"] == max(4 - top, 0)
    listed = sum(each["adds"] for each in found["contributions"])
    np.testing.assert_allclose(listed + found["others_add"] + found["intercept"], found["score"])
    text = call("explain", "m", table, "--row", 3, "--top", top).stdout
    line = {1: "the other 3 columns together", 3: "the other column"}.get(top)
    assert "the other" not in text if line is None else line in text


def test_a_dash_given_to_the_program_itself(table):
    words = [sys.executable, "-m", "rosenblatt.cli", "train", table, "--target", "kind", "-o", "-"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_bounds_are_written_as_in_python(table):
    call("train", table, "--target", "kind", "--algorithm", "logistic", "--set", "bounds=(0, None)", "-o", "m")
    assert rosenblatt.load("m")[-1].coef_.min() >= 0
    assert rosenblatt.load("m")[-1].get_params()["bounds"] == (0, None)


def test_columns_that_jeffreys_penalty_cannot_tell_apart_are_named(tmp_path):
    colours = ["red", "blue", "green"] * 20
    rows = [f"{k % 7},{colour},{'yes' if k % 5 > 2 else 'no'}\n" for k, colour in enumerate(colours)]
    (tmp_path / "t.csv").write_text("".join(["w,colour,kind\n", *rows]))
    said = call("train", tmp_path / "t.csv", "--target", "kind", "--set", "penalty=jeffreys", ends=2).stderr
    assert "column 'colour=red' is a combination of column 'colour=blue', column 'colour=green'" in said
    assert "fit a formula" in said


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device that is always full")
def test_full_standard_output_is_one_sentence(table):
    words = [sys.executable, "-c", "import sys; from rosenblatt.cli import main; sys.exit(main())"]
    with open("/dev/full", "w") as full:
        done = subprocess.run([*words, "summary", table, "--target", "kind"], stdout=full, stderr=-1, text=True)
    assert done.stderr == "error: no space left on device; make room there, or name another place.\n"
    assert done.returncode == 2
