"""Encode a column of texts: one column for each word or n-gram."""

from typing import Any, ClassVar

from ...read.batches import TEXT
from .entries import CsrArrays, State


class TextColumn:
    """Words or n-grams, by the native tokenizer: one column for each."""

    kind: ClassVar[str] = TEXT
    read_as: ClassVar[str] = TEXT
    constant = False

    def __init__(self, name: str, words: Any) -> None:
        self.name, self.words = name, words

    def learn(self, values: Any, keep: bool = True) -> None:
        self.words.learn(values, keep)

    def summary(self, values: Any) -> Any:
        """What `add` takes of some rows."""
        return self.words.summary(values)

    def add(self, found: Any) -> None:
        """Learn from rows by their summary."""
        self.words.add(found)

    @property
    def kept(self) -> bool:
        """Whether `learned` can return the rows that were learned from."""
        return bool(self.words.kept)

    def finish(self) -> None:
        self.words.finish()

    @property
    def empty(self) -> bool:
        return not self.width

    @property
    def width(self) -> int:
        return int(self.words.n_columns)

    @property
    def names(self) -> list[str]:
        return [f"{self.name}: {word}" for word in self.words.names]

    def learned(self) -> CsrArrays:
        return CsrArrays(*self.words.learned_rows())

    def encode(self, values: Any) -> CsrArrays:
        return CsrArrays(*self.words.encode(values))

    def state(self) -> State:
        return {"kind": TEXT, **self.words.state()}

    @classmethod
    def from_state(cls, name: str, state: State) -> "TextColumn":
        from ..words import Words

        return cls(name, Words.from_state({key: value for key, value in state.items() if key != "kind"}))
