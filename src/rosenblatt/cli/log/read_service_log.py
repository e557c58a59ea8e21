"""Read the log of a service from its beginning: every digest is checked."""

import json
import sys
from pathlib import Path

from ...foundation.errors import InputError
from ...foundation.missing_file import explain_missing
from ...foundation.phrases import count
from ...serve.log_audit import LogAudit, audit_log, learned_rows
from ..console import print_result, say


def print_verdict(place: Path, as_json: bool) -> None:
    """Check a log, and print what it holds."""
    audit = _audited(place)
    if as_json:
        print(json.dumps(audit._asdict()))
        return
    say_torn(audit)
    model = "none" if audit.model is None else audit.model
    print_result(
        f"sound      {count(audit.records, 'record')} in {count(audit.segments, 'segment')}\n"
        f"learned    {count(audit.learned, 'row')}, {audit.learned_since_model:,} since the last model\n"
        f"model      {model}\n"
        f"digest     {audit.digest}"
    )


def export_rows(place: Path, all_rows: bool) -> None:
    """Print the rows learned, in the order they were, after the whole log was found sound."""
    audit = _audited(place)
    say_torn(audit)
    for rows in learned_rows(place, 0 if all_rows else audit.model_record):
        sys.stdout.buffer.write(rows)
    sys.stdout.buffer.flush()
    if audit.model is not None and not all_rows:
        say(f"note: learning started from the model {audit.model}.")


def say_torn(audit: LogAudit) -> None:
    if audit.torn_bytes:
        say(f"note: the last {audit.torn_bytes:,} bytes are of a record that was never acknowledged.")


def _audited(place: Path) -> LogAudit:
    if not place.exists():
        with explain_missing(place):
            raise FileNotFoundError(2, "No such file or directory", str(place))
    if place.is_dir() and not any(place.glob("*.log")):
        raise InputError(f"{place} holds no log: give the folder that serve was given with --log.")
    return audit_log(place)
