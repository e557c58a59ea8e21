"""`rosenblatt train -`: learn from standard input as rows arrive, save at intervals, and show progress."""

import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pyarrow as arrow

from ...foundation.errors import InputError
from ...foundation.phrases import count
from ...model.file import write
from ...model.model import Model
from ...tables.read.pipe_reader import open_stdin
from ...training.make_report import ENDINGS, make_report, make_stream_report
from ...training.online.endless_input import EndlessInput
from ...training.online.online_learner import MAX_COLUMNS
from ...training.report import Report
from ...training.request import Request
from ..console import describe_os_error, say
from .fewest_mistakes import report_with_fewest_mistakes
from .progress import QUIET_SECONDS, ProgressBar

DEFAULT_SAVE_INTERVAL = "60s"
SAVE_INTERVAL = re.compile(r"(\d+\.?\d*|\.\d+)\s*(s|m|h|rows)?")
SECONDS_OF_UNIT = {None: 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
REFRESH_SECONDS = 0.2
ERASE_LINE = "\r\x1b[K"


class SaveInterval(NamedTuple):
    """The time or the number of rows between two saves. One of them is None."""

    seconds: float | None
    rows: int | None

    @classmethod
    def parse(cls, text: str) -> "SaveInterval":
        """
        >>> SaveInterval.parse("5m"), SaveInterval.parse("100000rows")
        (SaveInterval(seconds=300.0, rows=None), SaveInterval(seconds=None, rows=100000))
        """
        found = SAVE_INTERVAL.fullmatch(text.strip())
        if found is None or not float(found[1]) > 0 or (found[2] == "rows" and not found[1].isdigit()):
            raise InputError(f"--save-every takes seconds, or a number of rows (60, 5m, 1h, 100000rows), not {text!r}.")
        if found[2] == "rows":
            return cls(None, int(found[1]))
        return cls(float(found[1]) * SECONDS_OF_UNIT[found[2]], None)


class StreamMonitor:
    """Called several times a second during a stream: shows progress, saves the model, and reports signals."""

    def __init__(self, path: Path, interval: SaveInterval, max_seconds: float | None, quiet: bool) -> None:
        self.path, self.interval, self.max_seconds, self.quiet = path, interval, max_seconds, quiet
        self.signals: list[int] = []
        self.saved_rows = 0
        self._saved_at = self._refreshed_at = time.monotonic()
        self._next_message_rows = 1
        self._on_terminal = sys.stderr.isatty() and not quiet
        self._said_full = False

    def update(self, endless: EndlessInput) -> str | None:
        """Return the reason to stop, if there is one."""
        self._show_progress(endless)
        if self.signals:
            return "interrupted" if self.signals[0] == signal.SIGINT else "terminated"
        if self.max_seconds is not None and endless.seconds >= self.max_seconds:
            return "max_seconds"
        if self._save_is_due(endless.rows):
            self._save(endless)
        return None

    def clear_line(self) -> None:
        """Erase the progress line on a terminal."""
        if self._on_terminal:
            print(ERASE_LINE, end="", file=sys.stderr, flush=True)

    def _save_is_due(self, rows: int) -> bool:
        if rows == self.saved_rows:
            return False
        if self.interval.rows is not None:
            return rows // self.interval.rows > self.saved_rows // self.interval.rows
        return time.monotonic() - self._saved_at >= (self.interval.seconds or 0.0)

    def _save(self, endless: EndlessInput) -> None:
        self.saved_rows = endless.rows
        try:
            write(endless.model(), self.path)
        except InputError as error:
            self._say(f"note: nothing is saved yet: {error}")
        except OSError as error:
            self._say(f"note: not saved, tried again later: {describe_os_error(error)}")
        self._saved_at = time.monotonic()

    def _show_progress(self, endless: EndlessInput) -> None:
        """Print a line whenever the number of rows doubles, and keep a line up to date on a terminal."""
        rows, tally = endless.rows, endless.accuracy
        if self.quiet or not tally.rows or (endless.seconds < QUIET_SECONDS and not endless.is_streaming):
            return
        if not self._said_full and endless.learner is not None and endless.learner.columns_full:
            self._said_full = True
            self._say(f"note: the limit of about {MAX_COLUMNS:,} columns is reached: new words and values get none.")
        now = time.monotonic()
        if rows >= self._next_message_rows:
            self._next_message_rows = 2 * rows
            self._say(self._progress_line(endless))
        elif self._on_terminal and now - self._refreshed_at >= REFRESH_SECONDS:
            self._refreshed_at = now
            line = self._progress_line(endless)
            print(f"{ERASE_LINE}{line}; Ctrl-C saves and stops", end="", file=sys.stderr, flush=True)

    def _progress_line(self, endless: EndlessInput) -> str:
        tally = endless.accuracy
        recent = tally.recent
        batch = f" in batches of {endless.predict_batch:,}" if endless.predict_batch > 1 else ""
        right = f"{100 * tally.right / tally.rows:.2f} % right before learned{batch}"
        last = f"{100 * recent.right / recent.rows:.2f} % of the last {recent.rows:,}" if recent.rows else ""
        rate = f"{endless.rows / max(endless.seconds, 1e-9):,.0f} rows/s"
        return f"{endless.rows:,} rows: {right}, {last}; {rate}"

    def _say(self, text: str) -> None:
        say(f"{ERASE_LINE if self._on_terminal else ''}{text}")


class StreamEnd(NamedTuple):
    """How a stream ended: the report of the saved model, the signals, and the error of the last row, if any."""

    report: Report
    signals: list[int]
    error: InputError | OSError | None = None

    def raise_if_cut_short(self) -> None:
        """Exit with an error if the stream did not end with its input."""
        if self.error is not None:
            say(f"what was learned from the {count(self.report.rows, 'row')} before is saved in {self.report.model}.")
            raise self.error
        if self.signals:
            word = "interrupted" if self.signals[0] == signal.SIGINT else "terminated"
            say(f"{word}: what was learned so far is saved in {self.report.model}.")
            raise SystemExit(128 + self.signals[0])


def train_on_stream(
    request: Request,
    path: Path,
    save_every: str | None,
    quiet: bool,
    predict_batch: int = 1,
    start: Model | None = None,
) -> StreamEnd:
    """Learn from standard input until it ends, a signal arrives or a row cannot be used, and save the model."""
    interval = SaveInterval.parse(save_every or DEFAULT_SAVE_INTERVAL)
    monitor = StreamMonitor(path, interval, request.parameters.get("max_seconds"), quiet)
    endless = EndlessInput(request, predict_batch, start)
    error: InputError | OSError | None = None
    with record_signals(monitor.signals):
        try:
            ending = endless.run(open_stdin(), monitor.update)
        except (InputError, OSError) as found:
            ending, error = "error", found
        finally:
            monitor.clear_line()
        if endless.is_streaming or ending != "end":
            return StreamEnd(save_and_report(endless, ending, path, error), monitor.signals, error)
    with ProgressBar(quiet) as bar:  # an ordinary table, which Ctrl-C interrupts as any other
        outcome = endless.table_outcome("end", bar.show_training)
    write(outcome.model, path)
    return StreamEnd(report_with_fewest_mistakes(outcome, path), monitor.signals)


def save_and_report(endless: EndlessInput, ending: str, path: Path, error: InputError | OSError | None) -> Report:
    """Save the model learned so far and return its report. Raise an error if nothing was learned."""
    if error is not None and not endless.rows:
        raise error
    try:
        if endless.is_streaming:
            streamed = endless.stream_outcome(ending)
            write(streamed.model, path)
            return make_stream_report(streamed, str(path))
        outcome = endless.table_outcome(ending)
    except InputError as reason:
        if error is not None:
            raise error from None
        raise InputError(f"{ENDINGS[ending]} before there was enough to learn from: {reason}") from None
    write(outcome.model, path)
    return make_report(outcome, str(path))


@contextmanager
def record_signals(signals: list[int]) -> Iterator[None]:
    """Append termination signals to a list instead of raising, so that the model can be saved first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrow.enable_signal_handlers(False)  # its handlers would end a read early without telling us
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: signals.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        arrow.enable_signal_handlers(True)
