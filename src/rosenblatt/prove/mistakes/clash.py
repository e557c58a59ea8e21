"""Clashes: rows that no hyperplane classifies correctly all at once, with the multipliers that prove it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..exact.digits import decimal_text, tuple_repr
from ..exact.linear_algebra import primitive_vector, solve_independent
from ..exact.merged_rows import MergedRows
from ..exact.problem import ExactProblem

ONE = Fraction(1)


@dataclass(frozen=True)
class Clash:
    """Rows of X, counted from 0, and positive whole multipliers with sum multiplier_i a_i = 0.

    Every hyperplane makes a mistake in one of the rows. `share` is how much of that mistake the bound counts: 1 if no
    other clash has these rows, otherwise the shares of the clashes of each row add up to at most 1.

    >>> Clash((0, 1), (1, 1)), Clash((0, 1), (1, 1), Fraction(1, 2))
    (Clash(rows=(0, 1), multipliers=(1, 1)), Clash(rows=(0, 1), multipliers=(1, 1), share=1/2))
    """

    rows: tuple[int, ...]
    multipliers: tuple[int, ...]
    share: Fraction = ONE

    def __repr__(self) -> str:
        multipliers = tuple_repr([decimal_text(value) for value in self.multipliers])
        share = "" if self.share == 1 else f", share={self.share}"
        return f"Clash(rows={self.rows}, multipliers={multipliers}{share})"


def immediate_clashes(problem: ExactProblem, rows: MergedRows) -> list[Clash]:
    """The clashes that merging found: rows of zeros, and pairs of opposite rows."""
    clashes = [Clash((int(problem.numbers[row]),), (1,)) for row in rows.zeros]
    for pair in rows.pairs:
        found = (
            Clash((int(problem.numbers[pair[0]]), int(problem.numbers[pair[1]])), (1, 1))
            if problem.fit_intercept
            else make_clash(problem, pair)
        )
        assert found is not None, "opposite rows clash"
        clashes.append(found)
    return clashes


def make_clash(problem: ExactProblem, rows: Sequence[int], share: Fraction = ONE) -> Clash | None:
    """The clash of exactly these rows; None if they do not clash. All but the last must be independent."""
    whole = [problem.integer_row(row) for row in rows]
    parts = solve_independent(whole[:-1], [-value for value in whole[-1]])
    if parts is None or any(part <= 0 for part in parts):
        return None
    powers = [Fraction(2) ** -problem.row_exponent(row) for row in rows]
    multipliers = primitive_vector([part * power for part, power in zip([*parts, ONE], powers, strict=True)])
    pairs = sorted(zip((int(problem.numbers[row]) for row in rows), multipliers, strict=True))
    return Clash(tuple(row for row, _ in pairs), tuple(value for _, value in pairs), share)


@dataclass(frozen=True)
class DirectionClash:
    """A clash of merged rows: its directions, the member of each that was used, and the clash of these members."""

    directions: list[int]
    members: list[int]
    clash: Clash

    def in_members(self, problem: ExactProblem, members: list[int], share: Fraction) -> Clash:
        """The clash of other members of the same directions. With an offset these are equal rows."""
        if members == self.members:
            return replace(self.clash, share=share)
        if not problem.fit_intercept:
            found = make_clash(problem, members, share)
            assert found is not None, "members of the same directions clash"
            return found
        old = dict(zip(self.clash.rows, self.clash.multipliers, strict=True))
        numbers = [
            (int(problem.numbers[row]), int(problem.numbers[used]))
            for row, used in zip(members, self.members, strict=True)
        ]
        pairs = sorted((row, old[used]) for row, used in numbers)
        return Clash(tuple(row for row, _ in pairs), tuple(value for _, value in pairs), share)


def prove_clash(problem: ExactProblem, directions: list[int], members: list[int]) -> DirectionClash | None:
    """The clash of some members, one of each direction; None if they do not clash."""
    clash = make_clash(problem, members)
    return None if clash is None else DirectionClash(directions, members, clash)
