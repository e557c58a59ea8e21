"""Certificates by people who do not wish us well: not proved, and a sentence says why."""

import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest
from checked_tables import TABLES
from command_line import call


def test_numbers_of_more_than_4300_digits(independent, tmp_path):
    """Columns that mix 1e-308 and 1e308: clashes among seven of them take more digits than Python reads by itself."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (16, 7)) * 10.0 ** random.choice([-308, 308], size=(16, 7))
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    pd.DataFrame(X, columns=list("abcdefg")).assign(kind=["no", "yes"] * 8).to_csv(table, index=False)
    assert call("check", table, "--target", "kind", "--certificate", proof).exit_code == 0
    multipliers = json.loads(proof.read_text())["certificates"][0]["clash"]["multipliers"]
    assert max(map(len, multipliers)) > 4300
    assert call("verify", proof, table).exit_code == 0
    assert independent(proof, table)
    content = proof.read_text()
    proof.write_text(content.replace(multipliers[0], multipliers[0][:-1] + str((int(multipliers[0][-1]) + 1) % 10)))
    assert call("verify", proof, table).exit_code == 1
    assert not independent(proof, table)


def numbers_in(content):
    """Where a certificate has numbers: paths to them."""
    (certificate,) = content["certificates"]
    yield from ((certificate, name) for name in ("rows", "total_rows", "columns", "offset"))
    yield from ((certificate["weights"], place) for place in range(len(certificate["weights"])))
    for part in certificate["clash"].values():
        yield from ((part, place) for place in range(len(part)))


def test_one_changed_number_never_proves_something_else(proved, independent, tmp_path):
    """Every number, one up and one down: what still holds is a proof of the same verdict for both checkers."""
    kind, table, proof = proved
    refused = 0
    places = len(list(numbers_in(json.loads(proof.read_text()))))
    for place, change in itertools.product(range(places), (-1, 1)):
        content = json.loads(proof.read_text())
        where, at = next(itertools.islice(numbers_in(content), place, None))
        where[at] = where[at] + change if isinstance(where[at], int) else str(int(where[at]) + change)
        (tmp_path / "changed.json").write_text(json.dumps(content))
        result = call("verify", tmp_path / "changed.json", table)
        assert result.exit_code in (0, 1)
        if at not in ("rows", "total_rows", "columns"):  # which the short checker does not look at
            assert (result.exit_code == 0) == independent(tmp_path / "changed.json", table)
        refused += result.exit_code
    assert refused >= (6 if kind == "complete" else places)


@pytest.mark.parametrize("member", ["weights", "multipliers"])
def test_a_changed_number_is_refused_by_both(member, tmp_path, independent):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["quasi"])
    call("check", table, "--target", "kind", "--certificate", proof)
    content = json.loads(proof.read_text())
    part = content["certificates"][0] if member == "weights" else content["certificates"][0]["clash"]
    part[member][0] = "1000001/1000000"
    proof.write_text(json.dumps(content))
    assert call("verify", proof, table).exit_code == 1
    assert not independent(proof, table)


def hostile():
    deep = "[" * 100_000 + "]" * 100_000
    whole = '{"format": "rosenblatt-certificate", "version": 1, "target": "kind", "certificates": %s}'
    yield from ("", "{", "null", "[]", "1e999", deep, '{"format": NaN}', "\x00", '{"format": "other"}', "9" * 10_000)
    yield from (whole % part for part in ("null", "[]", "[1]", "[[]]", "[{}]", '[{"names": []}]', '[{"names": [1]}]'))
    yield whole.replace("1,", "2,", 1) % "[]"
    yield whole.replace('"kind"', "{}") % "[]"
    yield whole % deep


@pytest.mark.parametrize("text", list(hostile()), ids=lambda text: str(len(text)))
def test_what_is_no_certificate_is_refused(text, tmp_path):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["overlap"])
    proof.write_text(text)
    result = call("verify", proof, table)
    assert result.exit_code == 2
    assert re.fullmatch(r"error: [^\n]+\.\n", result.stderr)
    proof.write_bytes(b"\xff\xfe{")
    assert call("verify", proof, table).exit_code == 2


VALUES = [
    None,
    True,
    -1,
    0,
    10**300,
    0.5,
    1e300,
    "",
    "x",
    "1/0",
    "1e9",
    "9" * 2_000_000,
    "٣",
    [],
    {},
    [[]],
    [None],
    ["1"],
]
MEMBERS = [
    *("kind", "rows", "total_rows", "columns", "classes", "fit_intercept", "weights", "offset", "clash", "sha256"),
    *("clash rows", "clash multipliers"),
]


@pytest.mark.parametrize("member", MEMBERS)
def test_members_of_any_kind_do_not_crash_it(member, tmp_path):
    """A member that is missing, of another type or senseless: not proved, and a sentence says why."""
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["overlap"])
    call("check", table, "--target", "kind", "--certificate", proof)
    good = proof.read_text()
    for value in VALUES:
        content = json.loads(good)
        *outer, name = member.split()
        part = content["certificates"][0][outer[0]] if outer else content["certificates"][0]
        harmless = value is part[name] or (name == "sha256" and value is None)
        part[name] = value
        proof.write_text(json.dumps(content))
        result = call("verify", proof, table)
        assert result.exit_code == (0 if harmless else 1), value
        assert harmless or "not proved" in result.stdout


def test_long_lists_and_numbers(tmp_path):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["overlap"])
    call("check", table, "--target", "kind", "--certificate", proof)
    content = json.loads(proof.read_text())
    content["certificates"][0]["clash"] = {"rows": [0] * 100_000, "multipliers": ["1"] * 100_000}
    proof.write_text(json.dumps(content))
    assert call("verify", proof, table).exit_code == 1
    content["certificates"][0]["weights"] = ["1" + "0" * 20_000, "1/3" + "7" * 20_000]
    proof.write_text(json.dumps(content))
    assert call("verify", proof, table).exit_code == 1
