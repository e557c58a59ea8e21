"""`rosenblatt check` and `rosenblatt verify`: verdicts, certificates in files, and files that lie or are broken."""

import itertools
import json
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from rosenblatt import fit, separability
from rosenblatt.cli.app import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "certificate.md"


def call(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)


@pytest.fixture(scope="module")
def independent():
    """The checker of the documentation."""
    names, limit = {}, sys.get_int_max_str_digits()
    exec(re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1], names)

    def accepts(proof, file):
        try:
            return names["check"](proof, file)
        except (AssertionError, KeyError):
            return False

    yield accepts
    sys.set_int_max_str_digits(limit)


# Of "and" R^2 = 3, and (2, 2, -3) / sqrt(17) gives its four rows (x, 1) the margins 3, 1, 1 and 1 over sqrt(17).
AND_BOUND = 51

TABLES = {
    "complete": "a,b,kind\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n",
    "overlap": "a,b,kind\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n",
    "quasi": "a,b,kind\n1,0.1,no\n2,0.1,no\n3,0.1,yes\n3,0.1,no\n",
}


@pytest.fixture(params=TABLES)
def proved(request, tmp_path):
    """A kind, a table, and a certificate of it."""
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES[request.param])
    assert call("check", table, "--target", "kind", "--certificate", proof).exit_code == 0
    return request.param, table, proof


def test_verdicts_and_what_to_do(proved):
    kind, table, _ = proved
    result = call("check", table, "--target", "kind")
    assert result.exit_code == 0
    assert f"verdict      {kind}\n" in result.stdout
    assert f"hint: {kind}: " in result.stderr
    assert ("0.353553, and no hyperplane has more than 0.353554" in result.stdout) == (kind == "complete")
    assert (f"at most {AND_BOUND:.0f} mistakes" in result.stdout) == (kind == "complete")
    assert call("check", table, "--target", "kind", "-q").stderr == ""


def test_the_margin_of_the_bound_is_shown(flowers):
    """It is not the geometric margin above it: the space has one more coordinate."""
    text = call("check", flowers, "--target", "target").stdout
    mistakes, radius, margin = re.search(r"at most (\d+) mistakes: .* R = (\S+) .* g = (\S+) ", text).groups()
    assert int(mistakes) == int((float(radius) / float(margin)) ** 2) == 221
    assert float(margin) < float(re.search(r"margin +([\d.]+),", text)[1])
    [first, *_] = json.loads(call("check", flowers, "--target", "target", "--json").stdout)["answers"]
    assert (first["radius"] / first["bound_margin"]) ** 2 == pytest.approx(first["bound"])


def test_rows_are_counted_from_1_with_the_lines_of_the_file(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(TABLES["overlap"])
    clash = "The clash is in rows 1 (line 2), 2 (line 3), 3 (line 4) and 4 (line 5): "
    assert clash in call("check", table, "--target", "kind").stdout
    whole = pd.read_csv(table)
    whole[:2].to_csv(tmp_path / "part1.csv", index=False)
    whole[2:].to_csv(tmp_path / "part2.csv", index=False)
    said = call("check", tmp_path / "part*.csv", "--target", "kind").stdout
    assert f"2 ({tmp_path / 'part1.csv'}, line 3), 3 ({tmp_path / 'part2.csv'}, line 2)" in said
    whole.to_parquet(tmp_path / "table.parquet")
    assert (
        "The clash is in rows 1, 2, 3 and 4: " in call("check", tmp_path / "table.parquet", "--target", "kind").stdout
    )
    assert "The clash is in rows 0, 1, 2 and 3: " in separability(whole[["a", "b"]], whole["kind"]).explain()


def test_verify_counts_rows_from_1_too(tmp_path):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["complete"])
    call("check", table, "--target", "kind", "--certificate", proof)
    written = json.loads(proof.read_text())
    written["certificates"][0]["sha256"] = None
    proof.write_text(json.dumps(written))
    table.write_text(TABLES["complete"].replace("0,1,no", "9,9,no"))
    assert "Row 2 (line 3) is on the wrong side of the hyperplane." in call("verify", proof, table).stdout


def test_json_is_one_object(proved):
    kind, table, _ = proved
    found = json.loads(call("check", table, "--target", "kind", "--json").stdout)
    assert (found["rows"], found["columns"], found["classes"]) == (4, 2, ["no", "yes"])
    (answer,) = found["answers"]
    assert (answer["negative"], answer["positive"], answer["verdict"]) == ("no", "yes", kind)
    expected = (pytest.approx(8**-0.5), pytest.approx(AND_BOUND)) if kind == "complete" else (None, None)
    assert (answer["margin"], answer.get("bound")) == expected
    assert answer["advice"]


def test_certificates_are_accepted_here_and_elsewhere(proved, independent):
    kind, table, proof = proved
    result = call("verify", proof, table)
    assert result.exit_code == 0
    assert f"verdict      {kind}\n" in result.stdout
    assert independent(proof, table)
    assert json.loads(call("verify", proof, table, "--json").stdout)["proved"] is True


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


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("1,1,yes\n", "1,2,yes\n", "made for other data: their SHA-256 is"),
        ("1,1,yes\n", "1,1,yes\n1,1,yes\n", "made for other data, with 4 rows: these have 5"),
        ("1,1,yes\n", "1,1,yes\n1,1,maybe\n1,1,maybe\n", "data, with 4 rows in all: these have 6"),
    ],
)
def test_other_data_are_refused_by_name(before, after, why, tmp_path):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["complete"])
    call("check", table, "--target", "kind", "--certificate", proof)
    table.write_text(TABLES["complete"].replace(before, after))
    result = call("verify", proof, table)
    assert result.exit_code == 1
    assert why in result.stdout


def test_columns_are_found_by_name(tmp_path):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["complete"])
    call("check", table, "--target", "kind", "--certificate", proof)
    frame = pd.read_csv(table)
    frame.assign(more=1)[["kind", "more", "b", "a"]].to_csv(table, index=False)
    assert call("verify", proof, table).exit_code == 0
    frame.drop(columns="a").to_csv(table, index=False)
    result = call("verify", proof, table)
    assert result.exit_code == 2
    assert "has no column 'a' which the certificate is about" in result.stderr


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    data = load_iris(as_frame=True)
    path = tmp_path_factory.mktemp("flowers") / "iris.csv"
    data.frame.assign(target=data.target_names[data.target]).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("how", "verdicts"), [("ovr", ["complete", "overlap", "overlap"]), ("ovo", ["complete", "complete", "overlap"])]
)
def test_three_classes(how, verdicts, flowers, tmp_path, independent):
    proof = tmp_path / "proof.json"
    result = call("check", flowers, "--target", "target", "--multi-class", how, "--certificate", proof, "--json")
    assert [answer["verdict"] for answer in json.loads(result.stdout)["answers"]] == verdicts
    assert call("verify", proof, flowers).exit_code == 0
    assert independent(proof, flowers)


def test_an_unknown_way_to_pair_classes_is_refused_though_there_are_only_two(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,kind\n1,no\n2,yes\n")
    result = call("check", table, "--target", "kind", "--multi-class", "pairs")
    assert result.exit_code == 2
    assert "must be one of 'ovr', 'ovo', not 'pairs'" in result.stderr


def test_columns_can_be_left_out(flowers):
    wide = call("check", flowers, "--target", "target", "--drop", "petal length (cm)", "--json")
    assert json.loads(wide.stdout)["columns"] == 3


def test_hyperplanes_through_the_origin(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,kind\n1,no\n2,yes\n")
    verdict = json.loads(call("check", table, "--target", "kind", "--through-origin", "--json").stdout)
    assert verdict["answers"][0]["verdict"] == "overlap"


def test_products_of_columns(tmp_path, independent):
    """Rings of decimals: overlap as they are, complete with squares, and the proof of it is checked by fractions."""
    table, proof = tmp_path / "rings.csv", tmp_path / "proof.json"
    rings = [f"{r * x},{r * y},{r}" for r in (0.1, 0.3) for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1), (0.6, 0.8))]
    table.write_text("\n".join(["width,height,ring", *rings]) + "\n")
    asked = ("check", table, "--target", "ring", "--json")
    assert json.loads(call(*asked).stdout)["answers"][0]["verdict"] == "overlap"
    answer = json.loads(call(*asked, "--features", "polynomial-2", "--certificate", proof).stdout)["answers"][0]
    assert answer["verdict"] == "complete"
    assert answer["bound"] > 1
    assert call("verify", proof, table).exit_code == 0
    assert independent(proof, table)
    written = json.loads(proof.read_text())
    assert written["certificates"][0]["terms"] == ["width", "height", "width^2", "width*height", "height^2"]
    for features in (None, "polynomial-3", "polynomial-1", "fourier-9", ["x"], {}, "polynomial-99999999999"):
        written["certificates"][0]["features"] = features
        proof.write_text(json.dumps(written))
        assert call("verify", proof, table).exit_code == 1
    refused = call("check", table, "--target", "ring", "--features", "cubes")
    assert refused.exit_code == 2
    assert "features must be" in refused.stderr


def jobs(rows, kinds):
    """A table of a number, categories with gaps, a rare value and one that is called other, and classes."""
    work = itertools.cycle(["cook", "clerk", "", "other", "smith", "clerk"])
    lines = [f"{k % 7},{next(work)},{'yes' if k % 3 else 'no'},{next(kinds)}" for k in range(rows)]
    return "age,job,owner,kind\n" + "\n".join([*lines, "3,queen,yes,a", "3,king,yes,b"]) + "\n"


def as_numbers(table):
    """The same, worked out by pandas."""
    frame = pd.read_csv(table, keep_default_na=False)
    values = [["clerk"], ["cook"], ["other"], ["smith"], ["king", "queen"], [""]]
    columns = [frame["age"], *(frame["job"].isin(these) for these in values), frame["owner"] == "yes"]
    return pd.concat(columns, axis=1).to_numpy(float), frame["kind"]


@pytest.mark.parametrize(("kind", "classes"), [("quasi", "abbabb"), ("quasi", "aab"), ("overlap", "aabbbaababb")])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"features": "polynomial-2"}], ids=str)
def test_categories_are_columns_of_0_and_1(kind, classes, options, tmp_path, independent):
    table, proof = tmp_path / "jobs.csv", tmp_path / "proof.json"
    table.write_text(jobs(66, itertools.cycle(classes)))
    words = {"fit_intercept": ("--through-origin",), "features": ("--features", "polynomial-2")}
    asked = itertools.chain.from_iterable(words[name] for name in options)
    result = call("check", table, "--target", "kind", *asked, "--certificate", proof, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)["answers"][0]["verdict"]
    assert found == separability(*as_numbers(table), **options).kind
    assert found == kind or options
    content = json.loads(proof.read_text())
    named = ("age", "job=clerk", "job=cook", "job=other", "job=smith", "job=other", "job is missing", "owner=yes")
    assert content["certificates"][0]["names"] == [*named]
    assert call("verify", proof, table).exit_code == 0
    assert independent(proof, table)
    changed = table.read_text().replace("\n0,cook", "\n0,smith", 1)
    assert changed != table.read_text()
    table.write_text(changed)
    assert "other data" in call("verify", proof, table).stdout
    content["certificates"][0]["sha256"] = None  # then what is claimed counts
    proof.write_text(json.dumps(content))
    assert (call("verify", proof, table).exit_code == 0) == independent(proof, table)


@pytest.mark.parametrize("options", [(), ("--multi-class", "ovo"), ("--workers", "1", "--cache")], ids=str)
def test_only_categories_that_matter_are_named(options, tmp_path, independent):
    """Each row has one colour, so a constant of all colours may go to the offset: it must not blame all of them."""
    table, proof = tmp_path / "colours.csv", tmp_path / "proof.json"
    colours = ["red", "green", "blue", "grey", ""] * 5
    table.write_text("z,colour,kind\n" + "\n".join(f"{k % 3},{c},{c == 'blue'}" for k, c in enumerate(colours)) + "\n")
    cache = (tmp_path / "cache",) if "--cache" in options else ()
    result = call("check", table, "--target", "kind", "-o", proof, "--json", *options, *cache)
    [answer] = json.loads(result.stdout)["answers"]
    assert answer["verdict"] == "complete"
    assert "It uses column 'colour=blue'. " in answer["explanation"]
    assert call("verify", proof, table).exit_code == 0
    assert independent(proof, table)


def visits(rows):
    """A table of dates with the hour and of numbers; both are missing in some rows. Saturdays are of one class."""
    days = [datetime(2024, 2, 27) + timedelta(days=k * k % 97, hours=k % 24) for k in range(rows)]
    when = [f"{day:%Y-%m-%d %H:%M:%S}" if k % 5 else "" for k, day in enumerate(days)]
    size = [str(k % 7) if k % 6 else "NA" for k in range(rows)]
    kind = ["a" if text and day.weekday() == 5 else "b" for text, day in zip(when, days, strict=True)]
    return "when,size,kind\n" + "\n".join(map(",".join, zip(when, size, kind, strict=True))) + "\n"


@pytest.mark.parametrize("options", [(), ("--workers", "1")], ids=str)
def test_dates_and_missing_values_are_columns_as_in_training(options, tmp_path, independent):
    table, proof = tmp_path / "visits.csv", tmp_path / "proof.json"
    table.write_text(visits(60))
    result = call("check", table, "--target", "kind", "-o", proof, "--json", "--cache", tmp_path / "cache", *options)
    assert result.exit_code == 0
    [answer] = json.loads(result.stdout)["answers"]
    assert answer["verdict"] == "complete"
    model = fit(str(table), target="kind", algorithm="perceptron")
    assert json.loads(proof.read_text())["certificates"][0]["names"] == [*model[0].get_feature_names_out()]
    assert call("verify", proof, table).exit_code == 0
    assert independent(proof, table)
    table.write_text(visits(60).replace(",5,b", ",4,b", 1))
    assert "other data" in call("verify", proof, table).stdout


def test_missing_numbers_behind_the_first_rows_are_found_by_workers_too(tmp_path):
    """A table of numbers is cached in one pass, and read again if a number is missing."""
    table = tmp_path / "numbers.csv"
    table.write_text("a,kind\n" + "".join(f"{k},{'xy'[k % 2]}\n" for k in range(3000)) + ",x\n")
    asked = ("check", table, "--target", "kind", "--json", "--cache", tmp_path / "cache")
    every = [json.loads(call(*asked, *where).stdout) for where in ((), ("--workers", "1"), ("--workers", "1"))]
    assert [found["columns"] for found in every] == [2, 2, 2]
    assert [found["answers"][0]["verdict"] for found in every] == ["quasi"] * 3


def test_dates_in_other_notations_are_no_categories(tmp_path):
    table, proof = tmp_path / "dates.csv", tmp_path / "proof.json"
    table.write_text("day,kind\n" + "".join(f"{k}.0{m}.2024,{m > 2}\n" for m in (1, 2, 3, 4) for k in range(10, 25)))
    found = json.loads(call("check", table, "--target", "kind", "--json", "-o", proof).stdout)
    assert (found["columns"], found["answers"][0]["verdict"]) == (20, "complete")
    assert call("verify", proof, table).exit_code == 0


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("dates", []),
        ("dates", {"job": {"notation": "", "missing": False}}),
        ("dates", {"age": {"notation": "Julian", "missing": False}}),
        ("dates", {"age": {"notation": []}}),
        ("missing", "age"),
        ("missing", ["weight"]),
        ("columns", None),
        ("columns", ["age", "job", "owner", "age"]),
        ("columns", ["age", "owner"]),
        ("categories", []),
        ("categories", {"job": []}),
        ("categories", {"job": {"values": ["cook", "cook"], "other": True, "missing": True}}),
        ("categories", {"job": {"values": ["cook"], "other": 1, "missing": True}}),
        ("categories", {"job": {"values": ["cook"]}}),
    ],
)
def test_broken_categories_are_refused(member, value, tmp_path):
    table, proof = tmp_path / "jobs.csv", tmp_path / "proof.json"
    table.write_text(jobs(66, itertools.cycle("ab")))
    call("check", table, "--target", "kind", "--certificate", proof)
    proof.write_text(json.dumps({**json.loads(proof.read_text()), member: value}))
    result = call("verify", proof, table)
    assert result.exit_code == 2
    assert "is a broken certificate" in result.stderr


def test_columns_that_are_neither_numbers_nor_categories_are_refused(tmp_path):
    table = tmp_path / "table.csv"
    words = [f"a long story of {k} words and more" for k in range(30)]
    table.write_text("size,note,name,kind\n" + "".join(f"{k},{words[k]},n{k},{'ab'[k % 2]}\n" for k in range(30)))
    for column, what in (("note", "texts, which are no numbers"), ("name", "names, nearly every row another")):
        other = {"note": "name", "name": "note"}[column]
        result = call("check", table, "--target", "kind", "--drop", other)
        assert result.exit_code == 2
        assert f"column {column!r} holds {what}" in result.stderr
        assert result.stderr.endswith(f"or leave the column out with --drop {column}.\n")
    assert call("check", table, "--target", "kind", "--drop", "note", "--categorical", "name").exit_code == 0
    assert "is the target or dropped" in call("check", table, "--target", "kind", "--categorical", "kind").stderr


def test_numbers_can_be_called_categories(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("floor,kind\n" + "1,a\n2,b\n3,a\n" * 10)
    asked = ("check", table, "--target", "kind", "--json")
    verdicts = [json.loads(call(*asked, *more).stdout) for more in ((), ("--categorical", "floor"))]
    assert [found["answers"][0]["verdict"] for found in verdicts] == ["overlap", "complete"]
    assert [found["columns"] for found in verdicts] == [1, 3]


def test_libsvm_text_is_checked_as_it_is(tmp_path):
    table, proof = tmp_path / "rows.svm", tmp_path / "proof.json"
    table.write_text("1 2:1 70000:2\n-1 1:0 3:1\n1 3:1 70000:0.5\n")
    found = json.loads(call("check", table, "--drop", "2", "--certificate", proof, "--json").stdout)
    assert (found["rows"], found["columns"], found["answers"][0]["verdict"]) == (3, 69999, "complete")
    assert call("verify", proof, table).exit_code == 0
    table.write_text("1 2:1 70000:2\n-1 1:0 3:1\n1 3:1 70000:0.25\n")
    assert "other data" in call("verify", proof, table).stdout
    table.write_text("1 2:1 2000000000:2\n-1 3:1\n")
    assert "has 2,000,000,000 columns" in call("check", table).stderr
    assert "other data" in call("verify", proof, table).stdout
    (tmp_path / "other.csv").write_text("kind,a\n1,2\n0,1\n")
    assert "has no column 'label' whose classes" in call("verify", proof, tmp_path / "other.csv").stderr
    content = json.loads(proof.read_text())
    content["certificates"][0]["names"][-1] = "2000000000"
    proof.write_text(json.dumps(content))
    assert "has numbered columns, but the certificate is about other columns" in call("verify", proof, table).stderr


def test_time_may_run_out(tmp_path):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["overlap"])
    result = call("check", table, "--target", "kind", "--max-seconds", "1e-9", "--certificate", proof)
    assert result.exit_code == 1
    assert "undecided" in result.stdout
    assert "--max-seconds" in result.stderr
    result = call("verify", proof, table)
    assert result.exit_code == 1
    assert "Nothing was decided" in result.stdout


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--target", "kin"], "did you mean 'kind'?"),
        (["--target", "kind", "--drop", "a", "--drop", "b"], "no columns to separate by"),
        (["--target", "kind", "--max-seconds", "-1"], "--max-seconds must be a finite number above 0, not -1"),
        (["--target", "kind", "--certificate", "TABLE"], "is the table"),
        (["--target", "kind", "--certificate", "TABLE/x.json"], "not a directory"),
    ],
)
def test_questions_that_make_no_sense(options, what, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(TABLES["overlap"])
    result = call("check", table, *(option.replace("TABLE", str(table)) for option in options))
    assert result.exit_code == 2
    assert what in result.stderr
    assert table.read_text() == TABLES["overlap"]


# Files by people who do not wish us well


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


def test_a_certificate_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["overlap"])
    proof.write_text("as it was")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    result = call("check", table, "--target", "kind", "--certificate", proof, "--force")
    assert "no space left on device" in result.stderr
    assert result.exit_code == 2
    assert proof.read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["proof.json", "table.csv"]


def test_numbers_of_a_table_are_doubles(tmp_path, independent):
    """In decimals the third row is half-way between the others; in doubles 0.1 + 0.2 is more than 0.15 + 0.15."""
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text("a,b,kind\n0.1,0.2,no\n0.2,0.1,no\n0.15,0.15,yes\n")
    result = call("check", table, "--target", "kind", "--certificate", proof, "--json")
    assert json.loads(result.stdout)["answers"][0]["verdict"] == "complete"
    assert independent(proof, table)
