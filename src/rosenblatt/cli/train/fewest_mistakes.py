"""The fewest mistakes that any hyperplane makes, computed for small tables and added to the report."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...foundation.types import Codes, Floats

if TYPE_CHECKING:
    from ...training.outcome import Outcome
    from ...training.report import Report

# So few rows and columns are searched to the end in about 0.1 s; with four columns only if few rows are wrong.
# Elsewhere `minimum_mistakes` gives bounds, as close as its time limit allows.
MAX_ROWS = 300
MAX_COLUMNS = 4
MAX_MISTAKES_OF_FOUR_COLUMNS = 20


def fewest_mistakes(X: Floats, codes: Codes, mistakes: int, reason: str) -> tuple[int, int] | None:
    """Return bounds on the fewest mistakes of any plane, or None for all but small tables of two classes.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> fewest_mistakes(X, np.array([0, 1, 0], dtype=np.int32), 1, "max_iter")
    (1, 1)
    """
    rows, columns = X.shape
    if mistakes == 0 or reason == "interrupted" or rows > MAX_ROWS or columns > MAX_COLUMNS:
        return None
    if set(codes.tolist()) != {0, 1} or (columns == MAX_COLUMNS and mistakes > MAX_MISTAKES_OF_FOUR_COLUMNS):
        return None
    from ...prove.mistakes.minimum_mistakes import minimum_mistakes

    found = minimum_mistakes(X, codes)
    return found.lower_bound, min(found.mistakes, mistakes)


def report_with_fewest_mistakes(outcome: "Outcome", path: Path) -> "Report":
    """Return the report of a table's model, with the fewest mistakes if they can be computed."""
    from ...training.make_report import make_report

    report = make_report(outcome, str(path))
    if outcome.encoded.dense is None or report.features != "identity":
        return report
    fewest = fewest_mistakes(outcome.encoded.dense, outcome.codes, report.mistakes, report.reason)
    return replace(report, fewest_mistakes=fewest)
