"""Certificates in files: JSON with the target column and a list of certificates.

    {"format": "rosenblatt-certificate", "version": 1, "target": "species", "certificates": [...]}

Whoever wrote a file, reading it ends with its content or with an error that says what is wrong.
"""

import json
import os
from typing import Any

from ..errors import InputError
from ..files import replaced

FORMAT, VERSION = "rosenblatt-certificate", 1


def write(path: str | os.PathLike[str], target: str, certificates: list[dict[str, Any]]) -> None:
    """Write certificates about the classes in one column of a table; readers see the whole file or none."""
    content = {"format": FORMAT, "version": VERSION, "target": target, "certificates": certificates}
    with replaced(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


def read(path: str | os.PathLike[str]) -> tuple[str, list[dict[str, Any]]]:
    """The target column and the certificates. Their own content is not looked at: `check` does that."""
    name = os.fspath(path)
    with open(path, "rb") as file:
        text = file.read()
    try:
        content = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        raise InputError(f"{name} is not JSON that could be a certificate.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{name} is not a certificate: it does not say {FORMAT!r} as its format.")
    if type(content.get("version")) is not int or content["version"] != VERSION:
        raise InputError(f"{name} is a certificate of another version than {VERSION}: use a newer rosenblatt.")
    target, certificates = content.get("target"), content.get("certificates")
    if not isinstance(target, str) or not isinstance(certificates, list) or not certificates:
        raise InputError(f"{name} is a broken certificate: it needs a target and a list of certificates.")
    for certificate in certificates:
        names = certificate.get("names") if isinstance(certificate, dict) else None
        if not isinstance(names, list) or not names or not all(isinstance(column, str) for column in names):
            raise InputError(f"{name} is a broken certificate: it does not name the columns of its table.")
    return target, certificates


def _refused(constant: str) -> None:
    raise ValueError(constant)
