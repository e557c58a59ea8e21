"""Ctrl-C while several threads train."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def defer_ctrl_c(signals: list[int]) -> Iterator[None]:
    """Append Ctrl-C to `signals` instead of raising it. An exception while threads start would break their locks."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or handler is not signal.default_int_handler:
        yield  # signals do not arrive in this thread, or someone else handles them
        return
    signal.signal(signal.SIGINT, lambda number, _: signals.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
