"""Certificates in files: JSON with the target column and a list of certificates.

    {"format": "rosenblatt-certificate", "version": 1, "target": "species", "certificates": [...]}

For a table with categories, dates or missing numbers the file also has what the columns of the certificates were made
from: its `columns` in order, its `categories`, {column: {"values", "other", "missing"}}, its `dates`, {column:
{"notation", "missing"}}, and the columns of numbers that are `missing` in some rows.

Reading any file returns its content or raises an error that says what is wrong.
"""

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...foundation.atomic_file import atomic_write
from ...foundation.errors import InputError

FORMAT, VERSION = "rosenblatt-certificate", 1
ENCODING = ("columns", "categories", "dates", "missing")
NOTATIONS = ("", "day-first", "month-first", "year-first")  # of dates; "" is ISO 8601


class CertificateFile(NamedTuple):
    """The content of a file: certificates about the classes in one column, and how other columns are encoded."""

    target: str
    certificates: list[dict[str, Any]]
    columns: list[str]
    categories: dict[str, Any]
    dates: dict[str, Any]
    missing: list[str]


def write_certificates(
    path: str | os.PathLike[str], target: str, certificates: list[dict[str, Any]], more: Mapping[str, Any] | None = None
) -> None:
    """Write certificates about the classes in one column of a table, atomically.

    `more` tells how the columns of the table are encoded, where that needs to be told.
    """
    made = {name: value for name, value in (more or {}).items() if name in ENCODING}
    content = {"format": FORMAT, "version": VERSION, "target": target, **made, "certificates": certificates}
    with atomic_write(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


def read_certificates(path: str | os.PathLike[str]) -> CertificateFile:
    """Read a file. The certificates themselves are not checked: `check_certificate` does that."""
    name = os.fspath(path)
    with open(path, "rb") as file:
        text = file.read()
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise InputError(f"{name} is not JSON that could be a certificate.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{name} is not a certificate: it does not say {FORMAT!r} as its format.")
    if type(content.get("version")) is not int or content["version"] != VERSION:
        raise InputError(f"{name} is a certificate of another version than {VERSION}: use a newer rosenblatt.")
    fault = _find_fault(content)
    if fault:
        raise InputError(f"{name} is a broken certificate: {fault}.")
    return CertificateFile(content["target"], content["certificates"], *_encoding(content))


def _encoding(content: dict[str, Any]) -> tuple[Any, Any, Any, Any]:
    """The columns of the table in order, its categories, its dates and its columns of numbers with missing ones."""
    return (
        content.get("columns", []),
        content.get("categories", {}),
        content.get("dates", {}),
        content.get("missing", []),
    )


def _find_fault(content: dict[str, Any]) -> str:
    """What is wrong with the content of a file; empty if nothing is."""
    certificates, (columns, categories, dates, missing) = content.get("certificates"), _encoding(content)
    if not isinstance(content.get("target"), str) or not isinstance(certificates, list) or not certificates:
        return "it needs a target and a list of certificates"
    if not all(map(_names_columns, certificates)):
        return "it does not name the columns of its table"
    if not (_are_distinct_texts(columns) and _are_distinct_texts(missing)):
        return "its columns are invalid"
    if not isinstance(categories, dict) or not all(map(_is_category, categories.values())):
        return "its categories are invalid"
    if not isinstance(dates, dict) or not all(map(_is_date, dates.values())):
        return "its dates are invalid"
    told = [*categories, *dates, *missing]
    if not set(told) <= set(columns):
        return "it tells of columns that it does not name"
    return "" if len(set(told)) == len(told) else "it tells of a column twice"


def _names_columns(certificate: object) -> bool:
    names = certificate.get("names") if isinstance(certificate, dict) else None
    return isinstance(names, list) and bool(names) and all(isinstance(column, str) for column in names)


def _are_distinct_texts(values: object) -> bool:
    """Whether a value is a list of distinct texts."""
    return isinstance(values, list) and all(isinstance(one, str) for one in values) and len({*values}) == len(values)


def _is_category(about: object) -> bool:
    if not isinstance(about, dict):
        return False
    return _are_distinct_texts(about.get("values")) and {type(about.get(name)) for name in ("other", "missing")} == {
        bool
    }


def _is_date(about: object) -> bool:
    return isinstance(about, dict) and about.get("notation") in NOTATIONS and type(about.get("missing")) is bool


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)
