"""Columns by name."""

from ..errors import InputError
from .batches import Source
from .kinds import is_numeral

SHOWN_NAMES = 8


def find(source: Source, name: str, purpose: str) -> str:
    """The name of a column that must be there."""
    if name and name in source.names:
        return name
    from difflib import get_close_matches

    close = get_close_matches(name, source.names, n=1, cutoff=0.5)
    if close:
        advice = f"did you mean {close[0]!r}?"
    elif all(map(is_numeral, source.names)):
        advice = "the first line must name the columns."
    else:
        shown = ", ".join(map(repr, source.names[:SHOWN_NAMES]))
        advice = f"it has {shown}{' and more' if len(source.names) > SHOWN_NAMES else ''}."
    raise InputError(f"{source.path} has no column {name!r} {purpose}: {advice}")
