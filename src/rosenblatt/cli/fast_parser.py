"""Options and arguments of commands, and a fast parser of command lines.

Importing typer takes longer than training on a table of a thousand rows. This parser therefore reads command lines that
are plainly correct, and refuses those that are plainly wrong. Everything else goes to typer: help, completion, and rare
spellings.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from ..foundation.suggestions import did_you_mean

SPECIAL_WORDS = ("-h", "--help", "--help-all", "--")  # that only typer understands
INTEGER, NUMBER = re.compile(r"\d{1,18}"), re.compile(r"(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")
INSTEAD = {("--C", "auto"): "--tune chooses it"}  # of values that the option has in Python alone


class Option:
    """The arguments of a typer.Option. Advanced ones are shown by --help-all only."""

    def __init__(self, *names: str, advanced: bool = False, **settings: Any) -> None:
        self.names, self.advanced, self.settings = names, advanced, settings


class Argument:
    """The arguments of a typer.Argument."""

    def __init__(self, **settings: Any) -> None:
        self.names, self.settings = (), settings


class TyperNeeded(Exception):
    """The words are neither plainly correct nor plainly wrong: typer must parse them."""


class UsageError(Exception):
    """The words are wrong. The text is a sentence that says why."""


def parse_words(command: Callable[..., None], words: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of a command that the words give.

    >>> from typing import Annotated
    >>> def paint(what: Annotated[str, Argument()], coats: Annotated[int, Option()] = 1) -> None: ...
    >>> parse_words(paint, ["door", "--coats", "2"])
    {'coats': 2, 'what': 'door'}
    """
    if any(word in SPECIAL_WORDS for word in words):
        raise TyperNeeded
    types, options, arguments = _parameters(command)
    given: dict[str, Any] = {}
    positional: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, text = word.partition("=")
        if not word.startswith("-") or word == "-":
            positional.append(word)
        elif name not in options:
            raise _unknown_option(name, options)
        else:
            _add_option(given, name, options[name], types[options[name]], text if equals else None, rest)
    for parameter in arguments:
        several = get_origin(types[parameter]) is list
        if not positional and parameter in _parameters_with_defaults(command):
            continue
        name = _argument_name(command, parameter)
        if not positional:
            raise UsageError(f"{name} is missing.")
        kind = types[parameter]
        given[parameter] = list(map(_item_type(kind), positional)) if several else _parse(name, kind, positional[0])
        positional = [] if several else positional[1:]
    if positional:
        raise UsageError(f"{positional[0]!r} is one argument too many.")
    return given


def option_names(command: Callable[..., None]) -> set[str]:
    """Return the names of a command's options, with their dashes."""
    return set(_parameters(command)[1])


def _unknown_option(name: str, options: Collection[str]) -> Exception:
    """The error for a word that begins as an option. Several letters after one dash are several options to typer."""
    if not name.startswith("--") and len(name) > 2:
        return TyperNeeded()
    return UsageError(f"there is no option {name}{did_you_mean(name, options)}")


def _argument_name(command: Callable[..., None], parameter: str) -> str:
    """Return how the help calls an argument."""
    about = get_args(command.__annotations__[parameter])[1]
    return str(about.settings.get("metavar", parameter.upper()))


def _add_option(
    given: dict[str, Any], name: str, parameter: str, kind: Any, text: str | None, rest: Iterator[str]
) -> None:
    """Add one option. Its value follows an equals sign or is the next word."""
    several = get_origin(kind) is list
    if kind is bool and text is None:
        if parameter in given:
            raise TyperNeeded
        given[parameter] = True
        return
    if kind is bool or (parameter in given and not several):
        raise TyperNeeded
    if text is None and (text := next(rest, None)) is None:
        raise UsageError(f"{name} needs a value after it.")
    value = _parse(name, _item_type(kind) if several else kind, text)
    if several:
        given.setdefault(parameter, []).append(value)
    else:
        given[parameter] = value


def _parameters_with_defaults(command: Callable[..., None]) -> tuple[str, ...]:
    code, values = command.__code__, command.__defaults__ or ()
    names: tuple[str, ...] = code.co_varnames[: code.co_argcount]
    return names[len(names) - len(values) :]


def _parameters(command: Callable[..., None]) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Return the type of each parameter, the parameter of each option, and the arguments."""
    types: dict[str, Any] = {}
    options: dict[str, str] = {}
    arguments = []
    for parameter, annotation in command.__annotations__.items():
        if parameter == "return":
            continue
        kind, about = get_args(annotation)
        if isinstance(kind, UnionType):
            kind = next(one for one in get_args(kind) if one is not NoneType)
        types[parameter] = kind
        if isinstance(about, Argument):
            arguments.append(parameter)
            continue
        for name in about.names or (f"--{parameter.replace('_', '-')}",):
            options[name] = parameter
    return types, options, arguments


def _item_type(kind: Any) -> Any:
    """Return the type of a list's items."""
    return get_args(kind)[0]


def _parse(name: str, kind: Any, text: str) -> Any:
    """Return the value of an option or argument."""
    if not text or text.startswith("-") or kind not in (int, float, str, Path):
        raise TyperNeeded
    if kind not in (int, float) or (INTEGER if kind is int else NUMBER).fullmatch(text):
        return kind(text)
    try:
        kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        instead = f": {INSTEAD[name, text]}" if (name, text) in INSTEAD else ""
        raise UsageError(f"{name} must be {what}, not {text!r}{instead}.") from None
    raise TyperNeeded
