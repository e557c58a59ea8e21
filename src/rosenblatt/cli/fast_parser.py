"""Options and arguments of commands, and a quick way to read words that fit them.

Typer reads command lines and explains those that are wrong, but to import it, and what it reads values with, takes
longer than to train on a table of a thousand rows. So words that are plainly right are read here, and typer is asked
for help, and about everything else.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

WHOLE, NUMBER = re.compile(r"\d{1,18}"), re.compile(r"(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")


class Option:
    """What typer.Option is given."""

    def __init__(self, *names: str, **how: Any) -> None:
        self.names, self.how = names, how


class Argument:
    """What typer.Argument is given."""

    def __init__(self, **how: Any) -> None:
        self.names, self.how = (), how


class Unclear(Exception):
    """Words that are not plainly right."""


def read(command: Callable[..., None], words: Sequence[str]) -> dict[str, Any]:
    """The parameters of a command, as far as words give them.

    >>> from typing import Annotated
    >>> def paint(what: Annotated[str, Argument()], coats: Annotated[int, Option()] = 1) -> None: ...
    >>> read(paint, ["door", "--coats", "2"])
    {'coats': 2, 'what': 'door'}
    """
    kinds, options, arguments = _parameters(command)
    given: dict[str, Any] = {}
    left: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, text = word.partition("=")
        if not word.startswith("-") or word == "-":
            left.append(word)
        elif name not in options:
            raise Unclear
        else:
            _take(given, options[name], kinds[options[name]], text if equals else None, rest)
    for parameter in arguments:
        several = get_origin(kinds[parameter]) is list
        if not left and parameter in _defaults(command):
            continue
        if not left:
            raise Unclear
        given[parameter] = list(map(_item(kinds[parameter]), left)) if several else _value(kinds[parameter], left[0])
        left = [] if several else left[1:]
    if left:
        raise Unclear
    return given


def _take(given: dict[str, Any], parameter: str, kind: Any, text: str | None, rest: Iterator[str]) -> None:
    """One more option, its value behind an equals sign or in the next word."""
    if get_origin(kind) is list:
        given.setdefault(parameter, []).append(_value(_item(kind), next(rest, "") if text is None else text))
    elif parameter in given or (kind is bool and text is not None):
        raise Unclear
    else:
        given[parameter] = True if kind is bool else _value(kind, next(rest, "") if text is None else text)


def _defaults(command: Callable[..., None]) -> tuple[str, ...]:
    code, values = command.__code__, command.__defaults__ or ()
    names: tuple[str, ...] = code.co_varnames[: code.co_argcount]
    return names[len(names) - len(values) :]


def _parameters(command: Callable[..., None]) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """What each parameter holds, the parameter of each option, and the arguments."""
    kinds: dict[str, Any] = {}
    options: dict[str, str] = {}
    arguments = []
    for parameter, annotation in command.__annotations__.items():
        if parameter == "return":
            continue
        kind, about = get_args(annotation)
        if isinstance(kind, UnionType):
            kind = next(one for one in get_args(kind) if one is not NoneType)
        kinds[parameter] = kind
        if isinstance(about, Argument):
            arguments.append(parameter)
            continue
        for name in about.names or (f"--{parameter.replace('_', '-')}",):
            options[name] = parameter
    return kinds, options, arguments


def _item(kind: Any) -> Any:
    """What a list holds."""
    return get_args(kind)[0]


def _value(kind: Any, text: str) -> Any:
    if not text or text.startswith("-") or kind not in (int, float, str, Path):
        raise Unclear
    if kind in (int, float) and not (WHOLE if kind is int else NUMBER).fullmatch(text):
        raise Unclear
    return kind(text)
