"""`rosenblatt explain`: which words and columns speak for which class, and what decided about one row."""

from pathlib import Path
from typing import Annotated

from ..console import ending_well
from ..fast_parser import Argument, Option
from ..options import Json


def explain(
    model: Annotated[Path, Argument(metavar="MODEL", readable=False, help="A file that train has saved.")],
    files: Annotated[list[str] | None, Argument(metavar="FILE...", help="A table, to explain one of its rows.")] = None,
    row: Annotated[int, Option(metavar="N", help="Which row of the table, from 1.")] = 1,
    top: Annotated[int, Option(metavar="N", help="How many columns to show.")] = 10,
    as_json: Json = False,
) -> None:
    """Show the columns and words that speak most for each class, or what decided.

    \b
      rosenblatt explain mails.rosenblatt.safetensors
      rosenblatt explain mails.rosenblatt.safetensors new.csv --row 7

    Weights are for columns as the model sees them: numbers in standard
    deviations from their mean, categories and words as 0 or more.
    """
    with ending_well():
        from .describe import explain_model, explain_row

        found = explain_row(model, files, row, top) if files else explain_model(model, top)
        print(found.as_json() if as_json else found.as_text())
