"""The commands together. Help is plain text: formatting it with rich would double the time it takes."""

from typing import Annotated

import typer

from .. import __version__
from .check import check
from .evaluate import evaluate
from .explain import explain
from .export import export
from .lab import lab
from .predict import predict
from .train import train
from .verify import verify

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(train)
app.command()(predict)
app.command()(evaluate)
app.command()(explain)
app.command()(export)
app.command()(check)
app.command()(verify)
app.command()(lab)


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
