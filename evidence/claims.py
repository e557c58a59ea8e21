"""The claims about datasets in the README.md of their folder."""

import re
from pathlib import Path
from typing import NamedTuple

BEST = re.compile(r"best train acc ([\d.]+)%")
PAIR = re.compile(r"\[(\w+) vs (\w+)\]")


class Claim(NamedTuple):
    """One line of the table: whether a file is separable, its best known accuracy if not, and the two classes meant."""

    file: str
    separable: bool
    best_accuracy: float | None
    pair: tuple[str, str] | None


def read_claims(readme: Path) -> list[Claim]:
    """The lines of the table that has columns "file" and "separable"."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in readme.read_text().splitlines()]
    header = next((cells for cells in lines if "file" in cells and "separable" in cells), None)
    if header is None:
        return []
    file, separable = header.index("file"), header.index("separable")
    table = [cells for cells in lines[lines.index(header) + 2 :] if len(cells) == len(header)]
    return [claim(cells[file], cells[separable]) for cells in table]


def claim(file: str, words: str) -> Claim:
    """
    >>> claim("a.csv.xz", "no (LP); best train acc 98.50%")
    Claim(file='a.csv.xz', separable=False, best_accuracy=0.985, pair=None)
    >>> claim("digits.parquet", "**yes** [0 vs 1]")
    Claim(file='digits.parquet', separable=True, best_accuracy=None, pair=('0', '1'))
    """
    best, pair = BEST.search(words), PAIR.search(words)
    return Claim(
        file,
        separable=words.startswith("**yes**"),
        best_accuracy=round(float(best[1]) / 100, 6) if best else None,
        pair=(pair[1], pair[2]) if pair else None,
    )
