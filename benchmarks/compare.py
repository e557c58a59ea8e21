"""Time our side of some groups with two versions of rosenblatt, in turn, and print the best of five runs.

`--before` and `--after` are folders that hold a package `rosenblatt`, such as a site-packages folder or `src`. Each
version runs in its own process, and only one of the two works at a time. No peer is needed.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.datasets import SIDE, MissingData
from benchmarks.groups import GROUPS, UnknownName, check_names, rows_of
from benchmarks.report import table
from benchmarks.tasks import Task, format_megabytes, format_seconds
from benchmarks.timing import Rounds, best_of_both


class Failure(Exception):
    """What went wrong in the process of a version."""


class Version:
    """A process that imports rosenblatt from one folder and times one task after the other."""

    def __init__(self, side: str, folder: Path) -> None:
        root = str(Path(__file__).resolve().parents[1])
        paths = os.pathsep.join([str(folder.resolve()), root])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.compare", "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=root,
            env={**os.environ, "PYTHONPATH": paths, SIDE: side},
        )

    def ask(self, *words: str) -> Any:
        """Send a request and return the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(words), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"A process of the comparison ended with {self.process.wait()}.")
        answer = json.loads(line)
        if "failure" in answer:
            raise Failure(answer["failure"])
        return answer["value"]

    def run(self) -> float:
        """Run the task prepared last, and return what it measures."""
        return float(self.ask("run"))

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


def work() -> None:
    """Answer requests from standard input: the folder of rosenblatt, the tasks of a group, prepare one, run it."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print must not mix with the answers
    warnings.simplefilter("ignore")
    tasks: dict[str, Task] = {}
    pair = None
    for line in sys.stdin:
        request, *names = json.loads(line)
        value: Any = None
        try:
            if request == "folder":
                import rosenblatt

                value = str(Path(rosenblatt.__file__).parents[1])
            elif request == "tasks":
                tasks = {row.name: row for row in rows_of(names[0]) if isinstance(row, Task)}
                value = {name: (task.work, task.mark.unit is format_megabytes) for name, task in tasks.items()}
            elif request == "prepare":
                pair = None  # frees the rows of the task before
                pair = tasks[names[0]].prepare()
            elif request == "run":
                assert pair is not None
                gc.disable()
                value = pair.ours()
                gc.enable()
            answer = {"value": value}
        except (MissingData, ImportError) as error:
            answer = {"failure": str(error)}
        print(json.dumps(answer), file=answers, flush=True)


def compare(group: str, versions: Sequence[Version], only: Sequence[str], rounds: int) -> list[tuple[str, ...]]:
    """A row for each task that both versions can run; the others are skipped, and the reason is printed."""
    try:
        tasks, _ = [version.ask("tasks", group) for version in versions]
    except Failure as failure:
        print(f"{group}: skipped, because {failure}.", file=sys.stderr)
        return []
    rows = []
    for name, (what, in_bytes) in tasks.items():
        if only and name not in only:
            continue
        try:
            for version in versions:
                version.ask("prepare", name)
            before, after = best_of_both(*(version.run for version in versions), Rounds(rounds, rounds, rounds))
        except Failure as failure:
            print(f"{name}: skipped, because {failure}.", file=sys.stderr)
            continue
        sides = map(format_megabytes if in_bytes else format_seconds, (before, after))
        rows.append((group, name, what, *sides, f"{after / before:.3f}"))
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return rows


def main(words: Sequence[str] | None = None) -> int:
    if "--worker" in (sys.argv[1:] if words is None else words):
        work()
        return 0
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("--before", type=Path, required=True, metavar="FOLDER", help="the folder of the old version")
    parser.add_argument("--after", type=Path, required=True, metavar="FOLDER", help="the folder of the new version")
    parser.add_argument("--group", nargs="+", required=True, metavar="NAME", help=", ".join(GROUPS))
    parser.add_argument("--only", nargs="+", default=[], metavar="TASK", help="compare these tasks only")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each version; 5 unless given")
    options = parser.parse_args(words)
    try:
        check_names("group", options.group, list(GROUPS))
    except UnknownName as error:
        print(error, file=sys.stderr)
        return 2
    folders = {"before": options.before, "after": options.after}
    for side, folder in folders.items():
        if not (folder / "rosenblatt" / "__init__.py").is_file():
            print(f"--{side} must be a folder that holds a package rosenblatt, and {folder} does not.", file=sys.stderr)
            return 2
    versions = [Version(side, folder) for side, folder in folders.items()]
    try:
        for folder, version in zip(folders.values(), versions, strict=True):
            if Path(found := version.ask("folder")) != folder.resolve():
                print(f"{found} was imported instead of {folder}; is rosenblatt installed in place?", file=sys.stderr)
                return 2
        rows = [row for group in options.group for row in compare(group, versions, options.only, options.rounds)]
    finally:
        for version in versions:
            version.close()
    if not rows:
        print("Nothing was compared.", file=sys.stderr)
        return 1
    print(table([("group", "task", "work", "before", "after", "after / before"), *rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
