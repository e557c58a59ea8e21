"""Tuning against scikit-learn's GridSearchCV over the same grid of C, and how often its interval holds the truth.

    python -m evidence.tuning --resamplings 200

For each file a fifth of the rows is held out. C="auto" and GridSearchCV choose among the same 17 values by the log-loss
of five folds of the others; the rows held out give the loss of both models. Times are processor times of one process.

Then tables of 1,000 rows are drawn from each population, `fit(tune=True)` chooses penalty and C, and its interval for
the share of new rows that are right is compared with the share on 40,000 rows of the file that were not drawn, or all.
"""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from sklearn import linear_model
from sklearn.model_selection import GridSearchCV, train_test_split

from rosenblatt import LogisticRegression, fit
from rosenblatt.risk.intervals import wilson
from rosenblatt.solvers.tuning.search import STRENGTHS

from .checks import Finding, print_findings
from .datasets import NOT_FEATURES, read, read_text

FILES = ("adult.csv.xz", "bank_full.csv.xz", "sms_spam.tsv.xz", "phishing.svm.xz", "a9a.svm.xz", "pima_diabetes.csv.xz")
POPULATIONS = ("bank_full.csv.xz", "adult.csv.xz", "census_income_kdd.csv.xz")
DRAWN, MOST_OTHERS = 1_000, 40_000
LEAST_COVERAGE = 0.93
ALLOWED_ERRORS = 2.0  # standard errors of the difference of two losses on the same rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--resamplings", type=int, default=200, metavar="N")
    parser.add_argument("--files", nargs="*", default=FILES, metavar="FILE")
    parser.add_argument("--populations", nargs="*", default=POPULATIONS, metavar="FILE")
    given = parser.parse_args()
    named = os.environ.get("ROSENBLATT_DATA", "")
    if not named:
        print("Nothing checked: set ROSENBLATT_DATA to a folder of datasets.")
        return 0
    return print_findings(findings(Path(named), given.files, given.populations, given.resamplings))


def findings(folder: Path, files: list[str], populations: list[str], resamplings: int) -> Iterator[Finding]:
    for file in files:
        if (folder / file).is_file():
            yield compare(file, *read(folder / file))
    for file in populations if resamplings else ():
        if (folder / file).is_file():
            yield coverage(file, read_text(folder / file), resamplings)


def compare(file: str, X: Any, y: np.ndarray) -> Finding:
    """The loss of both models on the same rows held out, and the processor time of both."""
    train, test, labels, truth = train_test_split(X, y, test_size=0.2, random_state=0, stratify=y)
    mine, my_seconds = timed(lambda: LogisticRegression("auto").fit(train, labels))
    grid = GridSearchCV(
        linear_model.LogisticRegression(max_iter=10_000), {"C": STRENGTHS}, scoring="neg_log_loss", cv=5
    )
    theirs, their_seconds = timed(lambda: grid.fit(train, labels))
    ours, other = (row_log_losses(model, test, truth) for model in (mine, theirs))
    error = float((ours - other).std() / np.sqrt(len(truth)))
    result = (
        f"log-loss {ours.mean():.5f} (C={mine.C_:.3g}), "
        f"GridSearchCV {other.mean():.5f} (C={theirs.best_params_['C']:.3g}), "
        f"difference {ours.mean() - other.mean():+.5f} +- {error:.5f}; "
        f"{my_seconds:.2f} s against {their_seconds:.2f} s: {their_seconds / my_seconds:.1f} times as fast"
    )
    holds = bool(ours.mean() - other.mean() <= ALLOWED_ERRORS * error + 1e-12)
    return Finding(file, "no worse", result, my_seconds + their_seconds, holds)


def row_log_losses(model: Any, X: Any, truth: np.ndarray) -> np.ndarray:
    place = np.searchsorted(model.classes_, truth)
    return -model.predict_log_proba(X)[np.arange(len(truth)), place]


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = call()
    return found, time.process_time() - began


def coverage(file: str, table: pyarrow.Table, resamplings: int) -> Finding:
    """The share of resamplings whose interval holds the share of new rows that are right."""
    began, inside = time.process_time(), 0
    names = [name for name in table.column_names if name == "label" or name not in NOT_FEATURES]
    table, random = table.select(names), np.random.default_rng(0)
    for seed in range(resamplings):
        order = random.permutation(table.num_rows)
        model = fit(table.take(order[:DRAWN]), target="label", tune=True, features="identity", seed=seed)
        rest = table.take(order[DRAWN : DRAWN + MOST_OTHERS])
        right = float(np.mean(model.predict(rest) == np.array(rest["label"].to_pylist())))
        low, high = model.report_["test_interval"]
        inside += low <= right <= high
    low, high = wilson(inside, resamplings)
    result = f"the interval holds the truth in {inside} of {resamplings} ({low:.1%} to {high:.1%})"
    return Finding(
        file,
        f"{LEAST_COVERAGE:.0%} or more",
        result,
        time.process_time() - began,
        inside >= LEAST_COVERAGE * resamplings,
    )


if __name__ == "__main__":
    sys.exit(main())
