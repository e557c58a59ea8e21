"""What a statistician may give by mistake: each is told in one sentence that names what to do."""

import numpy as np
import pandas as pd
import pytest

from rosenblatt import (
    LogisticRegression,
    exact_summary,
    fit,
    flac,
    flic,
    likelihood_ratio_test,
    load,
    save,
    summary,
)
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


@pytest.mark.parametrize("correct", [flic, flac])
def test_models_corrected_for_predictions_have_no_summary(trial, correct, tmp_path):
    X = trial[["age", "dose"]]
    corrected = correct(LogisticRegression(penalty="jeffreys").fit(X, trial.ill), X, trial.ill)
    save(corrected, tmp_path / "model")
    for model in (corrected, load(tmp_path / "model")):
        with pytest.raises(ValueError, match=r"^this model was corrected by flic or flac.*give summary the model that"):
            summary(model, X, trial.ill)


def test_rows_of_another_number_are_refused_where_they_are_separated(trial):
    model = LogisticRegression(penalty=None).fit(trial[["age"]], trial.ill)
    old = trial.age > trial.age.median()
    some = trial[(old & (trial.ill == "yes")) | (~old & (trial.ill == "no"))]
    with pytest.raises(ValueError, match=r"^the model is not the optimum for these rows"):
        summary(model, some[["age"]], some.ill)


@pytest.mark.filterwarnings("ignore::rosenblatt.classifiers.messages.SeparationWarning")
def test_separated_rows_without_a_weight_do_not_count():
    X, y, weights = [[1], [2], [3], [4], [5]], [0, 1, 0, 1, 1], [1, 0, 1, 1, 1]
    model = LogisticRegression(penalty=None).fit(X, y, sample_weight=weights)
    assert summary(model, X, y, weights)["x1"].estimate == np.inf


@pytest.mark.parametrize("level", ["a", None, True, 95, 0, float("nan")])
def test_levels_that_are_no_shares_are_refused(trial, level):
    X = trial[["age", "dose"]]
    model = LogisticRegression(penalty=None).fit(X, trial.ill)
    for ask in (lambda: summary(model, X, trial.ill, level=level), lambda: exact_summary(X, trial.ill, level=level)):
        with pytest.raises(ValueError, match=r"^level must be above 0 and below 1, not"):
            ask()


def test_what_is_no_number_of_seconds_is_refused(trial):
    with pytest.raises(ValueError, match=r"^max_seconds must not be negative, and it is 'a'"):
        exact_summary(trial[["dose"]], trial.ill, max_seconds="a")


def test_exact_inference_names_what_it_takes_instead_of_texts_and_missing_values(trial):
    with pytest.raises(ValueError, match=r"text in column 'ill'. exact_summary takes numbers: .*`rosenblatt summary"):
        exact_summary(trial[["dose", "ill"]], trial.ill)
    with pytest.raises(ValueError, match=r"NaN in column 'dose', row 0\. Fill in or drop such values first\.$"):
        exact_summary(trial[["dose"]].replace(trial.dose[0], np.nan), trial.ill)
    dummies = pd.get_dummies(trial[["dose"]].astype(str), drop_first=True)  # as the sentence says
    assert len(exact_summary(dummies, trial.ill).coefficients) == 2


def test_a_tiny_column_is_not_called_zero_in_exact_inference(trial):
    with pytest.raises(
        ValueError, match=r"^column 'dose' holds only numbers so small .* multiply it by a power of 10.$"
    ):
        exact_summary(trial[["dose"]] * 1e-300, trial.ill)


@pytest.mark.parametrize(("without", "said"), [(None, "it names none"), (3, "3 is not among them")])
def test_a_test_without_columns_is_refused(trial, without, said):
    X = trial[["age", "dose"]]
    model = LogisticRegression(penalty=None).fit(X, trial.ill)
    with pytest.raises(ValueError, match=rf"^without must name columns of 'intercept', 'age', 'dose'; {said}"):
        likelihood_ratio_test(model, X, trial.ill, without=without)


@pytest.mark.parametrize(("weights", "said"), [("a", "holds values that are not numbers"), (2, "expected .30,.")])
def test_weights_that_are_no_row_of_numbers_are_refused(trial, weights, said):
    X = trial[["age", "dose"]]
    model = LogisticRegression(penalty=None).fit(X, trial.ill)
    with pytest.raises(ValueError, match=rf"^sample_weight.*{said}"):
        summary(model, X, trial.ill, sample_weight=weights)
