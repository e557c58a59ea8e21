"""Turn texts into sparse rows: each word becomes a column, read directly from Arrow's memory.

A word is a longest run of letters, digits and underscores, as Unicode has them (`\\w` in Python's regular
expressions), together with the marks and joiners that follow a letter. Letters are folded one by one: `str.casefold`
where that gives one character, else `str.lower` where that does, so `Straße` becomes `straße`, a final sigma a plain
one, and the Turkish dotted capital an i. Everything else ends a word, bytes that are not UTF-8 too. Nothing is
normalised: write accents one way. Languages without spaces get one word for each run of letters.

With `sublinear=False, min_rows=1, shortest=2` this is what scikit-learn's TfidfVectorizer does by default, on ASCII
text. It differs where a text has combining marks (there they end a word) or letters whose lower case is not their
folded form.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as arrow

from ... import _core
from ...foundation.errors import InputError
from ...foundation.threads import thread_count

ROWS_AT_A_TIME = 1 << 16  # Ctrl-C takes effect between these groups
MAX_NGRAMS = 8
MAX_COUNTED_WORDS = 2_000_000  # at a time, in some 200 MB; beyond that the rarest are forgotten

Bytes = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int64]


class SparseRows(NamedTuple):
    """CSR: where each row starts, the columns it has, rising, and their values."""

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    values: npt.NDArray[Any]


class WordCounts(NamedTuple):
    """The words of some rows: their bytes, where each ends, how many rows have each, and the number of rows."""

    letters: Bytes
    ends: Counts
    rows: Counts
    total: int


class Words:
    """The words of a text column, each a column of numbers.

    The value of a word in a row is its count there, or 1 + log of it if `sublinear`. With `tf_idf` it is multiplied by
    log((1 + n) / (1 + rows)) + 1, where n rows were learned and `rows` of them have the word, and each row is scaled to
    length 1. Columns are numbered by how many rows have the word, most first, ties by alphabet. No result depends on
    the number of threads.

    Parameters
    ----------
    ngrams : int, default 1
        Runs of up to so many words are columns, too.
    tf_idf : bool, default True
        Weigh rare words more. Without it, values are counts, not scaled.
    sublinear : bool, default True
        1 + log(count) instead of the count.
    max_words : int or None, default None
        Keep only so many columns, those of most rows.
    min_rows : int, default 2
        Leave out words of fewer rows.
    max_share : float, default 1.0
        Leave out words in more than this share of the rows.
    shortest : int, default 1
        Words of fewer characters are not seen at all.
    dtype : {"float32", "float64"}, default "float32"
        Of the values. They are worked out in float64.

    Examples
    --------
    >>> import pyarrow as arrow
    >>> words = Words(tf_idf=False, sublinear=False, min_rows=1)
    >>> words.learn(arrow.array(["To be, or not to be", "Be brave!"]))
    >>> words.finish()
    >>> words.names
    ['be', 'brave', 'not', 'or', 'to']
    >>> words.encode(arrow.array(["BE not afraid"])).indices
    array([0, 2], dtype=int32)
    """

    def __init__(
        self,
        ngrams: int = 1,
        tf_idf: bool = True,
        sublinear: bool = True,
        max_words: int | None = None,
        min_rows: int = 2,
        max_share: float = 1.0,
        shortest: int = 1,
        dtype: str = "float32",
        n_jobs: int | None = None,
    ) -> None:
        _check_whole("ngrams", ngrams, 1, MAX_NGRAMS)
        _check_whole("shortest", shortest, 1, 1 << 20)
        _check_whole("min_rows", min_rows, 1, 1 << 62)
        if max_words is not None:
            _check_whole("max_words", max_words, 1, 1 << 62)
        if isinstance(max_share, bool) or not isinstance(max_share, int | float) or not 0.0 < max_share <= 1.0:
            raise ValueError(f"max_share must be above 0 and at most 1, not {max_share!r}.")
        if dtype not in ("float32", "float64"):
            raise ValueError(f"dtype must be 'float32' or 'float64', not {dtype!r}.")
        for name, value in (("tf_idf", tf_idf), ("sublinear", sublinear)):
            if not isinstance(value, bool):
                raise ValueError(f"{name} must be True or False, not {value!r}.")
        self.ngrams, self.tf_idf, self.sublinear, self.max_words = ngrams, tf_idf, sublinear, max_words
        self.min_rows, self.max_share, self.shortest, self.dtype = min_rows, float(max_share), shortest, dtype
        self.n_jobs = n_jobs
        self.n_rows = 0
        self._counter: Any = _core.WordCounter(ngrams, shortest)
        self._keeps = True
        self._encoder: Any = None
        self._bytes: Bytes | None = None
        self._ends: Counts = np.empty(0, np.int64)
        self._rows: Counts = np.empty(0, np.int64)
        self._weights: npt.NDArray[np.float64] | None = None

    def learn(self, column: Any, keep: bool = True) -> None:
        """Count the words of more rows. With `keep` in every call, `learned_rows` can return these rows.

        Of more than 2,000,000 different words the rarest are forgotten, and so are the rows.
        """
        if self._bytes is not None:
            raise ValueError("These words are finished: learn with new Words.")
        self._keeps = self._keeps and keep
        for offsets, data, valid, first in _buffers(column):
            self._counter.learn(offsets, data, valid, first, self._keeps, thread_count(self.n_jobs))
            self._keeps = self._counter.bound(MAX_COUNTED_WORDS) and self._keeps

    def summary(self, column: Any) -> list[WordCounts]:
        """What `add` takes of some rows: the words of each group of rows that `learn` would count at a time."""
        found = []
        for offsets, data, valid, first in _buffers(column):
            counter = _core.WordCounter(self.ngrams, self.shortest)
            counter.learn(offsets, data, valid, first, False, thread_count(self.n_jobs))
            found.append(WordCounts(*counter.choose(1, counter.rows, (1 << 31) - 1), counter.rows))
        return found

    def add(self, found: list[WordCounts]) -> None:
        """Count the words of more rows by their summary: the same as `learn` with these rows, which are not kept."""
        if self._bytes is not None:
            raise ValueError("These words are finished: learn with new Words.")
        self._keeps = False
        for counts in found:
            self._counter.add(*counts)
            self._counter.bound(MAX_COUNTED_WORDS)

    @property
    def kept(self) -> bool:
        """Whether `learned_rows` can return the rows that were learned."""
        return self._counter is not None and self._keeps

    def finish(self) -> None:
        """Choose the columns among the words counted so far."""
        if self._bytes is not None:
            return
        self.n_rows = self._counter.rows
        most = int(self.max_share * self.n_rows) if self.max_share < 1.0 else self.n_rows
        at_most = (1 << 31) - 1 if self.max_words is None else self.max_words
        self._take(*self._counter.choose(self.min_rows, most, at_most))

    def _take(self, letters: Bytes, ends: Counts, rows: Counts) -> None:
        self._bytes, self._ends, self._rows = letters, ends, rows
        self._weights = _core.inverse_row_frequency(rows, self.n_rows) if self.tf_idf else None

    def learned_rows(self) -> SparseRows:
        """The rows learned, encoded."""
        self._finished()
        if not self.kept:
            raise ValueError("These rows were not kept: encode them again.")
        return _sparse_rows(*self._counter.kept_rows(*self._worth()))

    def encode(self, column: Any) -> SparseRows:
        """The rows of a column as sparse rows; words that are no columns are passed over."""
        vocabulary = self._vocabulary()
        parts = [vocabulary.encode(*buffers, *self._worth()) for buffers in _buffers(column)]
        if len(parts) == 1:
            return _sparse_rows(*parts[0])
        if not parts:
            return _sparse_rows(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, self.dtype))
        starts, before = [np.zeros(1, np.int64)], 0
        for part in parts:
            starts.append(part[0][1:] + before)
            before += part[0][-1]
        return _sparse_rows(np.concatenate(starts), *(np.concatenate([part[i] for part in parts]) for i in (1, 2)))

    def columns_of(self, words: "Words") -> Counts:
        """The columns here of other words; -1 for words that are not here."""
        if self.ngrams > 1:  # a run of words is not read as one
            known = {name: place for place, name in enumerate(self.names)}
            return np.array([known.get(name, -1) for name in words.names], dtype=np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), words._ends])
        plain = (None, False, False, False, thread_count(self.n_jobs))
        counts, found, _ = self._vocabulary().encode(starts, words._finished(), None, 0, *plain)
        columns = np.full(len(words._ends), -1, dtype=np.int64)
        columns[np.diff(counts) > 0] = found
        return columns

    def extended(self, others: "Words", chosen: Counts, rows: Counts, n_rows: int) -> "Words":
        """These words followed by chosen others; `rows` and `n_rows` are the new counts of these words."""
        words = Words(**self._settings())
        words._counter, words.n_rows = None, n_rows
        lengths = np.diff(others._ends, prepend=0)
        taken = np.zeros(len(lengths), dtype=bool)
        taken[chosen] = True
        letters = others._finished()[np.repeat(taken, lengths)]
        ends = np.cumsum(lengths[taken]) + (self._ends[-1] if len(self._ends) else 0)
        words._take(
            np.concatenate([self._finished(), letters]),
            np.concatenate([self._ends, ends]),
            np.concatenate([rows, others._rows[taken]]),
        )
        return words

    def _vocabulary(self) -> Any:
        letters = self._finished()
        if self._encoder is None:
            self._encoder = _core.Vocabulary(letters, self._ends, self.ngrams, self.shortest)
        return self._encoder

    def _worth(self) -> tuple[Any, ...]:
        return self._weights, self.sublinear, self.tf_idf, self.dtype == "float64", thread_count(self.n_jobs)

    def _finished(self) -> Bytes:
        if self._bytes is None:
            raise ValueError("These words are not finished: call finish() after the last learn().")
        return self._bytes

    @property
    def n_columns(self) -> int:
        self._finished()
        return len(self._ends)

    @property
    def names(self) -> list[str]:
        """The words, in the order of their columns."""
        whole = self._finished().tobytes()
        begins = [0, *self._ends[:-1].tolist()]
        return [whole[begin:end].decode() for begin, end in zip(begins, self._ends.tolist(), strict=False)]

    def __getstate__(self) -> dict[str, Any]:
        if self._bytes is None and not self._counter.rows:
            return {**self._settings(), "n_jobs": self.n_jobs}
        return {**self.state(), "n_jobs": self.n_jobs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        words = self.from_state(state) if "bytes" in state else Words(**state)
        self.__dict__ = words.__dict__ | {"n_jobs": state["n_jobs"]}

    def state(self) -> dict[str, Any]:
        """Everything encoding needs: settings that JSON can hold, and arrays."""
        letters = self._finished()
        return {**self._settings(), "n_rows": self.n_rows, "bytes": letters, "ends": self._ends, "rows": self._rows}

    def _settings(self) -> dict[str, Any]:
        names = ("ngrams", "tf_idf", "sublinear", "max_words", "min_rows", "max_share", "shortest", "dtype")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Words":
        """The words that `state` described; the state is checked before use.

        >>> words = Words(min_rows=1)
        >>> words.learn(arrow.array(["a stitch in time"]))
        >>> words.finish()
        >>> Words.from_state(words.state()).names
        ['a', 'in', 'stitch', 'time']
        """
        try:
            settings = {name: state[name] for name in cls()._settings()}
            words, n_rows = cls(**settings), state["n_rows"]
            _check_whole("n_rows", n_rows, 0, 1 << 62)
            letters = _check_array("bytes", state["bytes"], np.uint8)
            ends, rows = (_check_array(name, state[name], np.int64) for name in ("ends", "rows"))
            if len(ends) != len(rows):
                raise ValueError(f"there are {len(ends)} words, and rows of {len(rows)}")
            if len(rows) and not (rows.min() >= 1 and rows.max() <= n_rows):
                raise ValueError(f"words must have 1 to {n_rows} rows")
            words._counter, words.n_rows = None, n_rows
            words._encoder = _core.Vocabulary(letters, ends, words.ngrams, words.shortest)
            words._take(letters, ends, rows)
            _ = words.names
            return words
        except KeyError as error:
            raise InputError(f"The words of this model are broken: {error} is missing.") from None
        except (ValueError, TypeError) as error:
            raise InputError(f"The words of this model are broken: {error}.") from None


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}.")


def _check_array(name: str, value: Any, dtype: Any) -> npt.NDArray[Any]:
    array = np.asarray(value)
    if array.dtype != dtype or array.ndim != 1:
        raise ValueError(f"{name} must be a list of {np.dtype(dtype)}")
    return np.ascontiguousarray(array)


def _sparse_rows(starts: npt.NDArray[Any], columns: npt.NDArray[Any], values: npt.NDArray[Any]) -> SparseRows:
    """CSR rows whose starts and columns have the same type, the smallest that is large enough."""
    if starts[-1] < 1 << 31:
        return SparseRows(starts.astype(np.int32), columns, values)
    return SparseRows(starts, columns.astype(np.int64), values)


def _buffers(column: Any) -> Iterator[tuple[npt.NDArray[Any], Bytes, Bytes | None, int]]:
    """Offsets, bytes and, where texts are missing, the bits of those that are there, of each piece of a text column."""
    for chunk in column.chunks if isinstance(column, arrow.ChunkedArray) else [column]:
        for start in range(0, len(chunk), ROWS_AT_A_TIME):
            yield _buffer(_as_strings(chunk.slice(start, ROWS_AT_A_TIME)))


def _as_strings(piece: Any) -> Any:
    if arrow.types.is_dictionary(piece.type):
        piece = piece.dictionary_decode()
    kinds = (arrow.types.is_string, arrow.types.is_large_string)
    if any(kind(piece.type) for kind in kinds):
        return piece
    try:
        return piece.cast(arrow.large_string())
    except (arrow.ArrowNotImplementedError, arrow.ArrowInvalid) as error:
        raise InputError(f"A column of type {piece.type} cannot be read as text: {error}.") from None


def _buffer(piece: Any) -> tuple[npt.NDArray[Any], Bytes, Bytes | None, int]:
    valid, offsets, data = piece.buffers()
    wide = arrow.types.is_large_string(piece.type)
    count = piece.offset + len(piece) + 1
    each = np.frombuffer(offsets, np.int64 if wide else np.int32, count=count)[piece.offset :]
    letters = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    bits = None if valid is None or piece.null_count == 0 else np.frombuffer(valid, np.uint8)
    return each, letters, bits, piece.offset
