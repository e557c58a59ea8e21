"""`rosenblatt train` on raw files, against a careful scikit-learn pipeline on the same test rows."""

import contextlib
import io
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rosenblatt.cli.app import app
from rosenblatt.foundation.labels import encode
from rosenblatt.foundation.splitting import HoldOutSplitter

from .checks import Finding

ALLOWED = 0.005  # how far ours may be below the accuracy of the pipeline
FRACTION, SEED = 0.2, 0  # the test rows that train chooses by default


class Table(NamedTuple):
    """A file: columns that are not features, whether it has a column `split`, and its separate test file."""

    drop: tuple[str, ...] = ()
    split: bool = False
    test_file: str | None = None


TABLES = {
    "adult.csv.xz": Table(split=True),
    "census_income_kdd.csv.xz": Table(("instance_weight",), split=True),
    "bank_full.csv.xz": Table(("duration",)),
    "sms_spam.tsv.xz": Table(),
    "imdb50k.tsv.xz": Table(("rating",), split=True),
    "mushrooms.svm.xz": Table(),
    "mnist.parquet": Table(),
    "a9a.svm.xz": Table(test_file="a9a_t.svm.xz"),
}


def check_train_command(path: Path) -> Iterator[Finding]:
    """One finding for a file in TABLES: our test accuracy and that of the pipeline."""
    known = TABLES.get(path.name)
    if known is None or (known.test_file and not (path.parent / known.test_file).is_file()):
        return
    ours, seconds = train_accuracy(path, known)
    peer = pipeline_accuracy(path, known)
    result = f"test accuracy {ours:.2%}, {ours - peer:+.2%} relative to the pipeline"
    yield Finding("rosenblatt train", f"pipeline {peer:.2%}", result, seconds, ours >= peer - ALLOWED)


def command(*words: object) -> dict[str, Any]:
    """Run a command of ours and return its JSON output."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = app([*map(str, words), "--json"], standalone_mode=False)
    if code:
        raise SystemExit(f"rosenblatt {words[0]} failed with exit code {code}.")
    return json.loads(printed.getvalue())


def train_accuracy(path: Path, known: Table) -> tuple[float, float]:
    """Our test accuracy, and the seconds of the whole command."""
    options = [word for name in known.drop for word in ("--drop", name)]
    options += ["--split-column", "split"] if known.split else []
    options += ["--test-fraction", "0"] if known.test_file else []
    options += [] if path.name.endswith(".svm.xz") else ["--target", "label"]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        start = time.perf_counter()
        report = command("train", path, *options, "--quiet", "--model", model)
        seconds = time.perf_counter() - start
        if known.test_file:
            return command("evaluate", model, path.parent / known.test_file)["accuracy"], seconds
    return report["test_accuracy"], seconds


def pipeline_accuracy(path: Path, known: Table) -> float:
    """The test accuracy of scikit-learn on the same rows, with columns encoded by their types."""
    if path.name.endswith(".svm.xz"):
        return svmlight_accuracy(path, known)
    if path.suffix == ".parquet":
        table = pd.read_parquet(path)
    else:
        tabs = {"sep": "\t", "quoting": 3} if path.name.endswith(".tsv.xz") else {}
        table = pd.read_csv(path, na_values=["?"], **tabs)
    y = table["label"].to_numpy()
    if known.split:
        test = (table["split"] == "test").to_numpy()
        train, test = np.flatnonzero(~test), np.flatnonzero(test)
    else:
        out = HoldOutSplitter(FRACTION, SEED)(encode(y)[1])
        train, test = np.flatnonzero(~out), np.flatnonzero(out)
    X = table.drop(columns=["label", *known.drop, *(["split"] if known.split else [])])
    if list(X.columns) == ["text"]:
        X, encoder = X["text"].fillna(""), TfidfVectorizer(sublinear_tf=True)
    else:
        numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
        encoder = make_column_transformer(
            (numbers, make_column_selector(dtype_include="number")),
            (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
        )
    several = len(np.unique(y)) > 2  # would take minutes with more iterations
    model = make_pipeline(encoder, LogisticRegression(max_iter=50 if several else 1000, tol=1e-3))
    return float(model.fit(X.iloc[train], y[train]).score(X.iloc[test], y[test]))


def svmlight_accuracy(path: Path, known: Table) -> float:
    import lzma

    with lzma.open(path) as file:
        X, y = load_svmlight_file(file)
    if known.test_file is None:
        out = HoldOutSplitter(FRACTION, SEED)(encode(y)[1])
        train, test = np.flatnonzero(~out), np.flatnonzero(out)
        X_test, y_test = X[test], y[test]
        X, y = X[train], y[train]
    else:
        with lzma.open(path.parent / known.test_file) as file:
            X_test, y_test = load_svmlight_file(file, n_features=X.shape[1])
    return float(LogisticRegression(max_iter=1000).fit(X, y).score(X_test, y_test))
