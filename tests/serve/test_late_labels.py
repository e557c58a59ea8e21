"""The worked example: a filter that learns from late labels follows a change that the frozen one does not."""

import importlib.util
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "late_labels.py"


@pytest.mark.skipif(not EXAMPLE.exists(), reason="the examples are not beside the tests")
def test_the_filter_that_learns_follows_the_advertisers(monkeypatch):
    spec = importlib.util.spec_from_file_location("late_labels", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    for name, value in {"MAILS": 800, "LATE": 40, "SHOWN": 200}.items():
        monkeypatch.setattr(example, name, value)
    before, *_, after = example.lines()
    assert min(before.learning, before.frozen) > 0.95
    assert after.learning > after.frozen + 0.05  # new words get weights only when the columns are examined again
