"""The header of a cached table: JSON with a checksum."""

import hashlib
import json
from pathlib import Path
from typing import Any

from ...foundation.errors import InputError

HEADER = "header.json"


def write_header(path: Path, header: dict[str, Any]) -> None:
    """Write the header into the folder of a cached table."""
    text = json.dumps(header)
    whole = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "header": text}
    (path / HEADER).write_text(json.dumps(whole))


def read_header(path: Path, advice: str) -> dict[str, Any]:
    """Read the header of a cached table; `advice` ends the error for a damaged one."""
    try:
        whole = json.loads((path / HEADER).read_bytes())
        if hashlib.sha256(whole["header"].encode()).hexdigest() != whole["sha256"]:
            raise ValueError
        header: dict[str, Any] = json.loads(whole["header"])
        if not isinstance(header, dict):
            raise ValueError
    except FileNotFoundError:
        raise InputError(f"{path / HEADER} is missing: {advice}.") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path / HEADER} is damaged: {advice}.") from None
    return header
