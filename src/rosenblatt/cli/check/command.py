"""`rosenblatt check`: decide whether a hyperplane separates the classes of a table."""

from pathlib import Path
from typing import Annotated

from ..completion import complete_choices
from ..console import handle_errors, print_result, say
from ..fast_parser import Option, option_names
from ..options import Files, Force, Json, Quiet, Scheduler, Workers, chosen_executor, column_option, require_positive

EXIT_UNDECIDED = 1


def check(
    files: Files,
    target: Annotated[str | None, column_option("The column with the classes.")] = None,
    multi_class: Annotated[
        str,
        Option(
            metavar="NAME",
            autocompletion=complete_choices("ovr", "ovo"),
            help="More than two classes: each against the rest (ovr) or in pairs (ovo).",
        ),
    ] = "ovr",
    drop: Annotated[list[str] | None, column_option("Leave a column out (repeatable).")] = None,
    categorical: Annotated[list[str] | None, column_option("Read a column as categories (repeatable).")] = None,
    through_origin: Annotated[
        bool, Option("--through-origin", help="Allow only hyperplanes through the origin.")
    ] = False,
    features: Annotated[
        str, Option(metavar="NAME", help="Lift the columns: polynomial-2 adds all products of 2 columns.")
    ] = "identity",
    max_seconds: Annotated[
        float | None, Option(metavar="N", help="Give up after N seconds.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        Option(
            "--output", "-o", metavar="OUT.json", show_default=False, help="Write the proof, a certificate, to a file."
        ),
    ] = None,
    certificate: Annotated[Path | None, Option("--certificate", hidden=True)] = None,
    force: Force = False,
    memory: Annotated[str, Option(metavar="SIZE", help="Memory limit; beyond it, use disk.")] = "1GiB",
    cache: Annotated[
        Path | None, Option(metavar="DIR", show_default=False, help="Folder for tables larger than --memory.")
    ] = None,
    no_cache: Annotated[bool, Option("--no-cache", help="Delete the cache at the end.")] = False,
    workers: Workers = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Decide whether a hyperplane separates the classes, with a proof.

    \b
      rosenblatt check flowers.csv --target species
      rosenblatt check flowers.csv --target species -o proof.json
      rosenblatt check flowers.csv --target species --features polynomial-2

    The verdict is decided in exact arithmetic. It is complete (every row is strictly on its own side), quasi (no row is
    on the wrong side, but every such hyperplane touches some rows) or overlap (neither). Categories, dates and
    missing values become the same columns as in training. Exits with 0 if all is decided, with 1 if time ran out, with
    2 if the input cannot be used.
    """
    with handle_errors(can_drop=True, options=option_names(check)):
        from ...foundation.memory import parse_size
        from ...tables.cache.storage import Storage
        from ..output_paths import join_spellings
        from .decide import CheckRequest, check_table

        require_positive("--max-seconds", max_seconds)
        request = CheckRequest(
            files=files,
            target=target,
            multi_class=multi_class,
            drop=tuple(drop or ()),
            categorical=tuple(categorical or ()),
            fit_intercept=not through_origin,
            max_seconds=max_seconds,
            certificate=join_spellings(output, certificate, "--certificate"),
            force=force,
            features=features,
            storage=Storage(parse_size(memory), cache, keep=not no_cache),
            executor=chosen_executor(workers, scheduler),
        )
        findings = check_table(request, (lambda _: None) if quiet else say)
        print(findings.as_json()) if as_json else print_result(findings.as_text())
        for hint in () if quiet else findings.hints(files):
            say(f"hint: {hint}")
        if findings.undecided:
            raise SystemExit(EXIT_UNDECIDED)
