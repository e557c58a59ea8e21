"""The typer application with all commands. Help is plain text: rich would double the time it takes."""

import os
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args

import typer

from ..foundation.version import __version__
from .commands import COMMANDS
from .fast_parser import Argument, Option

HELP_ALL = "help_all"
COMPLETION_REQUEST = "_ROSENBLATT_COMPLETE"  # set by a shell that asks for completions, which offer hidden options too

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


for name in COMMANDS:
    app.command()(_with_typer_options(getattr(import_module(f".{name}", __package__), name)))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rosenblatt {__version__}")
        raise typer.Exit


@app.callback()
def rosenblatt(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Train, use and check linear classifiers: the perceptron and its family.

    \b
      rosenblatt train flowers.csv --target species
      rosenblatt predict flowers.rosenblatt.safetensors new.csv
      rosenblatt evaluate flowers.rosenblatt.safetensors test.csv
      rosenblatt explain flowers.rosenblatt.safetensors
      rosenblatt check flowers.csv --target species
      rosenblatt summary trial.csv --target outcome --firth
      rosenblatt lab
      rosenblatt serve flowers.rosenblatt.safetensors

    Results go to standard output (as JSON with --json), messages to standard error. The exit code is 0 for success and
    2 if the command or a file cannot be used.
    """
