"""Stops: when training ends, and why. The first criterion or limit that holds ends the run."""

from dataclasses import dataclass

from ..foundation.notebook_html import ShownInNotebooks, share_picture
from ..foundation.phrases import count
from .part import Part

CRITERIA = {
    "mistakes": Part(0, "the share of misclassified rows is at most tol; free, the visits count them"),
    "loss": Part(1, "the mean loss is at most tol; costs one more pass an epoch"),
    "gradient": Part(2, "the norm of the mean gradient is at most tol; costs one more pass an epoch"),
    "weights": Part(3, "an epoch changed w by at most tol times its norm; costs a copy of w"),
}

# From the most final reason to the least. Several runs together report the least final of theirs.
# Of a solver: the optimum is near, or there is none. Of the perceptron: no weights make no mistake.
PROOFS = ("gap", "separated", "overlap")
REASONS = (
    *CRITERIA,
    *PROOFS,
    "held-out",
    "average-errs",
    "no-change",
    "precision",
    "max_iter",
    "max_seconds",
    "interrupted",
)

# Epochs without improvement on the held-out rows, which n_iter_no_change overrides; and epochs without fewer mistakes
# before a perceptron asks for a proof that some must remain.
PATIENCE = 5
INSEPARABLE = "the classes cannot be separated"

# n_iter_no_change ends no run before this many visits or epochs: epochs of few rows vary by chance and cost little.
PATIENT_VISITS, PATIENT_EPOCHS = 10_000, 200
# The time of a proof grows with the cube of the columns, that of a visit with the columns: with 500 columns a proof
# takes 4 s, as 40 million visits do. A run asks for it after this many visits per squared column.
VISITS_PER_SQUARED_COLUMN = 32


@dataclass(frozen=True)
class Stops:
    """The criterion, its tolerance, and the limits."""

    criterion: str = "mistakes"
    tol: float = 0.0
    max_iter: int = 1000
    n_iter_no_change: int | None = None
    max_seconds: float | None = None


class Status(ShownInNotebooks, str):
    """Why training ended, as a sentence that is also a value.

    `reason` is one of `REASONS`, `mistakes` the number of training rows that the returned weights misclassify
    (margin <= 0), `rows` how many rows there were, `epochs` how many were trained.

    >>> status = Status("no mistakes left after 14 epochs", "mistakes", mistakes=0, rows=100, epochs=14)
    >>> print(status, status.reason, status.converged)
    no mistakes left after 14 epochs mistakes True
    """

    reason: str
    mistakes: int
    rows: int
    epochs: int

    def __new__(cls, sentence: str, reason: str, mistakes: int, rows: int, epochs: int) -> "Status":
        self = super().__new__(cls, sentence)
        self.reason, self.mistakes, self.rows, self.epochs = reason, mistakes, rows, epochs
        return self

    def __getnewargs__(self) -> tuple[str, str, int, int, int]:  # type: ignore[override]
        return str(self), self.reason, self.mistakes, self.rows, self.epochs

    def recounted(self, mistakes: int, rows: int | None = None) -> "Status":
        """The same ending, with another number of mistakes, and of rows if given.

        >>> print(describe("max_iter", Stops(), 2, 4, 20).recounted(0))
        max_iter reached after 20 epochs, with no mistakes left
        """
        rows = self.rows if rows is None else rows
        before, after = mistakes_left(self.mistakes, self.rows), mistakes_left(mistakes, rows)
        return Status(self.replace(before, after), self.reason, mistakes, rows, self.epochs)

    def _picture(self) -> str:
        right = 1 - self.mistakes / self.rows if self.rows else 0.0
        return share_picture(right, f"{100 * right:.1f} % of the training rows are right")

    @property
    def converged(self) -> bool:
        """Whether the criterion was met, rather than a limit reached."""
        return self.reason in CRITERIA or self.reason == "gap"


def mistakes_left(mistakes: int, rows: int) -> str:
    """The number of misclassified rows in words."""
    return f"{mistakes:,} of {count(rows, 'row')} misclassified" if mistakes else "no mistakes left"


def describe(reason: str, stops: Stops, mistakes: int, rows: int, epochs: int, keep: str = "last") -> Status:
    """The ending of a run as one sentence.

    >>> print(describe("max_iter", Stops(max_iter=20), 2, 4, 20))
    max_iter reached after 20 epochs, with 2 of 4 rows misclassified
    >>> print(describe("mistakes", Stops(), 0, 4, 3))
    no mistakes left after 3 epochs
    >>> print(describe("no-change", Stops(n_iter_no_change=5), 3, 451, 38, keep="average"))
    no better for 5 epochs and the average settled after 38 epochs, with 3 of 451 rows misclassified
    >>> print(describe("max_iter", Stops(), 3, 451, 1, keep="vote"))
    max_iter reached after 1 epoch, with 3 of 451 rows misclassified by the last weights
    >>> print(describe("overlap", Stops(), 1, 4, 200))
    the classes cannot be separated (proved); stopped after 200 epochs, with 1 of 4 rows misclassified
    """
    settled = " and the average settled" if keep == "average" else ""
    remaining, after = mistakes_left(mistakes, rows), f"after {count(epochs, 'epoch')}"
    remaining += " by the last weights" if mistakes and keep == "vote" else ""
    if reason == "mistakes":
        sentence = f"{remaining} {after}" if not mistakes else f"{remaining} (tol is {stops.tol:g}) {after}"
    else:
        ending = {
            "loss": f"mean loss at most tol={stops.tol:g}",
            "gradient": f"gradient norm at most tol={stops.tol:g}",
            "weights": f"weights changed by at most tol={stops.tol:g}",
            "overlap": f"{INSEPARABLE} (proved); stopped",
            "average-errs": "the last weights are right, their average is not,",
            "held-out": f"rows held out predicted no better for {count(stops.n_iter_no_change or PATIENCE, 'epoch')}",
            "no-change": f"no better for {count(stops.n_iter_no_change or 0, 'epoch')}{settled}",
            "max_iter": "max_iter reached",
            "max_seconds": f"max_seconds={stops.max_seconds} reached",
            "interrupted": "interrupted",
        }[reason]
        sentence = f"{ending} {after}, with {remaining}"
    return Status(sentence, reason, mistakes, rows, epochs)
