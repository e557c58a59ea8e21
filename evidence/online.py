"""Rows through a pipe, each predicted before it is learned, beside Vowpal Wabbit's progressive loss on the same rows.

Its figures are of version 9.11 with `--loss_function logistic --binary -b 22`, for rows in the order of the file.
"""

import time
from collections.abc import Iterator
from pathlib import Path

from rosenblatt.tables.read.arriving_bytes import Arriving
from rosenblatt.training.online.endless import Endless
from rosenblatt.training.request import Request

from .checks import Finding

ALLOWED = 0.001  # below the peer
STREAMS = {  # columns to leave out, and the share that the peer had right
    "adult.csv.xz": (("split",), 0.8392),
    "census_income_kdd.csv.xz": (("split", "instance_weight"), 0.9489),
    "covtype_2v4.csv.xz": ((), 0.9971),
    "imdb50k.tsv.xz": (("split", "rating"), 0.8849),
}


def check_endless(path: Path) -> Iterator[Finding]:
    """One finding for a file that is among them."""
    if path.name not in STREAMS:
        return
    drop, theirs = STREAMS[path.name]
    began = time.perf_counter()
    endless = Endless(Request(target="label", drop=drop))
    with path.open("rb", buffering=0) as file:
        endless.run(Arriving(file), lambda _: None)
    right = endless.tally.right / endless.tally.rows
    found = f"{right:.2%} of {endless.tally.rows:,} rows right before they were learned"
    seconds = time.perf_counter() - began
    yield Finding("rosenblatt train -", f"peer {theirs:.2%}", found, seconds, right >= theirs - ALLOWED)
