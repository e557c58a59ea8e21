"""`rosenblatt predict`: from a model file and a table to labels."""

from pathlib import Path
from typing import Annotated

from ..console import ending_well
from ..fast_parser import Argument, Option
from ..options import Files


def predict(
    model: Annotated[Path, Argument(metavar="MODEL", readable=False, help="A file that train has saved.")],
    files: Files,
    output: Annotated[
        Path | None, Option(metavar="OUT", show_default=False, help="Write to a file, not to the terminal.")
    ] = None,
    add: Annotated[bool, Option("--add", help="Keep the table's own columns before the prediction.")] = False,
    probabilities: Annotated[
        bool, Option("--probabilities", help="Add the probability of each class, if the model has any.")
    ] = False,
    scores: Annotated[
        bool, Option("--scores", help="Add the decision values, one column a class (of two, the second).")
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object a row instead of CSV.")] = False,
) -> None:
    """Give every row of a table its class.

    \b
      rosenblatt predict flowers.rosenblatt.safetensors new.csv
      rosenblatt predict mails.rosenblatt.safetensors new/*.csv --probabilities
      cat new.csv | rosenblatt predict m - --add --output out.csv

    The table has the columns that the model was trained on, in any order; others
    are ignored, the target too. The result is CSV: a header, then one line a row,
    written while the table is read.
    """
    with ending_well():
        from .write_labels import Wanted, predict_table

        predict_table(model, files, output, Wanted(add, probabilities, scores, as_json))
