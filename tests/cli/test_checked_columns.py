"""Which columns `rosenblatt check` makes of a table: products, categories, dates, missing values, libsvm text."""

import itertools
import json
from datetime import datetime, timedelta

import pandas as pd
import pytest
from command_line import call

from rosenblatt import fit, separability


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


def test_numbers_of_a_table_are_doubles(tmp_path, independent):
    """In decimals the third row is half-way between the others; in doubles 0.1 + 0.2 is more than 0.15 + 0.15."""
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text("a,b,kind\n0.1,0.2,no\n0.2,0.1,no\n0.15,0.15,yes\n")
    result = call("check", table, "--target", "kind", "--certificate", proof, "--json")
    assert json.loads(result.stdout)["answers"][0]["verdict"] == "complete"
    assert independent(proof, table)
