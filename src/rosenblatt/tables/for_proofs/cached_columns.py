"""Columns as they are, in a cache: what proofs read of a table that is larger than memory.

One pass, or two where categories or the numbers of columns must be learned first.
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
from ..cache.encoded_cache import Contents, Facts, key_of, opened, writing, written
from ..cache.source_identity import Identity
from ..cache.storage import Say, Storage, told
from ..encode.class_counter import ClassCounter
from ..encode.encoded_rows import LabelledRows
from ..encode.encoder import Encoder
from ..read.batches import CATEGORY, Batch, Source
from .design_matrix import Spread


class Plain:
    """The cache of a source, spread out, and its classes, or the one that is there already."""

    def __init__(self, source: Source, spread: Spread, target: str, storage: Storage, say: Say) -> None:
        self._source, self._spread, self._target, self._storage = source, spread, target, storage
        self._asked = spread.asked()
        self._say, self._identity = say, Identity(source)

    def found(self) -> Contents | None:
        folder, key = self._storage.place, self._key()
        if not (folder / key).is_dir():
            return None
        self._say(f"reading {self._source.path} from the cache {folder / key}")
        contents = opened(folder, key, self._storage.allowance)
        assert contents is not None
        self._spread.restore(contents.facts["spread"])
        return contents

    def made(self, batches: Iterable[Batch]) -> Contents:
        """The rows of these batches, in the cache."""
        folder, key = self._storage.place, self._key()
        if self._spread.learns:
            for batch in batches:
                self._spread.see(batch)
            self._spread.finish()
            self._identity.must_be_the_same()
            batches = told(self._source, {**self._spread.reading, self._target: CATEGORY}, None)
        self._say(f"{self._source.path} is larger than memory: it is read into the cache {folder / key}")
        counter = ClassCounter(self._target)
        with writing(folder, key, self._source.path) as writer:
            try:
                for number, batch in enumerate(batches):
                    codes = counter.codes(batch)
                    counter.add(codes)
                    rows = LabelledRows(self._spread.encode([batch]), codes.astype(np.int32))
                    for part in USE_NAMES if number == 0 else ():
                        writer.append(part, rows.slice(0, 0))
                    writer.append(USE_NAMES[TRAIN], rows)
            except (InputError, OSError):
                self._identity.must_be_the_same()
                raise
            self._identity.must_be_the_same()
            classes = counter.classes(self._source.path)
            writer.end(Encoder({}), self._facts(classes.labels, classes.numbers))
        memory.give_back()
        return written(folder, key, self._storage.allowance)

    def _facts(self, labels: Labels, places: Codes) -> Facts:
        return {"labels": labels_out(labels), "places": places.tolist(), "spread": self._spread.state()}

    def _key(self) -> str:
        about = {"version": __version__, "files": self._identity.known(), "target": self._target}
        return key_of({**about, "plain": self._asked})


def rows_and_classes(contents: Contents) -> tuple[Any, Labels, Codes]:
    """What a table in memory gives: a matrix, the classes, and the number of each row's."""
    part = contents.parts[USE_NAMES[TRAIN]]
    places: Codes = np.array(contents.facts["places"], dtype=np.int32)
    return part.encoded.matrix(), labels_in(contents.facts["labels"]), places[part.codes]
