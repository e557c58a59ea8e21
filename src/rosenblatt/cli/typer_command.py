"""A command as typer sees it: with its own descriptions of options and arguments. Help is plain text: rich would double
the time it takes."""

import os
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args

import typer

from .commands import COMPLETION_REQUEST
from .fast_parser import Argument, Option

HELP_ALL = "help_all"
HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}


def typer_command(name: str) -> Callable[..., None]:
    """The function of a command, with typer's descriptions of its parameters."""
    return _with_typer_options(getattr(import_module(f".{name}", __package__), name))


def run_with_typer(name: str, words: Sequence[str]) -> None:
    """Run one command by typer, without loading the others."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(context_settings=HELP_OPTIONS)(typer_command(name))
    app(words, prog_name=f"rosenblatt {name}")


def _with_typer_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with typer's own descriptions of its options and arguments."""
    typer_classes = {Option: typer.Option, Argument: typer.Argument}

    @wraps(command)
    def run(**given: Any) -> None:
        given.pop(HELP_ALL, None)
        command(**given)

    parameters, advanced = [], set()
    for parameter in signature(command).parameters.values():
        kind, about = get_args(parameter.annotation)
        settings = about.settings
        if isinstance(about, Option) and about.advanced:
            advanced.add(parameter.name)
            settings = {**settings, "hidden": COMPLETION_REQUEST not in os.environ}
        described = Annotated[kind, typer_classes[type(about)](*about.names, **settings)]  # type: ignore[valid-type]
        parameters.append(parameter.replace(annotation=described))
    if advanced:
        parameters.append(_help_all_option(advanced))
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__dict__["__signature__"] = Signature(parameters)
    return run


def _help_all_option(advanced: set[str]) -> Parameter:
    """Return an option that prints the help with the options that --help leaves out."""

    def print_all(context: typer.Context, wanted: bool) -> bool:
        if not wanted:
            return wanted
        for option in context.command.params:
            if option.name in advanced:
                option.hidden = False  # type: ignore[attr-defined]
        typer.echo(context.get_help())
        raise typer.Exit

    about = typer.Option("--help-all", is_eager=True, callback=print_all, help="Show all options and exit.")
    return Parameter(HELP_ALL, Parameter.POSITIONAL_OR_KEYWORD, default=False, annotation=Annotated[bool, about])
