"""The demo runs as it says."""

import os
import subprocess
import sys
from pathlib import Path

from command_line import SOURCES


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
