"""Tucker's split of all rows at once, for many columns: one sparse linear program, then exact repairs.

The program is max sum t_i with a_i . w >= t_i, 0 <= t_i <= 1, w free. Its optimum has t_i = 1 exactly on S (Tucker),
and its rows stay as sparse as those of X. Floats only guess the split. T is proved by a positive dependence that spans
its rows. w is rounded to integers in the columns that T leaves free, and the others follow from a . w = 0 on T by an
exact solution. Then every row outside T is checked exactly.
"""

from collections.abc import Sequence
from typing import Any

import highspy
import numpy as np

from ...foundation.types import Floats
from ..exact.linear_algebra import (
    IntVector,
    PositiveDependence,
    dot,
    independent_rows,
    orthogonal_completion,
)
from ..exact.problem import ExactProblem
from ..exact.span import rows_outside_span
from ..time_limit import Clock
from .linear_program import NO_INDICES, new_highs, run_highs
from .margin_program import BIT_LENGTHS
from .perceptron_proposal import separate_modulo
from .split_program import SplitGuess, find_spanning_dependence

MAX_NUMBERS = 4_000_000  # stored in the rows; with more the linear program takes too long
MAX_PROJECTED_NUMBERS = 30_000_000  # of the rows modulo twins, which are dense
MAX_DENSITY = 0.25  # of the rows; denser ones gain nothing, and programs of a few rows are smaller


def suits(problem: ExactProblem) -> bool:
    """Whether the rows are few and sparse enough."""
    return bool(problem.view.stored_values <= min(MAX_NUMBERS, MAX_DENSITY * problem.rows * problem.columns))


def guess_by_twins(problem: ExactProblem, clock: Clock) -> SplitGuess | None:
    """The split whose T are the twins, equal rows with both labels, if the perceptron separates all others."""
    groups = problem.row_groups()
    both = np.intersect1d(groups[problem.labels == 1], groups[problem.labels == -1])
    inside = np.isin(groups, both)
    if not len(both) or inside.all() or problem.rows * problem.size > MAX_PROJECTED_NUMBERS:
        return None
    w = separate_modulo(problem, np.flatnonzero(inside).tolist(), clock)
    return None if w is None else SplitGuess(inside, w)


def guess_split(problem: ExactProblem, clock: Clock) -> SplitGuess | None:
    """The split that the linear program finds; None if time runs out."""
    rows, (count, size) = problem.sparse_floats(), (problem.rows, problem.size)
    highs, most = new_highs(presolve="on"), highspy.kHighsInf
    highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
    nothing = 0, NO_INDICES, NO_INDICES, np.array([])
    highs.addCols(size, np.zeros(size), np.full(size, -most), np.full(size, most), *nothing)
    highs.addCols(count, np.ones(count), np.zeros(count), np.ones(count), *nothing)
    highs.addRows(count, np.zeros(count), np.full(count, most), *_with_slacks(rows))
    if not run_highs(highs, clock):
        return None
    values = np.array(highs.getSolution().col_value)
    return SplitGuess(values[size:] < 0.5, values[:size])


def _with_slacks(rows: Any) -> tuple[int, Any, Any, Floats]:
    """The rows (a_i, -1 in the column of t_i), in the form that HiGHS takes."""
    count, size = rows.shape
    starts = rows.indptr[:-1] + np.arange(count)
    ends = rows.indptr[1:]
    indices, numbers = np.insert(rows.indices, ends, size + np.arange(count)), np.insert(rows.data, ends, -1.0)
    return len(numbers), starts.astype(np.int32), indices.astype(np.int32), numbers


def prove_clash(problem: ExactProblem, inside: Sequence[int], clock: Clock) -> PositiveDependence | None:
    """A positive dependence that has all these rows in its span; None if there is none, or floats do not find it."""
    rows = [problem.integer_row(row) for row in inside]
    clash = find_spanning_dependence(problem.floats(inside), rows, clock)
    if clash is None:
        return None
    chosen = [inside[place] for place in clash.rows]
    if len(rows_outside_span(problem, [rows[place] for place in clash.rows], np.setdiff1d(inside, chosen))):
        return None
    return PositiveDependence(chosen, clash.multipliers)


def prove_weights(problem: ExactProblem, guess: SplitGuess, clash: Sequence[int]) -> IntVector | None:
    """An integer w that is 0 on the rows of the clash and above 0 on all rows outside T; None if rounding hides it."""
    rows = [problem.integer_row(row) for row in clash]
    basis = [rows[place] for place in independent_rows(rows)]
    largest = np.abs(guess.w).max()
    for bits in BIT_LENGTHS if largest > 0 else ():
        short = [int(value) for value in np.rint(np.ldexp(guess.w / largest, bits)).tolist()]
        w = orthogonal_completion(basis, short)
        right = w is not None and not any(dot(row, w) for row in rows)
        if w is not None and right and not len(problem.nonpositive_rows(w, guess.inside).rows):
            return w
    return None
