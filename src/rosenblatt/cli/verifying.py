"""The work of `rosenblatt verify`: read the columns that a certificate names, and check it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..data.batches import CATEGORY, NUMBER, Batch
from ..data.exact import numbers
from ..data.names import find
from ..data.numbered import spread
from ..data.sources import open_source
from ..data.targets import classes_of
from ..errors import ColumnError, InputError
from ..prove.certificate import Refused, check, shown
from ..prove.certificatefile import read


@dataclass(frozen=True)
class Verdict:
    """What one certificate claims, and why it is not proved, if it is not."""

    classes: str
    claimed: str
    why_not: str | None


@dataclass(frozen=True)
class Verdicts:
    """The result of `rosenblatt verify`."""

    certificate: str
    file: str
    verdicts: list[Verdict]

    @property
    def proved(self) -> bool:
        return all(verdict.why_not is None for verdict in self.verdicts)

    def as_json(self) -> str:
        return json.dumps({**asdict(self), "proved": self.proved})

    def as_text(self) -> str:
        lines = [("certificate", self.certificate), ("table", self.file)]
        for verdict in self.verdicts:
            lines.append(("classes", verdict.classes))
            lines.append(("verdict", verdict.claimed if verdict.why_not is None else "not proved"))
            lines += [] if verdict.why_not is None else [("", verdict.why_not)]
        return "\n".join(f"{name:<13}{text}" for name, text in lines)


def verify_table(path: Path, files: Sequence[str]) -> Verdicts:
    """Check every certificate of a file against a table."""
    target, certificates = read(path)
    source = spread(open_source(files))
    find(source, target, "whose classes the certificate is about")
    for certificate in certificates:
        columns = [find(source, name, "which the certificate is about") for name in certificate["names"]]
        if len(set(columns)) < len(columns):
            raise InputError("The certificate names a column twice.")
    needed = {name: NUMBER for certificate in certificates for name in certificate["names"]}
    batches = source.held({**needed, target: CATEGORY})
    return Verdicts(str(path), source.path, [_verdict(batches, target, certificate) for certificate in certificates])


def _verdict(batches: list[Batch], target: str, certificate: dict[str, Any]) -> Verdict:
    columns = certificate["names"]
    labels, codes = classes_of(batches, target)
    try:
        check(certificate, numbers(batches, columns), labels[codes])
        why_not = None
    except ColumnError as error:
        raise InputError(f"{error}.") from None
    except Refused as reason:
        why_not = str(reason)
    classes = certificate.get("classes")
    negative, positive = classes if isinstance(classes, list) and len(classes) == 2 else ("?", "?")
    against = "the rest" if negative is None else shown(negative)
    return Verdict(f"{shown(positive)} against {against}", shown(certificate.get("kind")).strip("'"), why_not)
