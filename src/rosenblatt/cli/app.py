"""The commands together. Help is plain text: formatting it with rich would double the time it takes."""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import Signature, signature
from typing import Annotated, Any, get_args

import typer

from ..foundation.version import __version__
from .commands import COMMANDS
from .fast_parser import Argument, Option

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _for_typer(command: Callable[..., None]) -> Callable[..., None]:
    """The same command, with its options and arguments as typer describes them."""
    with_typer = {Option: typer.Option, Argument: typer.Argument}

    @wraps(command)
    def run(**given: Any) -> None:
        command(**given)

    parameters = []
    for parameter in signature(command).parameters.values():
        kind, about = get_args(parameter.annotation)
        described = Annotated[kind, with_typer[type(about)](*about.names, **about.how)]  # type: ignore[valid-type]
        parameters.append(parameter.replace(annotation=described))
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__dict__["__signature__"] = Signature(parameters)
    return run


for name in COMMANDS:
    app.command()(_for_typer(getattr(import_module(f".{name}", __package__), name)))


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rosenblatt {__version__}")
        raise typer.Exit


@app.callback()
def rosenblatt(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Linear classifiers from the command line: the perceptron and its family.

    \b
      rosenblatt train flowers.csv --target species
      rosenblatt predict flowers.rosenblatt.safetensors new.csv
      rosenblatt evaluate flowers.rosenblatt.safetensors test.csv
      rosenblatt explain flowers.rosenblatt.safetensors
      rosenblatt check flowers.csv --target species
      rosenblatt lab

    Results go to standard output (as JSON with --json), everything else to standard error.
    """
