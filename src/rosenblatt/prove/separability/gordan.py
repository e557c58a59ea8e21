"""Gordan's alternative for a few rows: a w that is positive on all of them, or a positive dependence of them."""

from collections.abc import Sequence

from ..exact.linear_algebra import (
    IntVector,
    PositiveDependence,
    dot,
    find_dependence,
    matrix_product,
    primitive_vector,
    rank,
    solve_gordan_exactly,
)
from ..time_limit import Clock
from .margin_program import (
    BITS_PER_REFINEMENT,
    MarginSolution,
    ScaledRows,
    exact_vertex,
    integer_whitening,
    magnified_margins,
    round_solution,
    scale_rows,
    solve_margin_program,
    unscale_solution,
)

MAX_WHITENINGS = 3  # of rows that nearly share a plane
MAX_REFINEMENTS = 8  # before the exact simplex method; 160 bits


def solve_gordan(rows: Sequence[IntVector], clock: Clock, whitened: int = 0) -> IntVector | PositiveDependence:
    """Gordan's alternative for a few rows: the proposal of floats if it is exactly right, else by exact arithmetic."""
    scaled = scale_rows(rows)
    proposal = solve_margin_program(scaled, clock)
    if proposal is None:
        return solve_gordan_exactly(rows, clock)
    exact_point = exact_vertex(rows, scaled, proposal)
    if exact_point is not None and _separates(rows, exact_point):
        short = unscale_solution(round_solution(proposal, 8), scaled)
        return short if _separates(rows, short) else exact_point
    dependence = find_dependence(rows, proposal.priced)
    if dependence is not None:
        return dependence
    if (
        whitened < MAX_WHITENINGS
        and (whitening := integer_whitening(scaled)) is not None
        and rank(whitening) == len(whitening)
    ):
        answer = solve_gordan(matrix_product(rows, whitening), clock, whitened + 1)
        return (
            answer
            if isinstance(answer, PositiveDependence)
            else primitive_vector([dot(row, answer) for row in whitening])
        )
    return _refine(rows, scaled, proposal, clock)


def _refine(
    rows: Sequence[IntVector], scaled: ScaledRows, proposal: MarginSolution, clock: Clock
) -> IntVector | PositiveDependence:
    """Refine a proposal in rounds; if that fails, use the exact simplex method."""
    z = [0] * len(rows[0])
    for _ in range(MAX_REFINEMENTS):
        clock.check()
        dependence = find_dependence(rows, proposal.tight)
        if dependence is not None:
            return dependence
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
