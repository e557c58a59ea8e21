"""The command line, run in a process of its own or through typer's runner, and tables to give it."""

import json
import os
import re
import subprocess
import sys

import numpy as np
from typer.testing import CliRunner

import rosenblatt
from rosenblatt.cli.app import app

COMMAND = [sys.executable, "-m", "rosenblatt.cli"]

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


def noise(path, rows=20_000, columns=30):
    """A table that no plane separates."""
    random = np.random.default_rng(0)
    X, y = random.integers(0, 9, size=(rows, columns)), random.integers(0, 2, size=rows)
    names = ",".join(f"x{place}" for place in range(columns))
    np.savetxt(path, np.column_stack([X, y]), fmt="%d", delimiter=",", header=f"{names},y", comments="")
    return path
