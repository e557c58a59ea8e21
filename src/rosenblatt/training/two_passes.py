"""Two passes over a table that is larger than memory: one to survey it, one to encode it into a cache."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from ..foundation import memory
from ..foundation.errors import InputError
from ..foundation.json_values import labels_out
from ..foundation.version import __version__
from ..tables.cache.encoded_cache import PARTS, Contents, Facts, Writer, key_of, opened, writing, written
from ..tables.cache.source_identity import Identity, changed
from ..tables.cache.storage import Say, Storage, Tell, refuse_what_is_read_once, told
from ..tables.encode.encoder import Encoder
from ..tables.encode.targets import Seen
from ..tables.read.batches import Batch, Reading, Source
from .request import Request
from .survey import Parting, Survey, Surveyed

SHAPING = (
    *("kinds", "drop", "scale", "ngrams", "tf_idf", "word_counts"),
    *("seed", "test_fraction", "split_column", "early_stopping"),
)


class Passes:
    """From a source to a cache, or to the one that is there already."""

    def __init__(
        self, source: Source, request: Request, target: str, storage: Storage, tell: Tell | None, say: Say | None
    ) -> None:
        self.source, self.request, self.target, self.storage = source, request, target, storage
        self._tell, self._say = tell, say or (lambda _: None)
        self._identity = Identity(source)

    def found(self) -> Contents | None:
        """What was kept of the same table and options."""
        folder, key = self.storage.place, self._key()
        if not (folder / key).is_dir():
            return None
        self._say(f"reading {self.source.path} from the cache {folder / key}")
        return opened(folder, key, self.storage.allowance)

    def refuse_what_needs_memory(self) -> None:
        """What cannot be read twice cannot be streamed, nor can folds, which are rows here and there."""
        refuse_what_is_read_once(self.source, self.storage.memory)
        if self.request.folds is not None:
            raise InputError(
                f"{self.source.path} holds more than --memory {memory.shown(self.storage.memory)} has room for, which "
                "folds need: allow more memory, or hold out a share of the rows."
            )

    def made(self, encoder: Encoder, reading: Reading, batches: Iterable[Batch]) -> Contents:
        """The source, surveyed from these batches, then read again and encoded."""
        folder, key = self.storage.place, self._key()
        self.source.turns = 2
        survey = Survey(encoder, self.request, self.target)
        with self._unchanged():
            for batch in batches:
                survey.see(batch)
            surveyed = survey.finish(self.source.path)
        memory.give_back()
        self._say(f"{self.source.path} is larger than memory: it is read again, into the cache {folder / key}")
        with writing(folder, key, self.source.path) as writer:
            with self._unchanged():
                self._encode(writer, survey, surveyed, reading)
            writer.end(encoder, facts_of(surveyed))
        memory.give_back()
        return written(folder, key, self.storage.allowance)

    def _encode(self, writer: Writer, survey: Survey, surveyed: Surveyed, reading: Reading) -> None:
        self.source.turn = 2
        rows = encode(writer, survey, surveyed, told(self.source, reading, self._tell), self)
        if rows != survey.rows:
            raise changed(self.source.path)

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        """A pass. What goes wrong in a file that changes under it goes wrong by that."""
        try:
            yield
        except (InputError, OSError):
            self._identity.must_be_the_same()
            raise
        self._identity.must_be_the_same()

    def _key(self) -> str:
        options = {name: plain(getattr(self.request, name)) for name in SHAPING}
        return key_of(
            {"version": __version__, "files": self._identity.known(), "target": self.target, "options": options}
        )


class Asking(Protocol):
    """What is asked of which table."""

    @property
    def source(self) -> Source: ...
    @property
    def request(self) -> Request: ...
    @property
    def target(self) -> str: ...


def encode(writer: Writer, survey: Survey, surveyed: Surveyed, batches: Iterable[Batch], asked: Asking) -> int:
    """The second pass: rows that were surveyed, into a cache; how many they are."""
    parting, seen = Parting(asked.request), Seen(asked.target, "class", surveyed.texts)
    rows = 0
    for batch in batches:
        texts = seen.codes(batch)
        rows += len(texts)
        if len(seen.texts) > len(surveyed.texts) or rows > survey.rows or (surveyed.numbers[texts] < 0).any():
            raise changed(asked.source.path)
        kinds, codes = parting(batch, texts), surveyed.numbers[texts]
        encoded = survey.encoder.encode(batch)
        for kind, part in enumerate(PARTS):
            places = np.flatnonzero(kinds == kind)
            writer.append(part, encoded if len(places) == len(codes) else encoded.part(places), codes[places])
    return rows


def plain(value: Any) -> Any:
    """As JSON keeps it."""
    return dict(value) if hasattr(value, "items") else list(value) if isinstance(value, tuple) else value


def facts_of(surveyed: Surveyed) -> Facts:
    return {
        "labels": labels_out(surveyed.labels),
        "counts": surveyed.counts.tolist(),
        "leaks": surveyed.leaks,
    }
