"""Evaluate learned planes on the rows of a user's matrix, in parts where the core cannot read the matrix as it lies."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.errors import TooLarge
from ..foundation.matrices import as_rows, check_finite, parts_of, rows_unless_copied
from ..foundation.threads import threads_for
from .validation import matrix

See = Callable[..., tuple[npt.NDArray[Any], bool]]  # `_core.scores` or `_core.choices`


def evaluate(model: Any, learned: Any, X: Any, see: See, *more: Any) -> npt.NDArray[Any]:
    """Scores of all planes, or choices of one, for the rows of X. Numbers that are not finite are refused."""
    X, rows, names, _ = matrix(model, X, make_rows=rows_unless_copied)
    if rows is not None:
        return _evaluate_rows(model, learned, X, rows, names, None, see, *more)
    parts = [
        _evaluate_rows(model, learned, part, as_rows(part), names, numbers, see, *more) for numbers, part in parts_of(X)
    ]
    return np.concatenate(parts)


def _evaluate_rows(
    model: Any,
    learned: Any,
    X: Any,
    rows: _core.Rows,
    names: npt.NDArray[Any] | None,
    numbers: Sequence[int] | None,
    see: See,
    *more: Any,
) -> npt.NDArray[Any]:
    """The same for the rows of X, which the core can read. `numbers` are what they are called."""
    rows = model._features.lifted(rows)
    threads = threads_for(rows, model.n_jobs)
    if learned.vote is not None:
        see = _core.scores
        seen, finite = learned.vote.scores(rows, threads)
    else:
        seen, finite = see(rows, *learned.returned, *more, threads)
    if not finite:
        check_finite(rows, X, names, threads, numbers)
        scores = seen if see is _core.scores else _core.scores(rows, learned.coef, learned.intercept, threads)[0]
        if rows.is_lifted or np.isnan(scores).any():  # infinities of both signs add up to NaN
            raise TooLarge
    decided: npt.NDArray[Any] = more[0].take((seen >= 0).astype(np.intp)) if more and learned.vote is not None else seen
    return decided
