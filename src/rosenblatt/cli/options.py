"""Options that several commands share, and the parsing of their values."""

from collections.abc import Sequence
from math import inf
from typing import Annotated, Any

from ..foundation.errors import InputError
from .completion import complete_columns
from .fast_parser import Argument, Option

Files = Annotated[
    list[str],
    Argument(metavar="FILE", help="Files, 'patterns*', folders, or - for stdin.", show_default=False),
]
Json = Annotated[bool, Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Print no progress and no hints.")]
Force = Annotated[bool, Option("--force", help="Overwrite OUT even if it is a file of another kind.")]
Workers = Annotated[int | None, Option(metavar="N", help="Use N processes of this machine.")]
Scheduler = Annotated[str | None, Option(metavar="URL", help="Use the workers of a Dask scheduler.")]
GivenExecutor = int | str | None  # the number of local processes, the address of a Dask scheduler, or neither
MODEL_HELP = "A model file that `rosenblatt train` wrote."


def column_option(help: str, advanced: bool = False) -> Option:
    """Return an option that takes the name of a column."""
    return Option(metavar="COLUMN", autocompletion=complete_columns, show_default=False, help=help, advanced=advanced)


def parse_pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    """Parse the values of an option that takes NAME=VALUE.

    >>> parse_pairs("--set", ["tol=0.1"])
    {'tol': '0.1'}
    """
    found = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not equals or not name:
            raise InputError(f"{option} takes NAME=VALUE, not {text!r}.")
        found[name] = value
    return found


def parse_number(option: str, text: str) -> float:
    """Parse the value of an option that takes a number."""
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} takes a number, not {text!r}.") from None


def require_positive(option: str, value: float | None) -> None:
    """Refuse an option that is not a finite number above 0, if it is given.

    >>> require_positive("--max-seconds", -1.0)
    Traceback (most recent call last):
        ...
    rosenblatt.foundation.errors.InputError: --max-seconds must be a finite number above 0, not -1.
    """
    if value is not None and not 0 < value < inf:
        raise InputError(f"{option} must be a finite number above 0, not {value:g}.")


def parse_value(text: str) -> Any:
    """Return a number, truth value, None or a tuple of them if the text is written as one, else the text.

    >>> parse_value("3"), parse_value("0.5"), parse_value("true"), parse_value("none"), parse_value("cyclic")
    (3, 0.5, True, None, 'cyclic')
    >>> parse_value("(0, None)")
    (0, None)
    """
    if text.startswith("(") and text.endswith(")"):
        return tuple(parse_value(part.strip()) for part in text[1:-1].split(",") if part.strip())
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_class_weights(given: Sequence[str] | None) -> dict[str, float] | str | None:
    """Parse the values of --class-weight.

    >>> parse_class_weights(["balanced"]), parse_class_weights(["spam=2"])
    ('balanced', {'spam': 2.0})
    """
    if given is None or list(given) == ["balanced"]:
        return "balanced" if given else None
    option = "--class-weight"
    return {name: parse_number(option, weight) for name, weight in parse_pairs(option, given).items()}


def chosen_executor(workers: int | None, scheduler: str | None) -> GivenExecutor:
    """Who works: so many local processes, or the workers of a scheduler; None for this process alone."""
    if workers is not None and scheduler is not None:
        raise InputError("--workers does not go with --scheduler, which has workers of its own: give one of them.")
    if workers is not None and workers < 1:
        raise InputError(f"--workers must be a whole number of at least 1, not {workers}.")
    if scheduler is not None and "://" not in scheduler:
        raise InputError(f"--scheduler must be an address such as tcp://host:8786, not {scheduler!r}.")
    return scheduler if workers is None else workers
