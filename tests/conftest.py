"""What all tests stand on."""

import signal

import pytest


def pytest_configure() -> None:
    """A shell that starts the tests in the background has them ignore Ctrl-C, which some of them send."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def soon(monkeypatch):
    """A command that trains in this process asks for the fewest mistakes only for a moment, not for a second."""
    monkeypatch.setattr("rosenblatt.cli.fewest.SECONDS", 0.02)
