"""`rosenblatt train -`: learning from standard input as it comes, saving on the way, and what is said meanwhile."""

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
from ...tables.read.arriving_bytes import from_stdin
from ...training.online.endless import Endless
from ...training.online.online_learner import MOST_COLUMNS
from ...training.report import ENDINGS, Report, report_of, report_of_stream
from ...training.request import Request
from ..console import say, sentence
from .fewest_mistakes import reported
from .progress import PATIENCE_SECONDS, Bar

SAVE_EVERY = "60s"
EVERY = re.compile(r"(\d+\.?\d*|\.\d+)\s*(s|m|h|rows)?")
SECONDS = {None: 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
LIVE_SECONDS = 0.2
ERASE = "\r\x1b[K"


class SaveEvery(NamedTuple):
    """How long a model may be unsaved: one of the two."""

    seconds: float | None
    rows: int | None

    @classmethod
    def of(cls, text: str) -> "SaveEvery":
        """
        >>> SaveEvery.of("5m"), SaveEvery.of("100000rows")
        (SaveEvery(seconds=300.0, rows=None), SaveEvery(seconds=None, rows=100000))
        """
        found = EVERY.fullmatch(text.strip())
        if found is None or not float(found[1]) > 0 or (found[2] == "rows" and not found[1].isdigit()):
            raise InputError(f"--save-every takes seconds, or a number of rows (60, 5m, 1h, 100000rows), not {text!r}.")
        if found[2] == "rows":
            return cls(None, int(found[1]))
        return cls(float(found[1]) * SECONDS[found[2]], None)


class Company:
    """Hears of a stream several times a second: tells how it goes, saves what was learned, notes signals."""

    def __init__(self, path: Path, every: SaveEvery, max_seconds: float | None, quiet: bool) -> None:
        self.path, self.every, self.max_seconds, self.quiet = path, every, max_seconds, quiet
        self.signals: list[int] = []
        self.saved = 0  # rows of the model that is saved
        self._saved_at = self._shown_at = time.monotonic()
        self._tell_at = 1
        self._live = sys.stderr.isatty() and not quiet
        self._full = False

    def hear(self, endless: Endless) -> str | None:
        """Why to stop, if there is a reason."""
        self._tell(endless)
        if self.signals:
            return "interrupted" if self.signals[0] == signal.SIGINT else "terminated"
        if self.max_seconds is not None and endless.seconds >= self.max_seconds:
            return "max_seconds"
        if self._is_time(endless.rows):
            self._save(endless)
        return None

    def _is_time(self, rows: int) -> bool:
        if rows == self.saved:
            return False
        if self.every.rows is not None:
            return rows // self.every.rows > self.saved // self.every.rows
        return time.monotonic() - self._saved_at >= (self.every.seconds or 0.0)

    def _save(self, endless: Endless) -> None:
        self.saved = endless.rows
        try:
            write(endless.model(), self.path)
        except InputError as error:
            self.say(f"note: nothing is saved yet: {error}")
        except OSError as error:
            self.say(f"note: not saved, tried again later: {sentence(error)}")
        self._saved_at = time.monotonic()

    def _tell(self, endless: Endless) -> None:
        """At every doubling of the rows, on a terminal all the time."""
        rows, tally = endless.rows, endless.tally
        if self.quiet or not tally.rows or (endless.seconds < PATIENCE_SECONDS and not endless.is_streaming):
            return
        if not self._full and endless.learning is not None and endless.learning.full:
            self._full = True
            self.say(f"note: there are {MOST_COLUMNS:,} columns or so by now: new words and values get none.")
        now = time.monotonic()
        if rows >= self._tell_at:
            self._tell_at = 2 * rows
            self.say(self._sentence(endless))
        elif self._live and now - self._shown_at >= LIVE_SECONDS:
            self._shown_at = now
            print(ERASE + self._sentence(endless) + "; Ctrl-C saves and stops", end="", file=sys.stderr, flush=True)

    def _sentence(self, endless: Endless) -> str:
        tally = endless.tally
        recent = tally.recent
        right = f"{100 * tally.right / tally.rows:.2f} % right before learned"
        last = f"{100 * recent.right / recent.rows:.2f} % of the last {recent.rows:,}" if recent.rows else ""
        pace = f"{endless.rows / max(endless.seconds, 1e-9):,.0f} rows/s"
        return f"{endless.rows:,} rows: {right}, {last}; {pace}"

    def say(self, text: str) -> None:
        say(f"{ERASE if self._live else ''}{text}")

    def done(self) -> None:
        if self._live:
            print(ERASE, end="", file=sys.stderr, flush=True)


class Ended(NamedTuple):
    """The report of what was learned and saved, the signals that came, and what was wrong with the last row, if any."""

    report: Report
    signals: list[int]
    error: InputError | OSError | None = None

    def tell(self) -> None:
        """How it ended, if not with the input."""
        if self.error is not None:
            say(f"what was learned from the {count(self.report.rows, 'row')} before is saved in {self.report.model}.")
            raise self.error
        if self.signals:
            word = "interrupted" if self.signals[0] == signal.SIGINT else "terminated"
            say(f"{word}: what was learned so far is saved in {self.report.model}.")
            raise SystemExit(128 + self.signals[0])


def learn_endless(request: Request, path: Path, save_every: str | None, quiet: bool) -> Ended:
    """Learn from standard input until it ends, a signal comes or a row cannot be used, and save what was learned."""
    company = Company(path, SaveEvery.of(save_every or SAVE_EVERY), request.parameters.get("max_seconds"), quiet)
    endless = Endless(request)
    error: InputError | OSError | None = None
    with signals_noted(company.signals):
        try:
            ending = endless.run(from_stdin(), company.hear)
        except (InputError, OSError) as found:
            ending, error = "error", found
        finally:
            company.done()
        if endless.is_streaming or ending != "end":
            return Ended(saved(endless, ending, path, error), company.signals, error)
    with Bar(quiet) as bar:  # an ordinary table, which Ctrl-C interrupts as any other
        outcome = endless.table("end", bar.watch)
    write(outcome.model, path)
    return Ended(reported(outcome, path), company.signals)


def saved(endless: Endless, ending: str, path: Path, error: InputError | OSError | None) -> Report:
    """The report of what was learned so far, which is saved; refused where that is nothing."""
    if error is not None and not endless.rows:
        raise error
    try:
        if endless.is_streaming:
            streamed = endless.streamed(ending)
            write(streamed.model, path)
            return report_of_stream(streamed, str(path))
        outcome = endless.table(ending)
    except InputError as reason:
        if error is not None:
            raise error from None
        raise InputError(f"{ENDINGS[ending]} before there was enough to learn from: {reason}") from None
    write(outcome.model, path)
    return report_of(outcome, str(path))


@contextmanager
def signals_noted(signals: list[int]) -> Iterator[None]:
    """Note the signals that ask for an end, so that what was learned is saved whole."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrow.enable_signal_handlers(False)  # it would break off its reading, and not say so to us
    asking = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in asking}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: signals.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        arrow.enable_signal_handlers(True)
