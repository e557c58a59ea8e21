"""`rosenblatt evaluate`: how good is a model on rows whose class is known?"""

from pathlib import Path
from typing import Annotated

from ..console import ending_well
from ..fast_parser import Argument, Option
from ..options import Files, Json


def evaluate(
    model: Annotated[Path, Argument(metavar="MODEL", readable=False, help="A file that train has saved.")],
    files: Files,
    target: Annotated[
        str | None, Option(metavar="COLUMN", show_default=False, help="The true classes (as in training).")
    ] = None,
    cost: Annotated[
        list[str] | None,
        Option(metavar="TRUTH:DECISION=X", help="What a wrong decision costs (1). Can be given again."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure a model on rows whose class is known: best rows that it has not seen.

    \b
      rosenblatt evaluate mails.rosenblatt.safetensors new.csv
      rosenblatt evaluate m new.csv --cost ham:spam=10 --cost spam:ham=1

    Prints the accuracy with a 95 % interval, how many rows of each class were
    given to which, precision and recall, the area under the ROC curve, and the
    mean cost of a decision. Costs not given are 1 for wrong decisions.
    """
    with ending_well():
        from .measure import evaluate_table

        measures = evaluate_table(model, files, target, cost or ())
        print(measures.as_json() if as_json else measures.as_text())
