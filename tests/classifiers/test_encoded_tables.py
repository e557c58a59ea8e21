"""Tables with categories, texts, dates and missing values go into every classifier with `encode=True`."""

import datetime
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import rosenblatt
from rosenblatt import KernelPerceptron, LinearSVM, LogisticRegression, Perceptron, TableEncoder, load, save
from rosenblatt.parts.catalogue import CLASS_NAMES

ROWS = 60


def columns():
    random = np.random.default_rng(0)
    number = random.normal(size=ROWS).round(2).tolist()
    return {
        "size": [None if k % 11 == 0 else value for k, value in enumerate(number)],
        "colour": random.choice(["red", "blue", "green"], ROWS).tolist(),
        "note": random.choice(["a fine small thing to have", "no good thing at all to see"], ROWS).tolist(),
        "born": [datetime.date(2020, 1 + k % 12, 1 + k % 28) for k in range(ROWS)],
    }


TABLE = pd.DataFrame(columns())
Y = np.where(TABLE.colour.eq("red") ^ (TABLE["size"].fillna(0) > 0.5), "in", "out")


@pytest.mark.parametrize("name", CLASS_NAMES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_classifier_takes_a_table_as_a_pipeline_does(name):
    options = {"random_state": 0}
    model = getattr(rosenblatt, name)(encode=True, **options).fit(TABLE, Y)
    pipeline = make_pipeline(TableEncoder(), getattr(rosenblatt, name)(**options)).fit(TABLE, Y)
    np.testing.assert_array_equal(model.decision_function(TABLE), pipeline.decision_function(TABLE))
    np.testing.assert_array_equal(model.predict(TABLE), pipeline.predict(TABLE))
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(TABLE.columns)
    if name not in ("KernelPerceptron", "VotedPerceptron"):
        assert len(model.get_feature_names_out()) == model.coef_.shape[1]
        assert "colour=red" in model.get_feature_names_out()


class Capsule:
    """Whatever speaks Arrow's protocol, and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "made",
    [pl.DataFrame, pa.table, lambda given: Capsule(pa.table(given)), dict],
    ids=["polars", "arrow", "capsule", "dict"],
)
def test_any_table_gives_the_same_model(made):
    model = LogisticRegression(encode=True).fit(made(columns()), Y)
    np.testing.assert_allclose(model.coef_, LogisticRegression(encode=True).fit(TABLE, Y).coef_, rtol=1e-12)
    assert model.predict(made(columns())).shape == (ROWS,)


def test_categories_of_pandas_stay_sparse_and_unknown_ones_are_predicted():
    table = pd.DataFrame({"place": pd.Categorical([f"p{k % 40}" for k in range(ROWS * 4)])})
    model = LogisticRegression(encode=True).fit(table, np.arange(ROWS * 4) % 2)
    assert model.coef_.shape[1] >= 40
    assert model.training_problem(table, np.arange(ROWS * 4) % 2).data.X.format == "csr"
    assert model.predict(pd.DataFrame({"place": ["nowhere", None]})).shape == (2,)


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (["red", "blue"] * 30, "contains text in column 'it'. "),
        (pd.Categorical(["red", "blue"] * 30), "contains text in column 'it'. "),
        (pd.to_datetime(["2024-01-01", "2024-02-01"] * 30), "contains dates in column 'it'. "),
        ([1.0, None] * 30, "contains NaN in column 'it', row 1. "),
    ],
    ids=["text", "category", "date", "missing"],
)
def test_without_it_the_error_names_what_to_do(column, what):
    table = pd.DataFrame({"size": np.arange(60.0), "it": column})
    with pytest.raises(ValueError, match=re.escape(what)) as refused:
        Perceptron().fit(table, Y)
    assert "encode=True" in str(refused.value)
    assert "TableEncoder" in str(refused.value)


def test_numbers_need_no_change():
    X = np.random.default_rng(0).normal(size=(ROWS, 3))
    with pytest.raises(ValueError, match=r"contains NaN in column 0, row 0\. Fill in or drop such values first\.$"):
        Perceptron().fit(np.where(X[0, 0] == X, np.nan, X), Y)
    model = LogisticRegression(encode=True).fit(X, Y)
    assert model.n_features_in_ == 3
    assert not hasattr(model, "feature_names_in_")


def test_calibration_choice_of_c_and_several_classes():
    several = np.array(["a", "b", "c"])[np.arange(ROWS) % 3]
    model = LinearSVM(C="auto", calibration="platt", encode=True).fit(TABLE, several)
    assert model.predict_proba(TABLE).shape == (ROWS, 3)
    assert model.C_ > 0


@pytest.mark.parametrize("named", [True, False])
def test_it_is_saved_pickled_and_cloned(tmp_path, named):
    table = TABLE if named else np.column_stack([np.arange(ROWS) % 7, np.ones(ROWS), np.arange(ROWS) % 5])
    model = LogisticRegression(encode=True).fit(table, Y)
    save(model, tmp_path / "m")
    for again in (load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.decision_function(table), model.decision_function(table))
        assert again.encode
        assert again.n_features_in_ == model.n_features_in_
        assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert not hasattr(clone(model), "classes_")


def test_a_new_fit_forgets_the_old_table():
    X = np.random.default_rng(0).normal(size=(ROWS, 3))
    model = LogisticRegression(encode=True).fit(TABLE, Y)
    model.set_params(encode=False).fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(X), LogisticRegression().fit(X, Y).decision_function(X))
    with pytest.raises(ValueError, match="only one class"):
        model.set_params(encode=True).fit(TABLE, ["in"] * ROWS)
    assert model.predict(X).shape == (ROWS,)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: Perceptron(encode=True).partial_fit(TABLE, Y),
            "partial_fit, which learns from rows as they come",
        ),
        (
            lambda: Perceptron(encode=True, warm_start=True, max_iter=1).fit(TABLE, Y).fit(TABLE, Y),
            "warm_start=True, which needs the columns of the fit before, does not go with encode=True",
        ),
        (lambda: KernelPerceptron("precomputed", encode=True).fit(np.eye(ROWS), Y), "does not go with kernel='precomp"),
        (lambda: Perceptron(encode="yes").fit(TABLE, Y), "encode must be True or False, not 'yes'"),
        (lambda: Perceptron(encode=True).fit(TABLE, Y).predict(TABLE[["size"]]), "the table has no column 'colour'"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_does_not_go_together_is_refused(call, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        call()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["q", 1], r"^column 'c' of X holds int and str: each argument must be a string, number or date"),
        ([1j, 2j], r"^column 'c' of X holds complex: each argument must be a string, number or date"),
    ],
)
def test_a_column_of_no_one_type_is_named(values, sentence):
    table = pd.DataFrame({"size": np.arange(ROWS), "c": values * (ROWS // 2)})
    with pytest.raises(TypeError, match=sentence):
        LogisticRegression(encode=True).fit(table, Y)


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(ValueError, match=r"^the table has two columns named 'size': rename one of them"):
        LogisticRegression(encode=True).fit(pd.concat([TABLE, TABLE[["size"]]], axis=1), Y)


@pytest.mark.parametrize(
    "values", [pd.to_timedelta(np.arange(ROWS) % 7, unit="h"), [b"x", b"y"] * (ROWS // 2), [[1], [2]] * (ROWS // 2)]
)
def test_columns_that_cannot_be_read_are_left_out_with_a_warning(values):
    table = TABLE[["size"]].assign(c=values)
    with pytest.warns(UserWarning, match=r"^LogisticRegression: column 'c' is left out, because it holds values"):
        model = LogisticRegression(encode=True).fit(table, Y)
    assert "c" not in model.get_feature_names_out()
