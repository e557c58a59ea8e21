"""Compare gradient descent, which is slow, with stochastic gradient descent, which oscillates.

`python examples/descent.py > descent.csv` writes the objective of a logistic regression after every pass over the rows,
for several step sizes, ready to plot. `--summary` prints a short table instead.

    solver     gd: one step per pass, by all rows; sgd: one step per row
    keep       the weights that are scored: the last, or the average of all met
    step       in units of 1 / L for gd (L: the largest curvature of the mean loss), of 1 / mean ||x||^2 for sgd
    passes     number of passes over the rows
    objective  C sum_i loss_i + 1/2 ||w||^2 after that many passes
    above      the distance of the objective from the optimum, relative to the optimum
"""

import argparse
import csv
import sys
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from rosenblatt import LogisticRegression

PASSES = 200
SHOWN = (1, 10, 100, 200)
STEPS = {
    ("gd", "last"): (0.1, 1.0, 1.9, 100.0),
    ("sgd", "last"): (0.01, 0.1, 1.0, 10.0),
    ("sgd", "average"): (0.01, 0.1, 1.0, 10.0),
}


class Line(NamedTuple):
    """One line of the table."""

    solver: str
    keep: str
    step: float
    passes: int
    objective: float
    above: float


def units(X: np.ndarray) -> dict[str, float]:
    """The length of one unit of step for each solver."""
    rows = np.column_stack([X, np.ones(len(X))])
    curvature = np.linalg.eigvalsh(rows.T @ rows / len(rows))[-1] / 4 + 1 / len(rows)
    return {"gd": 1 / curvature, "sgd": 1 / np.mean(np.sum(rows**2, axis=1))}


def lines() -> Iterator[Line]:
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    best, unit = LogisticRegression(tol=1e-10).fit(X, y).objective_, units(X)
    for (solver, keep), steps in STEPS.items():
        for step in steps:
            model = LogisticRegression(
                **{"solver": solver, "keep": keep, "step": "constant", "eta0": step * unit[solver]},
                **{"criterion": "loss", "tol": 0.0, "max_iter": PASSES, "random_state": 0},
            )
            for k, objective in enumerate(model.fit(X, y).history_["objective"], start=1):
                yield Line(solver, keep, step, k, float(objective), float(objective / best - 1))


def summary(table: list[Line]) -> Iterator[str]:
    yield f"{'solver':8}{'keep':9}{'step':>6}" + "".join(f"{k:>10}" for k in SHOWN) + f"{'rises':>8}"
    for (solver, keep), steps in STEPS.items():
        for step in steps:
            above = [line.above for line in table if (line.solver, line.keep, line.step) == (solver, keep, step)]
            cells = "".join(f"{100 * above[k - 1]:>8.1f} %" for k in SHOWN)
            yield f"{solver:8}{keep:9}{step:>6}{cells}{int((np.diff(above) > 0).sum()):>8}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--summary", action="store_true", help="print a short table instead of CSV")
    short = parser.parse_args().summary
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # every run ends at its limit
        table = list(lines())
    if short:
        print("\n".join(summary(table)))
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(Line._fields)
    writer.writerows(table)


if __name__ == "__main__":
    main()
