"""What all tests stand on."""

import os
import signal

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:  # several processes share the cores already; read when NumPy is imported
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure() -> None:
    """A shell that starts the tests in the background has them ignore Ctrl-C, which some of them send."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def soon(monkeypatch):
    """A command that trains in this process asks for the fewest mistakes only for a moment, not for a second."""
    monkeypatch.setattr("rosenblatt.cli.train.fewest_mistakes.TIME_LIMIT_SECONDS", 0.02)
