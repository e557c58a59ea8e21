"""Estimate the memory that training needs besides the rows, and refuse what does not fit.

Rows may be on the disk, but weights are in memory, and so is what a solver keeps for each row. The recipe's loop keeps
next to nothing; the solvers that go to the optimum keep a row's score and slope, or its dual variable.
"""

from dataclasses import dataclass

from ..foundation import memory
from ..foundation.errors import InputError
from ..parts.losses import LOSSES
from ..solvers.newton.smooth_objective import plane_hessian_entries
from ..tables.read.batches import Source
from .request import NamedPlan

# Bytes for each row, measured with 9,600,000 rows of two columns.
LABEL_BYTES = 2  # the sign of its label, and a copy while it is computed
WORKING_SET_BYTES, GD_BYTES = 14, 17
NEWTON_BYTES, JOINT_NEWTON_BYTES, DUAL_BYTES = 61, 69, 112
ROW_WEIGHT_BYTES, DESCENT_WEIGHT_BYTES = 8, 16  # class weights: each row's own, and the scaled one of gradient descent
CHECKPOINT_BYTES = 40  # while a checkpoint of a solver is written
# Bytes for each weight: its sums and copies; for solvers also gradients and directions.
LOOP_WEIGHT_BYTES, SOLVER_WEIGHT_BYTES = 32, 80
JOINT_WEIGHT_BYTES = 64  # Newton's method for joint classes holds eight vectors at most
MOVED_BYTES = 1 << 26  # and a copy of the weights of some planes, of at most this size
MIN_CHECKED_BYTES = 1 << 24  # smaller needs are not checked
PROGRAM_BYTES = 1 << 26  # of the libraries, and of the sample of the first rows
FREE_SHARE = 8  # 1 / 8 of the memory stays free for rows that are being read


@dataclass(frozen=True)
class MemoryNeed:
    """The memory that a plan needs; `weighted`: classes have weights, `kept`: there are checkpoints."""

    plan: NamedPlan
    rows: int
    columns: int
    classes: int = 2
    weighted: bool = False
    kept: bool = False

    @property
    def planes(self) -> int:
        return 1 if self.classes == 2 else self.classes

    @property
    def joint(self) -> bool:
        """Whether one problem holds the planes of all classes."""
        return self.plan.multi_class == "joint" and self.planes > 1

    @property
    def bytes_a_row(self) -> int:
        """The bytes that training keeps for each row besides the row itself.

        >>> hinge, sgd = (NamedPlan.of("svm", choice, "ovr", False) for choice in ({}, {"solver": "sgd"}))
        >>> MemoryNeed(hinge, rows=10, columns=2).bytes_a_row, MemoryNeed(sgd, rows=10, columns=2).bytes_a_row
        (114, 2)
        """
        plan, solver = self.plan, self.plan.solver
        together = self.planes if self.joint else 1  # one-vs-rest optima are found one after the other
        if solver == "optimum":
            newton = JOINT_NEWTON_BYTES * self.planes if self.joint else NEWTON_BYTES
            own = DUAL_BYTES * together if LOSSES[plan.recipe.loss].optimum == "dual" else newton
            return own + LABEL_BYTES + ROW_WEIGHT_BYTES * self.weighted + CHECKPOINT_BYTES * self.kept * together
        own = (GD_BYTES if solver == "gd" else 0) + DESCENT_WEIGHT_BYTES * (self.weighted and solver is not None)
        each = WORKING_SET_BYTES if plan.recipe.order == "working-set" else 0
        return own + (LABEL_BYTES + each) * self.planes + ROW_WEIGHT_BYTES * self.weighted

    @property
    def bytes(self) -> int:
        """The bytes that training needs in all."""
        weights, rows = self.planes * self.columns, self.rows * self.bytes_a_row
        if self.plan.solver != "optimum":
            return rows + weights * LOOP_WEIGHT_BYTES
        if not self.joint:  # one problem after the other, and the weights that were found
            return rows + self.columns * SOLVER_WEIGHT_BYTES + (self.planes - 1) * self.columns * LOOP_WEIGHT_BYTES
        hessians = 8 * plane_hessian_entries(self.columns, self.planes)
        return rows + weights * JOINT_WEIGHT_BYTES + min(8 * weights, MOVED_BYTES) + hessians


def check_memory(source: Source, need: MemoryNeed, most: int) -> None:
    """Refuse a need of more than `most` bytes of memory, and say what would fit."""
    if need.bytes < MIN_CHECKED_BYTES or source.in_memory:
        return
    if memory.private_memory() + PROGRAM_BYTES + need.bytes > most - most // FREE_SHARE:
        memory.release_free_memory()
    taken = memory.private_memory() + PROGRAM_BYTES + need.bytes
    if taken <= most - most // FREE_SHARE:
        return
    allow = memory.format_size(1.05 * taken * FREE_SHARE / (FREE_SHARE - 1))  # because the text may round it down
    instead = "" if need.plan.solver in (None, "sgd") else ", or choose --set solver=sgd, which needs far less"
    what = f"{need.rows:,} rows of {need.classes:,} classes, {need.columns:,} encoded columns"
    needed, given = memory.format_size(need.bytes), memory.format_size(most)
    raise InputError(
        f"{source.path} has {what}, and besides the rows {need.plan.algorithm} needs {needed}, more than --memory "
        f"{given} allows: allow {allow}{instead}."
    )
