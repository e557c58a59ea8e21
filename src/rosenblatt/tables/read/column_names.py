"""Find columns by name, with an error that suggests the name that was meant."""

from ...foundation.errors import InputError
from ...foundation.suggestions import closest_name
from ..encode.column_kinds import is_numeral
from .batches import Source

MAX_LISTED_NAMES = 8


def list_names(names: list[str]) -> str:
    """The first names and the last one: the target is most often among these.

    >>> list_names(["a", "b"]), list_names(list("abcdefghijk"))
    ("'a', 'b'", "'a', 'b', 'c', 'd', 'e', 'f', 'g' ... 'k'")
    """
    if len(names) <= MAX_LISTED_NAMES:
        return ", ".join(map(repr, names))
    return f"{', '.join(map(repr, names[: MAX_LISTED_NAMES - 1]))} ... {names[-1]!r}"


def find_column(source: Source, name: str, purpose: str) -> str:
    """Return the name if the source has this column; otherwise raise an error that suggests another name."""
    if name and name in source.names:
        return name
    close = closest_name(name, filter(None, source.names)) if name else None
    if close is not None:
        advice = f"did you mean {close!r}?"
    elif all(map(is_numeral, source.names)):
        advice = "the first line must name the columns."
    else:
        advice = f"it has {list_names(source.names)}."
    raise InputError(f"{source.path} has no column {name!r} {purpose}: {advice}")


def find_target(source: Source, name: str | None) -> str:
    """The column to predict: the one named, or the one that the file format defines."""
    target = source.target if name is None else name
    if target is None:
        raise InputError(
            f"target is missing: name the column of {source.path} to predict; it has {list_names(source.names)}."
        )
    return find_column(source, target, "to predict")
