"""Shell completion: what the Tab key offers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt


def offered(*words, cwd=None):
    """What bash is given for the last of some words."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(rosenblatt.__file__).parents[1]),
        "_ROSENBLATT_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["rosenblatt", *words]),
        "COMP_CWORD": str(len(words)),
    }
    command = [sys.executable, "-m", "rosenblatt.cli"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, cwd=cwd)
    assert result.stderr == ""
    return [line for line in result.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ver"], ["verify"]),
        (["train", "x.csv", "--word"], ["--word-counts"]),
        (["train", "x.csv", "--algorithm", "p"], ["perceptron", "pocket", "passive-aggressive"]),
        (["train", "x.csv", "--multi-class", "j"], ["joint"]),
        (["train", "x.csv", "--order", "shuffle-"], ["shuffle-once"]),
    ],
)
def test_commands_options_and_choices(words, expected):
    assert offered(*words) == expected


def test_columns_of_the_table_on_the_line(tmp_path):
    (tmp_path / "x.csv").write_text("petal length,petal,kind\n1,2,a\n")
    assert offered("train", "x.csv", "--target", "pe", cwd=tmp_path) == ["petal\\ length", "petal"]
    assert offered("check", "x.csv", "--drop", "k", cwd=tmp_path) == ["kind"]
    assert offered("evaluate", "m.safetensors", "x.csv", "--target", "k", cwd=tmp_path) == ["kind"]
    (tmp_path / "x.csv").write_bytes(b"\0\xff")
    assert offered("train", "x.csv", "--target", "pe", cwd=tmp_path) == []
    assert offered("train", "nowhere.csv", "--target", "pe", cwd=tmp_path) == []
