"""`rosenblatt evaluate`: measure a model on rows whose class is known."""

from pathlib import Path
from typing import Annotated

from ..console import handle_errors
from ..fast_parser import Argument, Option
from ..options import MODEL_HELP, Files, Json, column_option


def evaluate(
    model: Annotated[Path, Argument(metavar="MODEL", readable=False, help=MODEL_HELP)],
    files: Files,
    target: Annotated[str | None, column_option("The column with the true classes.")] = None,
    cost: Annotated[
        list[str] | None,
        Option(metavar="TRUTH:DECISION=X", help="Cost of a wrong decision (repeatable, default 1)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure a model on rows whose class is known.

    \b
      rosenblatt evaluate mails.rosenblatt.safetensors new.csv
      rosenblatt evaluate m new.csv --cost ham:spam=10 --cost spam:ham=1

    Use rows that the model was not trained on. Prints the accuracy with a 95 %
    interval, the confusion matrix, precision and recall, the area under the ROC
    curve, and the mean cost of a decision. Exits with 0, or with 2 if the model
    or the table cannot be used.
    """
    with handle_errors():
        from .measure import evaluate_table

        measures = evaluate_table(model, files, target, cost or ())
        print(measures.as_json() if as_json else measures.as_text())
