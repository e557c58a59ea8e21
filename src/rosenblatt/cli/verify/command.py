"""`rosenblatt verify`: check a certificate against a table."""

from pathlib import Path
from typing import Annotated

from ..console import handle_errors, print_result
from ..fast_parser import Argument
from ..options import Files, Json

EXIT_NOT_PROVED = 1


def verify(
    certificate: Annotated[
        Path, Argument(metavar="PROOF.json", readable=False, help="A file that `rosenblatt check` wrote.")
    ],
    files: Files,
    as_json: Json = False,
) -> None:
    """Check a certificate against a table in exact arithmetic.

    \b
      rosenblatt check flowers.csv --target species -o proof.json
      rosenblatt verify proof.json flowers.csv

    The check trusts nothing in the certificate. Exits with 0 if every verdict is proved, with 1 if one is not (the data
    differ, or the numbers do not add up), with 2 if a file cannot be read.
    """
    with handle_errors():
        from .check_proof import verify_table

        verdicts = verify_table(certificate, files)
        print(verdicts.as_json()) if as_json else print_result(verdicts.as_text())
        if not verdicts.proved:
            raise SystemExit(EXIT_NOT_PROVED)
