"""`rosenblatt train`: from a table to a model file."""

from pathlib import Path
from typing import Annotated

import typer

from ..named import ALGORITHMS
from ..orders import ORDERS
from .talk import INTERRUPTED, ending_well, say


def train(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", readable=False, help="A table of numbers.")],
    target: Annotated[str, typer.Option(metavar="COLUMN", show_default=False, help="The column to predict.")],
    algorithm: Annotated[str, typer.Option(metavar="NAME", help=", ".join(ALGORITHMS) + ".")] = "averaged",
    order: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which row is visited next: " + ", ".join(ORDERS) + ".")
    ] = None,
    multi_class: Annotated[
        str, typer.Option(metavar="NAME", help="Three classes or more: ovr (each against the rest) or joint.")
    ] = "ovr",
    max_iter: Annotated[
        int | None, typer.Option(metavar="N", help="Epochs at most (1000).", show_default=False)
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop after so much time.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed, the same model.")] = 0,
    test_fraction: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of rows held out to measure accuracy.")
    ] = 0.2,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out. Can be given again.")
    ] = None,
    no_scale: Annotated[bool, typer.Option("--no-scale", help="Neither centre nor scale the columns.")] = False,
    model: Annotated[
        Path | None,
        typer.Option(metavar="OUT", show_default=False, help="Where to save (FILE.rosenblatt.safetensors)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the result only: no progress, no hints.")] = False,
) -> None:
    """Learn to predict one column of a table from the others.

    \b
      rosenblatt train flowers.csv --target species
      rosenblatt train flowers.csv --target species --ignore id --algorithm pocket

    The first line names the columns. The target may hold text or numbers, all other columns hold numbers, and no value
    is missing; a column without a name is left out. Columns are centred and scaled for training; the saved model takes
    them as they are.
    """
    with ending_well():
        from .progress import Bar
        from .request import Request
        from .training import train_table

        request = Request(
            file=file,
            target=target,
            algorithm=algorithm,
            order=order,
            multi_class=multi_class,
            max_iter=max_iter,
            max_seconds=max_seconds,
            seed=seed,
            test_fraction=test_fraction,
            ignore=tuple(ignore or ()),
            scale=not no_scale,
            model=model,
        )
        with Bar(quiet) as bar:
            report = train_table(request, bar.watch)
        print(report.as_json() if as_json else report.as_text())
        if report.reason == "interrupted":
            say(f"interrupted: what was learned so far is saved in {report.model}.")
            raise typer.Exit(INTERRUPTED)
        for hint in () if quiet else report.hints():
            say(f"hint: {hint}")
