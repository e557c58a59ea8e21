"""Streams through a pipe, each in a process of its own: every row predicted, then learned; imports count on both sides.

Vowpal Wabbit reads texts of its own kind, which are made beforehand; we read the table as it is.
"""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.commands import OURS, plain
from benchmarks.datasets import cache_folder
from benchmarks.tasks import Pair, faster, task
from benchmarks.timing import stopwatch

WORD, UNFIT = re.compile(r"\w+"), re.compile(r"[\s:|]")  # letters that mean something to the peer
VOWPAL_WABBIT = """
import sys
from vowpalwabbit import Workspace
stream = Workspace("--loss_function logistic --binary -b 22 --quiet --data /dev/stdin -f " + sys.argv[1])
print(stream.get_sum_loss() / stream.get_weighted_examples())
stream.finish()
"""


def piped(path: Path, *words: object) -> str:
    """What a command prints that reads a file through a pipe."""
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as cat:
        return subprocess.run([*map(str, words)], stdin=cat.stdout, check=True, capture_output=True, text=True).stdout


def converted(name: str, rows: Callable[[], Iterator[str]]) -> Path:
    path = cache_folder() / f"{name}.vw"
    if not path.is_file():
        unfinished = path.with_suffix(".part")
        with unfinished.open("w") as file:
            file.writelines(rows())
        unfinished.rename(path)
    return path


def against_vowpal_wabbit(name: str, path: Path, drop: tuple[str, ...], rows: Callable[[], Iterator[str]]) -> Pair:
    import vowpalwabbit  # noqa: F401  # skipped, with a word, where it is not installed

    model, theirs = cache_folder() / f"{name}-model", converted(name, rows)
    dropped = [word for column in drop for word in ("--drop", column)]
    command = [*OURS, "train", "-", "--target", "label", *dropped, "--quiet", "--json", "--model", model]
    peer = [sys.executable, "-c", VOWPAL_WABBIT, cache_folder() / "peer-model"]

    def remark() -> str:
        right = json.loads(piped(path, *command))["progressive_accuracy"]
        return f"{right:.2%} right before learned, the peer {1 - float(piped(theirs, *peer)):.2%}"

    return Pair(stopwatch(lambda: piped(path, *command)), stopwatch(lambda: piped(theirs, *peer)), remark)


@task("stream-census", "train - of a pipe, census 299,285 x 40", "Vowpal Wabbit, pipe converted", faster(1))
def stream_census() -> Pair:
    path, drop = plain("census_income_kdd.csv.xz"), ("split", "instance_weight")

    def rows() -> Iterator[str]:
        with path.open(newline="") as file:
            table = csv.DictReader(file)
            for row in table:
                label = 1 if row.pop("label") == "50000+." else -1
                cells = enumerate(value for name, value in row.items() if name not in drop)
                yield f"{label} | {' '.join(cell(place, value) for place, value in cells if value not in ('', '?'))}\n"

    return against_vowpal_wabbit("stream-census", path, drop, rows)


def cell(place: int, value: str) -> str:
    """A number with its column's name before it, or a word with its column in it."""
    try:
        return f"{place}:{float(value):g}"
    except ValueError:
        return f"{place}={UNFIT.sub('_', value.strip())}"


@task("stream-imdb", "train - of a pipe, IMDB 50,000 reviews", "Vowpal Wabbit, pipe converted", faster(1))
def stream_imdb() -> Pair:
    path = plain("imdb50k.tsv.xz")

    def rows() -> Iterator[str]:
        with path.open() as file:
            next(file)
            for row in file:
                label, _, _, text = row.rstrip("\n").split("\t", 3)
                yield f"{1 if label == 'pos' else -1} | {' '.join(WORD.findall(text.lower()))}\n"

    return against_vowpal_wabbit("stream-imdb", path, ("split", "rating"), rows)
