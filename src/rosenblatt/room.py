"""What training keeps of each row beside the rows, and whether there is room for it in memory.

Rows may be on the disk; what a solver knows of each of them is in memory. The loop knows next to nothing, the solvers
that go to the optimum know its score and slope or its multiplier.
"""

from . import memory
from .data.batches import Source
from .errors import InputError
from .request import Learner

# Bytes, measured with 9,600,000 rows of two columns.
SIGN = 2  # of the label, and while it is made
WORKING_SET, SGD, GD = 14, 8, 17
NEWTON, DUAL = 50, 112
WEIGHT, RELATIVE = 8, 16  # of class weights: each row's own, and what descents make of it
KEPT = 40  # while a checkpoint of a solver is written
FEW = 1 << 24  # bytes that nobody counts
SHARE = 8  # one part in so many of the memory stays free for rows that are being read


def bytes_a_row(learner: Learner, classes: int, weighted: bool = False, kept: bool = False) -> int:
    """What a row takes beside itself; `weighted`: classes have weights, `kept`: there are checkpoints.

    >>> hinge, sgd = (Learner.of("svm", choice, "ovr", False) for choice in ({}, {"solver": "sgd"}))
    >>> bytes_a_row(hinge, 2), bytes_a_row(sgd, 2)
    (114, 10)
    """
    solver, planes = learner.solver, 1 if classes == 2 else classes
    together = planes if learner.multi_class == "joint" else 1  # one-vs-rest optima are found one after the other
    if solver == "optimum":
        own = DUAL if learner.recipe.loss == "hinge" else NEWTON * together
        return own + SIGN + WEIGHT * weighted + KEPT * kept * together
    own = {"sgd": SGD, "gd": GD, None: 0}[solver] + RELATIVE * (weighted and solver is not None)
    each = WORKING_SET if learner.recipe.order == "working-set" else 0
    return own + (SIGN + each) * planes + WEIGHT * weighted


def check_room(
    source: Source, rows: int, learner: Learner, classes: int, most: int, weighted: bool, kept: bool
) -> None:
    """Refuse what would take more than `most` bytes of memory, and say what would not."""
    beside = rows * bytes_a_row(learner, classes, weighted, kept)
    if beside < FEW or not source.bounded:
        return
    if memory.resident() + beside > most - most // SHARE:
        memory.give_back()
    taken = memory.resident() + beside
    if taken <= most - most // SHARE:
        return
    needed = memory.shown(1.02 * taken * SHARE / (SHARE - 1))  # as it is shown, it may be rounded down
    instead = "" if learner.solver in (None, "sgd") else ", or choose --set solver=sgd, which needs far less"
    what = f"{source.path} has {rows:,} rows to train on, and beside them {learner.algorithm} keeps"
    raise InputError(
        f"{what} {memory.shown(beside)}, for which --memory {memory.shown(most)} has no room: allow {needed}{instead}."
    )
