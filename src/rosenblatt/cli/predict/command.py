"""`rosenblatt predict`: predict the class of every row of a table."""

from pathlib import Path
from typing import Annotated

from ..console import handle_errors
from ..fast_parser import Argument, Option
from ..options import MODEL_HELP, Files, Force, Scheduler, Workers, chosen_executor


def predict(
    model: Annotated[Path, Argument(metavar="MODEL", readable=False, help=MODEL_HELP)],
    files: Files,
    output: Annotated[
        Path | None,
        Option("--output", "-o", metavar="OUT", show_default=False, help="Write to a file instead of standard output."),
    ] = None,
    force: Force = False,
    add: Annotated[bool, Option("--add", help="Write the table's own columns before the prediction.")] = False,
    probabilities: Annotated[bool, Option("--probabilities", help="Add the probability of each class.")] = False,
    scores: Annotated[bool, Option("--scores", help="Add the score of each class (of two: the second).")] = False,
    as_json: Annotated[bool, Option("--json", help="Write one JSON object per row instead of CSV.")] = False,
    workers: Workers = None,
    scheduler: Scheduler = None,
) -> None:
    """Predict the class of every row of a table.

    \b
      rosenblatt predict flowers.rosenblatt.safetensors new.csv
      rosenblatt predict mails.rosenblatt.safetensors new/*.csv --probabilities
      cat new.csv | rosenblatt predict m - --add -o out.csv

    Reads the columns that the model was trained on, in any order, and ignores
    others. Writes CSV: a header, then one line per row, while the table is
    read. Exits with 0, or with 2 if the model or the table cannot be used.
    """
    with handle_errors():
        from .output_lines import OutputColumns
        from .write_labels import predict_table

        executor = chosen_executor(workers, scheduler)
        predict_table(model, files, output, OutputColumns(add, probabilities, scores, as_json), force, executor)
