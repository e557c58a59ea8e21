"""Proofs about tables larger than memory: the same answers and certificates from the disk."""

import re

import numpy as np
import pandas as pd
import pytest
from cached_tables import ROWS
from people_table import call, people, told

from rosenblatt.tables.cache import storage
from rosenblatt.tables.read import delimited
from rosenblatt.tables.read import svmlight_table as numbered


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


def the_same_proof_from_both(words, path, tmp_path, cache_folder, monkeypatch):
    """What is told and the certificate, from memory, from a cache that is written and from one that is found."""
    held = told(*words, tmp_path / "held.json")
    assert not cache_folder.exists()
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    for _ in ("written", "found"):
        found = told(*words, tmp_path / "streamed.json")
        assert len(list(cache_folder.iterdir())) == 1
        assert proved(found) == proved(held)
        assert (tmp_path / "streamed.json").read_bytes() == (tmp_path / "held.json").read_bytes()
    assert told("verify", tmp_path / "streamed.json", path)["proved"]


@pytest.mark.parametrize("options", [(), ("--through-origin",), ("--features", "polynomial-2")], ids=str)
@pytest.mark.parametrize("kind", ["complete", "quasi", "overlap"])
def test_the_same_proof_from_memory_and_from_the_disk(kind, options, tmp_path, cache_folder, monkeypatch):
    path = tmp_path / "t.csv"
    separable(kind).to_csv(path, index=False)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 11)
    words = ("check", path, "--target", "side", *options, "--certificate")
    the_same_proof_from_both(words, path, tmp_path, cache_folder, monkeypatch)


@pytest.mark.parametrize("kind", ["categories", "libsvm"])
def test_the_same_proof_of_sparse_rows_from_memory_and_from_the_disk(kind, tmp_path, cache_folder, monkeypatch):
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
    the_same_proof_from_both(words, path, tmp_path, cache_folder, monkeypatch)


def test_checking_three_classes_from_the_disk(tables, cache_folder, monkeypatch):
    words = ("check", tables / "joint.csv", "--target", "kind")
    held = [told(*words, *drop)["answers"] for drop in ((), ("--drop", "a"))]  # "a" has missing values
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    for drop, answers in zip(((), ("--drop", "a")), held, strict=True):
        assert without_lines(told(*words, *drop)["answers"]) == without_lines(answers)
    assert "--multi-class ovr" in call(*words, "--multi-class", "ovo", ends=2).stderr
