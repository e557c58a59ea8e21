"""Options that several commands have, and what their values mean."""

from collections.abc import Sequence
from typing import Annotated, Any

from ..foundation.errors import InputError
from .fast_parser import Argument, Option

Files = Annotated[
    list[str],
    Argument(metavar="FILE...", help="Files, 'patterns*', folders, or - (stdin).", show_default=False),
]
Json = Annotated[bool, Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="No progress, no hints.")]


def pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE, several of them.

    >>> pairs("--set", ["tol=0.1"])
    {'tol': '0.1'}
    """
    found = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not equals or not name:
            raise InputError(f"{option} takes NAME=VALUE, not {text!r}.")
        found[name] = value
    return found


def number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} takes a number, not {text!r}.") from None


def value(text: str) -> Any:
    """A number or truth value if it is written so, else the text.

    >>> value("3"), value("0.5"), value("true"), value("none"), value("cyclic")
    (3, 0.5, True, None, 'cyclic')
    """
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def class_weights(given: Sequence[str] | None) -> dict[str, float] | str | None:
    """
    >>> class_weights(["balanced"]), class_weights(["spam=2"])
    ('balanced', {'spam': 2.0})
    """
    if given is None or list(given) == ["balanced"]:
        return "balanced" if given else None
    option = "--class-weight"
    return {name: number(option, weight) for name, weight in pairs(option, given).items()}
