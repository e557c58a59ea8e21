"""Online learning from a pipe: every row is predicted, then learned.

Each side runs in its own process, so imports count. Vowpal Wabbit reads a file that was converted to its format before
the timing; ours reads the table as it is.
"""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.commands import OURS, unpack
from benchmarks.datasets import cache_folder, output_folder
from benchmarks.tasks import Pair, faster, task
from benchmarks.timing import stopwatch

WORD, RESERVED = re.compile(r"\w+"), re.compile(r"[\s:|]")  # characters with a meaning in the peer's format
VOWPAL_WABBIT = """
import sys
from vowpalwabbit import Workspace
stream = Workspace("--loss_function logistic --binary -b 22 --quiet --data /dev/stdin -f " + sys.argv[1])
print(stream.get_sum_loss() / stream.get_weighted_examples())
stream.finish()
"""


def run_piped(path: Path, *words: object) -> str:
    """Run a command that reads a file through a pipe, and return what it prints."""
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as cat:
        return subprocess.run([*map(str, words)], stdin=cat.stdout, check=True, capture_output=True, text=True).stdout


def convert(path: Path, rows: Callable[[], Iterator[str]]) -> None:
    import vowpalwabbit  # noqa: F401

    if not path.is_file():
        unfinished = path.with_suffix(".unfinished")
        with unfinished.open("w") as file:
            file.writelines(rows())
        unfinished.rename(path)


def against_vowpal_wabbit(name: str, path: Path, drop: tuple[str, ...], rows: Callable[[], Iterator[str]]) -> Pair:
    model, theirs = output_folder() / f"{name}-model", cache_folder() / f"{name}.vw"
    dropped = [word for column in drop for word in ("--drop", column)]
    command = [*OURS, "train", "-", "--target", "label", *dropped, "--quiet", "--json", "--model", model]
    peer = [sys.executable, "-c", VOWPAL_WABBIT, output_folder() / "peer-model"]

    def remark() -> str:
        right = json.loads(run_piped(path, *command))["progressive_accuracy"]
        return f"progressive accuracy {right:.2%}, peer {1 - float(run_piped(theirs, *peer)):.2%}"

    return Pair(
        stopwatch(lambda: run_piped(path, *command)),
        stopwatch(lambda: run_piped(theirs, *peer)),
        remark,
        lambda: convert(theirs, rows),
    )


@task("online-census", "rosenblatt train - (a pipe), census 299,285 x 40", "Vowpal Wabbit, converted file", faster(1))
def online_census() -> Pair:
    path, drop = unpack("census_income_kdd.csv.xz"), ("split", "instance_weight")

    def rows() -> Iterator[str]:
        with path.open(newline="") as file:
            table = csv.DictReader(file)
            for row in table:
                label = 1 if row.pop("label") == "50000+." else -1
                cells = enumerate(value for name, value in row.items() if name not in drop)
                yield f"{label} | {' '.join(cell(place, value) for place, value in cells if value not in ('', '?'))}\n"

    return against_vowpal_wabbit("online-census", path, drop, rows)


def cell(place: int, value: str) -> str:
    """A cell in the peer's format: a number as column:value, anything else as column=value."""
    try:
        return f"{place}:{float(value):g}"
    except ValueError:
        return f"{place}={RESERVED.sub('_', value.strip())}"


@task("online-imdb", "rosenblatt train - (a pipe), IMDB 50,000 reviews", "Vowpal Wabbit, converted file", faster(1))
def online_imdb() -> Pair:
    path = unpack("imdb50k.tsv.xz")

    def rows() -> Iterator[str]:
        with path.open() as file:
            next(file)
            for row in file:
                label, _, _, text = row.rstrip("\n").split("\t", 3)
                yield f"{1 if label == 'pos' else -1} | {' '.join(WORD.findall(text.lower()))}\n"

    return against_vowpal_wabbit("online-imdb", path, ("split", "rating"), rows)
