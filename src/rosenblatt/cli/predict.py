"""`rosenblatt predict`: from a model file and a table to labels."""

from pathlib import Path
from typing import Annotated

import typer

from .talk import ending_well


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", readable=False, help="A file that train has saved.")],
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", readable=False, help="A table with its columns.")],
    output: Annotated[
        Path | None, typer.Option(metavar="OUT.csv", show_default=False, help="Write to a file, not to the terminal.")
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Add the decision values, one column a class (of two, the second).")
    ] = False,
) -> None:
    """Give every row of a table its class.

    \b
      rosenblatt predict flowers.rosenblatt.safetensors new.csv
      rosenblatt predict flowers.rosenblatt.safetensors new.csv --output out.csv

    The table has the columns that the model was trained on, in any order; others are ignored, the target too. The
    result is CSV: a header, then one line a row.
    """
    with ending_well():
        from .predicting import predict_table

        predict_table(model, file, output, scores)
