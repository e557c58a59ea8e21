"""Tables, options and files that cannot be used: one sentence, exit code 2, and nothing written."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from command_line import FLOWERS, call, refusal

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
