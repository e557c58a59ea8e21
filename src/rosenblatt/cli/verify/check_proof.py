"""Read the columns that a certificate names, and check it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...foundation.errors import ColumnError, InputError
from ...prove.certificates.certificate import InvalidCertificate, short_repr
from ...prove.certificates.certificate_check import check_certificate
from ...prove.certificates.certificate_file import CertificateFile, read_certificates
from ...tables.encode.class_counter import read_classes
from ...tables.for_proofs.design_matrix import ColumnDesign, DesignEncoder, IndexedDesign, are_column_indices
from ...tables.read.batches import CATEGORY, Batch, Source
from ...tables.read.column_names import find_column
from ...tables.read.sources import open_source
from ...tables.read.svmlight_table import is_svmlight
from ..row_places import RowPlaces


@dataclass(frozen=True)
class Verdict:
    """The claim of one certificate, and why it is not proved, if so."""

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
    proof = read_certificates(path)
    source = open_source(files)
    find_column(source, proof.target, "whose classes the certificate is about")
    designs = [design_of(source, proof, certificate) for certificate in proof.certificates]
    needed = {name: kind for design in designs for name, kind in design.reading.items()}
    batches = source.read_all({**needed, proof.target: CATEGORY})
    verdicts = [
        _verdict(batches, proof.target, certificate, design, len(source.files) > 1)
        for certificate, design in zip(proof.certificates, designs, strict=True)
    ]
    return Verdicts(str(path), source.path, verdicts)


def design_of(source: Source, proof: CertificateFile, certificate: dict[str, Any]) -> DesignEncoder:
    """Return how a table becomes the columns that a certificate is about."""
    names = certificate["names"]
    if is_svmlight(source):
        if not are_column_indices(names):
            raise InputError(f"{source.path} has numbered columns, but the certificate is about other columns.")
        design: DesignEncoder = IndexedDesign()
        design.restore({"numbered": names})
        return design
    columns = [find_column(source, name, "which the certificate is about") for name in proof.columns or names]
    if len(set(columns)) < len(columns):
        raise InputError("The certificate names a column twice.")
    design = ColumnDesign(columns, proof.categories, {name: about["notation"] for name, about in proof.dates.items()})
    design.restore({"categories": proof.categories, "dates": proof.dates, "missing": proof.missing})
    return design


def _verdict(
    batches: list[Batch], target: str, certificate: dict[str, Any], design: DesignEncoder, several: bool
) -> Verdict:
    labels, codes = read_classes(batches, target)
    try:
        check_certificate(certificate, design.encode(batches).matrix(), labels[codes])
        why_not = None
    except ColumnError as error:
        raise InputError(f"{error}.") from None
    except InvalidCertificate as reason:
        row = None if reason.row is None else RowPlaces(batches, several).name(reason.row)
        why_not = str(reason) if row is None else f"Row {row} {reason.text}"
    classes = certificate.get("classes")
    negative, positive = classes if isinstance(classes, list) and len(classes) == 2 else ("?", "?")
    against = "the rest" if negative is None else short_repr(negative)
    return Verdict(f"{short_repr(positive)} against {against}", short_repr(certificate.get("kind")).strip("'"), why_not)
