"""Recognise files in formats that cannot be read as tables, and say how to convert them."""

import re
from typing import NamedTuple

from ...foundation.errors import InputError

ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
TAR_MAGIC, TAR_MAGIC_OFFSET = b"ustar", 257
SAFETENSORS = re.compile(rb'.{6}\0\0\{"', re.DOTALL)  # the length of a header in 8 bytes, then the header
MAX_MAGIC_SIZE = 1 << 16  # bytes that are looked at; names of files in an archive are among them


class ForeignFormat(NamedTuple):
    """What a file is, and what to do with it."""

    name: str
    advice: str


SHEET_ADVICE = "save the sheet as CSV in UTF-8"
EXPORT_ADVICE = "export the table as Parquet or CSV"
UNPACK_ADVICE = "unpack it, and name the files in it"
ARRAY_ADVICE = "load it in Python and pass the arrays to a classifier's fit"

FORMATS = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ForeignFormat("an old Excel workbook (.xls)", SHEET_ADVICE),
    b"SQLite format 3\0": ForeignFormat("an SQLite database", EXPORT_ADVICE),
    b"\x89HDF\r\n\x1a\n": ForeignFormat("an HDF5 file", EXPORT_ADVICE),
    b"\x93NUMPY": ForeignFormat("a NumPy array (.npy)", ARRAY_ADVICE),
    **{bytes([0x80, protocol]): ForeignFormat("a Python pickle", EXPORT_ADVICE) for protocol in range(2, 6)},
    b"Obj\x01": ForeignFormat("an Avro file", EXPORT_ADVICE),
    b"FEA1": ForeignFormat("a Feather file of version 1", "write it again as version 2 or as Parquet"),
    b"%PDF-": ForeignFormat("a PDF document", "save the table as CSV in UTF-8"),
}
# Zip archives by a name that they contain near their beginning.
ZIP_FORMATS = {
    b"xl/": ForeignFormat("an Excel workbook (.xlsx)", SHEET_ADVICE),
    b"opendocument.spreadsheet": ForeignFormat("an OpenDocument spreadsheet (.ods)", SHEET_ADVICE),
    b".npy": ForeignFormat("a NumPy archive (.npz)", ARRAY_ADVICE),
}


def detect_foreign_format(start: bytes) -> ForeignFormat | None:
    """The format that the first bytes of a file show, if it is one of those that cannot be read.

    >>> detect_foreign_format(b"\\x93NUMPY\\x01").name, detect_foreign_format(b"a,b,c")
    ('a NumPy array (.npy)', None)
    """
    if SAFETENSORS.match(start):
        return ForeignFormat("a model or another safetensors file", "give the table that it learned from")
    if start.startswith(ZIP_MAGIC):
        archive = ForeignFormat("a zip archive", UNPACK_ADVICE)
        return next((found for name, found in ZIP_FORMATS.items() if name in start[:MAX_MAGIC_SIZE]), archive)
    if start[TAR_MAGIC_OFFSET:].startswith(TAR_MAGIC):
        return ForeignFormat("a tar archive", UNPACK_ADVICE)
    return next((found for magic, found in FORMATS.items() if start.startswith(magic)), None)


def refuse_foreign_format(path: str, start: bytes) -> None:
    """Raise an error that names the format and what to do, if the file is in one that cannot be read."""
    found = detect_foreign_format(start)
    if found is not None:
        raise InputError(f"{path} is {found.name}, not a table that can be read: {found.advice}.")
