"""A plain installation, without any extra: everything but the extras' own abilities works, and those say what to do."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rosenblatt.foundation.extras import EXTRAS

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
TABLE = "width,kind\n" + "1.5,a\n2.5,b\n" * 10
WITHOUT = "import sys\nfor name in {names}:\n    sys.modules[name] = None  # importing it fails\n"


def run_without(names, code, folder):
    """Run code in a fresh Python in which these packages cannot be imported."""
    script = WITHOUT.format(names=[*names]) + code
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def run_command(words, folder, names):
    """Run the command line without these packages."""
    return run_without(names, f"sys.argv[1:] = {words}\nfrom rosenblatt.cli import main\nmain()", folder)


def all_packages():
    return [package for packages in EXTRAS.values() for package in packages]


@pytest.fixture
def table(tmp_path):
    (tmp_path / "rows.csv").write_text(TABLE)
    return tmp_path


@pytest.mark.skipif(not PYPROJECT.exists(), reason="the tests run without the repository")
def test_the_extras_are_those_of_the_project():
    project = tomllib.loads(PYPROJECT.read_text())["project"]
    declared = project["optional-dependencies"]
    assert {*declared} == {*EXTRAS, "all"}
    assert declared["all"] == [f"rosenblatt[{','.join(EXTRAS)}]"]
    for extra, packages in EXTRAS.items():
        assert {re.split(r"\W", one)[0] for one in declared[extra]} <= {*packages}
    plain = {re.split(r"[><=\[]", one)[0] for one in project["dependencies"]}
    assert not plain & {*all_packages()}


def test_names_classifiers_and_proofs_need_no_extra(tmp_path):
    code = """
import inspect, pydoc, warnings
from rosenblatt import *
import rosenblatt
inspect.getmembers(rosenblatt)
pydoc.render_doc(rosenblatt)
print(Perceptron().fit([[1.0], [2.0]], [0, 1]).status_.reason)
warnings.simplefilter("ignore")
print(Perceptron().fit([[1.0], [2.0], [1.5]] * 9, [0, 0, 1] * 9).status_.reason)
print(separability([[1.0], [2.0]], [0, 1]).kind)
"""
    done, printed, said = run_without(all_packages(), code, tmp_path)
    assert (done, said) == (0, "")
    assert printed.splitlines()[1:] == ["overlap", "complete"]


def test_tables_and_commands_need_no_extra(table):
    model = "rows.rosenblatt.safetensors"
    for words in (
        ["train", "rows.csv", "--target", "kind"],
        ["predict", model, "rows.csv"],
        ["evaluate", model, "rows.csv"],
        ["explain", model],
        ["check", "rows.csv", "--target", "kind"],
        ["--help"],
    ):
        code, printed, said = run_command(words, table, all_packages())
        assert (code, bool(printed)) == (0, True), said


CALLS = {
    "rosenblatt.Lab()": 'Lab needs anywidget: pip install "rosenblatt[notebook]".',
    "rosenblatt.plots.weights(one)": 'rosenblatt.plots needs matplotlib: pip install "rosenblatt[plot]".',
    "rosenblatt.to_onnx(one)": 'an ONNX file needs onnx: pip install "rosenblatt[onnx]".',
    "rosenblatt.fit('rows.csv', target='kind', executor='tcp://127.0.0.1:1')": (
        'a Dask scheduler needs distributed: pip install "rosenblatt[dask]".'
    ),
    "rosenblatt.mlflow.save_model(one, 'm')": 'rosenblatt.mlflow needs mlflow: pip install "rosenblatt[mlflow]".',
    "rosenblatt.mlflow.log_model(one, 'm')": 'rosenblatt.mlflow needs mlflow: pip install "rosenblatt[mlflow]".',
    "rosenblatt.mlflow.load_model('m')": 'rosenblatt.mlflow needs mlflow: pip install "rosenblatt[mlflow]".',
    "rosenblatt.fit('rows.csv', formula='kind ~ width')": (
        'formula= needs formulaic: pip install "rosenblatt[formula]".'
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_names_the_extra_that_it_needs(call, table):
    code = "import rosenblatt\none = rosenblatt.Perceptron().fit([[1.0], [2.0]], [0, 1])\n"
    code += f"try:\n    {call}\nexcept ImportError as error:\n    print(error)"
    assert run_without(all_packages(), code, table) == (0, CALLS[call] + "\n", "")


COMMANDS = {
    "lab": ("lab", 'rosenblatt lab needs uvicorn: pip install "rosenblatt[lab]".'),
    "evaluate model.safetensors rows.csv --report report.html": (
        "plot",
        '--report needs matplotlib: pip install "rosenblatt[plot]".',
    ),
    "export model.safetensors model.onnx": ("onnx", 'an ONNX file needs onnx: pip install "rosenblatt[onnx]".'),
    "train rows.csv --target kind --scheduler tcp://127.0.0.1:1": (
        "dask",
        'a Dask scheduler needs distributed: pip install "rosenblatt[dask]".',
    ),
    "summary rows.csv --formula kind~width": (
        "formula",
        'formula= needs formulaic: pip install "rosenblatt[formula]".',
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_names_the_extra_that_it_needs(command, table):
    extra, sentence = COMMANDS[command]
    if "model" in command:
        run_command(["train", "rows.csv", "--target", "kind", "--output", "model.safetensors"], table, [])
    assert run_command(command.split(), table, EXTRAS[extra]) == (2, "", f"error: {sentence}\n")


def test_another_import_error_is_not_taken_for_a_missing_extra(tmp_path):
    code = """
from rosenblatt.foundation.extras import needs_extra
try:
    with needs_extra("lab", "rosenblatt lab"):
        import broken
except ImportError as error:
    print(error)
"""
    (tmp_path / "broken.py").write_text("import json.no_such_part")
    assert run_without([], code, tmp_path) == (0, "No module named 'json.no_such_part'\n", "")
