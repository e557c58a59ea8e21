"""The text of an audit: a table of its record, the mistakes and their limit, and the verdict."""

from collections.abc import Sequence

from ...foundation.notebook_html import curves_picture
from ...foundation.rounding import count_at_most
from .mistake_bound import MistakeBound
from .traced_rows import Record


def audit_text(
    names: Sequence[str], cells: Sequence[Sequence[float]], counted: str, bound: MistakeBound, why_not: str, when: str
) -> str:
    """A table and a sentence. `when` says where the inequalities are compared; `why_not` is empty if they hold."""
    lines = [" ".join(f"{cell:>12}" for cell in names)] if cells else []
    lines += [" ".join(f"{f'{cell:.6g}':>12}" for cell in line) for line in cells]
    limit = f"{count_at_most(bound.bound)} were possible" if bound else "no limit is known"
    return "\n".join([*lines, f"{counted}, {limit}: {_verdict(bound, why_not, when)}"])


def _verdict(bound: MistakeBound, why_not: str, when: str) -> str:
    if why_not or bound:
        return why_not or f"both inequalities hold {when}"
    return f"||w||^2 keeps its bound {when}; {bound}"


def audit_picture(record: Record, when: str) -> str:
    """||w||^2 and its bound, as curves."""
    curves = [record[name].tolist() for name in ("squared_norm", "most_squared_norm")]
    return curves_picture(curves, f"||w||^2 {when}, below its bound")
