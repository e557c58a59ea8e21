"""Compare estimating a distribution with finding a plane, for a right and a wrong assumed form.

Discriminant analysis assumes Gaussian classes, estimates their parameters and applies the Bayes rule of the estimate,
with one covariance for all classes (`linear`) or one for each (`quadratic`). The perceptron and logistic regression
assume only a plane. `python examples/plug_in.py > plug_in.csv` evaluates each on two known distributions, whose true
risk can be computed, and writes the results, ready to plot. `--summary` prints means instead.

    form      right: two Gaussian classes with the same covariance, five columns; smallest possible risk 0.1587
              wrong: one column, low values uniform on [0, 1], high ones 1.2 and more with a long tail; smallest risk 0
    learner   linear and quadratic discriminant analysis, the pocket perceptron, logistic regression
    rows      number of training rows
    draw      number of the draw of that many rows
    training  share of the training rows that are misclassified
    risk      share of all possible rows that are misclassified (the true risk)
"""

import argparse
import csv
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import Covariance, lognorm, multivariate_normal, uniform
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from rosenblatt import KnownDistribution, LogisticRegression, PocketPerceptron, empirical_risk

SIZES = (30, 200, 2000)
DRAWS = 60
JUDGED = 20_000  # draws for the true risk where there is no formula

# By Cholesky's factors the draws are the same on every machine. Eigenvectors of equal eigenvalues are not.
ONE_COVARIANCE = Covariance.from_cholesky(np.linalg.cholesky(0.5 * np.eye(5) + 0.5))
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
    parser.add_argument("--summary", action="store_true", help="print means instead of CSV")
    short = parser.parse_args().summary
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes overlap, and few rows give an uncertain covariance
        table = list(lines())
    if short:
        print("\n".join(summary(table)))
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(Line._fields)
    writer.writerows(table)


if __name__ == "__main__":
    main()
