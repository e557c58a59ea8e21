"""How long `rosenblatt serve` takes to start from a large log, where it learns most rows again.

`python -m evidence.serve_start 560000` learns rows of 20 numbers, one a record, until the columns are about to be
examined again: the newest snapshot is then as old as it gets. Then it starts three times, and compares the model.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import numpy as np

from rosenblatt import fit, save
from rosenblatt.model.file import serialized
from rosenblatt.serve.log_records import LEARN, Record
from rosenblatt.serve.log_state import snapshot_paths
from rosenblatt.serve.log_writer import Answer, LogWriter

from .checks import Finding, print_findings
from .serve_kills import LOG, MODEL

NUMBERS, TOGETHER, STARTS, MOST_ROWS = 20, 512, 3, 560_000
NAMES = [f"x{number}" for number in range(NUMBERS)]


def made_rows(count: int, seed: int) -> Iterator[dict[str, object]]:
    """Rows whose class depends on two of their numbers."""
    generator = np.random.default_rng(seed)
    for _ in range(count):
        numbers = np.round(generator.normal(size=NUMBERS), 6).tolist()
        yield {**dict(zip(NAMES, numbers, strict=True)), "kind": "a" if numbers[0] + numbers[1] > 0 else "b"}


def grow(writer: LogWriter, count: int) -> None:
    """Learn rows, at least half of them, until the columns are about to be examined again."""
    waiting: list[Future[Answer]] = []
    for number, row in enumerate(made_rows(count, 1)):
        waiting.append(writer.submit(Record(LEARN, json.dumps(row).encode() + b"\n")))
        if len(waiting) == TOGETHER:
            for future in waiting:
                future.result()
            waiting.clear()
            learner = writer.state.learner
            assert learner is not None
            if number >= count // 2 and learner.renewal_row - learner.rows < TOGETHER:
                return


def write_log(folder: Path, count: int) -> bytes:
    """Make a log of rows; returns the model after them."""
    rows = list(made_rows(1000, 0))
    table = {column: [row[column] for row in rows] for column in rows[0]}
    save(fit(table, target="kind", algorithm="averaged"), folder / MODEL)
    writer = LogWriter(folder / LOG, folder / MODEL, print)
    grow(writer, count)
    writer.close()
    return serialized(writer.published.calibrated)


def check_start(count: int) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        served = write_log(folder, count)
        newest = int(snapshot_paths(folder / LOG)[-1].stem.partition("-")[0])
        for _ in range(STARTS):
            began, work = time.perf_counter(), time.process_time()
            writer = LogWriter(folder / LOG, None, print)
            seconds, work = time.perf_counter() - began, time.process_time() - work
            writer.close()
            records = writer.log.position.record
            again = f"{records - newest:,} of {records:,} records learned again, {writer.log.size():,} bytes"
            same = serialized(writer.published.calibrated) == served
            yield Finding("serve", "start", f"{again}, {work:.2f} s of processor time", seconds, same)


if __name__ == "__main__":
    sys.exit(print_findings(check_start(int(sys.argv[1]) if sys.argv[1:] else MOST_ROWS)))
