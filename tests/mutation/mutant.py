"""A mutant: one small change of one source file."""

import random
from collections.abc import Iterable
from typing import NamedTuple


class Mutant(NamedTuple):
    """One change. `statement` is the first line of the statement that holds it, 0 for what runs at import."""

    file: str
    number: int
    line: int
    column: int
    statement: int
    operator: str
    before: str
    after: str

    @property
    def key(self) -> str:
        """Tell mutants apart in the records of a campaign, as long as the source does not change."""
        return f"{self.file}:{self.line}:{self.column}: {self.operator}: {self.change}"

    @property
    def change(self) -> str:
        return f"{self.before} -> {self.after}"


def sample(mutants: Iterable[Mutant], size: int | None, seed: int) -> list[Mutant]:
    """Draw mutants, from every file its share and at least one. All if there are no more than `size`."""
    by_file: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        by_file.setdefault(mutant.file, []).append(mutant)
    total = sum(map(len, by_file.values()))
    if size is None or size >= total:
        return [mutant for found in by_file.values() for mutant in found]
    drawn = []
    for file, found in by_file.items():
        share = max(round(size * len(found) / total), 1)
        drawn += sorted(random.Random(f"{seed} {file}").sample(found, share))
    return drawn
