"""Two passes over a table that is larger than memory: one to survey it, one to encode it into a cache."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from ..foundation import memory
from ..foundation.errors import InputError
from ..foundation.json_values import labels_out
from ..foundation.splitting import USE_NAMES
from ..foundation.version import __version__
from ..tables.cache.encoded_cache import (
    CachedTable,
    CacheWriter,
    Facts,
    cache_key,
    open_cache,
    open_new_cache,
    write_cache,
)
from ..tables.cache.source_identity import SourceIdentity, changed_error
from ..tables.cache.storage import OnBatch, OnMessage, Storage, read_batches, require_rereadable
from ..tables.encode.class_counter import ValueIndex
from ..tables.encode.encoded_rows import LabelledRows
from ..tables.encode.encoder import Encoder
from ..tables.read.batches import Batch, Reading, Source
from .request import Request
from .survey import RowAssigner, TableSurvey, survey_in_one_pass

SHAPING = (
    *("kinds", "drop", "scale", "ngrams", "tf_idf", "word_counts"),
    *("seed", "test_fraction", "split_column", "early_stopping"),
)


class Passes:
    """From a source to a cache, or to the one that is there already."""

    def __init__(
        self,
        source: Source,
        request: Request,
        target: str,
        storage: Storage,
        tell: OnBatch | None,
        say: OnMessage | None,
    ) -> None:
        self.source, self.request, self.target, self.storage = source, request, target, storage
        self._tell, self._say = tell, say or (lambda _: None)
        self._identity = SourceIdentity(source)

    def found(self) -> CachedTable | None:
        """What was kept of the same table and options."""
        folder, key = self.storage.cache_folder, self._key()
        if not (folder / key).is_dir():
            return None
        self._say(f"reading {self.source.path} from the cache {folder / key}")
        return open_cache(folder, key, self.storage.allowance)

    def refuse_what_needs_memory(self) -> None:
        """What cannot be read twice cannot be streamed, nor can folds, which are rows here and there."""
        require_rereadable(self.source, self.storage.memory)
        if self.request.folds is not None:
            raise InputError(
                f"{self.source.path} holds more than --memory {memory.format_size(self.storage.memory)} has room for, "
                "which folds need: allow more memory, or hold out a share of the rows."
            )

    def made(self, encoder: Encoder, reading: Reading, batches: Iterable[Batch]) -> CachedTable:
        """The source, surveyed from these batches, then read again and encoded."""
        folder, key = self.storage.cache_folder, self._key()
        self.source.turns = 2
        with self._unchanged():
            survey = survey_in_one_pass(batches, encoder, self.request, self.target, self.source.path)
        memory.release_free_memory()
        self._say(f"{self.source.path} is larger than memory: it is read again, into the cache {folder / key}")
        with write_cache(folder, key, self.source.path) as writer:
            with self._unchanged():
                self._encode(writer, survey, reading)
            writer.end(encoder, facts_of(survey))
        memory.release_free_memory()
        return open_new_cache(folder, key, self.storage.allowance)

    def _encode(self, writer: CacheWriter, survey: TableSurvey, reading: Reading) -> None:
        self.source.turn = 2
        rows = encode(writer, survey, read_batches(self.source, reading, self._tell), self)
        if rows != survey.rows:
            raise changed_error(self.source.path)

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        """A pass. What goes wrong in a file that changes under it goes wrong by that."""
        try:
            yield
        except (InputError, OSError):
            self._identity.check_unchanged()
            raise
        self._identity.check_unchanged()

    def _key(self) -> str:
        options = {name: plain(getattr(self.request, name)) for name in SHAPING}
        return cache_key(
            {"version": __version__, "files": self._identity.as_json(), "target": self.target, "options": options}
        )


class Asking(Protocol):
    """What is asked of which table."""

    @property
    def source(self) -> Source: ...
    @property
    def request(self) -> Request: ...
    @property
    def target(self) -> str: ...


def encode(writer: CacheWriter, survey: TableSurvey, batches: Iterable[Batch], asked: Asking) -> int:
    """The second pass: rows that were surveyed, into a cache; how many they are."""
    classes = survey.classes
    assigner, index = RowAssigner(asked.request), ValueIndex(asked.target, "class", classes.texts)
    rows = 0
    for batch in batches:
        texts = index.codes(batch)
        rows += len(texts)
        if len(index.texts) > len(classes.texts) or rows > survey.rows or (classes.numbers[texts] < 0).any():
            raise changed_error(asked.source.path)
        uses, encoded = assigner(batch, texts), LabelledRows(survey.encoder.encode(batch), classes.numbers[texts])
        for use, name in enumerate(USE_NAMES):
            writer.append(name, encoded.select(np.flatnonzero(uses == use)))
    return rows


def plain(value: Any) -> Any:
    """As JSON keeps it."""
    return dict(value) if hasattr(value, "items") else list(value) if isinstance(value, tuple) else value


def facts_of(survey: TableSurvey) -> Facts:
    """What a cache keeps of a survey beside the encoder."""
    labels, counts = survey.classes.labels, survey.classes.counts
    return {"labels": labels_out(labels), "counts": counts.tolist(), "leaks": survey.leaks}
