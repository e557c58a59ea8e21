"""The fewest mistakes that any hyperplane makes, computed for small tables and added to the report."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...foundation.types import Codes, Floats

if TYPE_CHECKING:
    from ...training.outcome import Outcome
    from ...training.report import Report

MAX_ROWS = 1000
MAX_COLUMNS = 20
TIME_LIMIT_SECONDS = 0.1  # a third of the command; `minimum_mistakes` in Python takes as long as you like


def fewest_mistakes(X: Floats, codes: Codes, mistakes: int, reason: str) -> tuple[int, int] | None:
    """Return bounds on the fewest mistakes of any plane, or None for large tables and for more than two classes.

    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> fewest_mistakes(X, np.array([0, 1, 0], dtype=np.int32), 1, "max_iter")
    (1, 1)
    """
    if mistakes == 0:
        return None
    if len(X) > MAX_ROWS or X.shape[1] > MAX_COLUMNS or len(np.unique(codes)) != 2 or reason == "interrupted":
        return None
    from ...prove.mistakes.minimum_mistakes import minimum_mistakes

    found = minimum_mistakes(X, codes, time_limit=TIME_LIMIT_SECONDS)
    return found.lower_bound, min(found.mistakes, mistakes)


def report_with_fewest_mistakes(outcome: "Outcome", path: Path) -> "Report":
    """Return the report of a table's model, with the fewest mistakes if they can be computed."""
    from ...training.make_report import make_report

    report = make_report(outcome, str(path))
    if outcome.encoded.dense is None or report.features != "identity":
        return report
    fewest = fewest_mistakes(outcome.encoded.dense, outcome.codes, report.mistakes, report.reason)
    return replace(report, fewest_mistakes=fewest)
