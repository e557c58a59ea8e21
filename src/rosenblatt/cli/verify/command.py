"""`rosenblatt verify`: does a certificate prove what it says about a table?"""

from pathlib import Path
from typing import Annotated

from ..console import ending_well
from ..fast_parser import Argument, Option
from ..options import Files

REFUTED = 1


def verify(
    certificate: Annotated[Path, Argument(metavar="PROOF.json", readable=False, help="A file check has written.")],
    files: Files,
    as_json: Annotated[bool, Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Check a certificate against a table, in exact arithmetic and trusting nothing in the file.

    \b
      rosenblatt check flowers.csv --target species --certificate proof.json
      rosenblatt verify proof.json flowers.csv

    Ends with 0 if every verdict is proved, with 1 if one is not (other data, or numbers that do not add up), with 2 if
    a file cannot be read.
    """
    with ending_well():
        from .check_proof import verify_table

        verdicts = verify_table(certificate, files)
        print(verdicts.as_json() if as_json else verdicts.as_text())
        if not verdicts.proved:
            raise SystemExit(REFUTED)
