"""Rows that keep coming: each is predicted before it is learned, and what was learned can be saved at any time.

The first rows are held, to look at their columns; if no others come, they are an ordinary table. From then on a row is
seen once. How many rows there are decides what happens when: the model depends on the rows and their order, never on
the pace at which they come.
"""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BufferedReader, BytesIO, TextIOBase
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, named
from .data.arrays import coded, distinct
from .data.arriving import Arriving
from .data.batches import CATEGORY, TEXT, Batch, Source, in_parallel
from .data.columns import Numbered, Sparse
from .data.compressed import STDIN, Bytes
from .data.encoded import Encoded
from .data.lines import LINES, LONGEST, Block, Dialect, Lined, WholeRows, newline_of, not_text, whole_rows, wrong_quotes
from .data.names import find, shown
from .data.prepare import encoder_of
from .data.renewal import FAR, Watching
from .data.sources import kind_of_text, open_stream
from .data.targets import check_classes, typed
from .engine import Watch
from .errors import InputError, TooLarge
from .labels import Codes, Labels
from .modelparts import Model
from .onepass import begun, needs_all_rows, one_pass
from .request import Learner, Request
from .rows import thread_count
from .tables import Outcome, Share, learn_table

HELD = 1000  # rows that are looked at before the first is let go
LOOKS = (20, 40, 80, 160, 320, 640, HELD)  # rows after which all that are held are looked at
STALE = 50  # rows are predicted by weights that have seen all but a fiftieth of those before
CHUNK = 1024  # rows predicted by the same weights, at most
GROWTH, PERIOD = 1.25, 1 << 16  # columns are looked at again when there are so many times the rows, or so many more
LATEST = 4  # averages are of about the last fourth of all rows
GLANCE, SEEN = 1 << 14, 4  # after so many rows only the rows of every fourth chunk are looked at
MEMORY = 1 << 17  # or of so many, at most; after so many, falling steps fall no more
PART = 1 << 21  # bytes of a large block that are read by one thread
RECENT = 10_000  # rows that are told of as recent
MOST_COLUMNS, MOST_WEIGHTS = 1 << 20, 1 << 23  # up to which columns are added
LARGEST = 1 << 24  # columns that the first rows may have
WAIT_SECONDS = 0.1
TYPED = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")

Hear = Callable[["Endless"], str | None]


class Tally:
    """How many rows were right before they were learned: all of them, and the last ones."""

    def __init__(self) -> None:
        self.rows = self.right = 0
        self._chunks: deque[Share] = deque()
        self._in_chunks = self._last = Share(0, 0)

    def add(self, right: int, rows: int, ends: bool) -> None:
        """Some rows; `ends` says that their chunk does."""
        self.rows, self.right = self.rows + rows, self.right + right
        self._last = Share(self._last.right + right, self._last.rows + rows)
        if ends:
            self._chunks.append(self._last)
            right, rows = self._in_chunks.right + self._last.right, self._in_chunks.rows + self._last.rows
            while rows - self._chunks[0].rows >= RECENT:
                gone = self._chunks.popleft()
                right, rows = right - gone.right, rows - gone.rows
            self._in_chunks, self._last = Share(right, rows), Share(0, 0)

    @property
    def recent(self) -> Share:
        return Share(self._in_chunks.right + self._last.right, self._in_chunks.rows + self._last.rows)


class Answers:
    """The classes met so far, in the order in which they came, and their sorted labels."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.labels: Labels = np.empty(0, np.int64)
        self.places: npt.NDArray[np.intp] = np.empty(0, np.intp)  # of each class, as it came, among the labels
        self.counts: list[int] = []

    def add(self, text: str) -> list[int]:
        """One class more; where the old ones are now."""
        before = self.places
        self.numbers[text] = len(self.numbers)
        self.counts.append(0)
        self.labels, self.places = distinct(typed(list(self.numbers)))
        now = np.empty(len(before), np.intp)
        now[before] = self.places[: len(before)]
        return now.tolist()

    def codes(self, met: npt.NDArray[np.intp]) -> Codes:
        return self.places[met].astype(np.int32)

    def count(self, met: npt.NDArray[np.intp]) -> None:
        for number, rows in enumerate(np.bincount(met, minlength=len(self.counts)).tolist()):
            self.counts[number] += rows

    @property
    def sorted_counts(self) -> list[int]:
        found = [0] * len(self.counts)
        for place, rows in zip(self.places.tolist(), self.counts, strict=True):
            found[place] = rows
        return found


class Learning:
    """Columns, classes and weights, after some rows; more rows are predicted, learned and looked at."""

    def __init__(self, source: Lined, request: Request, tally: Tally, few: bool = False) -> None:
        self.source, self.request, self.tally = source, request, tally
        self.target = target_of(source, request)
        encoder = encoder_of(source, request, self.target)
        batches = source.held({**encoder.reading(), self.target: CATEGORY})
        every = dict(encoder.parts)
        encoded = encoder.learn(batches)
        if encoder.columns > LARGEST:
            raise InputError(
                f"{source.path} has {encoder.columns:,} columns, and a stream at most {LARGEST:,}: number those there "
                "are from 1 on, or train from a file."
            )
        self.encoder = encoder
        self.texts = set(encoder.kinds.values()) == {TEXT}
        self.learner: Learner = one_pass(request, self.texts)
        rows = encoded.rows()
        self.stream = begun(self.learner, rows, int(np.random.RandomState(request.seed).randint(2**31 - 1)))
        self.watching = Watching(encoder, every, bool(self.learner.recipe.fit_intercept))
        self.answers = Answers()
        self.rows = 0
        self.full = False
        self.learns_all = not request.scale or any(isinstance(part, Numbered) for part in every.values())
        met = np.concatenate([self._met(batch) for batch in batches])
        self.answers.count(met)
        self._check_classes(len(met))
        self._learn(self._near(encoded).rows(), met)
        self.rows = len(met)
        self._read: Callable[[Block], Batch] = self._reader()
        self._chunk_ends = self._renewal = 0
        self._begin_chunk()
        self._renewal = sys.maxsize if few else self._next_renewal()  # few rows are all looked at again

    def _reader(self) -> Callable[[Block], Batch]:
        return self.source.reader({**self.watching.reading(), self.target: CATEGORY})

    # Rows

    def take(self, block: Block) -> int:
        """Predict and learn the rows of a block; how many lines these are.

        Where a row cannot be used, those before it are learned first.
        """
        parts = list(cut(block, self.source.dialect))
        parsed = in_parallel(self._parsed, parts, thread_count(None) if len(parts) > 1 else 1)
        for part, batch in zip(parts, parsed, strict=True):
            self._take_part(part, batch)
        return parts[-1].line + whole_rows(parts[-1].text, self.source.dialect).lines - block.line

    def _parsed(self, block: Block) -> Batch | InputError:
        rows = whole_rows(block.text, self.source.dialect)
        if rows.misquoted is not None or rows.left_open is not None:
            return wrong_quotes(self.source.path, block.text, block.line, rows, self.source.dialect)
        try:
            return self._read(block)
        except InputError as error:
            return error

    def _take_part(self, block: Block, batch: Batch | InputError) -> None:
        try:
            if isinstance(batch, InputError):
                raise batch
            encoded = self.encoder.encode(batch) if batch.table.num_rows else None
        except InputError:
            if (first := half_of(block.text, self.source.dialect)) is None:
                raise
            text, end, line = block.text, first.end, block.line + first.lines
            for half in (Block(text[:end], block.line, 0), Block(text[end:], line, 0)):
                self._take_part(half, self._parsed(half))
            return
        if encoded is not None:
            self._take(batch, encoded)

    def _take(self, batch: Batch, encoded: Encoded) -> None:
        table, rows = batch.table, batch.table.num_rows
        codes, texts = coded(table.column(self.target))
        texts = [text.strip() for text in texts]
        first = seen = base = 0  # rows learned, looked at, and before those that are encoded
        while first < rows:
            met = self._numbered(codes[first:], texts)
            if met[0] < 0:
                if codes[first] < 0:
                    raise InputError(
                        f"{batch.path}, column {self.target!r} has no class in {batch.place(first)}: fill in or drop."
                    )
                self._add_class(texts[codes[first]])
                continue
            unknown = np.flatnonzero(met < 0)
            ends = [rows, self._chunk_ends - self.rows + first, *(first + unknown[:1]).tolist()]
            last = min(ends)
            self._pass(part_of(encoded, first - base, last - base), met[: last - first])
            first = last
            if self.rows == self._chunk_ends:
                self._begin_chunk()
                if self.rows >= self._renewal:
                    self._see(table, seen, first)
                    seen = first
                    if self._renew() and first < rows:
                        encoded, base = self.encoder.encode(slice_of(batch, first)), first
        self._see(table, seen, rows)

    def _see(self, table: Any, first: int, last: int) -> None:
        """Rows of a table, the last of which was learned last, are looked at: all of them while there are few."""
        before = self.rows - last  # the table began after so many rows
        while first < last:
            row = before + first
            end = min(last, GLANCE - before if row < GLANCE else first + CHUNK - row % CHUNK)
            if row < GLANCE or row // CHUNK % SEEN == 0:
                self.watching.see(table.slice(first, end - first))
            first = end

    def _numbered(self, codes: npt.NDArray[np.int64], texts: list[str]) -> npt.NDArray[np.intp]:
        """The number of each row's class, -1 where it is new or there is none."""
        known = np.array([*(self.answers.numbers.get(text, -1) for text in texts), -1], dtype=np.intp)
        return known[codes]

    def _pass(self, encoded: Encoded, met: npt.NDArray[np.intp]) -> None:
        """Some rows of one chunk."""
        rows = encoded.rows()
        scores = _core.scores(rows, *self._planes, self._threads(rows))[0]
        codes = self.answers.codes(met)
        decided = (scores[:, 0] >= 0) if len(self.answers.labels) == 2 else scores.argmax(axis=1)
        near = self._near(encoded)
        self._learn(rows if near is encoded else near.rows(), met)
        self.answers.count(met)
        self.rows += len(met)
        self.tally.add(int((decided == codes).sum()), len(met), self.rows == self._chunk_ends)

    def _near(self, encoded: Encoded) -> Encoded:
        """The same rows with no number beyond all measure, from which none is learned."""
        if self.learns_all:
            return encoded
        if encoded.dense is not None:
            far = max(encoded.dense.max(initial=0.0), -encoded.dense.min(initial=0.0)) > FAR
            return replace(encoded, dense=np.clip(encoded.dense, -FAR, FAR)) if far else encoded
        assert encoded.sparse is not None
        values = encoded.sparse.values
        if max(values.max(initial=0.0), -values.min(initial=0.0)) <= FAR:
            return encoded
        return replace(encoded, sparse=encoded.sparse._replace(values=np.clip(values, -FAR, FAR)))

    def _learn(self, rows: _core.Rows, met: npt.NDArray[np.intp]) -> None:
        codes = self.answers.codes(met)
        weights = self._class_weights()
        try:
            self.stream.learn(rows, codes, None if weights is None else weights[codes], self._threads(rows))
        except TooLarge:
            raise InputError(
                f"{self.source.path} holds numbers too large or too small to learn from: change their units."
            ) from None

    def _threads(self, rows: _core.Rows) -> int:
        return thread_count(None) if rows.stored_values > 1 << 20 else 1

    def _class_weights(self) -> npt.NDArray[np.float64] | None:
        wanted = self.request.class_weight
        if not isinstance(wanted, dict):
            return None
        by_text = {str(name): float(weight) for name, weight in wanted.items()}
        return np.array([by_text.get(str(label), 1.0) for label in self.answers.labels.tolist()])

    def _met(self, batch: Batch) -> npt.NDArray[np.intp]:
        """The numbers of the classes of a batch, new ones among them."""
        codes, texts = coded(batch.table.column(self.target))
        texts = [text.strip() for text in texts]
        if (codes < 0).any():
            row = int(np.flatnonzero(codes < 0)[0])
            raise InputError(
                f"{batch.path}, column {self.target!r} has no class in {batch.place(row)}: fill in or drop."
            )
        for code in codes[np.sort(np.unique(codes, return_index=True)[1])].tolist():
            if texts[code] not in self.answers.numbers:
                self._add_class(texts[code])
        return self._numbered(codes, texts)

    # What changes on the way

    def _add_class(self, text: str) -> None:
        places = self.answers.add(text)
        classes = len(self.answers.labels)
        if classes > 2 and classes * self.stream.columns > 2 * MOST_WEIGHTS:
            raise InputError(
                f"{self.source.path}, column {self.target!r} has {classes:,} classes by now, too many weights for "
                f"{self.stream.columns:,} columns: choose another target, or drop columns."
            )
        self.stream.grow(places, classes)
        if self.rows:
            self._check_classes(self.rows)
            self._planes = self.stream.returned

    def _check_classes(self, rows: int) -> None:
        if len(self.answers.labels) > 1:
            check_classes(self.source.path, self.target, self.answers.labels, rows)

    def _begin_chunk(self) -> None:
        self._chunk_ends = self.rows + min(max(self.rows // STALE, 1), CHUNK)
        self._planes = self.stream.returned

    def _next_renewal(self) -> int:
        return min(int(self.rows * GROWTH), self.rows + PERIOD)

    def _renew(self) -> bool:
        """Look at the columns again; whether they have changed."""
        self._renewal = self._next_renewal()
        planes = max(1, len(self.answers.labels) if len(self.answers.labels) > 2 else 1)
        most = min(MOST_COLUMNS, MOST_WEIGHTS // planes)
        move = self.watching.renew(most)
        self.full = self.full or self.encoder.columns >= most
        self.stream.forget(min(MEMORY, self.rows // LATEST), MEMORY)
        if move is not None:
            self.stream.move(move)
            self._read = self._reader()
        self._planes = self.stream.returned
        return move is not None

    # What was learned

    def model(self) -> Model:
        learner, labels = self.learner, self.answers.labels
        if len(labels) < 2:
            raise InputError(
                f"{self.source.path}, column {self.target!r} has only one class, {labels[0].item()!r}: a classifier "
                "needs two or more."
            )
        parameters = {**learner.parameters, "random_state": self.request.seed}
        weights = self._class_weights()
        if weights is not None:
            parameters["class_weight"] = dict(zip(labels.tolist(), weights.tolist(), strict=True))
        about = {"target": self.target, "scaled": self.request.scale}
        class_name = named.ALGORITHMS[learner.algorithm].class_name
        return Model(class_name, parameters, labels, None, self.stream, about, encoder=self.encoder)


class Streamed(NamedTuple):
    """A model of a stream, and what is known of it."""

    path: str
    model: Model
    learner: Learner
    automatic: bool
    counts: list[int]
    progressive: Share
    recent: Share
    seconds: float
    ending: str


class Endless:
    """Standard input, learned from as it comes."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.tally = Tally()
        self.learning: Learning | None = None
        self._held: bytes | None = b""
        self._learned = 0  # bytes of those held
        self._looks = list(LOOKS)
        self._names_checked = False
        self._rest, self._line = b"", 1
        self._began = time.perf_counter()

    @property
    def rows(self) -> int:
        """How many rows were learned."""
        return 0 if self.learning is None else self.learning.rows

    @property
    def is_streaming(self) -> bool:
        """Whether the first rows have been let go."""
        return self._held is None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def run(self, arriving: Arriving, hear: Hear) -> str:
        """Learn until the input ends or `hear`, which is called several times a second, has a reason to stop."""
        while True:
            piece = arriving.take(WAIT_SECONDS)
            if piece is None:
                self.end()
                return "end"
            if piece:
                self.feed(piece)
            if (reason := hear(self)) is not None:
                arriving.close()
                while piece := arriving.take(0):
                    self.feed(piece)
                return reason

    def feed(self, piece: bytes) -> None:
        """Bytes that have come."""
        if self._held is not None:
            self._hold(piece)
            return
        self._rest += piece
        self._learn_rest(whole_rows(self._rest, self._dialect).end)
        if len(self._rest) > LONGEST:
            where = f"{STDIN}, line {self._line}"
            raise InputError(f"{where} goes on for more than {LONGEST >> 20} MB: are its quotes closed?")

    def end(self) -> None:
        """No more will come: a last line needs no end."""
        if self._held is None:
            self._learn_rest(len(self._rest))
        elif self.learning is not None:
            self._learn_held(len(self._held))

    def _learn_rest(self, end: int) -> None:
        assert self.learning is not None
        text, self._rest = self._rest[:end], self._rest[end:]
        if text:
            self._line += self.learning.take(Block(text, self._line, 0))

    @property
    def _dialect(self) -> Dialect:
        return LINES if self.learning is None else self.learning.source.dialect

    # The first rows

    def _hold(self, piece: bytes) -> None:
        """While there are few rows all are held, and looked at whenever they have doubled."""
        assert self._held is not None
        self._held += piece
        if self._is_typed():
            return  # read from its end
        if b"\0" in piece:
            raise not_text(STDIN)
        self._check_names()
        while self._held is not None and (end := self._end_of_lines(self._looks[0])) is not None:
            self._looks.pop(0)
            self._look(end)
        if self._held is not None and self.learning is not None:
            self._learn_held(whole_rows(self._held, self._dialect).end)

    def _is_typed(self) -> bool:
        assert self._held is not None
        return self._held.startswith(TYPED) or any(kind.startswith(self._held[: len(kind)]) for kind in TYPED)

    def _check_names(self) -> None:
        """A target that is not there is told of before rows come."""
        assert self._held is not None
        begun = len(self._held) - len(self._held.lstrip())
        end = self._held.find(self._newline(), begun) + 1
        if self._names_checked or not end:
            return
        self._names_checked = True
        names = self._held[:end]
        if kind_of_text(STDIN, names) == "delimited" and b'"' not in names:
            target_of(opened(names), self.request)

    def _end_of_lines(self, lines: int) -> int | None:
        """Where so many lines end, not counting the columns' names, if another has begun."""
        assert self._held is not None
        lines += kind_of_text(STDIN, self._held[: 1 << 16]) == "delimited"
        ends = np.flatnonzero(np.frombuffer(self._held, np.uint8) == ord(self._newline()))
        if len(ends) < lines or ends[lines - 1] + 1 == len(self._held):
            return None
        return int(ends[lines - 1]) + 1

    def _newline(self) -> bytes:
        """What ends a line; a carriage return that came last may have a line feed to come."""
        assert self._held is not None
        return newline_of(self._held.removesuffix(b"\r"))

    def _look(self, end: int) -> None:
        """Look at the columns of all rows so far, and learn these rows anew."""
        assert self._held is not None
        end = whole_rows(self._held[:end], opened(self._held[:end]).dialect).end
        source = opened(self._held[:end])
        source.sample()
        if self.learning is not None:
            self._learn_held(end)
        last = not self._looks
        try:
            self.learning = Learning(source, self.request, self.tally, few=not last)
            self._learned = end
        except InputError:
            if last:  # few rows may look strange, of one class or with columns that are all the same
                raise
        if last:
            self._rest, self._line = self._held[end:], self._line_at(end)
            self._held = None
            self._learn_rest(whole_rows(self._rest, self._dialect).end)

    def _learn_held(self, end: int) -> None:
        assert self._held is not None
        assert self.learning is not None
        first = self._learned
        if end > first:
            self._learned = end
            self.learning.take(Block(self._held[first:end], self._line_at(first), 0))

    def _line_at(self, place: int) -> int:
        assert self._held is not None
        return 1 + self._held.count(self._newline(), 0, place)

    # What was learned

    def table(self, reason: str, watch: Watch | None = None) -> Outcome:
        """The model of the first rows, if there are no others: that of an ordinary table."""
        assert self._held is not None
        text = self._held if reason == "end" else self._whole_rows(reason == "error")
        source = open_stream(STDIN, Bytes(STDIN, BufferedReader(BytesIO(text))))
        return replace(learn_table(source, self.request, watch), progressive=self._progressive())

    def streamed(self, ending: str) -> Streamed:
        """The model of all rows so far, the first of which have been let go."""
        learning = self.learning
        assert learning is not None
        return Streamed(
            STDIN,
            learning.model(),
            learning.learner,
            self.request.automatic,
            learning.answers.sorted_counts,
            self._progressive(),
            self.tally.recent,
            self.seconds,
            ending,
        )

    def model(self) -> Model:
        """The model so far."""
        return self.streamed("interrupted").model if self.is_streaming else self.table("interrupted").model

    def _progressive(self) -> Share:
        return Share(self.tally.right, self.tally.rows)

    def _whole_rows(self, broken: bool) -> bytes:
        """The rows held that have ended; where one of them cannot be read, those before it."""
        assert self._held is not None
        if self._is_typed():
            raise InputError(f"{STDIN} has not ended: tables of its kind are read from their end.")
        text = self._held[: whole_rows(self._held, self._dialect).end]
        if not broken:
            return text
        fine, ends = 0, [0, *(np.flatnonzero(np.frombuffer(text, np.uint8) == ord(self._newline())) + 1).tolist()]
        bad = len(ends)
        while bad - fine > 1:
            middle = (fine + bad) // 2
            try:
                opened(text[: ends[middle]]).sample()
                fine = middle
            except InputError:
                bad = middle
        return text[: ends[fine]]


def fit_file(file: Any, request: Request, checkpoint: Any = None) -> Any:
    """What `fit` makes of an open file: a pipeline, with its report."""
    from .modelfile import classifier_of
    from .report import report_of, report_of_stream

    needing = needs_all_rows(request) if checkpoint is None else "checkpoint"
    if needing is not None:
        raise InputError(f"{needing} needs all rows at once, and an open file is read only once: give its path.")
    if isinstance(file, TextIOBase):
        raise InputError("an open file must give bytes: open it with mode 'rb'.")
    endless = Endless(request)
    endless.run(Arriving(getattr(file, "raw", file)), lambda _: None)
    if endless.is_streaming:
        streamed = endless.streamed("end")
        model, report = classifier_of(streamed.model), report_of_stream(streamed)
    else:
        outcome = endless.table("end")
        model, report = classifier_of(outcome.model), report_of(outcome)
    model.report_ = report.as_dict()
    return model


def opened(text: bytes) -> Lined:
    """The rows of a text as a source."""
    source = open_stream(STDIN, Bytes(STDIN, BufferedReader(BytesIO(text))))
    assert isinstance(source, Lined)
    return source


def target_of(source: Source, request: Request) -> str:
    """The column to predict, which must be there."""
    target = source.target if request.target is None else request.target
    if target is None:
        raise InputError(
            f"{source.path}: which column is to be predicted? Name the target; it has {shown(source.names)}."
        )
    return find(source, target, "to predict")


def cut(block: Block, dialect: Dialect) -> Iterator[Block]:
    """A large block in several that can be read at the same time."""
    text, line, offset = block
    while len(text) > 2 * PART:
        rows = whole_rows(text[:PART], dialect)
        if not rows.end:
            break
        yield Block(text[: rows.end], line, offset)
        line, offset, text = line + rows.lines, offset + rows.end, text[rows.end :]
    yield Block(text, line, offset)


def half_of(text: bytes | bytearray, dialect: Dialect) -> WholeRows | None:
    """About half of some rows; None of a single one."""
    rows = whole_rows(text[: len(text) // 2], dialect)
    if not rows.end:
        rows = whole_rows(text[: text.find(dialect.newline.encode()) + 1], dialect)
    return rows if 0 < rows.end < len(text) else None


def part_of(encoded: Encoded, first: int, last: int) -> Encoded:
    """Rows that follow each other, without a copy of their numbers."""
    if encoded.dense is not None:
        return Encoded(encoded.columns, encoded.dense[first:last], None)
    assert encoded.sparse is not None
    starts, places, values = encoded.sparse
    begin, end = int(starts[first]), int(starts[last])
    return Encoded(
        encoded.columns, None, Sparse(starts[first : last + 1] - starts[first], places[begin:end], values[begin:end])
    )


def slice_of(batch: Batch, first: int) -> Batch:
    """The rows of a batch from one on."""
    return Batch(batch.table.slice(first), batch.path, lambda row: batch.place(first + row))
