"""Compare the six orders of visiting rows: three from textbooks, and three more.

`python examples/orders.py > orders.csv` writes one line for each data set, order and seed, ready to plot. `--medians`
prints a short table instead. Each seed generates one data set, the same for all orders, and seeds the orders. All
numbers are integers, so every sum is exact and every machine prints the same table.

    data       separable: two classes with a gap between them, rows in random order
               sorted: the same rows, first one class, then the other
               overlapping: the rows of separable, with one label in ten flipped
    order      as in `Perceptron(order=...)`
    epochs     until no mistake is left, or the limit (LIMITS)
    visits     dot products of a row with w, checks included
    updates    changes of w
    last       share of rows misclassified by the last weights
    average    share of rows misclassified by the mean of all weights met
"""

import argparse
import csv
import statistics
import sys
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt import Perceptron
from rosenblatt.parts.orders import ORDERS

ROWS, COLUMNS, GAP = 5000, 20, 5
SEEDS = range(5)
LIMITS = {"separable": 1000, "sorted": 1000, "overlapping": 50}

Data = tuple[np.ndarray, np.ndarray]


class Line(NamedTuple):
    """One line of the table."""

    data: str
    order: str
    seed: int
    epochs: int
    visits: int
    updates: int
    last: float
    average: float


def separable(random: np.random.Generator) -> Data:
    """Rows on both sides of a random plane that misses the origin, at a minimum distance from it."""
    normal = random.integers(-5, 6, COLUMNS)
    X = random.integers(-3, 8, (2 * ROWS, COLUMNS))
    score = (X - 2) @ normal
    clear = np.flatnonzero(np.abs(score) >= GAP)[:ROWS]
    return X[clear].astype(float), np.sign(score[clear])


def datasets(seed: int) -> Iterator[tuple[str, Data]]:
    random = np.random.default_rng(seed)
    X, y = separable(random)
    yield "separable", (X, y)
    by_class = np.argsort(y, kind="stable")
    yield "sorted", (X[by_class], y[by_class])
    yield "overlapping", (X, np.where(random.integers(0, 10, len(y)) == 0, -y, y))


def compare(name: str, data: Data, order: str, seed: int) -> Line:
    def model(keep: str) -> Perceptron:
        return Perceptron(
            order=order, keep=keep, max_iter=LIMITS[name], n_iter_no_change=LIMITS[name], random_state=seed
        ).fit(*data)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # remaining mistakes are part of the comparison
        last, average = model("last"), model("average")
    wrong = [m.status_.mistakes / m.status_.rows for m in (last, average)]
    return Line(name, order, seed, last.n_iter_, last.n_visits_, last.n_updates_, *wrong)


def lines() -> Iterator[Line]:
    for seed in SEEDS:
        for name, data in datasets(seed):
            for order in ORDERS:
                yield compare(name, data, order, seed)


def medians(table: list[Line]) -> Iterator[str]:
    """The medians over the seeds, as a table in Markdown."""
    yield "| data | order | epochs | updates | wrong: last | wrong: average |"
    yield "|---|---|---|---|---|---|"
    for data in LIMITS:
        for order in ORDERS:
            group = [line for line in table if (line.data, line.order) == (data, order)]
            epochs, _, updates, last, average = map(statistics.median, list(zip(*group, strict=True))[3:])
            yield f"| {data} | `{order}` | {epochs:g} | {updates:g} | {last:.1%} | {average:.1%} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the orders of visiting rows; CSV on standard output.")
    parser.add_argument("--medians", action="store_true", help="print medians over the seeds instead of CSV")
    if parser.parse_args().medians:
        print(*medians(list(lines())), sep="\n")
        return
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(Line._fields)
    table.writerows(lines())


if __name__ == "__main__":
    main()
