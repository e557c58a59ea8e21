"""`rosenblatt lab`: the page where a perceptron can be watched."""

from pathlib import Path
from typing import Annotated

from ..console import ending_well, say
from ..fast_parser import Argument, Option

PORT = 1958  # the year of Rosenblatt's paper


def lab(
    files: Annotated[
        list[Path] | None,
        Argument(metavar="[FILE.csv | MODEL [FILE.csv]]", readable=False, help="Your own table, or a model."),
    ] = None,
    target: Annotated[str | None, Option(metavar="COLUMN", show_default=False, help="The column to predict.")] = None,
    drop: Annotated[list[str] | None, Option(metavar="COLUMN", help="Leave a column out. Can be given again.")] = None,
    host: Annotated[str, Option(metavar="ADDRESS", help="Where to listen. Any other lets other machines look in.")] = (
        "127.0.0.1"
    ),
    port: Annotated[
        int | None, Option(metavar="N", show_default=False, help=f"The port ({PORT} if it is free).")
    ] = None,
    no_browser: Annotated[bool, Option("--no-browser", help="Print the address only.")] = False,
) -> None:
    """Open a page where points can be placed and every update of a perceptron watched.

    \b
      rosenblatt lab
      rosenblatt lab flowers.csv --target species
      rosenblatt lab flowers.rosenblatt.safetensors flowers.csv

    The page is served from this machine and seen only from it. Ctrl-C ends it.
    """
    with ending_well(can_drop=True):
        from .open_page import open_lab

        open_lab(files or [], target, tuple(drop or ()), host, port, PORT, not no_browser)
        say("the lab is closed.")
