"""Measure groups of benchmarks, print their tables, and replace their sections in RESULTS.md.

The exit code is 1 if a row falls short of its mark, and 2 for a name that does not exist.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from benchmarks.datasets import MissingData
from benchmarks.groups import GROUPS, UnknownName, check_names, rows_of
from benchmarks.peers import NoPeer
from benchmarks.report import Measurement, measure_goal, section
from benchmarks.results import RESULTS, save_section
from benchmarks.tasks import Goal, Task
from benchmarks.timing import FULL, QUICK, Rounds, best_of_both

SIZE = "ROSENBLATT_BENCH_SIZE"


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--group", nargs="+", metavar="NAME", default=list(GROUPS), help=", ".join(GROUPS))
    parser.add_argument("--only", nargs="+", metavar="TASK", help="measure these tasks only and print them")
    parser.add_argument("--quick", action="store_true", help="run each side up to 3 times, not 15, and print only")
    parser.add_argument("--list", action="store_true", help="list the tasks of the groups and stop")
    parser.add_argument("--output", type=Path, help=f"the file to write; {RESULTS.name} after a full run of a group")
    return parser.parse_args(words)


def skip_reason(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"{(error.name or '').partition('.')[0]} is not installed"
    return str(error)


def is_ours(error: Exception) -> bool:
    """Whether a module of rosenblatt itself is missing, which is a mistake and no reason to skip."""
    return isinstance(error, ModuleNotFoundError) and str(error.name).partition(".")[0] in ("rosenblatt", "benchmarks")


def measure(task: Task, rounds: Rounds) -> Measurement:
    """Prepare and time one task; a task whose data or peer is missing, or whose peers fail, is skipped."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ten epochs end with mistakes left, on both sides
            pair = task.prepare()
            pair.prepare_peer()
            sides = best_of_both(pair.ours, pair.peer, rounds)
            return Measurement(task, sides, pair.remark())
    except (MissingData, NoPeer, ModuleNotFoundError) as error:
        if is_ours(error):
            raise
        return Measurement(task, None, skip_reason(error))


def measure_group(rows: Sequence[Task | Goal], rounds: Rounds) -> list[Measurement]:
    measurements: list[Measurement] = []
    for row in rows:
        if isinstance(row, Goal):
            measurements.append(measure_goal(row, measurements))
        else:
            measurements.append(measure(row, rounds))
            print(row.name, *filter(None, measurements[-1].cells()[2:]), sep="  ", file=sys.stderr, flush=True)
    return measurements


def choose(rows: Sequence[Task | Goal], only: Sequence[str]) -> list[Task | Goal]:
    """The tasks named, and the goals that have one of them."""
    return [row for row in rows if any(t.name in only for t in (row.tasks if isinstance(row, Goal) else (row,)))]


def load_groups(names: Sequence[str]) -> dict[str, list[Task | Goal]]:
    """The rows of each group. A group that needs a library that is not installed is left out, and that is said."""
    groups = {}
    for name in names:
        try:
            groups[name] = list(rows_of(name))
        except ModuleNotFoundError as error:
            if is_ours(error):
                raise
            print(f"{name}: skipped, because {skip_reason(error)}.", file=sys.stderr)
    return groups


def command_of(group: str, rows: Sequence[Task | Goal], options: argparse.Namespace) -> str:
    """The command that measures this section again."""
    size = [f"{SIZE}={options.size}"] if options.size else []
    only = ["--only", *(row.name for row in rows if isinstance(row, Task))] if options.only else []
    return " ".join([*size, "python -m benchmarks --group", group, *only, *(["--quick"] if options.quick else [])])


def run(options: argparse.Namespace) -> list[Measurement]:
    """Measure what the options name, and return the rows that fall short of their marks."""
    check_names("group", options.group, list(GROUPS))
    options.size = os.environ.get(SIZE)
    if options.quick:
        os.environ.setdefault(SIZE, "0.1")  # before the groups are imported: their rows name the size
    groups = load_groups(options.group)
    if options.only:
        names = [row.name for rows in groups.values() for row in rows if isinstance(row, Task)]
        check_names("task", options.only, names)
    output = options.output or (None if options.quick or options.only else RESULTS)
    short: list[Measurement] = []
    for group, rows in groups.items():
        chosen = choose(rows, options.only) if options.only else rows
        if options.list:
            print(f"{group}:", *(row.name for row in chosen if isinstance(row, Task)))
        elif chosen:
            short += measure_and_save(group, chosen, options, output)
    return short


def measure_and_save(
    group: str, rows: Sequence[Task | Goal], options: argparse.Namespace, output: Path | None
) -> list[Measurement]:
    """Print the section of a group, save it as soon as the group is done, and return the rows that fall short."""
    rounds = QUICK if options.quick else FULL
    measurements = measure_group(rows, rounds)
    text = section(group, command_of(group, rows, options), rounds, measurements)
    print(text, flush=True)
    if not any(measurement.sides for measurement in measurements):
        print(f"{group}: nothing could be measured, so no results were written.", file=sys.stderr)
    elif output is not None:
        save_section(output, group, text)
    return [measurement for measurement in measurements if measurement.falls_short]


def main(words: Sequence[str] | None = None) -> int:
    try:
        short = run(arguments(words))
    except UnknownName as error:
        print(error, file=sys.stderr)
        return 2
    for measurement in short:
        work, peer, *_, ratio, mark, _, _ = measurement.cells()
        print(f"falls short: {work}, against {peer}: {ratio}, and the mark is {mark}.", file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
