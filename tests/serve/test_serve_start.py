"""The start of a service from its log: a sample of what `python -m evidence.serve_start` does."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def serve_start(monkeypatch):
    """The module `evidence.serve_start`, which lies beside the tests."""
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    from evidence import serve_start

    return serve_start


def test_a_start_learns_rows_again_and_gives_the_same_model(serve_start):
    findings = list(serve_start.check_start(3000))
    assert len(findings) == serve_start.STARTS
    assert all(finding.holds for finding in findings), findings
    assert not findings[0].result.startswith("0 of")
