"""Run the tasks and print the table; a run without options also writes it to RESULTS.md."""

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from benchmarks import (
    commands,
    kernel,
    margin,
    mistakes,
    online,
    optimum,
    out_of_core,
    polynomial,
    prediction,
    reading,
    separability,
    training,
)
from benchmarks.datasets import Absent
from benchmarks.report import Measurement, report, together
from benchmarks.tasks import Goal, Task
from benchmarks.timing import FULL, QUICK, Rounds, best_of_both

MODULES = (
    training,
    optimum,
    prediction,
    margin,
    separability,
    mistakes,
    polynomial,
    kernel,
    reading,
    commands,
    out_of_core,
    online,
)
RESULTS = Path(__file__).with_name("RESULTS.md")


def parts(module: ModuleType) -> Iterator[Task | Goal]:
    """The tasks of a module in its order, and after the tasks of a goal the goal."""
    for part in vars(module).values():
        if isinstance(part, Goal):
            yield from part.tasks
        if isinstance(part, Task | Goal):
            yield part


PARTS = [part for module in MODULES for part in parts(module)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [part.name for part in PARTS if isinstance(part, Task)]
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names, default=names, help=", ".join(names))
    parser.add_argument("--quick", action="store_true", help="a few runs each instead of fifteen or five")
    return parser.parse_args()


def measure(task: Task, rounds: Rounds) -> Measurement:
    """Prepare and time one task; data or a peer that is not there skips it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ten epochs end with mistakes left, on both sides
            pair = task.prepare()
            seconds = best_of_both(pair.ours, pair.peer, rounds)
            return Measurement(task, seconds, pair.remark())
    except (Absent, ModuleNotFoundError) as absent:
        return Measurement(task, None, str(absent))


def main() -> None:
    chosen = arguments()
    rounds = QUICK if chosen.quick else FULL
    measurements = []
    for part in PARTS:
        if isinstance(part, Goal):
            if any(task.name in chosen.only for task in part.tasks):
                measurements.append(together(part, measurements))
        elif part.name in chosen.only:
            measurements.append(measure(part, rounds))
            print(part.name, *measurements[-1].cells()[3:], sep="  ", file=sys.stderr)
    text = report(" ".join(["python -m benchmarks", *sys.argv[1:]]), rounds, measurements)
    print(text)
    if len(sys.argv) == 1:
        RESULTS.write_text(text)


if __name__ == "__main__":
    main()
