"""The fewest mistakes possible beside those of a trained model, where the rows are few enough to tell soon."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...foundation.types import Codes, Floats

if TYPE_CHECKING:
    from ...training.outcome import Outcome
    from ...training.report import Report

MOST_ROWS = 1000
MOST_COLUMNS = 20
SECONDS = 1.0


def fewest_mistakes(X: Floats, codes: Codes, mistakes: int, reason: str) -> tuple[int, int] | None:
    """Bounds of the fewest mistakes any plane makes; None for many rows or columns, or other than two classes.

    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> fewest_mistakes(X, np.array([0, 1, 0], dtype=np.int32), 1, "max_iter")
    (1, 1)
    """
    if mistakes == 0:
        return None
    if len(X) > MOST_ROWS or X.shape[1] > MOST_COLUMNS or len(np.unique(codes)) != 2 or reason == "interrupted":
        return None
    from ...prove.mistakes.minimum_mistakes import minimum_mistakes

    found = minimum_mistakes(X, codes, time_limit=SECONDS)
    return found.lower_bound, min(found.mistakes, mistakes)


def reported(outcome: "Outcome", path: Path) -> "Report":
    """The report of a table's model, with the fewest mistakes where they are known."""
    from ...training.report import report_of

    report = report_of(outcome, str(path))
    if outcome.encoded.dense is None or report.features != "identity":
        return report
    fewest = fewest_mistakes(outcome.encoded.dense, outcome.codes, report.mistakes, report.reason)
    return replace(report, fewest_mistakes=fewest)
