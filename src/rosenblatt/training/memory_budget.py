"""What training keeps beside the rows, and whether there is room for it in memory.

Rows may be on the disk; weights are in memory, and so is what a solver knows of each row. The loop knows next to
nothing, the solvers that go to the optimum know its score and slope or its multiplier.
"""

from dataclasses import dataclass

from ..foundation import memory
from ..foundation.errors import InputError
from ..parts.losses import LOSSES
from ..tables.read.batches import Source
from .request import NamedPlan

# Bytes of a row, measured with 9,600,000 rows of two columns.
SIGN = 2  # of the label, and while it is made
WORKING_SET, GD = 14, 17
NEWTON, DUAL = 61, 112
WEIGHT, RELATIVE = 8, 16  # of class weights: each row's own, and what descents make of it
KEPT = 40  # while a checkpoint of a solver is written
# Bytes of a weight: it, its sums and copies; where there are gradients and directions, these.
LOOP, SOLVER = 32, 80
FEW = 1 << 24  # bytes that nobody counts
CODE = 1 << 26  # of the libraries in use, and of the rows that are looked at
SHARE = 8  # one part in so many of the memory stays free for rows that are being read


@dataclass(frozen=True)
class Need:
    """What a learner is to be trained with; `weighted`: classes have weights, `kept`: there are checkpoints."""

    learner: NamedPlan
    rows: int
    columns: int
    classes: int = 2
    weighted: bool = False
    kept: bool = False

    @property
    def planes(self) -> int:
        return 1 if self.classes == 2 else self.classes

    @property
    def bytes_a_row(self) -> int:
        """What a row takes beside itself.

        >>> hinge, sgd = (NamedPlan.of("svm", choice, "ovr", False) for choice in ({}, {"solver": "sgd"}))
        >>> Need(hinge, rows=10, columns=2).bytes_a_row, Need(sgd, rows=10, columns=2).bytes_a_row
        (114, 2)
        """
        learner, solver = self.learner, self.learner.solver
        together = self.planes if learner.multi_class == "joint" else 1  # one-vs-rest optima are found in turn
        if solver == "optimum":
            own = DUAL if LOSSES[learner.recipe.loss].optimum == "dual" else NEWTON * together
            return own + SIGN + WEIGHT * self.weighted + KEPT * self.kept * together
        own = (GD if solver == "gd" else 0) + RELATIVE * (self.weighted and solver is not None)
        each = WORKING_SET if learner.recipe.order == "working-set" else 0
        return own + (SIGN + each) * self.planes + WEIGHT * self.weighted

    @property
    def bytes(self) -> int:
        """All of it."""
        weight = SOLVER if self.learner.solver == "optimum" else LOOP
        return self.rows * self.bytes_a_row + self.planes * self.columns * weight


def check_room(source: Source, need: Need, most: int) -> None:
    """Refuse what would take more than `most` bytes of memory, and say what would not."""
    if need.bytes < FEW or source.in_memory:
        return
    if memory.private_memory() + CODE + need.bytes > most - most // SHARE:
        memory.release_free_memory()
    taken = memory.private_memory() + CODE + need.bytes
    if taken <= most - most // SHARE:
        return
    allow = memory.format_size(1.05 * taken * SHARE / (SHARE - 1))  # as it is shown, it may be rounded down
    instead = "" if need.learner.solver in (None, "sgd") else ", or choose --set solver=sgd, which needs far less"
    what = f"{need.rows:,} rows of {need.classes:,} classes, {need.columns:,} columns in the end"
    raise InputError(
        f"{source.path} has {what}, and beside the rows {need.learner.algorithm} keeps "
        f"{memory.format_size(need.bytes)}, for which --memory {memory.format_size(most)} has no room: "
        f"allow {allow}{instead}."
    )
