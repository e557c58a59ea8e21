"""A section of RESULTS.md: how one group was measured, and its table."""

import datetime
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine import cores, memory, processor, read_rate, versions
from benchmarks.tasks import Goal, Task
from benchmarks.timing import Rounds

HEADINGS = ("work", "against", "ours", "peer", "ratio", "mark", "met", "remark")


@dataclass(frozen=True)
class Measurement:
    """A task or goal with the best measurement of each side, or with the reason why there is none."""

    task: Task | Goal
    sides: tuple[float, float] | None
    remark: str

    @property
    def falls_short(self) -> bool:
        """Whether it was measured and is not good enough."""
        return self.sides is not None and not self.task.mark.met(*self.sides)

    def cells(self) -> tuple[str, ...]:
        task, mark = self.task, self.task.mark
        if self.sides is None:
            return task.work, task.peer, "", "", "", mark.text, "skipped", self.remark
        ours, peer = map(mark.unit, self.sides)
        met = ("no" if self.falls_short else "yes") if mark.text else ""
        return task.work, task.peer, ours, peer, mark.ratio(*self.sides), mark.text, met, self.remark


def measure_goal(goal: Goal, measurements: Sequence[Measurement]) -> Measurement:
    """The goal, from those of its tasks that were measured."""
    each = [m.sides for m in measurements if m.task in goal.tasks and m.sides is not None]
    remark = "" if len(each) == len(goal.tasks) else f"{len(each)} of {len(goal.tasks)} measured"
    return Measurement(goal, goal.mean(each) if each else None, remark)


def commit() -> str:
    """The short hash of the commit, with `-dirty` where tracked files other than the results differ from it."""

    def git(*words: str) -> subprocess.CompletedProcess[str]:
        folder = Path(__file__).resolve().parents[1]
        return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True)

    try:
        head = git("rev-parse", "--short", "HEAD")
    except FileNotFoundError:
        return "unknown"
    if head.returncode:
        return "unknown"
    changed = git("diff", "--quiet", "HEAD", "--", ".", ":!benchmarks/RESULTS.md").returncode
    return head.stdout.strip() + ("-dirty" if changed else "")


def table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def section(group: str, command: str, rounds: Rounds, measurements: Sequence[Measurement]) -> str:
    """The whole section of a group."""
    libraries = ", ".join(f"{name} {number}" for name, number in versions().items())
    machine = f"{processor()}, {cores()} cores, {memory() / 2**30:.0f} GiB, streaming read {read_rate() / 1e9:.1f} GB/s"
    return f"""## {group}

- command: `{command}`
- date: {datetime.date.today().isoformat()}
- commit: {commit()}
- machine: {machine}
- versions: {libraries}
- runs: {rounds}

{table([HEADINGS, *(measurement.cells() for measurement in measurements)])}
"""
