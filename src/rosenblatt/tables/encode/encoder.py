"""Tables to rows of numbers: what was learned about each column, and how it is applied to any rows."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from ... import _core
from ...foundation.errors import ColumnError, InputError
from ...foundation.types import Floats
from ..read.batches import CATEGORY, DATE, NUMBER, NUMBERED, TEXT, Batch, Reading
from .column_kinds import EMPTY, READ_AS, Look
from .columns import PARTS, Category, Date, Entries, Number, Numbered, Part, Slot, Text
from .encoded_rows import Encoded, Slotted, fill, sparse, together

State = dict[str, Any]
MIN_ROWS = 2  # that a word needs for a column of its own


class Encoder:
    """The parts of a table, column by column, and what was left out and why."""

    def __init__(self, parts: Mapping[str, Part], left_out: Mapping[str, str] | None = None) -> None:
        self.parts: dict[str, Part] = dict(parts)
        self.left_out: dict[str, str] = dict(left_out or {})

    # Learning

    def learn(self, batches: Sequence[Batch]) -> Encoded:
        """Learn from rows, and encode them."""
        for batch in batches:
            self.see(batch, keep=True)
        self.settle(batches[0].path)
        return self.encode_seen(batches)

    def see(self, batch: Batch, keep: bool = False) -> None:
        """Learn from some rows; with `keep` their texts need not be read again to encode them."""
        for name, part in self.parts.items():
            values = _column(batch, name, part)
            if isinstance(part, Text):
                part.learn(values, keep)
            else:
                part.learn(values)

    def settle(self, path: str) -> None:
        """End the learning: what becomes of each column, and which are left out."""
        for part in self.parts.values():
            part.finish()
        self._leave_out(path)
        if not self.parts:
            why = "; ".join(f"{name!r}: {why}" for name, why in list(self.left_out.items())[:3])
            raise InputError(f"{path} has no columns to learn from, all are left out ({why}).")

    def _leave_out(self, path: str) -> None:
        """Columns that say nothing."""
        for name, part in list(self.parts.items()):
            if part.empty:
                self.left_out[name] = "it is empty" if not isinstance(part, Text) else "no word is in two rows"
            elif part.constant:
                self.left_out[name] = "it is always the same"
            elif isinstance(part, Number) and part.too_large:
                what = f"column {name!r} holds numbers too large or too small to learn from"
                raise ColumnError(f"{path}, {what}: change their unit", name)
            else:
                continue
            del self.parts[name]

    def encode_seen(self, batches: Sequence[Batch]) -> Encoded:
        """Encode all rows that `see` was called with; texts that were kept are not read again."""
        if any(isinstance(part, Text) and not part.kept for part in self.parts.values()):
            return together([self.encode(batch) for batch in batches])
        texts = {name: part.learned() for name, part in self.parts.items() if isinstance(part, Text)}
        if not texts and self.sparse and not any(isinstance(part, Numbered) for part in self.parts.values()):
            return self._slotted(batches)
        if not texts:
            return together([self.encode(batch) for batch in batches])
        others: list[list[Entries]] = [self._entries(batch, texts) for batch in batches]
        entries: list[Entries] = []
        place = 0
        for name in self.parts:
            if name in texts:
                entries.append(texts[name])
                continue
            for _ in range(_slots(self.parts[name])):
                slots = [batch[place] for batch in others]
                entries.append(Slot(*(np.concatenate(field) for field in zip(*slots, strict=True))))
                place += 1
        return sparse(entries, self._offsets(), self.columns)

    def _slotted(self, batches: Sequence[Batch]) -> Encoded:
        """Batches, each straight to its place."""
        slotted = Slotted(sum(batch.table.num_rows for batch in batches), self._offsets())
        first = 0
        for batch in batches:
            slotted.fill(first, [entry for entry in self._entries(batch, ()) if isinstance(entry, Slot)])
            first += batch.table.num_rows
        return slotted.encoded(self.columns)

    # Encoding

    @property
    def columns(self) -> int:
        return sum(part.width for part in self.parts.values())

    @property
    def names(self) -> list[str]:
        """The names of the encoded columns."""
        return [name for part in self.parts.values() for name in part.names]

    @property
    def owners(self) -> list[str]:
        """The column of the table that each encoded column comes from."""
        return [name for name, part in self.parts.items() for _ in part.names]

    @property
    def kinds(self) -> dict[str, str]:
        return {name: part.kind for name, part in self.parts.items()}

    def reading(self) -> Reading:
        """The columns of a table that are needed, and how each is to be read."""
        return {name: READ_AS[part.kind] for name, part in self.parts.items()}

    def encode(self, batch: Batch) -> Encoded:
        """The rows of a batch as numbers."""
        if self.sparse:
            return sparse(self._entries(batch, ()), self._offsets(), self.columns)
        return Encoded(self.columns, self._dense(batch), None)

    def _dense(self, batch: Batch) -> Floats:
        """Numbers go to their places all at once, the entries of other columns one after the other."""
        numbers = {name: part for name, part in self.parts.items() if type(part) is Number}
        shape = batch.table.num_rows, self.columns
        all_numbers = len(numbers) == len(self.parts)
        matrix = np.empty(shape) if all_numbers else np.zeros(shape)
        if not all_numbers:
            slots = [entry for entry in self._entries(batch, numbers) if isinstance(entry, Slot)]
            fill(matrix, slots, self._offsets(numbers))
        if numbers:
            firsts = dict(zip(self.parts, self._firsts(), strict=True))
            _core.fill_scaled(
                matrix,
                [np.ascontiguousarray(_column(batch, name, part)) for name, part in numbers.items()],
                np.array([firsts[name] for name in numbers]),
                np.array([part.centre for part in numbers.values()]),
                np.array([part.scale for part in numbers.values()]),
                np.array([part.gaps for part in numbers.values()], np.uint8),
            )
        return matrix

    @property
    def sparse(self) -> bool:
        """Whether most columns of a row are 0."""
        texts = any(isinstance(part, Text | Numbered) for part in self.parts.values())
        return texts or self.columns > 2 * sum(map(_slots, self.parts.values()))

    def _entries(self, batch: Batch, without: Any) -> list[Entries]:
        found: list[Entries] = []
        for name, part in self.parts.items():
            if name not in without:
                values = _column(batch, name, part)
                found += part.entries(values) if isinstance(part, Date) else [part.encode(values)]
        return found

    def _firsts(self) -> list[int]:
        """Where the columns of each part begin."""
        return list(accumulate((part.width for part in self.parts.values()), initial=0))[:-1]

    def _offsets(self, without: Any = ()) -> list[int]:
        """The same for each entry of a row."""
        parts = zip(self.parts.items(), self._firsts(), strict=True)
        return [first for (name, part), first in parts if name not in without for _ in range(_slots(part))]

    # Keeping

    def state(self) -> State:
        return {"parts": {name: part.state() for name, part in self.parts.items()}, "left_out": self.left_out}

    @classmethod
    def from_state(cls, state: State) -> "Encoder":
        parts = {}
        for name, saved in state["parts"].items():
            if saved["kind"] not in PARTS:
                raise ValueError(f"column {name!r} is of no known kind")
            parts[name] = PARTS[saved["kind"]].from_state(name, saved)
        left_out = {str(name): str(why) for name, why in state["left_out"].items()}
        return cls(parts, left_out)


def _slots(part: Part) -> int:
    return 3 if isinstance(part, Date) else 1


def _column(batch: Batch, name: str, part: Part) -> Any:
    values = batch.table.column(name)
    return checked_numbers(batch, name, part, values) if isinstance(part, Number) else values


def checked_numbers(batch: Batch, name: str, part: Number, values: Any) -> Floats:
    """Numbers as NumPy has them; text where numbers were is refused, and infinity, which no sum survives."""
    import pyarrow as arrow

    try:
        numbers = part.numbers(values)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        raise ColumnError(f"{batch.path}, column {name!r} does not hold {part.kind}s: correct it", name) from None
    with np.errstate(over="ignore", invalid="ignore"):
        fine = np.isfinite(numbers.sum())  # sees most at once; gaps and sums that overflow are looked at twice
    if not fine and np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise ColumnError(
            f"{batch.path}, column {name!r} has an infinite number in {batch.place(row)}: correct it", name
        )
    return numbers


def encoder_for(looks: Mapping[str, Look], scaled: bool = True, **texts: Any) -> Encoder:
    """An encoder that is ready to learn, for columns of these kinds; `texts` say how words become numbers."""
    parts: dict[str, Part] = {}
    left_out: dict[str, str] = {}
    for name, (kind, why) in looks.items():
        if kind not in READ_AS:
            left_out[name] = why
            continue
        read_as = READ_AS[kind]
        if read_as == TEXT:
            from .words import Words

            parts[name] = Text(name, Words(**texts, min_rows=MIN_ROWS))
        elif read_as == NUMBERED:
            parts[name] = Numbered(name)
        elif read_as == CATEGORY or kind == EMPTY:
            parts[name] = Category(name)
        else:
            parts[name] = {NUMBER: Number, DATE: Date}[read_as](name, scaled)
    return Encoder(parts, left_out)
