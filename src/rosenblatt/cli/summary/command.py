"""`rosenblatt summary`: standard errors, tests and intervals of a logistic regression on a table."""

from typing import Annotated

from ..console import handle_errors, print_result, say
from ..fast_parser import Option, option_names
from ..options import Files, Json, Quiet, column_option, require_positive


def summary(
    files: Files,
    target: Annotated[str | None, column_option("The column with the classes.")] = None,
    firth: Annotated[
        bool,
        Option("--firth", help="Reduce bias by Jeffreys' penalty; estimates are finite even for separated classes."),
    ] = False,
    exact: Annotated[
        bool, Option("--exact", help="Use exact conditional tests and intervals, for small samples.")
    ] = False,
    formula: Annotated[
        str | None,
        Option(metavar="FORMULA", help="Instead of --target: a formula, such as 'ill ~ age + C(drug):dose'."),
    ] = None,
    base: Annotated[
        str | None,
        Option(metavar="CLASS", help="With three or more classes: what coefficients are relative to (the first)."),
    ] = None,
    counts: Annotated[str | None, column_option("A column with how many rows each line stands for.")] = None,
    drop: Annotated[list[str] | None, column_option("Leave a column out (repeatable).")] = None,
    categorical: Annotated[list[str] | None, column_option("Read a column as categories (repeatable).")] = None,
    level: Annotated[float, Option(metavar="SHARE", help="Level of the intervals.")] = 0.95,
    max_seconds: Annotated[float, Option(metavar="N", help="With --exact: count outcomes for N seconds.")] = 60.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print coefficients with standard errors, tests and intervals.

    \b
      rosenblatt summary trial.csv --target outcome
      rosenblatt summary trial.csv --target outcome --firth
      rosenblatt summary trial.csv --target outcome --exact
      rosenblatt summary trial.csv --target outcome --counts n --json
      rosenblatt summary iris.csv --target species --base setosa
      rosenblatt summary trial.csv --formula "outcome ~ age + C(drug):dose"

    The model is a logistic regression without a penalty or with Jeffreys' (Firth). Three or more classes are trained
    together, and each class but the base has coefficients relative to it. Intervals and likelihood-ratio (LR) tests use
    the profile likelihood. Without a penalty an infinite estimate is printed as infinite, decided in exact arithmetic.
    --exact needs no large sample: it counts every outcome with the sufficient statistics of the other coefficients, and
    bounds what it did not count in time. Numbers are used as they are; the first value of a category is the reference.
    Exits with 0, or with 2 if the input cannot be used.
    """
    with handle_errors(can_drop=True, options=option_names(summary)):
        from .summarise import SummaryRequest, summarise_table

        require_positive("--max-seconds", max_seconds)
        columns = tuple(drop or ()), tuple(categorical or ())
        request = SummaryRequest(files, target, firth, counts, *columns, level, exact, max_seconds, formula, base)
        found = summarise_table(request, (lambda _: None) if quiet else say)
        print(found.to_json()) if as_json else print_result(str(found))
