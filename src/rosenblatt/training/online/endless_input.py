"""Input that does not end, such as a pipe: each row is predicted, then learned, and the model can be saved any time.

The first rows are held to guess the kinds of their columns. If no others come, they are trained on as an ordinary
table. After that each row is used once. What happens when depends only on the number of rows: the model depends on the
rows and their order, never on how fast they arrive.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from io import BufferedReader, BytesIO

import numpy as np

from ...engine.result import Watch
from ...foundation.errors import InputError
from ...model.model import Model
from ...tables.read.column_names import find_target
from ...tables.read.compressed import STDIN, ByteStream
from ...tables.read.dialect import PLAIN_LINES, Dialect, detect_newline, scan_rows
from ...tables.read.foreign_formats import refuse_foreign_format
from ...tables.read.pipe_reader import PipeReader
from ...tables.read.sources import detect_text_format, open_stream
from ...tables.read.text_lines import MAX_ROW_SIZE, Block, TextSource, encoding_error, row_size_error
from ...tables.read.typed_json_lines import TypedJsonLines
from ..outcome import Accuracy, Outcome, StreamOutcome
from ..request import Request
from ..train_table import train_table
from .calibrate_learner import calibrate_learner
from .continued_model import check_continuable, continue_model
from .first_rows import learn_first_rows
from .held_rows import ends_of_rows, is_row
from .online_learner import OnlineLearner
from .progressive_accuracy import ProgressiveAccuracy

MAX_HELD_ROWS = 1000  # before the first row is discarded
SURVEY_ROWS = (20, 40, 80, 160, 320, 640, MAX_HELD_ROWS)  # after which the columns of all rows held are surveyed
WAIT_SECONDS = 0.1
BINARY_BEGINNINGS = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")

StopCheck = Callable[["EndlessInput"], str | None]


class EndlessInput:
    """Learns from standard input as it arrives.

    Each row is predicted by the model of all rows before it. With a larger `predict_batch`, so many rows are predicted
    by the model before the first of them, as if their classes became known together. If a model to `start` with is
    given, it learns the rows from the first one on, and the request must be that of the model.
    """

    def __init__(self, request: Request, predict_batch: int = 1, start: Model | None = None) -> None:
        if isinstance(predict_batch, bool) or not isinstance(predict_batch, int) or predict_batch < 1:
            raise InputError(f"predict_batch must be a whole number of at least 1, not {predict_batch!r}.")
        self.request, self.predict_batch = request, predict_batch
        self.accuracy = ProgressiveAccuracy()
        self.learner: OnlineLearner | None = None
        self._held: bytes | None = b""
        self._learned = 0  # bytes of those held
        self._start = start
        self._surveys = list(SURVEY_ROWS if start is None else SURVEY_ROWS[:1])
        self._names_checked = False
        self._rest, self._line = b"", 1
        self._began = time.perf_counter()

    @property
    def rows(self) -> int:
        """The number of rows learned."""
        return 0 if self.learner is None else self.learner.rows

    @property
    def is_streaming(self) -> bool:
        """Whether the first rows were discarded."""
        return self._held is None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def run(self, arriving: PipeReader, stop_check: StopCheck) -> str:
        """Learn until the input ends or `stop_check`, called several times a second, gives a reason to stop."""
        while True:
            piece = arriving.take(WAIT_SECONDS)
            if piece is None:
                self.end()
                return "end"
            if piece:
                self.feed(piece)
            if (reason := stop_check(self)) is not None:
                arriving.close()
                while piece := arriving.take(0):
                    self.feed(piece)
                return reason

    def feed(self, piece: bytes) -> None:
        """Learn from more bytes."""
        if self._held is not None:
            self._hold(piece)
            return
        self._rest += piece
        self._learn_rest(scan_rows(self._rest, self._dialect).end)
        if len(self._rest) > MAX_ROW_SIZE:
            raise row_size_error(STDIN, self._line)

    def end(self) -> None:
        """Learn the rest after the last bytes; the last line needs no newline."""
        if self._held and self._start is not None:
            self._continue(self._start, len(self._held))
        if self._held is None:
            self._learn_rest(len(self._rest))
        elif self.learner is not None:
            self._learn_held(len(self._held))

    def _learn_rest(self, end: int) -> None:
        assert self.learner is not None
        text, self._rest = self._rest[:end], self._rest[end:]
        if text:
            self._line += self.learner.learn_block(Block(text, self._line, 0))

    @property
    def _dialect(self) -> Dialect:
        return PLAIN_LINES if self.learner is None else self.learner.source.dialect

    # The first rows

    def _hold(self, piece: bytes) -> None:
        """Hold the first rows, and survey their columns whenever they have doubled."""
        assert self._held is not None
        self._held += piece
        if self._is_binary():
            return  # formats that are read from their end
        refuse_foreign_format(STDIN, self._held)
        if b"\0" in piece:
            raise encoding_error(STDIN)
        self._check_names()
        while self._held is not None and (end := self._end_of_lines(self._surveys[0])) is not None:
            self._surveys.pop(0)
            self._survey(end)
        if self._held is not None and self.learner is not None:
            self._learn_held(scan_rows(self._held, self._dialect).end)

    def _is_binary(self) -> bool:
        assert self._held is not None
        return self._held.startswith(BINARY_BEGINNINGS) or any(
            kind.startswith(self._held[: len(kind)]) for kind in BINARY_BEGINNINGS
        )

    def _check_names(self) -> None:
        """Refuse a missing target as soon as the header is complete."""
        assert self._held is not None
        begun = len(self._held) - len(self._held.lstrip())
        end = self._held.find(self._newline(), begun) + 1
        if self._names_checked or not end:
            return
        self._names_checked = True
        names = self._held[:end]
        if detect_text_format(STDIN, names) == "delimited" and b'"' not in names:
            find_target(open_text(names), self.request.target)

    def _end_of_lines(self, lines: int) -> int | None:
        """Where so many lines after the header end, blank ones not counted; None if no further line has begun."""
        assert self._held is not None
        kind = detect_text_format(STDIN, self._held[: 1 << 16])
        lines += kind == "delimited"
        ends = ends_of_rows(self._held, self._newline(), kind)
        if len(ends) < lines:
            return None
        begun = self._held[self._held.rfind(self._newline()) + 1 :]
        return int(ends[lines - 1]) if len(ends) > lines or is_row(begun, kind) else None

    def _newline(self) -> bytes:
        """The end of a line. A carriage return at the very end is ignored, because a line feed may follow."""
        assert self._held is not None
        return detect_newline(self._held.removesuffix(b"\r"))

    def _survey(self, end: int) -> None:
        """Survey the columns of all rows so far, and learn these rows again."""
        assert self._held is not None
        end = scan_rows(self._held[:end], open_text(self._held[:end]).dialect).end
        if self._start is not None:
            return self._continue(self._start, end)
        source = open_text(self._held[:end])
        source.sample()
        if self.learner is not None:
            self._learn_held(end)
        last = not self._surveys
        try:
            self.learner = learn_first_rows(source, self.request, self.accuracy, not last, self.predict_batch)
            self._learned = end
        except InputError:
            if last:  # few rows may have one class, or only constant columns
                raise
        if last:
            self._rest, self._line = self._held[end:], self._line_at(end)
            self._held = None
            self._learn_rest(scan_rows(self._rest, self._dialect).end)

    def _continue(self, model: Model, end: int) -> None:
        """Go on from a model: all rows held are learned one by one, as those that follow. A row ends at `end`."""
        assert self._held is not None
        check_continuable(model)
        source, kind = open_text(self._held[:end]), detect_text_format(STDIN, self._held[: 1 << 16])
        if kind not in ("delimited", "svmlight"):
            source = TypedJsonLines(STDIN, [*_columns_of(model), model.about["target"]])
        self.learner = continue_model(model, source, self.accuracy, self.predict_batch)
        first = int(ends_of_rows(self._held, self._newline(), kind)[0]) if kind == "delimited" else 0
        self._rest, self._line = self._held[first:], self._line_at(first)
        self._held = None
        self._learn_rest(scan_rows(self._rest, self._dialect).end)

    def _learn_held(self, end: int) -> None:
        assert self._held is not None
        assert self.learner is not None
        first = self._learned
        if end > first:
            self._learned = end
            self.learner.learn_block(Block(self._held[first:end], self._line_at(first), 0))

    def _line_at(self, place: int) -> int:
        assert self._held is not None
        return 1 + self._held.count(self._newline(), 0, place)

    # Results

    def table_outcome(self, reason: str, watch: Watch | None = None) -> Outcome:
        """The outcome if only the first rows came: that of an ordinary table."""
        assert self._held is not None
        text = self._held if reason == "end" else self._whole_rows(reason == "error")
        source = open_stream(STDIN, ByteStream(STDIN, BufferedReader(BytesIO(text))))
        return replace(train_table(source, self.request, watch), progressive=self._progressive())

    def stream_outcome(self, ending: str) -> StreamOutcome:
        """The outcome of all rows so far, if the first rows were discarded."""
        learner = self.learner
        assert learner is not None
        model, quality = calibrate_learner(learner)
        return StreamOutcome(
            STDIN,
            model,
            learner.plan,
            self.request.automatic,
            learner.classes.sorted_counts,
            self._progressive(),
            self.accuracy.recent,
            self.seconds,
            ending,
            self.predict_batch,
            quality,
        )

    def model(self) -> Model:
        """The model after the rows so far."""
        return (
            self.stream_outcome("interrupted").model if self.is_streaming else self.table_outcome("interrupted").model
        )

    def _progressive(self) -> Accuracy:
        return Accuracy(self.accuracy.right, self.accuracy.rows)

    def _whole_rows(self, broken: bool) -> bytes:
        """The complete rows held; if one of them is `broken`, the rows before it."""
        assert self._held is not None
        if self._is_binary():
            raise InputError(f"{STDIN} has not ended: tables of its kind are read from their end.")
        text = self._held[: scan_rows(self._held, self._dialect).end]
        if not broken:
            return text
        fine, ends = 0, [0, *(np.flatnonzero(np.frombuffer(text, np.uint8) == ord(self._newline())) + 1).tolist()]
        bad = len(ends)
        while bad - fine > 1:
            middle = (fine + bad) // 2
            try:
                open_text(text[: ends[middle]]).sample()
                fine = middle
            except InputError:
                bad = middle
        return text[: ends[fine]]


def _columns_of(model: Model) -> list[str]:
    return [] if model.encoder is None else list(model.encoder.column_encoders)


def open_text(text: bytes) -> TextSource:
    """A source of the rows of a text."""
    source = open_stream(STDIN, ByteStream(STDIN, BufferedReader(BytesIO(text))))
    assert isinstance(source, TextSource)
    return source
