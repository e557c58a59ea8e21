"""The typer application with all commands."""

from typing import Annotated

import typer

from ..foundation.version import __version__
from .commands import COMMANDS
from .typer_command import HELP_OPTIONS, typer_command

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=HELP_OPTIONS,
)
for name in COMMANDS:
    app.command()(typer_command(name))


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
