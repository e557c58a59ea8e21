"""Columns of numbers as they are, in a cache: what proofs read of a table that is larger than memory. One pass."""

from collections.abc import Iterable, Sequence

import numpy as np

from .. import __version__, memory
from ..labels import Codes, Labels
from ..modelparts import labels_in, labels_out
from .batches import Batch, Source
from .cache import PARTS, TRAIN, Contents, key_of, opened, writing, written
from .encoded import Encoded
from .encoder import Encoder
from .exact import Floats, numbers
from .identity import Identity
from .storage import Say, Storage
from .targets import Seen, check_classes, numbered


class Plain:
    """The cache of some columns of a source and its classes, or the one that is there already."""

    def __init__(self, source: Source, columns: Sequence[str], target: str, storage: Storage, say: Say) -> None:
        self._source, self._columns, self._target, self._storage = source, columns, target, storage
        self._say, self._identity = say, Identity(source)

    def found(self) -> Contents | None:
        folder, key = self._storage.place, self._key()
        if not (folder / key).is_dir():
            return None
        self._say(f"reading {self._source.path} from the cache {folder / key}")
        return opened(folder, key, self._storage.allowance)

    def made(self, batches: Iterable[Batch]) -> Contents:
        """The rows of these batches, in the cache."""
        folder, key = self._storage.place, self._key()
        self._say(f"{self._source.path} is larger than memory: it is read into the cache {folder / key}")
        seen, counts = Seen(self._target, "class"), np.zeros(0, np.int64)
        with writing(folder, key, self._source.path) as writer:
            none = Encoded(len(self._columns), np.empty((0, len(self._columns))), None)
            for part in PARTS:
                writer.append(part, none, np.empty(0, np.int32))
            for batch in batches:
                codes = seen.codes(batch)
                more = np.bincount(codes, minlength=len(counts))
                more[: len(counts)] += counts
                counts = more
                rows = Encoded(len(self._columns), numbers([batch], self._columns), None)
                writer.append(TRAIN, rows, codes.astype(np.int32))
            self._identity.must_be_the_same()
            labels, places = numbered(seen.texts, np.append(counts, np.zeros(len(seen.texts) - len(counts), np.int64)))
            check_classes(self._source.path, self._target, labels, int(counts.sum()))
            writer.end(Encoder({}), {"labels": labels_out(labels), "places": places.tolist()})
        memory.give_back()
        return written(folder, key, self._storage.allowance)

    def _key(self) -> str:
        about = {"version": __version__, "files": self._identity.known(), "target": self._target}
        return key_of({**about, "plain": list(self._columns)})


def rows_and_classes(contents: Contents) -> tuple[Floats, Labels, Codes]:
    """What `numbers` and `classes_of` give of a table in memory."""
    part = contents.parts[TRAIN]
    assert part.encoded.dense is not None
    places: Codes = np.array(contents.facts["places"], dtype=np.int32)
    return part.encoded.dense, labels_in(contents.facts["labels"]), places[part.codes]
