"""`rosenblatt lab`: open the interactive page."""

from pathlib import Path
from typing import Annotated

from ...foundation.extras import needs_extra
from ..console import handle_errors, say
from ..fast_parser import Argument, Option

PORT = 1958  # the year of Rosenblatt's paper


def lab(
    files: Annotated[
        list[Path] | None,
        Argument(metavar="FILE", readable=False, help="A table, a model, or a model and then a table."),
    ] = None,
    target: Annotated[str | None, Option(metavar="COLUMN", show_default=False, help="The column to predict.")] = None,
    drop: Annotated[list[str] | None, Option(metavar="COLUMN", help="Leave a column out (repeatable).")] = None,
    lesson: Annotated[
        str | None, Option(metavar="NAME", show_default=False, help="Open a lesson, such as loop, margin or xor.")
    ] = None,
    export: Annotated[
        Path | None,
        Option(
            metavar="FILE.html", show_default=False, help="Write one file that plays recorded runs without a server."
        ),
    ] = None,
    host: Annotated[
        str, Option(metavar="ADDRESS", help="Address to listen on; any other opens the page to other machines.")
    ] = ("127.0.0.1"),
    port: Annotated[
        int | None,
        Option(metavar="N", show_default=False, help=f"Port to listen on; default: {PORT} or a free one."),
    ] = None,
    embed_in: Annotated[
        list[str] | None,
        Option(metavar="SITE", help="A site whose pages may show the lab in a frame (repeatable)."),
    ] = None,
    no_browser: Annotated[bool, Option("--no-browser", help="Print the address without opening a browser.")] = False,
) -> None:
    """Open a page to watch every update of a perceptron.

    \b
      rosenblatt lab
      rosenblatt lab --lesson xor
      rosenblatt lab --lesson xor --export xor.html
      rosenblatt lab flowers.csv --target species
      rosenblatt lab flowers.rosenblatt.safetensors flowers.csv

    Prints the address of the page. Only this machine can open it, unless --host
    says otherwise. Ctrl-C ends it. Exits with 0, or with 2 if a file cannot be
    used.
    """
    with handle_errors(can_drop=True):
        if export is not None:
            from .write_page import write_page

            return write_page(export, lesson, files or [])
        with needs_extra("lab", "rosenblatt lab"):
            from .open_page import open_lab
        open_lab(files or [], target, tuple(drop or ()), host, port, PORT, not no_browser, lesson, embed_in or [])
        say("the lab is closed.")
