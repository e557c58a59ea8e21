"""`import rosenblatt` costs next to nothing, and every public name is there when it is asked for."""

import subprocess
import sys

import pytest

import rosenblatt


def modules_after(code):
    """Names of the modules that a fresh Python has loaded after running some code."""
    script = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("name", rosenblatt.__all__)
def test_every_public_name_is_there_and_documented(name):
    value = getattr(rosenblatt, name)
    assert name in dir(rosenblatt)
    if name != "__version__":
        assert value.__doc__
        assert value.__module__.startswith("rosenblatt.")


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="module 'rosenblatt' has no attribute 'Perceptrom'"):
        rosenblatt.Perceptrom  # noqa: B018
    with pytest.raises(ImportError, match="Perceptrom"):
        exec("from rosenblatt import Perceptrom")


def test_importing_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "pyarrow", "rosenblatt._core"}
    assert not heavy & modules_after("import rosenblatt")
    assert not heavy & modules_after("import rosenblatt; dir(rosenblatt); rosenblatt.__version__")


def test_the_engine_and_its_rows_need_neither_scikit_learn_nor_scipy():
    code = "import numpy as np; from rosenblatt.engine import run, stream; "
    code += "from rosenblatt.foundation import labels, matrices; matrices.as_rows(np.eye(2))"
    assert not {"scipy", "sklearn"} & modules_after(code)


def test_a_classifier_brings_scikit_learn():
    assert {"sklearn", "rosenblatt.classifiers.perceptron"} <= modules_after("from rosenblatt import Perceptron")
