"""Tables larger than memory: the same models from the disk, and a sentence for everything that can go wrong there."""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as arrow
import pytest
from people_table import call, people, told
from pyarrow import parquet

import rosenblatt
import rosenblatt.training.train_table
from rosenblatt.foundation import memory
from rosenblatt.foundation.errors import InputError
from rosenblatt.parts.catalogue import ALGORITHMS
from rosenblatt.tables.cache import disk_arrays as stored
from rosenblatt.tables.cache import encoded_cache as cache
from rosenblatt.tables.cache import storage
from rosenblatt.tables.read import delimited
from rosenblatt.tables.read import svmlight_table as numbered
from rosenblatt.tables.survey import build_cache as passes
from rosenblatt.training import memory_budget
from rosenblatt.training.request import NamedPlan

ROWS = 600
COMMAND = [sys.executable, "-m", "rosenblatt.cli"]


def numbers(rows=ROWS, classes=2, seed=0):
    """Numbers of very different sizes, with gaps in one column and classes that overlap."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 4))
    scores = X @ random.normal(size=(4, classes)) + random.normal(size=(rows, classes)) / 3
    table = pd.DataFrame(X * [1, 1e-3, 50, 1e4] + [0, 2, 0, 1e5], columns=list("abcd"))
    table.loc[random.random(rows) < 0.1, "a"] = np.nan
    return table.assign(kind=np.array(["ash", "birch", "cedar"])[scores.argmax(axis=1)])


TABLES = {
    "dense": lambda: numbers(),
    "joint": lambda: numbers(classes=3),
    "sparse": lambda: people(ROWS).drop(columns="note").rename(columns={"mood": "kind"}),
    "text": lambda: people(ROWS)[["note", "mood"]].rename(columns={"mood": "kind"}),
    "both": lambda: people(ROWS).rename(columns={"mood": "kind"}),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name, table in TABLES.items():
        table().to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture
def small(monkeypatch):
    """Memory enough for one batch, in blocks so small that there are many."""
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 12)
    monkeypatch.setattr(stored, "BLOCK_BYTES", 1 << 10)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where caches go."""
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def bits(model):
    return model[-1].coef_.tobytes(), model[-1].intercept_.tobytes()


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
def test_the_same_bits_from_memory_and_from_the_disk(name, learner, tables, folder, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 12)
    held = rosenblatt.fit(tables / f"{name}.csv", "kind", **learner)
    assert not folder.exists()
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    for _ in ("written", "found"):
        streamed = rosenblatt.fit(tables / f"{name}.csv", "kind", **learner)
        assert len(list(folder.iterdir())) == 1
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
    split, early_stopping, tmp_path, folder, monkeypatch
):
    leaking().to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 12)
    options = {"algorithm": "averaged", "max_iter": 8, "early_stopping": early_stopping, **split}
    held = rosenblatt.fit(tmp_path / "t.csv", "kind", **options)
    assert not folder.exists()
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    streamed = rosenblatt.fit(tmp_path / "t.csv", "kind", **options)
    assert folder.exists()
    assert bits(streamed) == bits(held)
    assert {**streamed.report_, "seconds": 0} == {**held.report_, "seconds": 0}
    assert held.report_["leaks"] == ["made", "sign"]
    assert held.report_["test_rows"] == (
        150 if "split_column" in split else pytest.approx(ROWS * split.get("test_fraction", 0.2), abs=2)
    )
    # train_rows counts the rows that the weights were trained on
    assert (held.report_["train_rows"] + held.report_["test_rows"] < ROWS) == early_stopping


def test_memory_and_disk_agree_on_many_classes(tmp_path, folder, monkeypatch):
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
def test_memory_and_disk_refuse_alike(table, options, sentence, tmp_path, folder, monkeypatch):
    table(numbers(classes=3)).to_csv(tmp_path / "t.csv", index=False)
    texts = []
    for factor in (4, 1 << 40):
        monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", factor)
        with pytest.raises(InputError, match=re.escape(sentence)) as refused:
            rosenblatt.fit(tmp_path / "t.csv", "kind", **options)
        texts.append(str(refused.value).replace(" at least", ""))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("kind", ["csv.gz", "parquet", "jsonl", "svm", "folder"])
def test_every_kind_of_source_streams(kind, tmp_path, small, folder, monkeypatch):
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
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 5)
    assert bits(rosenblatt.fit(path, target)) == bits(streamed)


def test_a_column_that_splits_the_rows(tables, tmp_path, small, folder, monkeypatch):
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


def test_columns_that_leak_are_found_on_the_way(tmp_path, small, folder):
    table = numbers()
    table["smile"] = table["kind"].map({"ash": "wide", "birch": "none"})
    table["score"] = np.where(table["kind"] == "ash", 7.0, 3.0) + table.index / (2 * ROWS)
    table["nearly"] = np.where(np.arange(ROWS) == ROWS - 1, 5.0, table["score"])
    table.loc[ROWS - 2, "nearly"] = 0.0 if table.loc[ROWS - 2, "kind"] == "ash" else 10.0
    table.to_csv(tmp_path / "t.csv", index=False)
    found = rosenblatt.fit(tmp_path / "t.csv", "kind", test_fraction=0).report_
    assert found["leaks"] == ["smile", "score"]


# Memory


MEASURED = """
import sys
from rosenblatt.cli import main
if "--quiet" not in sys.argv:
    sys.stderr.isatty = lambda: True  # as if somebody watched
try:
    main()
finally:
    print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0], file=sys.stderr)
"""


def peak(*words):
    """The most memory that a command held, in bytes. Not `ru_maxrss`, which begins with that of who starts it."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "OMP_NUM_THREADS": "2",
        "OPENBLAS_NUM_THREADS": "2",
    }
    command = [sys.executable, "-c", MEASURED, *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return int(done.stderr.split()[-1]) << 10


def write_large(path):
    """A table that would take 500 MB of memory and more."""
    random = np.random.default_rng(0)
    lines = [",".join(map(str, row)) for row in random.integers(-999, 999, (2000, 50)).tolist()]
    with path.open("w") as file:
        file.write(",".join(f"x{k}" for k in range(50)) + ",kind\n")
        for _ in range(150):
            kinds = random.integers(0, 2, 2000).tolist()
            file.writelines(f"{line},{kind}\n" for line, kind in zip(lines, kinds, strict=True))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process holds")
def test_memory_stays_within_its_limit(tmp_path):
    path, limit = tmp_path / "large.csv", 320 << 20
    write_large(path)
    shared = (path, "--target", "kind", "--cache", tmp_path / "cache", "--memory", limit, "--quiet")
    train = ("train", *shared, "--max-seconds", 3)
    for options in ((), ("--algorithm", "logistic"), ("--algorithm", "svm"), ("--algorithm", "pocket")):
        assert peak(*train, *options) < limit
    watched = [word for word in train if word != "--quiet"]  # the first rows are tried then
    assert peak(*watched, "--drop", "x1") < limit
    assert peak("check", *shared, "--certificate", tmp_path / "proof.json") < limit


def write_tall(path, rows):
    """Many rows with little in them."""
    random = np.random.default_rng(0)
    numbers = random.standard_normal(rows).astype(np.float32)
    kinds = np.where(numbers + random.standard_normal(rows) > 0, "over", "under")
    parquet.write_table(arrow.table({"a": numbers, "b": numbers[::-1], "kind": kinds}), path, row_group_size=100_000)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process holds")
def test_what_solvers_keep_of_each_row_counts(tmp_path):
    path, limit = tmp_path / "tall.parquet", 272 << 20
    write_tall(path, rows=2_500_000)
    train = ("train", path, "--target", "kind", "--cache", tmp_path / "cache", "--memory", limit, "--quiet")
    svm, sgd = ("--algorithm", "svm", "--max-iter", 2), ("--set", "solver=sgd")
    words = (*train, *svm, "--model", tmp_path / "m")
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    said = done.stderr
    assert (done.returncode, said.count("\n")) == (2, 1)
    assert f"{path} has 2,000,000 rows of 2 classes, 2 encoded columns, and " in said
    assert "besides the rows svm needs 217 MiB" in said
    assert "or choose --set solver=sgd, which needs far less." in said
    assert peak(*train, *svm, *sgd) < limit
    needed = re.search("allow ([0-9.]+ .iB)", said)[1]
    allowed = [needed if word == limit else word for word in train]
    assert peak(*allowed, *svm) < memory.parse_size(needed)
    assert not (tmp_path / "m").exists()


def test_rows_that_are_in_memory_already_are_not_counted(monkeypatch):
    monkeypatch.setattr(memory_budget, "NEWTON_BYTES", 1 << 40)
    monkeypatch.setattr(memory_budget, "MIN_CHECKED_BYTES", 0)
    table = numbers()
    assert rosenblatt.fit(table, "kind", algorithm="logistic").report_["rows"] == ROWS


@pytest.mark.parametrize("classes", [2, 3])
def test_memory_per_row_of_each_solver(classes):
    def taken(name, multi_class="ovr", **parameters):
        return memory_budget.MemoryNeed(NamedPlan.of(name, parameters, multi_class, False), 10, 2, classes).bytes_a_row

    assert taken("averaged") == taken("svm", solver="sgd") < taken("logistic") < taken("svm")
    assert taken("perceptron", order="working-set") > taken("perceptron")
    assert (taken("logistic", "joint") > taken("logistic")) == (classes > 2)  # planes that are found together


def test_twenty_classes_of_many_columns_fit_into_the_default_memory():
    def need(multi_class):
        plan = NamedPlan.of("logistic", {}, multi_class, False)
        return memory_budget.MemoryNeed(plan, rows=11_000, columns=560_000, classes=20).bytes

    limit = memory.parse_size("1 GiB") * 7 / 8 - memory_budget.PROGRAM_BYTES
    assert need("ovr") < need("joint") < limit


def test_the_hessians_of_planes_count():
    plan = NamedPlan.of("logistic", {}, "joint", False)
    narrow, wide = (
        memory_budget.MemoryNeed(plan, rows=0, columns=columns, classes=10).bytes for columns in (1000, 2000)
    )
    assert narrow > 10 * 1001**2 * 8
    assert wide < narrow  # too large to be computed


def test_weights_count_too(tmp_path):
    path = tmp_path / "wide.svm"
    path.write_text("".join(f"{k % 2} 1:1 {2_000_000_000 if k % 4 else 7}:1\n" for k in range(40)))
    said = call("train", path, "--algorithm", "averaged", ends=2).stderr
    assert "2,000,000,000 encoded columns, and besides the rows averaged needs 59.6 GiB" in said


# Proofs


def separable(kind):
    random = np.random.default_rng(0)
    X = random.integers(-9, 9, (ROWS, 3)).astype(float)
    side = X @ [1, -2, 3] + 0.5
    y = np.where(side > 0, "over", "under")
    if kind == "quasi":
        X, y = np.vstack([X[abs(side) > 1], np.zeros((2, 3))]), np.append(y[abs(side) > 1], ["over", "under"])
    if kind == "overlap":
        y[:50] = "over"
    return pd.DataFrame(X, columns=list("abc")).assign(side=y)


WHAT_IS_PROVED = {"negative", "positive", "verdict", "explanation"}


def proved(found):
    """What was told of the data alone. The widest margin takes the rows in memory, and a cache knows no lines."""
    answers = [{what: of for what, of in answer.items() if what in WHAT_IS_PROVED} for answer in found["answers"]]
    return {**found, "answers": without_lines(answers), "seconds": 0, "certificate": 0}


def without_lines(answers):
    return [{**answer, "explanation": re.sub(r" \(line \d+\)", "", answer["explanation"])} for answer in answers]


def the_same_proof_from_both(words, path, tmp_path, folder, monkeypatch):
    """What is told and the certificate, from memory, from a cache that is written and from one that is found."""
    held = told(*words, tmp_path / "held.json")
    assert not folder.exists()
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    for _ in ("written", "found"):
        found = told(*words, tmp_path / "streamed.json")
        assert len(list(folder.iterdir())) == 1
        assert proved(found) == proved(held)
        assert (tmp_path / "streamed.json").read_bytes() == (tmp_path / "held.json").read_bytes()
    assert told("verify", tmp_path / "streamed.json", path)["proved"]


@pytest.mark.parametrize("options", [(), ("--through-origin",), ("--features", "polynomial-2")], ids=str)
@pytest.mark.parametrize("kind", ["complete", "quasi", "overlap"])
def test_the_same_proof_from_memory_and_from_the_disk(kind, options, tmp_path, folder, monkeypatch):
    path = tmp_path / "t.csv"
    separable(kind).to_csv(path, index=False)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 11)
    words = ("check", path, "--target", "side", *options, "--certificate")
    the_same_proof_from_both(words, path, tmp_path, folder, monkeypatch)


@pytest.mark.parametrize("kind", ["categories", "libsvm"])
def test_the_same_proof_of_sparse_rows_from_memory_and_from_the_disk(kind, tmp_path, folder, monkeypatch):
    path, table = tmp_path / f"t.{'csv' if kind == 'categories' else 'svm'}", people(ROWS)
    if kind == "categories":
        table[["person_id", "job", "mood"]].assign(day=table["born"].map(str)).to_csv(path, index=False)
    else:
        places = np.random.default_rng(0).integers(1, 90, (ROWS, 4))
        lines = [" ".join(f"{place}:{place % 7}" for place in sorted({*row})) for row in places.tolist()]
        glad = (table["mood"] == "glad").astype(int)
        path.write_text("".join(f"{label} {line}\n" for label, line in zip(glad, lines, strict=True)))
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 11)
    monkeypatch.setattr(numbered, "BLOCK_SIZE", 1 << 11)
    words = (
        "check",
        path,
        *(("--target", "mood", "--categorical", "day") if kind == "categories" else ()),
        "--certificate",
    )
    the_same_proof_from_both(words, path, tmp_path, folder, monkeypatch)


def test_checking_three_classes_from_the_disk(tables, folder, monkeypatch):
    words = ("check", tables / "joint.csv", "--target", "kind")
    held = [told(*words, *drop)["answers"] for drop in ((), ("--drop", "a"))]  # "a" has missing values
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    for drop, answers in zip(((), ("--drop", "a")), held, strict=True):
        assert without_lines(told(*words, *drop)["answers"]) == without_lines(answers)
    assert "--multi-class ovr" in call(*words, "--multi-class", "ovo", ends=2).stderr


# The cache


def test_a_cache_is_used_again_only_for_the_same_table_and_options(tables, tmp_path, small, folder, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes((tables / "dense.csv").read_bytes())
    first = call("train", path, "--target", "kind").stderr
    assert f"is larger than memory: it is read again, into the cache {folder}" in first
    surveys = []
    survey = passes.survey_in_one_pass
    monkeypatch.setattr(passes, "survey_in_one_pass", lambda *given: surveys.append(given) or survey(*given))
    again = call("train", path, "--target", "kind", "--algorithm", "svm")
    assert f"reading {path} from the cache {folder}" in again.stderr
    assert not surveys
    for options in (("--drop", "a"), ("--seed", "1"), ("--no-scale",), ("--word-counts",), ("--test-fraction", "0.5")):
        surveys.clear()
        call("train", path, "--target", "kind", *options)
        assert len(surveys) == 1
    os.utime(path, (1, 1))
    call("train", path, "--target", "kind")
    assert len(surveys) == 2
    assert len(list(folder.iterdir())) == 7


def test_a_cache_is_removed_on_request(tables, small, folder):
    call("train", tables / "dense.csv", "--target", "kind", "--no-cache")
    assert not list(folder.iterdir())
    rosenblatt.fit(tables / "dense.csv", "kind", cache=False)
    assert not list(folder.iterdir())
    rosenblatt.fit(tables / "dense.csv", "kind")
    (folder / "mine.txt").write_text("not a cache")
    [line, total] = call("cache").stdout.splitlines()
    assert re.fullmatch(rf" +[\d.]+ KiB  {folder}/[0-9a-f]{{32}}  of {tables / 'dense.csv'}", line)
    assert total.endswith("  in all")
    assert "removed" in call("cache", "--clear").stdout
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_a_cache_elsewhere(tables, tmp_path, small, folder):
    call("train", tables / "dense.csv", "--target", "kind", "--cache", tmp_path / "other")
    assert len(list((tmp_path / "other").iterdir())) == 1
    assert not folder.exists()


def damage(path, kind):
    content = bytearray(path.read_bytes())
    if kind == "flipped":
        content[len(content) // 2] ^= 1
    path.unlink() if kind == "missing" else path.write_bytes(content[:-1] if kind == "truncated" else content)


@pytest.mark.parametrize("kind", ["flipped", "truncated", "missing"])
@pytest.mark.parametrize("file", ["train.values", "train.starts", "test.codes", "header.json", "encoder.0.0.10"])
def test_a_damaged_cache_is_refused_with_a_sentence(file, kind, tables, small, folder):
    path = tables / "text.csv"
    call("train", path, "--target", "kind")
    [inside] = folder.iterdir()
    damage(inside / file, kind)
    said = call("train", path, "--target", "kind", ends=2).stderr.splitlines()
    assert said[-1].startswith(f"error: {inside / file} ")
    assert said[-1].endswith(f"remove {inside} and train again: the cache is written anew.")
    assert call("cache", "--clear").exit_code == 0
    call("train", path, "--target", "kind")


@pytest.mark.parametrize("change", ["longer", "shorter", "other", "gone"])
def test_a_source_that_changes_between_the_passes_is_refused(change, tables, tmp_path, small, folder, monkeypatch):
    path = tmp_path / "t.csv"
    text = (tables / "dense.csv").read_text()
    path.write_text(text)
    survey = passes.survey_in_one_pass
    begun = passes.CacheBuilder._encode

    def then(text):
        path.unlink() if change == "gone" else path.write_text(text)

    changed = {"longer": text + text.splitlines()[-1] + "\n", "shorter": text[: len(text) // 2], "other": text}

    def changing_in_the_first(*given):
        found = survey(*given)
        then(changed[change])
        return found

    def changing_in_the_second(*given):
        then(changed.get(change, ""))
        return begun(*given)

    if change == "longer":
        monkeypatch.setattr(passes, "survey_in_one_pass", changing_in_the_first)
    else:
        monkeypatch.setattr(passes.CacheBuilder, "_encode", changing_in_the_second)
    said = call("train", path, "--target", "kind", ends=2).stderr.splitlines()
    assert said[-1] == f"error: {path} changed while it was read: train again when nothing writes to it."
    assert not folder.exists() or not list(folder.iterdir())


def test_a_source_that_changes_in_the_first_pass_is_refused_by_the_same_sentence(tables, tmp_path, small, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text((tables / "dense.csv").read_text())

    def changing(*_):
        path.write_text("something else")
        raise InputError("column 'kind' has no values.")

    monkeypatch.setattr(passes, "survey_in_one_pass", changing)
    said = call("train", path, "--target", "kind", ends=2).stderr.splitlines()
    assert said[-1] == f"error: {path} changed while it was read: train again when nothing writes to it."


def test_where_rows_end_is_looked_for_once_in_each_of_several_files(tables, tmp_path, small, folder, monkeypatch):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text((tables / "dense.csv").read_text())
    looked, read_blocks = [], delimited.read_blocks
    monkeypatch.setattr(
        delimited, "read_blocks", lambda stream, *given: looked.append(stream.path) or read_blocks(stream, *given)
    )
    rosenblatt.fit(str(tmp_path / "?.csv"), "kind")
    assert sorted(looked) == [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]


def test_a_model_that_cannot_be_saved_anywhere_is_told(tables, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "mkdtemp", lambda *_, **__: str(tmp_path / "nowhere"))
    said = call("train", tables / "dense.csv", "--target", "kind", "--model", tmp_path / "none" / "m", ends=2).stderr
    assert said.splitlines()[-1].startswith(f"error: {tmp_path / 'none'}")
    assert "kept" not in said


LIMITED = """
import resource, sys
import rosenblatt.tables.cache.storage as storage
storage.MEMORY_PER_ARROW_BYTE = 1 << 40
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.argv = ["rosenblatt", *sys.argv[2:]]
from rosenblatt.cli import main
main()
"""


@pytest.mark.parametrize("room", [1000, 4096, 15_000])
def test_a_full_disk_is_told_and_nothing_is_left(room, tables, tmp_path):
    words = ["train", tables / "dense.csv", "--target", "kind", "--cache", tmp_path / "cache"]
    done = subprocess.run([sys.executable, "-c", LIMITED, str(room), *words], capture_output=True, text=True)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"error: {tmp_path / 'cache'} has no room for the cache of {tables / 'dense.csv'}")
    assert "\nTraceback" not in done.stderr
    assert not (tmp_path / "cache").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a disk that is small")
def test_a_small_disk(tables, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        words = ["train", tables / "dense.csv", "--target", "kind", "--cache", disk]
        done = subprocess.run([sys.executable, "-c", LIMITED, str(1 << 30), *words], capture_output=True, text=True)
        assert (done.returncode, list(disk.iterdir())) == (2, [])
        said = done.stderr.splitlines()[-1]
        assert said.startswith(f"error: {disk} has no room for the cache of {tables / 'dense.csv'} (16 KiB left)")
        (disk / "filling").write_bytes(bytes(1 << 14))
        model = disk / "m"
        (tmp_path / "elsewhere").mkdir()
        done = subprocess.run(
            [*COMMAND, *map(str, [*words[:4], "--model", model])],
            capture_output=True,
            text=True,
            env={**os.environ, "TMPDIR": str(tmp_path / "elsewhere")},
        )
        [kept] = (tmp_path / "elsewhere").glob("rosenblatt-*/m")
        full = f"{model}: no space left on device; make room there, or name another place"
        assert done.stderr.splitlines() == [f"error: {full}. The model is kept in {kept}."]
        assert (done.returncode, os.listdir(disk)) == (2, ["filling"])
        assert bits(rosenblatt.load(kept)) == bits(rosenblatt.fit(tables / "dense.csv", "kind"))
    finally:
        subprocess.run(["umount", disk], check=True)


def test_what_a_killed_writer_left_is_swept_up_and_that_of_a_living_one_is_not(tables, small, folder):
    with cache.write_cache(folder, "a" * 32, "t"):
        [living] = folder.iterdir()
        dead, begun = (folder / f".{letter * 32}.12345678" for letter in "bc")
        for path in (dead, begun):
            path.mkdir()
        (dead / "lock").touch()
        (dead / "rows").touch()
        rosenblatt.fit(tables / "dense.csv", "kind")
        assert living.exists()
        assert not dead.exists()
        assert not begun.exists()  # killed before it had a lock
    assert len(list(folder.iterdir())) == 2  # the block ended well


def test_standard_input_and_folds_need_memory(tables, small, folder):
    path = tables / "dense.csv"
    said = call("train", path, "--target", "kind", "--folds", 3, ends=2).stderr
    assert "folds need all rows in memory: allow more memory, or hold out a fraction of the rows." in said
    said = call("train", path, "--target", "kind", "--tune", ends=2).stderr
    assert "tuning needs all rows in memory: allow more memory, or choose C." in said
    for words in (["train", "-", "--order", "cyclic", "--quiet"], ["check", "-", "--drop", "a"]):
        command = [sys.executable, "-c", LIMITED, str(1 << 30), *words, "--target", "kind"]
        done = subprocess.run(command, input=path.read_text(), capture_output=True, text=True)
        [said] = done.stderr.splitlines()
        assert done.returncode == 2
        assert "can be read only once: save it to a file, or allow more memory." in said
    for wrong in ("much", "12", "-1", "1XB"):
        said = call("train", path, "--target", "kind", f"--memory={wrong}", ends=2).stderr
        assert said.startswith("error: --memory must be")


def test_indices_beyond_int32(tables, small, folder, monkeypatch):
    monkeypatch.setattr(cache, "MAX_INT32", 100)
    streamed = rosenblatt.fit(tables / "text.csv", "kind")
    [inside] = folder.iterdir()
    assert (
        json.loads(json.loads((inside / "header.json").read_text())["header"])["arrays"]["train.places"]["type"]
        == "<i8"
    )
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 5)
    assert bits(rosenblatt.fit(tables / "text.csv", "kind")) == bits(streamed)


def test_a_small_table_never_touches_the_disk(tables, folder):
    call("train", tables / "both.csv", "--target", "kind")
    assert not Path(folder).exists()
