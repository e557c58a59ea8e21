"""Read the log of a service from its beginning, with every digest checked, or trim it."""

import json
import sys
from pathlib import Path

from ...foundation.errors import InputError
from ...foundation.missing_file import explain_missing
from ...foundation.phrases import count
from ...serve.log_audit import LogAudit, audit_log, learned_rows
from ...serve.trim_log import trim_log
from ..console import print_result, say


def print_verdict(place: Path, as_json: bool) -> None:
    """Check a log, and print what it holds."""
    audit = _audited(place)
    if as_json:
        print(json.dumps(audit._asdict()))
        return
    say_torn(audit)
    say_removed(audit)
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
    if all_rows:
        say_removed(audit)
    for rows in learned_rows(place, 0 if all_rows else audit.model_record):
        sys.stdout.buffer.write(rows)
    sys.stdout.buffer.flush()
    if audit.model is not None and not all_rows:
        say(f"note: learning started from the model {audit.model}.")


def say_torn(audit: LogAudit) -> None:
    if audit.torn_bytes:
        say(f"note: the last {audit.torn_bytes:,} bytes are of a record that was never acknowledged.")


def say_removed(audit: LogAudit) -> None:
    if audit.removed:
        say(f"note: the log was trimmed: it begins with record {audit.removed + 1:,}.")


def trim(place: Path, as_json: bool) -> None:
    """Remove what the present model does not need, and say what is left."""
    _check_place(place)
    if not place.is_dir():
        raise InputError(f"{place} is one segment, and trim takes a whole log: give its folder.")
    done = trim_log(place)
    if as_json:
        print(json.dumps(done._asdict()))
        return
    what = f"{count(done.segments, 'segment')} of {done.size:,} bytes" if done.segments else "nothing"
    print_result(f"removed    {what}\nbegins     with record {done.first_record:,}")


def _audited(place: Path) -> LogAudit:
    _check_place(place)
    return audit_log(place)


def _check_place(place: Path) -> None:
    if not place.exists():
        with explain_missing(place):
            raise FileNotFoundError(2, "No such file or directory", str(place))
    if place.is_dir() and not any(place.glob("*.log")):
        raise InputError(f"{place} holds no log: give the folder that serve was given with --log.")
