"""The groups of tasks. A group is a module of this package and a section of RESULTS.md."""

from collections.abc import Iterator
from importlib import import_module

from benchmarks.tasks import Goal, Task

GROUPS = (
    "training",
    "optimum",
    "dense-optimum",
    "sparse-optimum",
    "elastic-net",
    "tuning",
    "joint",
    "firth",
    "prediction",
    "margin",
    "separability",
    "mistakes",
    "polynomial",
    "kernel",
    "one-row",
    "input-forms",
    "reading",
    "commands",
    "raw-text",
    "out-of-core",
    "online",
    "cluster",
    "serving",
)


class UnknownName(Exception):
    """A group or task that does not exist. The message is one sentence with the names to choose from."""


def check_names(kind: str, given: list[str], known: list[str]) -> None:
    for name in given:
        if name not in known:
            raise UnknownName(f"There is no {kind} '{name}'; choose from {', '.join(known)}.")


def rows_of(group: str) -> Iterator[Task | Goal]:
    """The rows of a group in the order of its module, those of tuples too; a goal follows its tasks.

    The module is imported here, so a library that one group needs is not needed by the others.
    """
    module = import_module(f"benchmarks.{group.replace('-', '_')}")
    for part in vars(module).values():
        if isinstance(part, Goal):
            yield from part.tasks
        for row in part if isinstance(part, tuple) else (part,):
            if isinstance(row, Task | Goal):
                yield row
