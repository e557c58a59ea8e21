"""`rosenblatt evaluate`: measure a model on rows whose class is known."""

from pathlib import Path
from typing import Annotated

from ...foundation.errors import InputError
from ..console import handle_errors
from ..fast_parser import Argument, Option
from ..options import MODEL_HELP, Force, Json, Scheduler, Workers, chosen_executor, column_option


def evaluate(
    model: Annotated[Path, Argument(metavar="MODEL", readable=False, help=MODEL_HELP)],
    files: Annotated[
        list[str],
        Argument(metavar="FILE", help="Models to compare with, if any, then files with rows.", show_default=False),
    ],
    target: Annotated[str | None, column_option("The column with the true classes.")] = None,
    cost: Annotated[
        list[str] | None,
        Option(metavar="TRUTH:DECISION=X", help="Cost of a wrong decision (repeatable, default 1)."),
    ] = None,
    report: Annotated[
        Path | None,
        Option(metavar="OUT.html", show_default=False, help="Write a page with tables and plots to one HTML file."),
    ] = None,
    force: Force = False,
    workers: Workers = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Measure a model on rows whose class is known.

    \b
      rosenblatt evaluate mails.rosenblatt.safetensors new.csv
      rosenblatt evaluate m new.csv --cost ham:spam=10 --cost spam:ham=1
      rosenblatt evaluate m other.rosenblatt.safetensors new.csv
      rosenblatt evaluate m new.csv --report report.html

    Use rows that the model was not trained on. Prints the accuracy with a 95 %
    interval, the confusion matrix, precision and recall, the area under the ROC
    curve, the log-loss and calibration errors of probabilities, and with --cost
    the mean cost of a decision. With several models, prints how much each differs from the
    first on the same rows, with a 95 % interval and the p-value of McNemar's
    test. Exits with 0, or with 2 if a model or the table cannot be used.
    """
    with handle_errors():
        from ..output_paths import check_overwrite, is_one_of, refuse_standard_output
        from .compare import evaluate_models

        if report is not None:
            refuse_standard_output(report, "--report")
            if is_one_of(report, [str(model), *files]):
                raise InputError(f"{report} is read here: give --report another name.")
            check_overwrite(report, "a report", force, "--report")
        evaluations = evaluate_models(model, files, target, cost or (), chosen_executor(workers, scheduler))
        if report is not None:
            from .html_report import write_report

            write_report(evaluations, report)
        print(evaluations.as_json() if as_json else evaluations.as_text())
