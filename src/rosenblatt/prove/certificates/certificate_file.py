"""Certificates in files: JSON with the target column and a list of certificates.

    {"format": "rosenblatt-certificate", "version": 1, "target": "species", "certificates": [...]}

For a table with categories the file also has its `columns` in order and its `categories`, {column: {"values", "other",
"missing"}}, from which the columns of the certificates were made.

Reading any file returns its content or raises an error that says what is wrong.
"""

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...foundation.atomic_file import atomic_write
from ...foundation.errors import InputError

FORMAT, VERSION = "rosenblatt-certificate", 1


class CertificateFile(NamedTuple):
    """The content of a file: certificates about the classes in one column, and the categories of other columns."""

    target: str
    certificates: list[dict[str, Any]]
    columns: list[str]
    categories: dict[str, Any]


def write_certificates(
    path: str | os.PathLike[str], target: str, certificates: list[dict[str, Any]], more: Mapping[str, Any] | None = None
) -> None:
    """Write certificates about the classes in one column of a table, atomically.

    `more` has the columns and categories of the table, if there are any.
    """
    made = {name: value for name, value in (more or {}).items() if name in ("columns", "categories")}
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
    columns, categories = content.get("columns", []), content.get("categories", {})
    return CertificateFile(content["target"], content["certificates"], columns, categories)


def _find_fault(content: dict[str, Any]) -> str:
    """What is wrong with the content of a file; empty if nothing is."""
    certificates, columns, categories = (
        content.get("certificates"),
        content.get("columns", []),
        content.get("categories", {}),
    )
    if not isinstance(content.get("target"), str) or not isinstance(certificates, list) or not certificates:
        return "it needs a target and a list of certificates"
    if not all(map(_names_columns, certificates)):
        return "it does not name the columns of its table"
    if not _are_distinct_texts(columns) or not isinstance(categories, dict):
        return "its columns or categories are invalid"
    if not all(map(_is_category, categories.values())):
        return "its columns or categories are invalid"
    return "" if categories.keys() <= set(columns) else "it has categories of columns that it does not name"


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


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)
