"""Dates and numbers as people write them: the model is the one of the same table with ISO dates and decimal points."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import rosenblatt
from rosenblatt.cli.app import app
from rosenblatt.foundation.errors import ColumnError, InputError
from rosenblatt.tables.cache import storage
from rosenblatt.tables.read import delimited
from rosenblatt.training.report import Report
from rosenblatt.training.report_hints import report_hints

ROWS = 400
DATES = {
    "%d/%m/%Y": "day-first",
    "%d.%m.%Y": "day-first",
    "%d-%m-%Y": "day-first",
    "%m/%d/%Y": "month-first",
    "%Y/%m/%d": "year-first",
    "%d/%m/%Y %H:%M": "day-first",
}


def table(date="%Y-%m-%d", comma=False, gaps=True, days=3000):
    """Classes that depend on a date and on a number."""
    random = np.random.default_rng(0)
    day, size = random.integers(0, days, ROWS), random.normal(size=ROWS).round(3)
    kind = np.where(day / days + size > 0.5, "late", "soon")
    when = (pd.Timestamp("2001-01-01") + pd.to_timedelta(day, "D")).strftime(date).to_series(index=range(ROWS))
    sizes = pd.Series([f"{one:.3f}".replace(".", "," if comma else ".") for one in size])
    if gaps:
        when[::50], sizes[::70] = None, None
    return pd.DataFrame({"when": when, "size": sizes if comma else sizes.astype(float), "kind": kind})


def weights(model):
    return model[-1].coef_.tobytes(), model[-1].intercept_.tobytes()


@pytest.fixture
def written(tmp_path):
    def write(rows, name="rows.csv", sep=","):
        rows.to_csv(tmp_path / name, index=False, sep=sep)
        return tmp_path / name

    return write


@pytest.mark.parametrize("form", DATES)
def test_dates_in_every_order_are_the_same_dates(form, written):
    plain = rosenblatt.fit(written(table(), "plain.csv"), target="kind")
    model = rosenblatt.fit(written(table(form)), target="kind")
    assert model[0].kinds_ == {"when": "date", "size": "number"}
    assert model[0].encoder_.column_encoders["when"].notation == DATES[form]
    assert weights(model) == weights(plain)


@pytest.mark.parametrize("sep", [";", ","])
def test_decimal_commas_are_numbers(sep, written):
    plain = rosenblatt.fit(written(table(), "plain.csv"), target="kind")
    model = rosenblatt.fit(written(table(comma=True), sep=sep), target="kind")
    assert model[0].kinds_["size"] == "number"
    assert weights(model) == weights(plain)


def test_memory_disk_and_stream_agree(written, monkeypatch, tmp_path):
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    rows, learner = table("%d/%m/%Y", comma=True), {"algorithm": "averaged", "order": "cyclic", "max_iter": 9}
    path = written(rows)
    held, in_memory = rosenblatt.fit(path, target="kind", **learner), rosenblatt.fit(rows, target="kind", **learner)
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 11)
    on_disk = rosenblatt.fit(path, target="kind", **learner)
    assert (tmp_path / "cache").exists()
    assert weights(held) == weights(in_memory) == weights(on_disk)
    many = pd.concat([rows] * 20)
    streams = [many, pd.concat([table()] * 20)]
    models = [rosenblatt.fit(io.BytesIO(one.to_csv(index=False).encode()), target="kind") for one in streams]
    assert weights(models[0]) == weights(models[1])


def test_the_model_file_says_how_to_read(written, tmp_path):
    path = written(table("%d/%m/%Y", comma=True))
    model = rosenblatt.fit(path, target="kind")
    rosenblatt.save(model, tmp_path / "m")
    loaded = rosenblatt.load(tmp_path / "m")
    ambiguous = pd.DataFrame({"when": ["02/01/2003"], "size": ["1,250"]})
    iso = pd.DataFrame({"when": pd.to_datetime(["2003-01-02"]), "size": [1.25]})
    scores = model.decision_function(iso)
    for rows in (ambiguous, iso):
        np.testing.assert_array_equal(loaded.decision_function(rows), scores)
    np.testing.assert_array_equal(loaded.predict(path), model.predict(path))


def test_a_value_in_another_notation_is_named(written):
    model = rosenblatt.fit(written(table("%d/%m/%Y")), target="kind")
    with pytest.raises(ColumnError, match=r"column 'when' holds dates written day-first, but '12/31/2003' in row 2"):
        model.predict(pd.DataFrame({"when": ["1/2/2003", "12/31/2003"], "size": [1.0, 2.0]}))


def hints(model):
    return report_hints(Report(**{name: model.report_[name] for name in Report.__dataclass_fields__}))


def test_dates_with_two_readings_are_hinted_at(written):
    rows = table("%d/%m/%Y", gaps=False)
    rows["when"] = [f"{1 + k % 12:02}/{1 + k % 5:02}/2003" for k in range(ROWS)]
    model = rosenblatt.fit(written(rows), target="kind")
    assert model[0].kinds_["when"] == "category"
    [hint] = [hint for hint in hints(model) if "'when'" in hint]
    assert "day or month" in hint
    assert "--day-first when or --month-first when" in hint
    with pytest.raises(ColumnError, match="call it day-first or month-first"):
        rosenblatt.fit(written(rows), target="kind", kinds={"when": "date"})
    for first in ("day-first", "month-first"):
        told = rosenblatt.fit(written(rows), target="kind", kinds={"when": first})
        assert told[0].encoder_.column_encoders["when"].notation == first
        assert not [hint for hint in hints(told) if "'when'" in hint]


def test_different_dates_with_two_readings_are_left_out_with_a_hint(written):
    rows = table(gaps=False).head(100)
    rows["when"] = [f"{1 + k % 12:02}/{1 + k // 12:02}/2003" for k in range(100)]
    model = rosenblatt.fit(written(rows), target="kind")
    assert model[0].left_out_ == {"when": "its dates do not show whether day or month is first"}
    assert any("--day-first when or --month-first when" in hint for hint in hints(model))


def test_the_rows_below_the_first_ones_decide_an_order(written):
    rows = pd.concat([table("%d/%m/%Y", days=12), table("%d/%m/%Y")] * 5 + [table("%d/%m/%Y")])
    rows["when"] = np.where(np.arange(len(rows)) < 2500, "02/01/2003", "31/01/2003")
    assert rosenblatt.fit(written(rows), target="kind")[0].kinds_["when"] == "date"


def test_commas_that_may_group_thousands_are_hinted_at(written):
    rows = table()
    rows["size"] = [f"{1 + k % 7},{100 + k % 3}" for k in range(ROWS)]
    model = rosenblatt.fit(written(rows), target="kind")
    assert model[0].kinds_["size"] == "category"
    [hint] = [hint for hint in hints(model) if "'size'" in hint]
    assert "give --numeric size to read decimal commas" in hint
    told = rosenblatt.fit(written(rows), target="kind", kinds={"size": "number"})
    assert told[0].encoder_.column_encoders["size"].low == 1.1


def test_the_index_of_pandas_is_left_out(tmp_path):
    rows = table().sample(frac=0.5, random_state=0)
    rows.to_parquet(tmp_path / "rows.parquet")
    model = rosenblatt.fit(tmp_path / "rows.parquet", target="kind")
    assert model[0].left_out_ == {"__index_level_0__": "it is the row index that pandas wrote"}
    assert list(rosenblatt.fit(rows, target="kind")[0].kinds_) == ["when", "size"]
    named = rows.set_index(pd.Index(np.arange(len(rows)) * 3.5, name="number"))
    assert list(rosenblatt.fit(named, target="kind")[0].kinds_) == ["when", "size"]


def test_proofs_take_neither_decimal_commas_nor_row_numbers(written, tmp_path):
    path = written(table(comma=True, gaps=False).drop(columns="when"))
    result = CliRunner().invoke(app, ["check", str(path), "--target", "kind"])
    assert result.exit_code == 2
    assert "column 'size' holds numbers with decimal commas" in result.stderr
    rows = table(gaps=False).drop(columns="when").sample(frac=0.5, random_state=0)
    rows.to_parquet(tmp_path / "rows.parquet")
    result = CliRunner().invoke(app, ["check", str(tmp_path / "rows.parquet"), "--target", "kind", "--json"])
    assert json.loads(result.stdout)["columns"] == 1


@pytest.mark.parametrize("mark", [".", ","])
def test_a_target_of_many_fractions_is_no_class(mark, written):
    rows = table()
    rows["kind"] = [f"{k % 30 / 4 + 0.25:.2f}".replace(".", mark) for k in range(ROWS)]
    with pytest.raises(InputError, match=r"30 different numbers in 400 rows, a quantity .*: choose another target, or"):
        rosenblatt.fit(written(rows), target="kind")


GROUPED = {"comma-groups": (",", "."), "point-groups": (".", ",")}


def prices(group="", point="."):
    """Classes that depend on a number of up to seven digits, its thousands grouped by a mark."""
    random = np.random.default_rng(0)
    price = random.integers(1, 9_000_000, ROWS) / 100
    texts = [f"{one:,.2f}".replace(",", "_").replace(".", point).replace("_", group) for one in price]
    return pd.DataFrame({"price": texts, "kind": np.where(price > 40_000, "dear", "cheap")})


@pytest.mark.parametrize("notation", GROUPED)
def test_grouped_thousands_are_numbers(notation, written):
    plain = rosenblatt.fit(written(prices(), "plain.csv"), target="kind")
    model = rosenblatt.fit(written(prices(*GROUPED[notation])), target="kind")
    assert model[0].kinds_ == {"price": "number"}
    assert model[0].encoder_.column_encoders["price"].notation == notation
    assert weights(model) == weights(plain)


@pytest.mark.parametrize("notation", GROUPED)
def test_grouped_thousands_are_kept_in_the_model(notation, written, tmp_path):
    rows = prices(*GROUPED[notation])
    rosenblatt.save(rosenblatt.fit(written(rows), target="kind"), tmp_path / "m")
    model = rosenblatt.load(tmp_path / "m")
    group, point = GROUPED[notation]
    few = pd.DataFrame({"price": [f"1{group}250", f"1{group}250{point}00", "1250"]})
    assert len(set(model.decision_function(few))) == 1
    with pytest.raises(ColumnError, match=rf"written {notation}, but '12{group}50'"):
        model.predict(pd.DataFrame({"price": [f"12{group}50"]}))


def test_one_group_of_thousands_still_has_two_readings(written):
    rows = table(gaps=False).assign(price=[f"{1 + k % 9},{k % 900 + 100}" for k in range(ROWS)])
    report = rosenblatt.fit(written(rows), target="kind").report_
    assert report["two_readings"] == {"price": "its commas may be decimal ones or group thousands"}
