"""The measurements as text: the machine, the versions, the table."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.machine import cores, memory, processor, read_rate, versions
from benchmarks.tasks import Goal, Task
from benchmarks.timing import Rounds

HEADINGS = ("work", "against", "must reach", "measured", "ours", "peer", "", "remark")


@dataclass(frozen=True)
class Measurement:
    """A task or goal and the best seconds of both sides, or why there are none."""

    task: Task | Goal
    seconds: tuple[float, float] | None
    remark: str

    def cells(self) -> tuple[str, ...]:
        task = self.task
        if self.seconds is None:
            return task.work, task.peer, task.target.text, "", "", "", "skipped", self.remark
        measured = task.target.measured(*self.seconds)
        verdict = ("ok" if task.target.reached(*self.seconds) else "short") if task.target.text else ""
        ours, peer = map(task.target.words, self.seconds)
        return task.work, task.peer, task.target.text, measured, ours, peer, verdict, self.remark


def together(goal: Goal, measurements: Sequence[Measurement]) -> Measurement:
    """The goal, by those of its tasks that were measured."""
    each = [m.seconds for m in measurements if m.task in goal.tasks and m.seconds is not None]
    part = "" if len(each) == len(goal.tasks) else f"{len(each)} of {len(goal.tasks)} measured"
    return Measurement(goal, goal.seconds(each) if each else None, part)


def table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, its columns aligned."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def report(command: str, rounds: Rounds, measurements: Sequence[Measurement]) -> str:
    """The whole text of a run."""
    libraries = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"""# Benchmarks

`{command}`

- machine: {processor()}, {cores()} cores, {memory() / 2**30:.0f} GiB, reads memory at {read_rate() / 1e9:.1f} GB/s
  (all cores, each taking numpy's maximum over its part of 2 GiB)
- versions: {libraries}
- method: ours and the peer's in one process, in turn, best of {rounds.short} runs, or of {rounds.long} where one takes
  over a second, or of {rounds.longest} over ten; the public call is timed, with the same rows and the same epochs or
  the same result

{table([HEADINGS, *(measurement.cells() for measurement in measurements)])}

Gaussian rows are separable with margin 0.05. MNIST is 0-4 against 5-9. IMDB is the 25,000 training reviews. An optimum
has C = 1 and is reached to a relative 1e-6 (logistic) or 1e-4 (hinge, squared hinge) of the least objective there is.
"""
