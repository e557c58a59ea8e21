"""Options and arguments of commands, and a fast parser for well-formed command lines.

Importing typer takes longer than training on a table of a thousand rows. This parser therefore reads command lines that
are plainly correct. Everything else goes to typer: help, completion, and lines that need an error message.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

INTEGER, NUMBER = re.compile(r"\d{1,18}"), re.compile(r"(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")


class Option:
    """The arguments of a typer.Option. Advanced ones are shown by --help-all only."""

    def __init__(self, *names: str, advanced: bool = False, **settings: Any) -> None:
        self.names, self.advanced, self.settings = names, advanced, settings


class Argument:
    """The arguments of a typer.Argument."""

    def __init__(self, **settings: Any) -> None:
        self.names, self.settings = (), settings


class TyperNeeded(Exception):
    """The words are not plainly correct: typer must parse them."""


def parse_words(command: Callable[..., None], words: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of a command that the words give.

    >>> from typing import Annotated
    >>> def paint(what: Annotated[str, Argument()], coats: Annotated[int, Option()] = 1) -> None: ...
    >>> parse_words(paint, ["door", "--coats", "2"])
    {'coats': 2, 'what': 'door'}
    """
    types, options, arguments = _parameters(command)
    given: dict[str, Any] = {}
    positional: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, text = word.partition("=")
        if not word.startswith("-") or word == "-":
            positional.append(word)
        elif name not in options:
            raise TyperNeeded
        else:
            _add_option(given, options[name], types[options[name]], text if equals else None, rest)
    for parameter in arguments:
        several = get_origin(types[parameter]) is list
        if not positional and parameter in _parameters_with_defaults(command):
            continue
        if not positional:
            raise TyperNeeded
        kind = types[parameter]
        given[parameter] = list(map(_item_type(kind), positional)) if several else _parse(kind, positional[0])
        positional = [] if several else positional[1:]
    if positional:
        raise TyperNeeded
    return given


def option_names(command: Callable[..., None]) -> set[str]:
    """Return the names of a command's options, with their dashes."""
    return set(_parameters(command)[1])


def _add_option(given: dict[str, Any], parameter: str, kind: Any, text: str | None, rest: Iterator[str]) -> None:
    """Add one option. Its value follows an equals sign or is the next word."""
    if get_origin(kind) is list:
        given.setdefault(parameter, []).append(_parse(_item_type(kind), next(rest, "") if text is None else text))
    elif parameter in given or (kind is bool and text is not None):
        raise TyperNeeded
    else:
        given[parameter] = True if kind is bool else _parse(kind, next(rest, "") if text is None else text)


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


def _parse(kind: Any, text: str) -> Any:
    if not text or text.startswith("-") or kind not in (int, float, str, Path):
        raise TyperNeeded
    if kind in (int, float) and not (INTEGER if kind is int else NUMBER).fullmatch(text):
        raise TyperNeeded
    return kind(text)
