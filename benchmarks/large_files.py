"""Tables and texts larger than memory, generated in pieces once: as CSV or TSV, and in Vowpal Wabbit's format."""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as arrow
import pyarrow.compute
import pyarrow.csv

from benchmarks.datasets import cache_folder

COLUMNS = 40
WORDS, WORDS_PER_ROW = 1_000_000, 80
SEED_OF_TEST = 1 << 20


def size_factor() -> float:
    """The size of the files as a fraction of the full size: ROSENBLATT_BENCH_SIZE, or 1."""
    return float(os.environ.get("ROSENBLATT_BENCH_SIZE", "1"))


def number_table(random: np.random.Generator, rows: int) -> arrow.Table:
    """Rows of normal columns with six decimals and two overlapping classes."""
    w = np.random.default_rng(0).normal(size=COLUMNS)
    X = random.normal(size=(rows, COLUMNS)).round(6)
    yes = X @ w + 0.5 * np.linalg.norm(w) * random.normal(size=rows) > 0
    columns = {f"x{k}": arrow.array(X[:, k]) for k in range(COLUMNS)}
    return arrow.table({**columns, "label": np.where(yes, "yes", "no")})


def numbers(random: np.random.Generator, rows: int = 20_000) -> tuple[arrow.Table, arrow.Array]:
    """The same rows as a table and as lines for the peer."""
    table = number_table(random, rows)
    names = table.column_names[:-1]
    texts = [table[name].combine_chunks().cast(arrow.string()) for name in names]
    named = [arrow.compute.binary_join_element_wise(name, text, ":") for name, text in zip(names, texts, strict=True)]
    labels = arrow.array(["1 |" if label == "yes" else "-1 |" for label in table["label"].to_pylist()])
    return table, arrow.compute.binary_join_element_wise(labels, *named, " ")


@cache
def words() -> np.ndarray:
    return np.array([f"w{k * 2654435761 % 2**32:x}" for k in range(WORDS)])


def texts(random: np.random.Generator, rows: int = 5_000) -> tuple[arrow.Table, arrow.Array]:
    """Texts with few common words, each favouring one class a little, as a table and as lines for the peer."""
    weights = np.random.default_rng(0).normal(size=WORDS)
    places = np.minimum((20 * random.pareto(0.9, (rows, WORDS_PER_ROW))).astype(np.int64), WORDS - 1)
    positive = weights[places].mean(axis=1) + 0.05 * random.normal(size=rows) > 0
    joined = arrow.array([" ".join(row) for row in words()[places]])
    lines = arrow.compute.binary_join_element_wise(arrow.array(np.where(positive, "1 |", "-1 |")), joined, " ")
    return arrow.table({"label": np.where(positive, "pos", "neg"), "text": joined}), lines


def write_rows(name: str, make: Callable[..., tuple[arrow.Table, arrow.Array]], size: float, seed: int = 0) -> Path:
    """A file of about `size` bytes, kept between runs, and next to it the same rows in a .vw file for Vowpal Wabbit."""
    path = cache_folder() / f"{name}-{size / 1e9:g}-{seed}.{'tsv' if make is texts else 'csv'}"
    if path.is_file():
        return path
    unfinished, random = path.with_suffix(".unfinished"), np.random.default_rng(seed + 1)
    options = {"delimiter": "\t", "quoting_style": "none"} if make is texts else {}
    with unfinished.open("wb") as file, path.with_suffix(".vw").open("wb") as other:
        while file.tell() < size:
            table, lines = make(random)
            if file.tell() == 0:
                file.write(
                    options.get("delimiter", ",").join(table.column_names).encode() + b"\n"
                )  # pyarrow would quote the names
            arrow.csv.write_csv(table, file, arrow.csv.WriteOptions(include_header=False, **options))
            other.write("\n".join(lines.to_pylist()).encode() + b"\n")
    unfinished.rename(path)
    return path
