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
    Circuit,
    Whole,
    circuit_among,
    combination,
    dot,
    null_vectors,
    primitive,
    product,
    rank,
    separate_or_clash,
)
from ..exact.problem import Problem, scaled_floats
from ..time_limit import Clock, OutOfTime
from .balance import Balance, in_balance
from .float_proposal import (
    BITS,
    LENGTHS,
    Programme,
    Proposal,
    Scaling,
    basic_point,
    magnified,
    propose,
    rounded,
    scaling,
    shortest,
    unit,
    unscaled,
    whitening,
    whole_whitening,
)
from .perceptron_proposal import learned

CLEAR = 1e-9  # a margin of the linear programme that floats can be trusted to see
NEARLY = 1e-3  # of the margin 1 that the guess of a whole split has: what floats may miss by
FLAT = 1e-5  # a margin that asks for whitening
MOST_NUMBERS = 1 << 22  # of the rows that join a linear programme at once
WIDE = 300  # columns above which training is tried before linear programmes
WHITENINGS = 3  # of rows that are flatter than floats can see
ROUNDS = 8  # of refinement before the exact simplex method: 160 bits


@dataclass
class Split:
    """w, in scaled columns, is positive on S and 0 on T; None as long as it is not known.

    `multipliers` of rows of T, positive, make their whole rows vanish; `normals` span the w that are 0 on T, None for
    all w there are; `inside` are the rows known to be in T.
    """

    inside: Mask
    normals: list[Whole] | None = None
    w: Whole | None = None
    multipliers: dict[int, Fraction] = field(default_factory=dict)


def split(problem: Problem, clock: Clock) -> Split:
    """Split the rows of a problem; if time runs out, what is known by then."""
    state = Split(inside=problem.zero_rows())
    try:
        while state.w is None:
            if state.inside.all():
                state.w = [0] * problem.size
                continue
            answer = _separate_or_clash(problem, state, clock)
            if isinstance(answer, Circuit):
                whole = None if _spans(problem, state, answer) else _whole_clash(problem, state, clock)
                _join(problem, state, whole or answer)
            else:
                state.w = answer
    except OutOfTime:
        pass
    return state


def _widen(problem: Problem, state: Split) -> None:
    """Find all rows in the span of those that prove T."""
    normals = null_vectors([problem.whole_row(row) for row in state.multipliers], problem.size)
    state.normals = normals
    if not normals:
        state.inside[:] = True
        return
    outside = np.flatnonzero(~state.inside)
    state.inside[outside] = problem.in_span(normals, outside)


def _join(problem: Problem, state: Split, circuit: Circuit) -> None:
    """Add a circuit modulo T to what proves T.

    Its sum is a combination of the rows that prove T; taking away that combination, and adding their own dependence
    often enough, leaves every multiplier positive.
    """
    proving = list(state.multipliers)
    if proving:
        total = [
            sum((number * problem.whole_row(row)[j] for row, number in zip(*circuit, strict=True)), Fraction(0))
            for j in range(problem.size)
        ]
    if proving and any(total):
        whole = primitive(total)
        place = next(j for j, value in enumerate(whole) if value)
        parts = combination([problem.whole_row(row) for row in proving], whole)
        assert parts is not None, "a circuit modulo T must end in the span of T"
        parts = [part * total[place] / whole[place] for part in parts]
        often = max(1, *(part // state.multipliers[row] + 1 for row, part in zip(proving, parts, strict=True)))
        for row, part in zip(proving, parts, strict=True):
            state.multipliers[row] = often * state.multipliers[row] - part
    state.multipliers.update(zip(*circuit, strict=True))
    _widen(problem, state)


def _separate_or_clash(problem: Problem, state: Split, clock: Clock) -> Whole | Circuit:
    """Gordan's alternative for all rows outside T. The chosen rows grow until their answer is the answer of all."""
    if problem.size > WIDE and state.normals is None:
        w = learned(problem, clock)
        if w is not None and not _wrong(problem, state, w):
            return w
    chosen = _first_rows(problem, state.inside)
    quick = _by_floats(problem, state, chosen, clock)
    if quick is not None:
        return quick
    while True:
        clock.check()
        rows = [_coordinates(problem.whole_row(row), state.normals) for row in chosen]
        answer = decide(rows, clock)
        if isinstance(answer, Circuit):
            return Circuit([chosen[row] for row in answer.rows], answer.multipliers)
        w = _weights(answer, state.normals)
        wrong = _wrong(problem, state, w)
        if not len(wrong):
            return w
        chosen += wrong


def _spans(problem: Problem, state: Split, circuit: Circuit) -> bool:
    """Whether a circuit modulo T leaves no direction in which rows could be outside T."""
    return len(circuit.rows) > (problem.size if state.normals is None else len(state.normals))


def _whole_clash(problem: Problem, state: Split, clock: Clock) -> Circuit | None:
    """Rows that prove T at once, as far as floats see it: at most twice as many as the rank they add."""
    modulo = Modulo(state.normals)
    size = problem.size if state.normals is None else len(state.normals)
    balance, chosen, rows = Balance(size, clock), _first_rows(problem, state.inside), np.zeros((0, size))
    while True:
        clock.check()
        new = modulo.floats(problem.floats(chosen[len(rows) :]))
        balance.add(new)
        rows = np.vstack([rows, new])
        guess = balance.solve()
        if guess is None:
            return None
        seen = set(chosen)
        fresh = [row for row in _clearly_wrong(problem, state, modulo, guess.w) if row not in seen]
        if not fresh:
            break
        chosen += fresh
    places = np.flatnonzero(guess.inside)
    wholes = [_coordinates(problem.whole_row(chosen[place]), state.normals) for place in places]
    clash = in_balance(rows[places], wholes, clock) if wholes else None
    return None if clash is None else Circuit([chosen[places[row]] for row in clash.rows], clash.multipliers)


def _clearly_wrong(problem: Problem, state: Split, modulo: "Modulo", z: Floats) -> list[int]:
    """Rows outside T that are on the wrong side of a guess, as floats see it: the worst of them."""
    largest = np.abs(z).max()
    if largest == 0:
        return []
    whole = [int(value) for value in np.rint(np.ldexp(z / largest, LENGTHS[-1])).tolist()]
    value, error = problem.margins(modulo.weights(whole))
    wrong = np.flatnonzero((value < -max(error, NEARLY / largest)) & ~state.inside)
    order = np.argsort(value[wrong], kind="stable")[: _fresh(problem)]
    return [int(row) for row in wrong[order]]


def _by_floats(problem: Problem, state: Split, chosen: list[int], clock: Clock) -> Whole | Circuit | None:
    """The same in floats, with exact arithmetic only to check the answer; None if it is not clear enough for them.

    The chosen rows grow by those that decide. Where they nearly share a plane, they are seen through a whitening.
    """
    modulo = Modulo(state.normals)
    rows = modulo.floats(problem.floats(chosen))
    programme, glass = Programme(rows.shape[1], clock), None
    programme.add(rows)
    while True:
        clock.check()
        proposal = programme.solve()
        clash = None if proposal is None or proposal.t >= CLEAR else _clash(problem, state, chosen, proposal)
        if proposal is None or clash is not None:
            return clash
        if glass is None and proposal.t < FLAT:
            glass = whitening(rows)
            programme = Programme(glass.shape[1], clock)
            programme.add(unit(rows @ glass))
            continue
        if proposal.t < CLEAR:
            return None
        w = modulo.weights(shortest(proposal.z if glass is None else glass @ proposal.z, rows))
        wrong = _wrong(problem, state, w)
        if not wrong:
            return w
        fresh = [row for row in wrong if row not in set(chosen)]
        if not fresh:
            return None
        chosen += fresh
        new = modulo.floats(problem.floats(fresh))
        programme.add(new if glass is None else unit(new @ glass))
        rows = np.vstack([rows, new])


class Modulo:
    """Floats of rows modulo T, between -1 and 1, and the w that belongs to a z found for them."""

    def __init__(self, normals: list[Whole] | None) -> None:
        self._normals = normals
        if normals is not None:
            self._sizes = [max(abs(value) for value in normal).bit_length() for normal in normals]
            self._basis = np.array([scaled_floats(normal) for normal in normals]).T

    def floats(self, rows: Floats) -> Floats:
        return unit(rows if self._normals is None else rows @ self._basis)

    def weights(self, z: Whole) -> Whole:
        if self._normals is None:
            return z
        most = max(self._sizes)
        return _weights([value << (most - size) for value, size in zip(z, self._sizes, strict=True)], self._normals)


def _clash(problem: Problem, state: Split, chosen: list[int], proposal: Proposal) -> Circuit | None:
    """The circuit among the rows that hold a proposal back, if they are one."""
    pulling = [chosen[place] for place in proposal.pulling]
    rows = [_coordinates(problem.whole_row(row), state.normals) for row in pulling]
    circuit = circuit_among(rows, range(len(rows)))
    return None if circuit is None else Circuit([pulling[row] for row in circuit.rows], circuit.multipliers)


def _wrong(problem: Problem, state: Split, w: Whole) -> list[int]:
    """Rows outside T that are not on their own side of w: the worst of them."""
    wrong = problem.not_positive(w, state.inside)
    order = np.argsort(wrong.value, kind="stable")[: _fresh(problem)]
    return [int(row) for row in wrong.rows[order]]


def _coordinates(row: Whole, normals: list[Whole] | None) -> Whole:
    """A row modulo T."""
    return row if normals is None else [dot(row, normal) for normal in normals]


def _weights(z: Whole, normals: list[Whole] | None) -> Whole:
    """The w, 0 on T, whose margins are those of z on rows modulo T."""
    return z if normals is None else primitive([dot(z, column) for column in zip(*normals, strict=True)])


def _fresh(problem: Problem) -> int:
    """How many of the rows that are wrong join a linear programme."""
    return min(int(2 * problem.size + 30), _room(problem))


def _room(problem: Problem) -> int:
    """How many rows can join at once without filling the memory."""
    return max(50, int(MOST_NUMBERS // problem.size))


def _first_rows(problem: Problem, inside: Mask) -> list[int]:
    """A few rows of each class, evenly spread."""
    chosen: list[int] = []
    for label in (-1, 1):
        rows = np.flatnonzero((problem.labels == label) & ~inside)
        few = min(len(rows), 2 * problem.size + 10, _room(problem))
        places = np.linspace(0, len(rows) - 1, few).astype(np.intp)
        chosen += [int(row) for row in rows[places]]
    return chosen


def decide(rows: Sequence[Whole], clock: Clock, whitened: int = 0) -> Whole | Circuit:
    """Gordan's alternative for a few rows: what floats propose if it is exactly right, exact arithmetic otherwise."""
    scaled = scaling(rows)
    proposal = propose(scaled, clock)
    if proposal is None:
        return separate_or_clash(rows, clock)
    exact_point = basic_point(rows, scaled, proposal)
    if exact_point is not None and _is_right(rows, exact_point):
        short = unscaled(rounded(proposal, 8), scaled)
        return short if _is_right(rows, short) else exact_point
    circuit = circuit_among(rows, proposal.pulling)
    if circuit is not None:
        return circuit
    if whitened < WHITENINGS and (glass := whole_whitening(scaled)) is not None and rank(glass) == len(glass):
        answer = decide(product(rows, glass), clock, whitened + 1)
        return answer if isinstance(answer, Circuit) else primitive([dot(row, answer) for row in glass])
    return _refine(rows, scaled, proposal, clock)


def _refine(rows: Sequence[Whole], scaled: Scaling, proposal: Proposal, clock: Clock) -> Whole | Circuit:
    """Look closer and closer at a proposal; at last the exact simplex method."""
    z = [0] * len(rows[0])
    for _ in range(ROUNDS):
        clock.check()
        circuit = circuit_among(rows, proposal.tight)
        if circuit is not None:
            return circuit
        z = [(old << BITS) + new for old, new in zip(z, rounded(proposal, BITS), strict=True)]
        if _is_right(rows, point := unscaled(z, scaled)):
            return point
        closer = propose(scaled, clock, magnified(rows, scaled, z)) if any(z) else None
        if closer is None:
            break
        proposal = closer
    return separate_or_clash(rows, clock)


def _is_right(rows: Sequence[Whole], point: Whole) -> bool:
    return all(dot(row, point) > 0 for row in rows)
