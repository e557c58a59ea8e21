"""Checkpoints of other options, rows or versions, and damaged ones, are refused and left alone."""

import os
from pathlib import Path

import numpy as np
import pytest
from checkpointed_runs import killed, refused, train, write_table

import rosenblatt
from rosenblatt.foundation import state_file as trees
from rosenblatt.training import checkpoint

OTHERS = {
    "--algorithm averaged, not perceptron": ("--algorithm", "perceptron"),
    "--max-iter 20, not 30": ("--algorithm", "averaged", "--max-iter", 30),
    "without --order": ("--algorithm", "averaged", "--max-iter", 20, "--order", "cyclic"),
    "--seed 0, not 7": ("--algorithm", "averaged", "--max-iter", 20, "--seed", 7),
    "without --features": ("--algorithm", "averaged", "--max-iter", 20, "--features", "polynomial-2"),
    "without --drop": ("--algorithm", "averaged", "--max-iter", 20, "--drop", "a"),
    "without --categorical": ("--algorithm", "averaged", "--max-iter", 20, "--categorical", "a"),
    "without --no-scale": ("--algorithm", "averaged", "--max-iter", 20, "--no-scale"),
    "without --set n_iter_no_change": ("--algorithm", "averaged", "--max-iter", 20, "--set", "n_iter_no_change=3"),
    "without --class-weight": ("--algorithm", "averaged", "--max-iter", 20, "--class-weight", "k0=2"),
    "--test-fraction 0.2, not 0.1": ("--algorithm", "averaged", "--max-iter", 20, "--test-fraction", "0.1"),
    "without --folds": ("--algorithm", "averaged", "--max-iter", 20, "--folds", 3),
    "with --max-iter 20": ("--algorithm", "averaged"),
}


@pytest.mark.parametrize("difference", OTHERS)
def test_other_options_are_refused_by_name(run_folder, difference):
    assert train("--algorithm", "averaged", "--max-iter", 20).exit_code == 0
    before = Path("kept", checkpoint.FILE).read_bytes()
    line = refused(train(*OTHERS[difference]), "kept was made", difference, "another folder to start again")
    assert line.count(" and ") <= 1
    assert Path("kept", checkpoint.FILE).read_bytes() == before


def test_options_are_refused_before_the_table_is_read(run_folder):
    assert train("--algorithm", "averaged", "--max-iter", 20).exit_code == 0
    Path("two.csv").write_text("a,kind\nx\n")  # it could not be read
    refused(train("--algorithm", "svm"), "--algorithm averaged, not svm")


def test_other_rows_are_refused(run_folder):
    assert train("--algorithm", "averaged", "--max-iter", 20).exit_code == 0
    before = Path("kept", checkpoint.FILE).read_bytes()
    write_table(run_folder / "two.csv", seed=1)
    refused(train("--algorithm", "averaged", "--max-iter", 20), "kept was made from other rows")
    assert Path("kept", checkpoint.FILE).read_bytes() == before


def test_one_number_more_makes_other_rows(run_folder):
    assert train("--algorithm", "averaged", "--max-iter", 20, "--test-fraction", 0).exit_code == 0
    text = Path("two.csv").read_text()
    Path("two.csv").write_text(text.replace(",k1", ",k0", 1))
    refused(train("--algorithm", "averaged", "--max-iter", 20, "--test-fraction", 0), "from other rows")


def spoilt(content):
    yield "empty", b""
    yield "cut", content[: len(content) // 2]
    yield "flipped", content[:-1] + bytes([content[-1] ^ 1])
    yield "foreign", b"a,b\n1,2\n" * 100


def test_damaged_and_foreign_files_are_refused_and_left_alone(run_folder):
    assert train("--algorithm", "averaged", "--max-iter", 20).exit_code == 0
    file = Path("kept", checkpoint.FILE)
    others = [*spoilt(file.read_bytes()), ("model", Path("model").read_bytes())]
    others.append(("tree", trees.written({"something": "else"})))
    for _, content in others:
        file.write_bytes(content)
        refused(train("--algorithm", "averaged", "--max-iter", 20), "kept")
        assert file.read_bytes() == content


def test_another_version_is_refused_by_name(run_folder, monkeypatch):
    assert train("--algorithm", "averaged", "--max-iter", 20).exit_code == 0
    monkeypatch.setattr(checkpoint, "__version__", "9.9")
    refused(train("--algorithm", "averaged", "--max-iter", 20), rosenblatt.__version__, "9.9")


def test_states_that_do_not_fit_are_damage(run_folder, monkeypatch):
    for asked in (("--algorithm", "perceptron", "--max-iter", 50), ("--algorithm", "svm", "--set", "tol=1e-12")):
        into = asked[1]
        assert killed(monkeypatch, 2, *asked, into=into) is None
        file = Path(into, checkpoint.FILE)
        tree = trees.read(file.read_bytes())

        def shortened(value):
            if isinstance(value, dict):
                return {name: shortened(one) for name, one in value.items()}
            if isinstance(value, list):
                return [shortened(one) for one in value]
            return value[:-1] if isinstance(value, np.ndarray) else value

        for spoil in (shortened, lambda run: {"runs": [{}], "found": [{}], "seconds": 0.0}):
            file.write_bytes(trees.written({**tree, "run": spoil(tree["run"])}))
            refused(train(*asked, into=into), "is damaged")


def test_a_file_is_no_folder(run_folder):
    refused(train(into="two.csv"), "two.csv is not a folder")
    os.mkdir("strange")
    os.mkfifo(Path("strange", checkpoint.FILE))  # to read it would take for ever
    refused(train(into="strange"), "is not a file")
    refused(train("--checkpoint-every", "nan"), "--checkpoint-every must be a finite number above 0, not nan.")
