"""Columns that alone predict the target without a mistake: more often they were made from it than they foretell it."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..labels import Codes
from .arrays import coded, distinct
from .batches import Batch
from .columns import Category, Number
from .encoder import Encoder

ENOUGH = 5  # rows of each class, below which a clean split may be luck
FIRST = 1000  # rows that nearly always show that there is none


def leaks(encoder: Encoder, batches: Sequence[Batch], codes: Codes) -> list[str]:
    """The columns whose values, or a few intervals of them, belong to one class each."""
    if np.bincount(codes).min() < ENOUGH:
        return []
    return [name for name, part in encoder.parts.items() if _leaks(name, part, batches, codes)]


def _leaks(name: str, part: object, batches: Sequence[Batch], codes: Codes) -> bool:
    if not isinstance(part, Number | Category):
        return False
    for rows in (FIRST, len(codes)):
        values, classes = _values(name, part, batches, rows), codes[:rows]
        if not (_is_cut(values, classes) if isinstance(part, Number) else _is_told(values, classes)):
            return False
    return True


def _values(name: str, part: Number | Category, batches: Sequence[Batch], rows: int) -> npt.NDArray[np.float64]:
    found: list[npt.NDArray[np.float64]] = []
    texts: dict[str, int] = {}
    for batch in batches:
        if sum(map(len, found)) >= rows:
            break
        column = batch.table.column(name)
        if isinstance(part, Number):
            found.append(part.numbers(column))
            continue
        places, names = coded(column)
        known = np.array([-1, *(texts.setdefault(text, len(texts)) for text in names)])
        found.append(known[places + 1].astype(np.float64))
    return np.concatenate(found)[:rows]


def _is_cut(values: npt.NDArray[np.float64], classes: Codes) -> bool:
    """Whether numbers are cut into as many intervals as there are classes, each of one class.

    >>> _is_cut(np.array([1.0, 9.0, 2.0, 8.0]), np.array([0, 1, 0, 1], dtype=np.int32))
    True
    """
    if np.isnan(values).any():
        return False
    order = np.lexsort((classes, values))
    sorted_values, sorted_classes = values[order], classes[order]
    changes = sorted_classes[1:] != sorted_classes[:-1]
    if (changes & (sorted_values[1:] == sorted_values[:-1])).any():
        return False
    return int(changes.sum()) == len(distinct(classes)[0]) - 1 > 0


def _is_told(values: npt.NDArray[np.float64], classes: Codes) -> bool:
    """Whether every value is of one class only, and values repeat."""
    kinds, places = distinct(values)
    if len(distinct(classes)[0]) < 2 or len(kinds) > len(values) // 4:
        return False
    pairs, _ = distinct(places * (int(classes.max()) + 1) + classes)
    return len(pairs) == len(kinds)
