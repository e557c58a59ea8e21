"""`rosenblatt lab --export`: the lab as one file."""

import re
from pathlib import Path

from ...foundation.atomic_file import atomic_write
from ...foundation.errors import InputError
from ...lab.export_page import export_page
from ...lab.lessons import require_lesson
from ..console import print_result, say

PAGE = re.compile(rb"<!doctype html>.*<title>rosenblatt lab</title>", re.DOTALL)  # only such a file is overwritten
HEAD_SIZE = 1 << 12


def write_page(path: Path, lesson: str | None, files: list[Path]) -> None:
    """Write the page with recorded runs, and print its path."""
    if files:
        raise InputError(f"--export writes points and lessons only: leave {files[0]} out.")
    _check_overwrite(path)
    text = export_page(None if lesson is None else require_lesson(lesson)).encode()
    with atomic_write(path) as file:
        file.write(text)
    say(f"{len(text):,} bytes; open it in a browser, no server is needed.")
    print_result(str(path))


def _check_overwrite(path: Path) -> None:
    if not path.is_file():
        return
    with path.open("rb") as file:
        head = file.read(HEAD_SIZE)
    if head and not PAGE.match(head):
        raise InputError(f"{path} exists and is not a page of the lab: give --export another name.")
