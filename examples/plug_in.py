"""Estimating a distribution beside looking for a plane: once where the assumed form is right, once where it is wrong.

Discriminant analysis assumes that the classes are Gaussian, estimates their parameters and takes the Bayes rule of
the estimate: with one covariance for all classes (`linear`) or one for each (`quadratic`). The perceptron and logistic
regression assume a plane only. `python examples/plug_in.py > plug_in.csv` writes, ready to be grouped and plotted, how
each does on two distributions that are known, so that the true risk is; `--summary` prints means for people instead.

    form      right: two Gaussian classes of one covariance, five columns; best possible risk 0.1587
              wrong: one column, low values uniform on [0, 1], high ones 1.2 and more with a long tail; best risk 0
    learner   linear and quadratic discriminant analysis, the pocket perceptron, logistic regression
    rows      to train on
    draw      which of the draws of so many rows
    training  share of these rows that are misclassified
    risk      share of all rows that would be
"""

import argparse
import csv
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import lognorm, multivariate_normal, uniform
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from rosenblatt import KnownDistribution, LogisticRegression, PocketPerceptron, empirical_risk

SIZES = (20, 200, 2000)
DRAWS = 20
JUDGED = 20_000  # draws for the true risk where there is no formula

ONE_COVARIANCE = 0.5 * np.eye(5) + 0.5
DIRECTION = np.array([1.0, -1.0, 0.0, 0.0, 0.0])  # of length 2 in units of the covariance
FORMS = {
    "right": KnownDistribution({k: multivariate_normal(k * DIRECTION, ONE_COVARIANCE) for k in (0, 1)}),
    "wrong": KnownDistribution({0: uniform(0, 1), 1: lognorm(s=2, loc=1.2)}),
}
LEARNERS: dict[str, Any] = {
    "linear": LinearDiscriminantAnalysis(),
    "quadratic": QuadraticDiscriminantAnalysis(),
    "pocket": PocketPerceptron(random_state=0),
    "logistic": LogisticRegression(),
}


class Line(NamedTuple):
    """One line of the table."""

    form: str
    learner: str
    rows: int
    draw: int
    training: float
    risk: float


def lines() -> Iterator[Line]:
    for form, known in FORMS.items():
        for rows in SIZES:
            for draw in range(DRAWS):
                X, y = known.draw(rows, random_state=draw)
                for name, learner in LEARNERS.items():
                    model = learner.fit(X, y)
                    training = empirical_risk(y, model.predict(X))
                    yield Line(form, name, rows, draw, training, known.true_risk(model, draws=JUDGED).risk)


def summary(table: list[Line]) -> Iterator[str]:
    yield f"{'form':7}{'learner':11}" + "".join(f"{f'{rows} rows':>22}" for rows in SIZES)
    yield " " * 18 + f"{'training':>13}{'true':>9}" * len(SIZES)
    for form in FORMS:
        for learner in LEARNERS:
            cells = ""
            for rows in SIZES:
                found = [line[-2:] for line in table if line[:3] == (form, learner, rows)]
                training, risk = np.mean(found, axis=0)
                cells += f"{training:>13.3f}{risk:>9.3f}"
            yield f"{form:7}{learner:11}{cells}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--summary", action="store_true", help="print means instead")
    short = parser.parse_args().summary
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes overlap, and a covariance of few rows is uncertain
        table = list(lines())
    if short:
        print("\n".join(summary(table)))
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(Line._fields)
    writer.writerows(table)


if __name__ == "__main__":
    main()
