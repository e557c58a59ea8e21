"""`rosenblatt log`: check the log of a service, print the rows that it learned, or trim it."""

from pathlib import Path
from typing import Annotated

from ..console import handle_errors
from ..fast_parser import Argument, Option
from ..options import Json


def log(
    action: Annotated[
        str, Argument(metavar="verify|export|trim", help="Check every byte, print the rows, or remove old ones.")
    ],
    place: Annotated[Path, Argument(metavar="FOLDER", readable=False, help="The folder of a log, or one segment.")],
    all_rows: Annotated[bool, Option("--all", help="Export the rows before the last model, too.")] = False,
    as_json: Json = False,
) -> None:
    """Check the log of `rosenblatt serve`, print its rows, or shorten it.

    \b
      rosenblatt log verify mails.log
      rosenblatt log export mails.log > rows.jsonl
      rosenblatt log export mails.log | rosenblatt train - --continue m -o n
      rosenblatt log trim mails.log

    The third command gives the model that the service has, bit for bit, if m is the model that it was started with;
    `verify` names the copy that is kept in the log. The last one removes the segments before the model that learning
    last started from. Exits with 0, or with 2 if the log is damaged.
    """
    with handle_errors():
        from .read_service_log import export_rows, print_verdict, trim

        if action == "trim":
            return trim(place, as_json)
        if action == "verify":
            return print_verdict(place, as_json)
        if action != "export":
            from ...foundation.errors import InputError

            raise InputError(f"log takes verify, export or trim, not {action!r}.")
        export_rows(place, all_rows)
