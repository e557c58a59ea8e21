"""What all tests stand on."""

import signal


def pytest_configure() -> None:
    """A shell that starts the tests in the background has them ignore Ctrl-C, which some of them send."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
