"""What a statistician may give by mistake: each is told in one sentence that names what to do."""

import numpy as np
import pandas as pd
import pytest

from rosenblatt import LogisticRegression, exact_summary, fit, flac, flic, summary
from rosenblatt.classifiers.messages import SeparationWarning


@pytest.fixture
def trial():
    dice = np.random.default_rng(0)
    age, dose = dice.normal(50, 9, 30), dice.integers(1, 4, 30)
    ill = np.where(age + 4 * dose + 9 * dice.logistic(size=30) > 58, "yes", "no")
    return pd.DataFrame({"age": age, "dose": dose, "sum": age + dose, "ill": ill})


@pytest.mark.parametrize("penalty", [None, "jeffreys"])
def test_collinear_columns_are_named(trial, penalty):
    sentence = r"^column 'sum' is a combination of column 'age' and column 'dose': leave one of them out.$"
    columns = ["age", "dose", "sum"]
    with pytest.raises(ValueError, match=sentence):
        summary(LogisticRegression(penalty=penalty).fit(trial[columns], trial.ill), trial[columns], trial.ill)
    with pytest.raises(ValueError, match=sentence):
        summary(fit(trial, formula="ill ~ age + dose + sum", penalty=penalty), trial)


@pytest.mark.filterwarnings("ignore::rosenblatt.classifiers.messages.SeparationWarning")
@pytest.mark.parametrize("penalty", [None, "jeffreys"])
def test_fewer_rows_than_columns_are_refused(penalty):
    X, y = np.random.default_rng(0).normal(size=(4, 6)), [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"^4 rows cannot determine 7 weights: leave"):
        summary(LogisticRegression(penalty=penalty).fit(X, y), X, y)


@pytest.mark.parametrize("ask", [summary, flic, flac])
def test_weights_that_are_no_counts_are_refused(trial, ask):
    X, weights = trial[["age", "dose"]], np.linspace(0.5, 1.5, 30)
    model = LogisticRegression(penalty="jeffreys").fit(X, trial.ill, sample_weight=weights)
    with pytest.raises(ValueError, match=r"^sample_weight must count rows, in whole numbers.*; row 0 has 0.5: leave"):
        ask(model, X, trial.ill, weights)


def test_weights_that_are_no_counts_are_refused_in_exact_inference(trial):
    with pytest.raises(ValueError, match=r"^sample_weight must count rows, in whole numbers"):
        exact_summary(trial[["dose"]], trial.ill, sample_weight=np.full(30, 0.5))


def test_an_unknown_column_of_a_formula_is_named(trial):
    with pytest.raises(ValueError, match=r"^the table has no column 'agee' of the formula: did you mean 'age'\?"):
        fit(trial, formula="ill ~ agee + dose")


@pytest.mark.parametrize(
    "train",
    [
        lambda table: fit(table, formula="ill ~ x"),
        lambda table: LogisticRegression(penalty=None).fit(table[["x"]], table.ill),
    ],
)
def test_separated_classes_without_a_penalty_are_told_of_firth(train):
    table = pd.DataFrame({"x": [1, 2, 3, 4], "ill": [0, 0, 1, 1]})
    with pytest.warns(SeparationWarning, match="completely separated.*penalty='jeffreys' keeps them finite"):
        train(table)


@pytest.mark.parametrize("ask", [flic, flac])
def test_several_classes_are_refused_by_the_name_of_the_question(ask):
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    model = LogisticRegression(penalty="jeffreys").fit(X, y)
    with pytest.raises(ValueError, match=f"^{ask.__name__} is for two classes, and the model has 3: train on two"):
        ask(model, X, y)


def test_columns_that_were_scaled_are_refused(trial):
    model = LogisticRegression(penalty=None, encode=True).fit(trial[["age", "dose"]], trial.ill)
    with pytest.raises(ValueError, match="encode=True scales them"):
        summary(model, trial[["age", "dose"]], trial.ill)
