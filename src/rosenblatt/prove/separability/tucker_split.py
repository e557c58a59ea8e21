"""The unique split of the rows into S and T (Tucker), with its proof.

T grows in rounds. Modulo the rows that are known to be in T, either some w is positive on every other row (the split is
found), or rows clash: a circuit, which joins T (Gordan). A circuit that does not fill the space may be one of very
many, as in tables of categories: then all of T that floats see joins at once (`balance`). A circuit of r + 1 rows adds
rank r, and what joins at once is at most twice its rank, so the rows that prove T are at most twice its rank
(Steinitz). Each round looks at a few rows only and adds those its w gets wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ...foundation.types import Floats, Mask
from ..exact.linear_algebra import (
    IntVector,
    PositiveDependence,
    dot,
    find_dependence,
    matrix_product,
    null_space,
    primitive_vector,
    rank,
    solve_combination,
    solve_gordan_exactly,
)
from ..exact.problem import ExactProblem, unit_floats
from ..time_limit import Clock, OutOfTime
from .margin_program import (
    BIT_LENGTHS,
    BITS_PER_REFINEMENT,
    MarginProgram,
    MarginSolution,
    ScaledRows,
    divide_by_largest,
    exact_vertex,
    integer_whitening,
    magnified_margins,
    round_solution,
    scale_rows,
    shorten_solution,
    solve_margin_program,
    unscale_solution,
    whitening_matrix,
)
from .perceptron_proposal import separate_by_perceptron
from .split_program import SplitProgram, find_spanning_dependence

MIN_CLEAR_MARGIN = 1e-9  # a margin of the linear programme that floats can be trusted to see
GUESS_TOLERANCE = 1e-3  # of the margin 1 that the guess of a whole split has: what floats may miss by
MIN_MARGIN_WITHOUT_WHITENING = 1e-5  # a margin that asks for whitening
MAX_NUMBERS_AT_ONCE = 1 << 22  # of the rows that join a linear programme at once
MIN_COLUMNS_FOR_PERCEPTRON = 300  # columns above which training is tried before linear programmes
MAX_WHITENINGS = 3  # of rows that are flatter than floats can see
MAX_REFINEMENTS = 8  # of refinement before the exact simplex method: 160 bits


@dataclass
class TuckerSplit:
    """w, in scaled columns, is positive on S and 0 on T; None as long as it is not known.

    `multipliers` of rows of T, positive, make their whole rows vanish; `normals` span the w that are 0 on T, None for
    all w there are; `inside` are the rows known to be in T.
    """

    inside: Mask
    normals: list[IntVector] | None = None
    w: IntVector | None = None
    multipliers: dict[int, Fraction] = field(default_factory=dict)


def split_rows(problem: ExactProblem, clock: Clock) -> TuckerSplit:
    """Split the rows of a problem; if time runs out, what is known by then."""
    state = TuckerSplit(inside=problem.zero_rows())
    try:
        while state.w is None:
            if state.inside.all():
                state.w = [0] * problem.size
                continue
            answer = _solve_gordan_outside(problem, state, clock)
            if isinstance(answer, PositiveDependence):
                whole = None if _fills_space(problem, state, answer) else _find_whole_clash(problem, state, clock)
                _add_to_clash(problem, state, whole or answer)
            else:
                state.w = answer
    except OutOfTime:
        pass
    return state


def _extend_to_span(problem: ExactProblem, state: TuckerSplit) -> None:
    """Find all rows in the span of those that prove T."""
    normals = null_space([problem.integer_row(row) for row in state.multipliers], problem.size)
    state.normals = normals
    if not normals:
        state.inside[:] = True
        return
    outside = np.flatnonzero(~state.inside)
    state.inside[outside] = problem.in_span(normals, outside)


def _add_to_clash(problem: ExactProblem, state: TuckerSplit, circuit: PositiveDependence) -> None:
    """Add a circuit modulo T to what proves T.

    Its sum is a combination of the rows that prove T; taking away that combination, and adding their own dependence
    often enough, leaves every multiplier positive.
    """
    proving = list(state.multipliers)
    if proving:
        total = [
            sum((number * problem.integer_row(row)[j] for row, number in zip(*circuit, strict=True)), Fraction(0))
            for j in range(problem.size)
        ]
    if proving and any(total):
        whole = primitive_vector(total)
        place = next(j for j, value in enumerate(whole) if value)
        parts = solve_combination([problem.integer_row(row) for row in proving], whole)
        assert parts is not None, "a circuit modulo T must end in the span of T"
        parts = [part * total[place] / whole[place] for part in parts]
        often = max(1, *(part // state.multipliers[row] + 1 for row, part in zip(proving, parts, strict=True)))
        for row, part in zip(proving, parts, strict=True):
            state.multipliers[row] = often * state.multipliers[row] - part
    state.multipliers.update(zip(*circuit, strict=True))
    _extend_to_span(problem, state)


def _solve_gordan_outside(problem: ExactProblem, state: TuckerSplit, clock: Clock) -> IntVector | PositiveDependence:
    """Gordan's alternative for all rows outside T. The chosen rows grow until their answer is the answer of all."""
    if problem.size > MIN_COLUMNS_FOR_PERCEPTRON and state.normals is None:
        w = separate_by_perceptron(problem, clock)
        if w is not None and not _worst_wrong_rows(problem, state, w):
            return w
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


def _fills_space(problem: ExactProblem, state: TuckerSplit, circuit: PositiveDependence) -> bool:
    """Whether a circuit modulo T leaves no direction in which rows could be outside T."""
    return len(circuit.rows) > (problem.size if state.normals is None else len(state.normals))


def _find_whole_clash(problem: ExactProblem, state: TuckerSplit, clock: Clock) -> PositiveDependence | None:
    """Rows that prove T at once, as far as floats see it: at most twice as many as the rank they add."""
    modulo = QuotientSpace(state.normals)
    size = problem.size if state.normals is None else len(state.normals)
    balance, chosen, rows = SplitProgram(size, clock), _first_rows(problem, state.inside), np.zeros((0, size))
    while True:
        clock.check()
        new = modulo.floats(problem.floats(chosen[len(rows) :]))
        balance.add(new)
        rows = np.vstack([rows, new])
        guess = balance.solve()
        if guess is None:
            return None
        seen = set(chosen)
        fresh = [row for row in _rows_wrong_in_floats(problem, state, modulo, guess.w) if row not in seen]
        if not fresh:
            break
        chosen += fresh
    places = np.flatnonzero(guess.inside)
    wholes = [quotient_row(problem.integer_row(chosen[place]), state.normals) for place in places]
    clash = find_spanning_dependence(rows[places], wholes, clock) if wholes else None
    return None if clash is None else PositiveDependence([chosen[places[row]] for row in clash.rows], clash.multipliers)


def _rows_wrong_in_floats(problem: ExactProblem, state: TuckerSplit, modulo: "QuotientSpace", z: Floats) -> list[int]:
    """Rows outside T that are on the wrong side of a guess, as floats see it: the worst of them."""
    largest = np.abs(z).max()
    if largest == 0:
        return []
    whole = [int(value) for value in np.rint(np.ldexp(z / largest, BIT_LENGTHS[-1])).tolist()]
    value, error = problem.margins(modulo.weights(whole))
    wrong = np.flatnonzero((value < -max(error, GUESS_TOLERANCE / largest)) & ~state.inside)
    order = np.argsort(value[wrong], kind="stable")[: _max_new_rows(problem)]
    return [int(row) for row in wrong[order]]


def _solve_in_floats(
    problem: ExactProblem, state: TuckerSplit, chosen: list[int], clock: Clock
) -> IntVector | PositiveDependence | None:
    """The same in floats, with exact arithmetic only to check the answer; None if it is not clear enough for them.

    The chosen rows grow by those that decide. Where they nearly share a plane, they are seen through a whitening.
    """
    modulo = QuotientSpace(state.normals)
    rows = modulo.floats(problem.floats(chosen))
    programme, glass = MarginProgram(rows.shape[1], clock), None
    programme.add(rows)
    while True:
        clock.check()
        proposal = programme.solve()
        clash = (
            None
            if proposal is None or proposal.t >= MIN_CLEAR_MARGIN
            else _verify_clash(problem, state, chosen, proposal)
        )
        if proposal is None or clash is not None:
            return clash
        if glass is None and proposal.t < MIN_MARGIN_WITHOUT_WHITENING:
            glass = whitening_matrix(rows)
            programme = MarginProgram(glass.shape[1], clock)
            programme.add(divide_by_largest(rows @ glass))
            continue
        if proposal.t < MIN_CLEAR_MARGIN:
            return None
        w = modulo.weights(shorten_solution(proposal.z if glass is None else glass @ proposal.z, rows))
        wrong = _worst_wrong_rows(problem, state, w)
        if not wrong:
            return w
        fresh = [row for row in wrong if row not in set(chosen)]
        if not fresh:
            return None
        chosen += fresh
        new = modulo.floats(problem.floats(fresh))
        programme.add(new if glass is None else divide_by_largest(new @ glass))
        rows = np.vstack([rows, new])


class QuotientSpace:
    """Floats of rows modulo T, between -1 and 1, and the w that belongs to a z found for them."""

    def __init__(self, normals: list[IntVector] | None) -> None:
        self._normals = normals
        if normals is not None:
            self._sizes = [max(abs(value) for value in normal).bit_length() for normal in normals]
            self._basis = np.array([unit_floats(normal) for normal in normals]).T

    def floats(self, rows: Floats) -> Floats:
        return divide_by_largest(rows if self._normals is None else rows @ self._basis)

    def weights(self, z: IntVector) -> IntVector:
        if self._normals is None:
            return z
        most = max(self._sizes)
        return lift_weights([value << (most - size) for value, size in zip(z, self._sizes, strict=True)], self._normals)


def _verify_clash(
    problem: ExactProblem, state: TuckerSplit, chosen: list[int], proposal: MarginSolution
) -> PositiveDependence | None:
    """The circuit among the rows that hold a proposal back, if they are one."""
    pulling = [chosen[place] for place in proposal.priced]
    rows = [quotient_row(problem.integer_row(row), state.normals) for row in pulling]
    circuit = find_dependence(rows, range(len(rows)))
    return None if circuit is None else PositiveDependence([pulling[row] for row in circuit.rows], circuit.multipliers)


def _worst_wrong_rows(problem: ExactProblem, state: TuckerSplit, w: IntVector) -> list[int]:
    """Rows outside T that are not on their own side of w: the worst of them."""
    wrong = problem.nonpositive_rows(w, state.inside)
    order = np.argsort(wrong.value, kind="stable")[: _max_new_rows(problem)]
    return [int(row) for row in wrong.rows[order]]


def quotient_row(row: IntVector, normals: list[IntVector] | None) -> IntVector:
    """A row modulo T."""
    return row if normals is None else [dot(row, normal) for normal in normals]


def lift_weights(z: IntVector, normals: list[IntVector] | None) -> IntVector:
    """The w, 0 on T, whose margins are those of z on rows modulo T."""
    return z if normals is None else primitive_vector([dot(z, column) for column in zip(*normals, strict=True)])


def _max_new_rows(problem: ExactProblem) -> int:
    """How many of the rows that are wrong join a linear programme."""
    return min(int(2 * problem.size + 30), _max_rows_at_once(problem))


def _max_rows_at_once(problem: ExactProblem) -> int:
    """How many rows can join at once without filling the memory."""
    return max(50, int(MAX_NUMBERS_AT_ONCE // problem.size))


def _first_rows(problem: ExactProblem, inside: Mask) -> list[int]:
    """A few rows of each class, evenly spread."""
    chosen: list[int] = []
    for label in (-1, 1):
        rows = np.flatnonzero((problem.labels == label) & ~inside)
        few = min(len(rows), 2 * problem.size + 10, _max_rows_at_once(problem))
        places = np.linspace(0, len(rows) - 1, few).astype(np.intp)
        chosen += [int(row) for row in rows[places]]
    return chosen


def solve_gordan(rows: Sequence[IntVector], clock: Clock, whitened: int = 0) -> IntVector | PositiveDependence:
    """Gordan's alternative for a few rows: what floats propose if it is exactly right, exact arithmetic otherwise."""
    scaled = scale_rows(rows)
    proposal = solve_margin_program(scaled, clock)
    if proposal is None:
        return solve_gordan_exactly(rows, clock)
    exact_point = exact_vertex(rows, scaled, proposal)
    if exact_point is not None and _separates(rows, exact_point):
        short = unscale_solution(round_solution(proposal, 8), scaled)
        return short if _separates(rows, short) else exact_point
    circuit = find_dependence(rows, proposal.priced)
    if circuit is not None:
        return circuit
    if whitened < MAX_WHITENINGS and (glass := integer_whitening(scaled)) is not None and rank(glass) == len(glass):
        answer = solve_gordan(matrix_product(rows, glass), clock, whitened + 1)
        return (
            answer if isinstance(answer, PositiveDependence) else primitive_vector([dot(row, answer) for row in glass])
        )
    return _refine(rows, scaled, proposal, clock)


def _refine(
    rows: Sequence[IntVector], scaled: ScaledRows, proposal: MarginSolution, clock: Clock
) -> IntVector | PositiveDependence:
    """Look closer and closer at a proposal; at last the exact simplex method."""
    z = [0] * len(rows[0])
    for _ in range(MAX_REFINEMENTS):
        clock.check()
        circuit = find_dependence(rows, proposal.tight)
        if circuit is not None:
            return circuit
        z = [
            (old << BITS_PER_REFINEMENT) + new
            for old, new in zip(z, round_solution(proposal, BITS_PER_REFINEMENT), strict=True)
        ]
        if _separates(rows, point := unscale_solution(z, scaled)):
            return point
        closer = solve_margin_program(scaled, clock, magnified_margins(rows, scaled, z)) if any(z) else None
        if closer is None:
            break
        proposal = closer
    return solve_gordan_exactly(rows, clock)


def _separates(rows: Sequence[IntVector], point: IntVector) -> bool:
    return all(dot(row, point) > 0 for row in rows)
