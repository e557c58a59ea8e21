"""Progressive accuracy of `rosenblatt train -` (each row is predicted, then learned), against Vowpal Wabbit's.

The peer's figures are from version 9.11 with `--loss_function logistic --binary -b 22`, rows in the order of the file.
"""

import time
from collections.abc import Iterator
from pathlib import Path

from rosenblatt.tables.read.pipe_reader import PipeReader
from rosenblatt.training.online.endless_input import EndlessInput
from rosenblatt.training.request import Request

from .checks import Finding

ALLOWED = 0.001  # how far ours may be below the peer
STREAMS = {  # columns to leave out, and the accuracy of the peer
    "adult.csv.xz": (("split",), 0.8392),
    "census_income_kdd.csv.xz": (("split", "instance_weight"), 0.9489),
    "covtype_2v4.csv.xz": ((), 0.9971),
    "imdb50k.tsv.xz": (("split", "rating"), 0.8849),
}


def check_online(path: Path) -> Iterator[Finding]:
    """One finding for a file in STREAMS."""
    if path.name not in STREAMS:
        return
    drop, peer = STREAMS[path.name]
    start = time.perf_counter()
    endless = EndlessInput(Request(target="label", drop=drop))
    with path.open("rb", buffering=0) as file:
        endless.run(PipeReader(file), lambda _: None)
    right = endless.accuracy.right / endless.accuracy.rows
    result = f"progressive accuracy {right:.2%} on {endless.accuracy.rows:,} rows"
    seconds = time.perf_counter() - start
    yield Finding("rosenblatt train -", f"peer {peer:.2%}", result, seconds, right >= peer - ALLOWED)
