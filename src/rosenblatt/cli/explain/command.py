"""`rosenblatt explain`: show the largest weights of a model, or the contributions to one prediction."""

from pathlib import Path
from typing import Annotated

from ..console import handle_errors
from ..fast_parser import Argument, Option
from ..options import MODEL_HELP, Json


def explain(
    model: Annotated[Path, Argument(metavar="MODEL", readable=False, help=MODEL_HELP)],
    files: Annotated[list[str] | None, Argument(metavar="FILE", help="A table: explain one of its rows.")] = None,
    row: Annotated[int, Option(metavar="N", help="The row to explain, counted from 1.")] = 1,
    top: Annotated[int, Option(metavar="N", help="Number of columns to show.")] = 10,
    as_json: Json = False,
) -> None:
    """Show the largest weights, or explain one prediction.

    \b
      rosenblatt explain mails.rosenblatt.safetensors
      rosenblatt explain mails.rosenblatt.safetensors new.csv --row 7

    A weight applies to the column as the model sees it: a number in standard
    deviations from its mean, a category or word as 0 or more. Exits with 0, or
    with 2 if the model or the table cannot be used.
    """
    with handle_errors():
        from ...foundation.errors import InputError
        from .describe import explain_model, explain_row

        if top < 1:
            raise InputError(f"--top must be a whole number of at least 1, not {top}.")
        found = explain_row(model, files, row, top) if files else explain_model(model, top)
        print(found.as_json() if as_json else found.as_text())
