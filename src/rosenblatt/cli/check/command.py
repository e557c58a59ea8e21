"""`rosenblatt check`: can a hyperplane separate the classes of a table?"""

from pathlib import Path
from typing import Annotated

from ..console import ending_well, say
from ..fast_parser import Option
from ..options import Files

UNDECIDED = 1


def check(
    files: Files,
    target: Annotated[
        str | None, Option(metavar="COLUMN", show_default=False, help="The column with the classes.")
    ] = None,
    multi_class: Annotated[
        str, Option(metavar="NAME", help="Three classes or more: ovr (each against the rest) or ovo (pairs).")
    ] = "ovr",
    drop: Annotated[list[str] | None, Option(metavar="COLUMN", help="Leave a column out. Can be given again.")] = None,
    categorical: Annotated[
        list[str] | None, Option(metavar="COLUMN", help="Read as categories. Can be given again.")
    ] = None,
    through_origin: Annotated[bool, Option("--through-origin", help="Only hyperplanes through the origin.")] = False,
    features: Annotated[
        str, Option(metavar="NAME", help="polynomial-2: hyperplanes in the space of products of up to 2 columns.")
    ] = "identity",
    max_seconds: Annotated[
        float | None, Option(metavar="SECONDS", help="Give up after so much time.", show_default=False)
    ] = None,
    certificate: Annotated[
        Path | None, Option(metavar="OUT.json", show_default=False, help="Write the proof to a file.")
    ] = None,
    memory: Annotated[str, Option(metavar="SIZE", help="Memory to use at most; beyond, disk.")] = "1GiB",
    cache: Annotated[Path | None, Option(metavar="DIR", show_default=False, help="For tables beyond that.")] = None,
    no_cache: Annotated[bool, Option("--no-cache", help="Leave nothing in it.")] = False,
    as_json: Annotated[bool, Option("--json", help="Print the result as one JSON object.")] = False,
    quiet: Annotated[bool, Option("--quiet", "-q", help="Print the result only: no hints.")] = False,
) -> None:
    """Say whether a hyperplane separates the classes of a table, and prove it.

    \b
      rosenblatt check flowers.csv --target species
      rosenblatt check flowers.csv --target species --certificate proof.json
      rosenblatt check flowers.csv --target species --features polynomial-2

    The verdict is complete (every row is strictly on its own side), quasi (no row is on the wrong side, but some are on
    the hyperplane whatever it is) or overlap (neither), decided in exact arithmetic. Categories have a column of 0 and
    1 for each value, as in training. Ends with 0 when all is decided, with 1 when time ran out first.
    """
    with ending_well(can_drop=True):
        from ...foundation.memory import size
        from ...tables.cache.storage import Storage
        from .decide import Question, check_table

        question = Question(
            files=files,
            target=target,
            multi_class=multi_class,
            drop=tuple(drop or ()),
            categorical=tuple(categorical or ()),
            fit_intercept=not through_origin,
            max_seconds=max_seconds,
            certificate=certificate,
            features=features,
            storage=Storage(size(memory), cache, keep=not no_cache),
        )
        findings = check_table(question, (lambda _: None) if quiet else say)
        print(findings.as_json() if as_json else findings.as_text())
        for hint in () if quiet else findings.hints():
            say(f"hint: {hint}")
        if findings.undecided:
            raise SystemExit(UNDECIDED)
