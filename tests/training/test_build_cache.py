"""Tables larger than memory: the same models from the disk, whatever the rows, learners and sources."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cached_tables import ROWS, TABLES, bits, numbers
from people_table import call, people

import rosenblatt
import rosenblatt.training.train_table
from rosenblatt.foundation.errors import InputError
from rosenblatt.parts.catalogue import ALGORITHMS
from rosenblatt.tables.cache import encoded_cache as cache
from rosenblatt.tables.cache import storage
from rosenblatt.tables.read import delimited

LEARNERS = [
    *({"algorithm": name, "order": "cyclic", "max_iter": 20} for name in ALGORITHMS if name not in ("svm", "logistic")),
    {"algorithm": "perceptron", "order": "shuffle", "max_iter": 20},
    {"algorithm": "perceptron", "order": "working-set", "max_iter": 20},
    {"algorithm": "averaged", "order": "cyclic", "max_iter": 20, "early_stopping": True},
    {"algorithm": "averaged", "order": "cyclic", "max_iter": 20, "multi_class": "joint"},
    {"algorithm": "logistic", "solver": "sgd", "order": "cyclic", "max_iter": 5, "class_weight": "balanced"},
    {"algorithm": "svm", "solver": "sgd", "order": "cyclic", "max_iter": 5},
    {"algorithm": "logistic", "solver": "gd", "max_iter": 20},
    {"algorithm": "logistic"},
    {"algorithm": "svm"},
    {"algorithm": "svm", "loss": "squared-hinge"},
    {},
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda options: " ".join(map(str, options.values())) or "auto")
@pytest.mark.parametrize("name", TABLES)
def test_the_same_bits_from_memory_and_from_the_disk(name, learner, tables, cache_folder, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 12)
    held = rosenblatt.fit(tables / f"{name}.csv", "kind", **learner)
    assert not cache_folder.exists()
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    for _ in ("written", "found"):
        streamed = rosenblatt.fit(tables / f"{name}.csv", "kind", **learner)
        assert len(list(cache_folder.iterdir())) == 1
        assert bits(streamed) == bits(held)
        reports = ({**model.report_, "seconds": 0} for model in (streamed, held))
        assert next(reports) == next(reports)
    new = TABLES[name]()
    np.testing.assert_array_equal(streamed.decision_function(new), held.decision_function(new))


def leaking():
    """Text, gaps, a column that splits the rows, and two columns that leak the target."""
    table = people(ROWS).rename(columns={"mood": "kind"})
    codes = table.kind.astype("category").cat.codes
    return table.assign(
        part=np.where(np.arange(ROWS) % 4, "train", "test"), made=codes * 10.0, sign=codes.map("c{}".format)
    )


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("split", [{}, {"split_column": "part"}, {"test_fraction": 0.6}, {"test_fraction": 0.0}])
def test_memory_and_disk_agree_on_rows_classes_leaks_and_early_stopping(
    split, early_stopping, tmp_path, cache_folder, monkeypatch
):
    leaking().to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 12)
    options = {"algorithm": "averaged", "max_iter": 8, "early_stopping": early_stopping, **split}
    held = rosenblatt.fit(tmp_path / "t.csv", "kind", **options)
    assert not cache_folder.exists()
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    streamed = rosenblatt.fit(tmp_path / "t.csv", "kind", **options)
    assert cache_folder.exists()
    assert bits(streamed) == bits(held)
    assert {**streamed.report_, "seconds": 0} == {**held.report_, "seconds": 0}
    assert held.report_["leaks"] == ["made", "sign"]
    assert held.report_["test_rows"] == (
        150 if "split_column" in split else pytest.approx(ROWS * split.get("test_fraction", 0.2), abs=2)
    )
    # train_rows counts the rows that the weights were trained on
    assert (held.report_["train_rows"] + held.report_["test_rows"] < ROWS) == early_stopping


def test_memory_and_disk_agree_on_many_classes(tmp_path, cache_folder, monkeypatch):
    random = np.random.default_rng(0)
    kind = np.arange(1500) % 150
    pd.DataFrame({"a": kind + random.normal(size=1500), "kind": [f"k{k}" for k in kind]}).to_csv(
        tmp_path / "t.csv", index=False
    )
    held = rosenblatt.fit(tmp_path / "t.csv", "kind", algorithm="averaged", max_iter=2)
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    streamed = rosenblatt.fit(tmp_path / "t.csv", "kind", algorithm="averaged", max_iter=2)
    assert bits(streamed) == bits(held)
    assert streamed.report_["class_counts"] == held.report_["class_counts"] == [10] * 150


@pytest.mark.parametrize(
    ("table", "options", "sentence"),
    [
        (
            lambda t: t.assign(part=np.where(t.kind == "ash", "test", "train")),
            {"split_column": "part"},
            "of class 'ash'",
        ),
        (lambda t: t.assign(part="test"), {"split_column": "part"}, "leaves no rows to train on"),
        (lambda t: t.assign(part="maybe"), {"split_column": "part"}, "must say train or test"),
        (lambda t: t.assign(kind="ash"), {}, "has only one class"),
        (lambda t: t.assign(kind=np.arange(len(t)) % 200 / 8), {}, "a quantity rather than classes"),
        (lambda t: t.assign(kind=np.where(t.kind == "ash", None, t.kind)), {}, "has no class in"),
    ],
)
def test_memory_and_disk_refuse_alike(table, options, sentence, tmp_path, cache_folder, monkeypatch):
    table(numbers(classes=3)).to_csv(tmp_path / "t.csv", index=False)
    texts = []
    for factor in (4, 1 << 40):
        monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", factor)
        with pytest.raises(InputError, match=re.escape(sentence)) as refused:
            rosenblatt.fit(tmp_path / "t.csv", "kind", **options)
        texts.append(str(refused.value).replace(" at least", ""))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("kind", ["csv.gz", "parquet", "jsonl", "svm", "folder"])
def test_every_kind_of_source_streams(kind, tmp_path, small, cache_folder, monkeypatch):
    table, path = numbers().fillna(0), tmp_path / f"t.{kind}"
    if kind == "svm":
        lines = [f"{row.kind == 'ash':d} 1:{row.a!r} 3:{row.d!r}" for row in table.itertuples()]
        path.write_text("\n".join(lines))
    elif kind == "folder":
        path.mkdir()
        table[:300].to_csv(path / "1.csv", index=False)
        table[300:].to_csv(path / "2.csv", index=False)
    elif kind == "csv.gz":
        path.write_bytes(gzip.compress(table.to_csv(index=False).encode()))
    else:
        table.to_parquet(path) if kind == "parquet" else table.to_json(path, orient="records", lines=True)
    target = None if kind == "svm" else "kind"
    streamed = rosenblatt.fit(path, target)
    assert len(list(cache_folder.iterdir())) == 1
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 5)
    assert bits(rosenblatt.fit(path, target)) == bits(streamed)


def test_a_column_that_splits_the_rows(tables, tmp_path, small, cache_folder, monkeypatch):
    table = numbers().assign(part=np.where(np.arange(ROWS) % 4, "train", "test"))
    table.to_csv(tmp_path / "t.csv", index=False)
    streamed = rosenblatt.fit(tmp_path / "t.csv", "kind", split_column="part")
    assert streamed.report_["test_rows"] == ROWS // 4
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 5)
    assert bits(rosenblatt.fit(tmp_path / "t.csv", "kind", split_column="part")) == bits(streamed)
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    table.assign(part="test").to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="leaves no rows to train on"):
        rosenblatt.fit(tmp_path / "t.csv", "kind", split_column="part")


def test_columns_that_leak_are_found_on_the_way(tmp_path, small, cache_folder):
    table = numbers()
    table["smile"] = table["kind"].map({"ash": "wide", "birch": "none"})
    table["score"] = np.where(table["kind"] == "ash", 7.0, 3.0) + table.index / (2 * ROWS)
    table["nearly"] = np.where(np.arange(ROWS) == ROWS - 1, 5.0, table["score"])
    table.loc[ROWS - 2, "nearly"] = 0.0 if table.loc[ROWS - 2, "kind"] == "ash" else 10.0
    table.to_csv(tmp_path / "t.csv", index=False)
    found = rosenblatt.fit(tmp_path / "t.csv", "kind", test_fraction=0).report_
    assert found["leaks"] == ["smile", "score"]


def test_indices_beyond_int32(tables, small, cache_folder, monkeypatch):
    monkeypatch.setattr(cache, "MAX_INT32", 100)
    streamed = rosenblatt.fit(tables / "text.csv", "kind")
    [inside] = cache_folder.iterdir()
    assert (
        json.loads(json.loads((inside / "header.json").read_text())["header"])["arrays"]["train.places"]["type"]
        == "<i8"
    )
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 5)
    assert bits(rosenblatt.fit(tables / "text.csv", "kind")) == bits(streamed)


def test_a_small_table_never_touches_the_disk(tables, cache_folder):
    call("train", tables / "both.csv", "--target", "kind")
    assert not Path(cache_folder).exists()
