"""A damaged model file is refused with one sentence, or it is a model that scores, learns and can be saved."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("damaged_models.py")


def test_many_damaged_models(tmp_path):
    done = subprocess.run([sys.executable, SCRIPT, tmp_path, "15"], capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (lines[-1:], done.stderr)
    wrong = [(lines[place - 1], line) for place, line in enumerate(lines) if not line.startswith("at ")]
    assert not wrong
    assert len(lines) > 500
