"""Files of certificates: what is written is read again, and every fault is named."""

import json

import pytest

from rosenblatt.foundation.errors import InputError
from rosenblatt.prove.certificates.certificate_file import CertificateFile, read_certificates, write_certificates

CERTIFICATE = {"kind": "complete", "names": ["size", "colour"]}
ENCODED = {
    "columns": ["size", "colour", "day"],
    "categories": {"colour": {"values": ["red", "blue"], "other": False, "missing": True}},
    "dates": {"day": {"notation": "day-first", "missing": False}},
    "missing": ["size"],
}
WHOLE = {"format": "rosenblatt-certificate", "version": 1, "target": "kind", "certificates": [CERTIFICATE], **ENCODED}


def read(content, folder):
    path = folder / "proof.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_certificates(path)


def refusal(content, folder):
    with pytest.raises(InputError) as refused:
        read(content, folder)
    return str(refused.value).removeprefix(f"{folder / 'proof.json'} is ")


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "proof.json"
    write_certificates(path, "kind", [CERTIFICATE], {**ENCODED, "rows": 7})
    assert read_certificates(path) == CertificateFile("kind", [CERTIFICATE], *ENCODED.values())
    assert "rows" not in json.loads(path.read_text())  # only what is about columns


def test_plain_tables_need_no_encoding(tmp_path):
    path = tmp_path / "proof.json"
    write_certificates(path, "kind", [CERTIFICATE])
    assert read_certificates(path) == CertificateFile("kind", [CERTIFICATE], [], {}, {}, [])


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, '{"format": NaN}'])
def test_what_is_not_json_is_refused(content, tmp_path):
    assert refusal(content, tmp_path) == "not JSON that could be a certificate."


@pytest.mark.parametrize("content", [[], "7", {}, {**WHOLE, "format": "rosenblatt-model"}])
def test_other_json_is_no_certificate(content, tmp_path):
    assert refusal(content, tmp_path) == ("not a certificate: it does not say 'rosenblatt-certificate' as its format.")


@pytest.mark.parametrize("version", [0, 2, True, 1.0, "1", None])
def test_other_versions_are_refused(version, tmp_path):
    assert refusal({**WHOLE, "version": version}, tmp_path) == (
        "a certificate of another version than 1: use a newer rosenblatt."
    )


def category(**changes):
    return {"categories": {"colour": {**ENCODED["categories"]["colour"], **changes}}}


def date(**changes):
    return {"dates": {"day": {**ENCODED["dates"]["day"], **changes}}}


NO_TARGET = "it needs a target and a list of certificates"
NO_NAMES = "it does not name the columns of its table"


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"target": 7}, NO_TARGET),
        ({"certificates": {}}, NO_TARGET),
        ({"certificates": []}, NO_TARGET),
        ({"certificates": [7]}, NO_NAMES),
        ({"certificates": [{}]}, NO_NAMES),
        ({"certificates": [{"names": []}]}, NO_NAMES),
        ({"certificates": [{"names": "ab"}]}, NO_NAMES),
        ({"certificates": [{"names": ["a", 7]}]}, NO_NAMES),
        ({"certificates": [CERTIFICATE, {}]}, NO_NAMES),
        ({"columns": "size"}, "its columns are invalid"),
        ({"columns": ["size", 7]}, "its columns are invalid"),
        ({"columns": ["size", "size"]}, "its columns are invalid"),
        ({"missing": "size"}, "its columns are invalid"),
        ({"missing": ["size", "size"]}, "its columns are invalid"),
        ({"categories": ["colour"]}, "its categories are invalid"),
        ({"categories": {"colour": ["red"]}}, "its categories are invalid"),
        (category(values="red"), "its categories are invalid"),
        (category(values=["red", "red"]), "its categories are invalid"),
        (category(other=1), "its categories are invalid"),
        (category(missing=None), "its categories are invalid"),
        ({"dates": ["day"]}, "its dates are invalid"),
        ({"dates": {"day": "day-first"}}, "its dates are invalid"),
        (date(notation="week-first"), "its dates are invalid"),
        (date(missing=0), "its dates are invalid"),
        ({"columns": ["size", "colour"]}, "it tells of columns that it does not name"),
        ({"missing": ["weight"]}, "it tells of columns that it does not name"),
        ({"missing": ["size", "day"]}, "it tells of a column twice"),
    ],
)
def test_every_fault_is_named(changes, fault, tmp_path):
    assert refusal({**WHOLE, **changes}, tmp_path) == f"a broken certificate: {fault}."


@pytest.mark.parametrize("notation", ["", "day-first", "month-first", "year-first"])
def test_every_notation_of_dates_is_read(notation, tmp_path):
    assert read({**WHOLE, **date(notation=notation)}, tmp_path).dates["day"]["notation"] == notation
