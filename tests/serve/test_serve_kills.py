"""The service killed under load: a sample of what `python -m evidence.serve_kills` does."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def serve_kills():
    """The module `evidence.serve_kills`, which lies beside the tests."""
    sys.path.insert(0, str(ROOT))
    try:
        from evidence import serve_kills

        yield serve_kills  # the processes that it starts look there, too
    finally:
        sys.path.remove(str(ROOT))


def test_twenty_kills_lose_nothing_and_learn_nothing_twice(serve_kills, tmp_path):
    wrong, figures = serve_kills.run_kills(tmp_path, 20)
    assert wrong == [], figures
