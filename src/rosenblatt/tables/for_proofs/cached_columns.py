"""Cache the design matrix of a table that is larger than memory, for proofs.

This takes one pass, or two if categories, missing values or the number of columns must be learned first.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...foundation import memory
from ...foundation.errors import InputError
from ...foundation.json_values import labels_in, labels_out
from ...foundation.splitting import TRAIN, USE_NAMES
from ...foundation.types import Codes, Labels
from ...foundation.version import __version__
from ..cache.encoded_cache import CachedTable, Facts, cache_key, open_cache, open_new_cache, write_cache
from ..cache.source_identity import SourceIdentity
from ..cache.storage import OnMessage, Storage, read_batches
from ..encode.class_counter import ClassCounter
from ..encode.encoded_rows import LabelledRows
from ..encode.encoder import Encoder
from ..read.batches import CATEGORY, Batch, Source
from .design_matrix import DesignEncoder
from .exact_columns import UnexpectedGap


class DesignCache:
    """Finds or builds the cache of a source's design matrix and classes."""

    def __init__(self, source: Source, design: DesignEncoder, target: str, storage: Storage, say: OnMessage) -> None:
        self._source, self._design, self._target, self._storage = source, design, target, storage
        self._options = design.options()
        self._say, self._identity = say, SourceIdentity(source)

    def find(self) -> CachedTable | None:
        """The cache that an earlier run wrote, if there is one."""
        folder, key = self._storage.cache_folder, self._key()
        if not (folder / key).is_dir():
            return None
        self._say(f"reading {self._source.path} from the cache {folder / key}")
        contents = open_cache(folder, key, self._storage.allowance)
        assert contents is not None
        self._design.restore(contents.facts["spread"])
        return contents

    def build(self, batches: Iterable[Batch]) -> CachedTable:
        """Write the rows of these batches into a cache."""
        if not self._design.learns:
            try:
                return self._write(batches)
            except UnexpectedGap:  # the columns of missing values must be learned first
                batches = self._read()
        self._design.learn(batches)
        self._identity.check_unchanged()
        return self._write(self._read())

    def _read(self) -> Iterable[Batch]:
        return read_batches(self._source, {**self._design.reading, self._target: CATEGORY}, None)

    def _write(self, batches: Iterable[Batch]) -> CachedTable:
        folder, key = self._storage.cache_folder, self._key()
        why = "is" if self._storage.shared else "is larger than memory: it is"
        self._say(f"{self._source.path} {why} read into the cache {folder / key}")
        counter = ClassCounter(self._target)
        with write_cache(folder, key, self._source.path) as writer:
            try:
                for number, batch in enumerate(batches):
                    codes = counter.codes(batch)
                    counter.add(codes)
                    rows = LabelledRows(self._design.encode([batch]), codes.astype(np.int32))
                    for part in USE_NAMES if number == 0 else ():
                        writer.append(part, rows.slice(0, 0))
                    writer.append(USE_NAMES[TRAIN], rows)
            except (InputError, OSError):
                self._identity.check_unchanged()
                raise
            self._identity.check_unchanged()
            classes = counter.classes(self._source.path)
            writer.end(Encoder({}), self._facts(classes.labels, classes.numbers))
        memory.release_free_memory()
        return open_new_cache(folder, key, self._storage.allowance)

    def _facts(self, labels: Labels, places: Codes) -> Facts:
        return {"labels": labels_out(labels), "places": places.tolist(), "spread": self._design.state()}

    def _key(self) -> str:
        about = {"version": __version__, "files": self._identity.as_json(), "target": self._target}
        return cache_key({**about, "plain": self._options})


def rows_and_classes(contents: CachedTable) -> tuple[Any, Labels, Codes]:
    """The design matrix, the classes, and the number of each row's class."""
    part = contents.rows_by_use[USE_NAMES[TRAIN]]
    places: Codes = np.array(contents.facts["places"], dtype=np.int32)
    return part.encoded.matrix(), labels_in(contents.facts["labels"]), places[part.codes]
