"""Tucker's unique split of the rows into S and T, with its proof.

T grows in rounds. Modulo the rows known to be in T, there are two cases (Gordan): either some w is positive on every
other row, and the split is found; or some other rows have a positive dependence (they clash), and these rows join T. A
minimal dependence that does not fill the space may be one of very many, as in tables of categories. Then all rows of T
that floats see join at once (`split_program.py`). A minimal dependence of r + 1 rows adds rank r, and rows that join at
once are at most twice their rank, so at most twice the rank of T rows prove T (Steinitz). Each round solves for a few
rows only and adds the rows that its w gets wrong.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

import numpy as np

from ...foundation.types import Floats, Mask
from ...parts.features import Identity
from ..exact.linear_algebra import (
    IntVector,
    PositiveDependence,
    find_dependence,
    null_space,
    solve_combination,
    weighted_sum,
)
from ..exact.problem import ExactProblem
from ..time_limit import Clock, OutOfTime
from .gordan import solve_gordan
from .margin_program import (
    BIT_LENGTHS,
    MarginProgram,
    MarginSolution,
    divide_by_largest,
    shorten_solution,
    whitening_matrix,
)
from .one_sided_columns import Peeling, add_peeled_columns, peel_rows
from .perceptron_proposal import separate_by_perceptron
from .quotient_space import QuotientSpace, lift_weights, quotient_row
from .split_at_once import guess_by_twins, guess_split, prove_clash, prove_weights, suits
from .split_program import SplitGuess, SplitProgram, find_spanning_dependence

MIN_CLEAR_MARGIN = 1e-9  # of the linear program; floats cannot be trusted below it
GUESS_TOLERANCE = 1e-3  # by which a guessed split may miss its margin 1
MIN_MARGIN_WITHOUT_WHITENING = 1e-5
MAX_NUMBERS_AT_ONCE = 4_000_000  # of rows that join a linear program
MIN_COLUMNS_TO_PEEL = 100  # with fewer the linear programs are quick
MIN_COLUMNS_FOR_PERCEPTRON = 300  # training is tried before linear programs


@dataclass
class TuckerSplit:
    """w, in scaled columns, is positive on S and 0 on T; None if it is not known yet.

    `multipliers` are positive numbers for some rows of T: the integer rows times these numbers sum to 0. `normals` span
    the w that are 0 on T; None means all w. `inside` is a mask of the rows known to be in T.
    """

    inside: Mask
    normals: list[IntVector] | None = None
    w: IntVector | None = None
    multipliers: dict[int, Fraction] = field(default_factory=dict)


def split_rows(problem: ExactProblem, clock: Clock) -> TuckerSplit:
    """Split the rows of a problem. If time runs out, the result is what is known by then.

    With many columns the rows that one-sided columns show to be in S are peeled off first.
    """
    peels = problem.size > MIN_COLUMNS_TO_PEEL and isinstance(problem.features, Identity)
    if peels and problem.has_one_sided_columns():
        peeling = peel_rows(problem)
        if not len(peeling.rows):
            return TuckerSplit(
                np.zeros(problem.rows, dtype=np.bool_), w=add_peeled_columns(peeling, [0] * problem.size)
            )
        if peeling.rounds and len(np.unique(problem.labels[peeling.rows])) == 2:
            return _split_the_rest(problem, peeling, clock)
    return _split_in_rounds(problem, clock)


def _split_the_rest(problem: ExactProblem, peeling: Peeling, clock: Clock) -> TuckerSplit:
    """Split the rows that are left, and put the rows peeled off back in S."""
    rest = problem.part(peeling.rows, peeling.columns)
    found, state = _split_in_rounds(rest, clock), TuckerSplit(np.zeros(problem.rows, dtype=np.bool_))
    state.inside[peeling.rows] = found.inside
    for place, number in found.multipliers.items():  # of integer rows, which differ by a power of two
        row = int(peeling.rows[place])
        state.multipliers[row] = number * Fraction(2) ** (problem.row_exponent(row) - rest.row_exponent(place))
    if found.w is not None:
        weights = [Fraction(0)] * problem.columns + [Fraction(0)] * problem.fit_intercept
        for column, weight in zip(
            [*peeling.columns.tolist(), problem.columns], rest.unscale_weights(found.w), strict=False
        ):
            weights[column] = weight
        state.w = add_peeled_columns(peeling, problem.scale_weights(weights))
    return state


def _split_in_rounds(problem: ExactProblem, clock: Clock) -> TuckerSplit:
    """Tucker's split by Gordan's alternatives, one after the other; with many columns, at once if floats can."""
    if problem.size > MIN_COLUMNS_FOR_PERCEPTRON and (at_once := _split_at_once(problem, clock)) is not None:
        return at_once
    state = TuckerSplit(inside=problem.zero_rows())
    try:
        while state.w is None:
            if state.inside.all():
                state.w = [0] * problem.size
                continue
            answer = solve_gordan_outside(problem, state, clock)
            if isinstance(answer, PositiveDependence):
                whole = None if _fills_space(problem, state, answer) else _find_whole_clash(problem, state, clock)
                _add_to_clash(problem, state, whole or answer)
            else:
                state.w = answer
    except OutOfTime:
        pass
    return state


def _split_at_once(problem: ExactProblem, clock: Clock) -> TuckerSplit | None:
    """The split by the perceptron, or by one linear program for all rows; None if neither finds it."""
    state = TuckerSplit(inside=problem.zero_rows())
    w = separate_by_perceptron(problem, clock)
    if w is not None and not _worst_wrong_rows(problem, state, w):
        state.w = w
        return state
    if not suits(problem):
        return None
    guess = guess_by_twins(problem, clock)
    found = None if guess is None else _prove_split(problem, guess, clock)
    if found is None and (guess := guess_split(problem, clock)) is not None:
        found = _prove_split(problem, guess, clock)
    return found


def _prove_split(problem: ExactProblem, guess: SplitGuess, clock: Clock) -> TuckerSplit | None:
    """The split that was guessed, with its proof; None if it cannot be proved."""
    zero = problem.zero_rows()
    rows = np.flatnonzero(guess.inside & ~zero).tolist()
    clash = prove_clash(problem, rows, clock)
    if clash is None:
        return None
    inside = guess.inside | zero
    w = [0] * problem.size if inside.all() else prove_weights(problem, guess._replace(inside=inside), clash.rows)
    return None if w is None else TuckerSplit(inside, w=w, multipliers=dict(zip(*clash, strict=True)))


def _extend_to_span(problem: ExactProblem, state: TuckerSplit) -> None:
    """Add to T all rows in the span of the rows that prove T."""
    normals = null_space([problem.integer_row(row) for row in state.multipliers], problem.size)
    state.normals = normals
    if not normals:
        state.inside[:] = True
        return
    outside = np.flatnonzero(~state.inside)
    state.inside[outside] = problem.in_span(normals, outside)


def _add_to_clash(problem: ExactProblem, state: TuckerSplit, dependence: PositiveDependence) -> None:
    """Add a positive dependence modulo T to the rows that prove T.

    The sum of the new rows is a combination of the rows that prove T. Subtracting that combination, and adding the
    known dependence often enough, makes every multiplier positive.
    """
    proving = list(state.multipliers)
    total = weighted_sum(dependence.multipliers, [problem.integer_row(row) for row in dependence.rows])
    if any(total):
        parts = solve_combination([problem.integer_row(row) for row in proving], total)
        assert parts is not None, "a dependence modulo T must end in the span of T"
        common = lcm(*(number.denominator for number in dependence.multipliers))
        parts = [part / common for part in parts]  # of the sum itself, without a common denominator
        often = max(part // state.multipliers[row] + 1 for row, part in zip(proving, parts, strict=True))
        for row, part in zip(proving, parts, strict=True):
            state.multipliers[row] = often * state.multipliers[row] - part
    state.multipliers.update(zip(*dependence, strict=True))
    _extend_to_span(problem, state)


def solve_gordan_outside(problem: ExactProblem, state: TuckerSplit, clock: Clock) -> IntVector | PositiveDependence:
    """Gordan's alternative for all rows outside T. The chosen rows grow until their answer holds for all rows."""
    chosen = _first_rows(problem, state.inside)
    quick = _solve_in_floats(problem, state, chosen, clock)
    if quick is not None:
        return quick
    while True:
        clock.check()
        rows = [quotient_row(problem.integer_row(row), state.normals) for row in chosen]
        answer = solve_gordan(rows, clock)
        if isinstance(answer, PositiveDependence):
            return PositiveDependence([chosen[row] for row in answer.rows], answer.multipliers)
        w = lift_weights(answer, state.normals)
        wrong = _worst_wrong_rows(problem, state, w)
        if not len(wrong):
            return w
        chosen += wrong


def _fills_space(problem: ExactProblem, state: TuckerSplit, dependence: PositiveDependence) -> bool:
    """Whether T together with a dependence modulo T spans the whole space."""
    return len(dependence.rows) > (problem.size if state.normals is None else len(state.normals))


def _find_whole_clash(problem: ExactProblem, state: TuckerSplit, clock: Clock) -> PositiveDependence | None:
    """Rows that prove all of T that floats see: at most twice as many as the rank they add; None if floats fail."""
    quotient = QuotientSpace(state.normals)
    size = problem.size if state.normals is None else len(state.normals)
    balance, chosen, rows = SplitProgram(size, clock), _first_rows(problem, state.inside), np.zeros((0, size))
    while True:
        clock.check()
        new = quotient.floats(problem.floats(chosen[len(rows) :]))
        balance.add(new)
        rows = np.vstack([rows, new])
        guess = balance.solve()
        if guess is None:
            return None
        seen = set(chosen)
        fresh = [row for row in _rows_wrong_in_floats(problem, state, quotient, guess.w) if row not in seen]
        if not fresh:
            break
        chosen += fresh
    places = np.flatnonzero(guess.inside)
    wholes = [quotient_row(problem.integer_row(chosen[place]), state.normals) for place in places]
    clash = find_spanning_dependence(rows[places], wholes, clock) if wholes else None
    return None if clash is None else PositiveDependence([chosen[places[row]] for row in clash.rows], clash.multipliers)


def _rows_wrong_in_floats(problem: ExactProblem, state: TuckerSplit, quotient: QuotientSpace, z: Floats) -> list[int]:
    """The worst rows outside T that are on the wrong side of a guess, in floats."""
    largest = np.abs(z).max()
    if largest == 0:
        return []
    whole = [int(value) for value in np.rint(np.ldexp(z / largest, BIT_LENGTHS[-1])).tolist()]
    value, error = problem.margins(quotient.weights(whole))
    wrong = np.flatnonzero((value < -max(error, GUESS_TOLERANCE / largest)) & ~state.inside)
    order = np.argsort(value[wrong], kind="stable")[: _max_new_rows(problem)]
    return [int(row) for row in wrong[order]]


def _solve_in_floats(
    problem: ExactProblem, state: TuckerSplit, chosen: list[int], clock: Clock
) -> IntVector | PositiveDependence | None:
    """Gordan's alternative found in floats and checked in exact arithmetic; None if floats do not find it.

    The chosen rows grow by the rows that the answer gets wrong. Rows that nearly share a plane are whitened.
    """
    quotient = QuotientSpace(state.normals)
    program = _WhitenedProgram(quotient.floats(problem.floats(chosen)), clock)
    while True:
        clock.check()
        proposal = program.solve()
        if proposal is None:
            return None
        if proposal.t < MIN_CLEAR_MARGIN and (clash := _verify_clash(problem, state, chosen, proposal)) is not None:
            return clash
        if proposal.t < MIN_MARGIN_WITHOUT_WHITENING and program.whiten():
            continue
        if proposal.t < MIN_CLEAR_MARGIN:
            return None
        w = quotient.weights(program.shorten(proposal.z))
        wrong = _worst_wrong_rows(problem, state, w)
        fresh = [row for row in wrong if row not in set(chosen)]
        if not fresh:
            return None if wrong else w
        chosen += fresh
        program.add(quotient.floats(problem.floats(fresh)))


class _WhitenedProgram:
    """The linear program of some rows, which can be whitened once and can grow."""

    def __init__(self, rows: Floats, clock: Clock) -> None:
        self._rows, self._clock = rows, clock
        self._whitening: Floats | None = None
        self._program = MarginProgram(rows.shape[1], clock)
        self._program.add(rows)

    def solve(self) -> MarginSolution | None:
        """The optimum; None if HiGHS finds none."""
        return self._program.solve()

    def whiten(self) -> bool:
        """Start again with whitened rows; return False if they are whitened already."""
        if self._whitening is not None:
            return False
        self._whitening = whitening_matrix(self._rows)
        self._program = MarginProgram(self._whitening.shape[1], self._clock)
        self._program.add(divide_by_largest(self._rows @ self._whitening))
        return True

    def add(self, rows: Floats) -> None:
        """Add rows."""
        self._program.add(rows if self._whitening is None else divide_by_largest(rows @ self._whitening))
        self._rows = np.vstack([self._rows, rows])

    def shorten(self, z: Floats) -> IntVector:
        """A solution in short integers, for the rows before whitening."""
        return shorten_solution(z if self._whitening is None else self._whitening @ z, self._rows)


def _verify_clash(
    problem: ExactProblem, state: TuckerSplit, chosen: list[int], proposal: MarginSolution
) -> PositiveDependence | None:
    """The positive dependence of the rows with a price, if they have exactly one; otherwise None."""
    priced = [chosen[place] for place in proposal.priced]
    rows = [quotient_row(problem.integer_row(row), state.normals) for row in priced]
    dependence = find_dependence(rows, range(len(rows)))
    return (
        None
        if dependence is None
        else PositiveDependence([priced[row] for row in dependence.rows], dependence.multipliers)
    )


def _worst_wrong_rows(problem: ExactProblem, state: TuckerSplit, w: IntVector) -> list[int]:
    """The worst rows outside T that are not on their own side of w."""
    wrong = problem.nonpositive_rows(w, state.inside)
    order = np.argsort(wrong.value, kind="stable")[: _max_new_rows(problem)]
    return [int(row) for row in wrong.rows[order]]


def _max_new_rows(problem: ExactProblem) -> int:
    """How many wrong rows may join a linear program in one round."""
    return min(int(2 * problem.size + 30), _max_rows_at_once(problem))


def _max_rows_at_once(problem: ExactProblem) -> int:
    """How many rows may join at once, so that memory suffices."""
    return max(50, int(MAX_NUMBERS_AT_ONCE // problem.size))


def _first_rows(problem: ExactProblem, inside: Mask) -> list[int]:
    """A few evenly spaced rows of each class."""
    chosen: list[int] = []
    for label in (-1, 1):
        rows = np.flatnonzero((problem.labels == label) & ~inside)
        few = min(len(rows), 2 * problem.size + 10, _max_rows_at_once(problem))
        places = np.linspace(0, len(rows) - 1, few).astype(np.intp)
        chosen += [int(row) for row in rows[places]]
    return chosen
