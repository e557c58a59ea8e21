"""The vote of all weights that a perceptron met: each has as many votes as visits that it survived.

The weights are not stored. Each is the one before plus `change` times a row, so the rows that moved w and the changes
are enough, and a trace has both. A row that is predicted is multiplied once with each of these rows. Running sums of
the products are its scores by all weights.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.matrices import as_floats, as_rows, is_sparse, written_rows
from ..foundation.types import Floats, History, Places
from .class_problems import ClassProblem
from .history import join_traces

BLOCK_NUMBERS = 1 << 18  # scores of a block of rows by all weights of a plane: 1 << 22 took three times as long


class Moves(NamedTuple):
    """The weights of one plane: what each move adds to w along a row of the vote, and the visits between moves."""

    row: Places
    change: Floats
    survived: npt.NDArray[np.int64]  # by the weights before the first move and after each


@dataclass(frozen=True, eq=False)
class Vote:
    """The rows that moved a plane, each once, the moves of all planes, and the weights before the first move."""

    rows: Any  # an array or a CSR matrix
    planes: Sequence[Moves]
    coef: Floats
    intercept: Floats
    constant: float  # the coordinate of the offset

    def scores(self, rows: _core.Rows, threads: int) -> tuple[Floats, bool]:
        """The votes for the positive side less those against it, as a share of all, and whether all scores are finite.

        A score of exactly 0 is a vote for the positive side.
        """
        scores, finite = np.empty((rows.count, len(self.planes))), True
        for begin, X in self._blocks(rows):
            products, known = self._products(X, threads)
            starts, sound = _core.scores(as_rows(X), self.coef, self.intercept, threads)
            finite = finite and known and sound
            for k, moves in enumerate(self.planes):
                scores[begin : begin + len(X), k] = _vote(moves, products, starts[:, k], self.constant**2)
        return scores, finite

    def _blocks(self, rows: _core.Rows) -> Iterator[tuple[int, Floats]]:
        """Rows to predict, as many at once as their scores by all weights allow."""
        most = max(len(self.coef.T), self.rows.shape[0], *(len(moves.survived) for moves in self.planes))
        step = max(1, min(1024, BLOCK_NUMBERS // most))
        for begin in range(0, rows.count, step):
            yield begin, as_floats(written_rows(rows, np.arange(begin, min(begin + step, rows.count))))

    def _products(self, X: Floats, threads: int) -> tuple[Floats, bool]:
        """The products of the rows that moved w with the rows of X, a line for each of the first."""
        if not self.rows.shape[0]:
            return np.empty((0, len(X))), True
        return _core.scores(as_rows(self.rows), np.ascontiguousarray(X), np.zeros(len(X)), threads)


def _vote(moves: Moves, products: Floats, start: Floats, constant: float) -> Floats:
    """The scores of a block of rows by each w are running sums; the votes are whole numbers, so their sum is exact."""
    scores = np.empty((len(moves.survived), products.shape[1]))
    scores[0] = start
    with np.errstate(invalid="ignore", over="ignore"):
        np.multiply(products[moves.row] + constant, moves.change[:, None], out=scores[1:])
        np.cumsum(scores, axis=0, out=scores)
    votes = moves.survived.astype(np.float64)
    share: Floats = votes @ np.where(scores >= 0, 1.0, -1.0) / votes.sum()
    share[np.isnan(scores[-1])] = np.nan  # infinities of both signs
    return share


def make_vote(
    rows: _core.Rows,
    problems: Sequence[ClassProblem],
    traces: Sequence[Sequence[History]],
    visits: Sequence[int],
    start: tuple[Floats, Floats] | None,
    constant: float,
) -> Vote:
    """The vote of runs that have made so many visits each, from their traces."""
    joined = [join_traces([pieces]) for pieces in traces]
    moved = np.unique(np.concatenate([trace["row"] for trace in joined])).astype(np.intp)
    planes = [
        _moves(trace, problem, moved, last) for trace, problem, last in zip(joined, problems, visits, strict=True)
    ]
    zero = np.zeros((len(planes), rows.columns)), np.zeros(len(planes))
    return Vote(written_rows(rows, moved), planes, *(zero if start is None else start), constant)


def constant_vote(rows: _core.Rows, start: tuple[Floats, Floats], constant: float) -> Vote:
    """The vote of one plane that never moved."""
    never = Moves(np.empty(0, np.intp), np.empty(0), np.ones(1, np.int64))
    return Vote(written_rows(rows, np.empty(0, np.intp)), [never], *start, constant)


def join_votes(votes: Sequence[Vote]) -> Vote:
    """The planes of several votes in one. Each keeps its own rows, so a row may be there several times."""
    firsts = np.cumsum([0, *(vote.rows.shape[0] for vote in votes)])
    planes = [
        moves._replace(row=moves.row + first)
        for vote, first in zip(votes, firsts.tolist(), strict=False)
        for moves in vote.planes
    ]
    coef, intercept = (np.concatenate([getattr(vote, name) for vote in votes]) for name in ("coef", "intercept"))
    return Vote(_stacked([vote.rows for vote in votes]), planes, coef, intercept, votes[0].constant)


def _stacked(rows: Sequence[Any]) -> Any:
    """Rows one below the other, all arrays or all CSR matrices."""
    if not is_sparse(rows[0]):
        return np.concatenate(rows)
    from scipy.sparse import vstack

    return vstack(rows, "csr")


def _moves(trace: History, problem: ClassProblem, moved: Places, visits: int) -> Moves:
    assert problem.signs is not None
    change: Floats = np.asarray(trace["change"] * problem.signs[trace["row"]], np.float64)
    survived = np.diff(np.concatenate([[1], trace["visit"].astype(np.int64), [visits + 1]]))
    return Moves(np.searchsorted(moved, trace["row"]), change, survived)
