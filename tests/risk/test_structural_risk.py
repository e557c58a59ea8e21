"""Structural risk: the record is what the parts say, either choice is the least, and what makes no sense is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import AveragedPerceptron, StructuralRisk, cross_validated_risk, empirical_risk, vc_bound

QUICK = AveragedPerceptron(max_iter=20, random_state=0)


def signs(rows, columns=2, seed=0):
    """Labels that need degree 2."""
    X = np.random.default_rng(seed).uniform(-1, 1, (rows, columns))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")


@parametrize_with_checks([StructuralRisk(QUICK, degrees=[1, 2])])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_record_is_what_the_parts_say():
    X, y = signs(800)
    model = StructuralRisk(QUICK, eta=0.1).fit(X, y)
    record = model.record_
    assert record["name"] == ["1", "2", "3"]
    assert record["capacity"].tolist() == [3, 6, 10]
    assert {len(values) for values in record.values()} == {3}
    for k, features in enumerate(["identity", "polynomial-2", "polynomial-3"]):
        alone = AveragedPerceptron(max_iter=20, random_state=0, features=features)
        held_out, risk = cross_validated_risk(alone, X, y), empirical_risk(y, alone.fit(X, y).predict(X))
        bound = vc_bound(risk, 800, int(record["capacity"][k]), 0.1 / 3)
        told = [record[name][k] for name in ("training_risk", "confidence", "bound", "vacuous")]
        assert told == [risk, bound.confidence, bound.bound, bound.vacuous]
        interval = [record[f"held_out_{name}"][k] for name in ("risk", "lower", "upper")]
        assert interval == [held_out.risk, held_out.lower, held_out.upper]
    assert model.by_bound_ == record["bound"].argmin() == 1
    assert model.by_cross_validation_ == record["held_out_risk"].argmin()


def test_either_choice_predicts():
    X, y = signs(60, columns=3)
    models = [StructuralRisk(QUICK, choice=choice).fit(X, y) for choice in ("bound", "cross-validation")]
    assert models[0].best_index_ == models[0].by_bound_
    assert models[1].best_index_ == models[1].by_cross_validation_ == 1
    for model in models:
        inner = model.estimators_[model.best_index_]
        np.testing.assert_array_equal(model.predict(X), inner.predict(X))
        np.testing.assert_array_equal(model.decision_function(X), inner.decision_function(X))


def test_few_rows_make_every_bound_vacuous_and_that_is_said():
    X, y = signs(20, columns=6)
    model = StructuralRisk(QUICK).fit(X, y)
    assert model.record_["vacuous"].all()
    assert np.isinf(model.record_["confidence"][1:]).all()  # 28 and 84 weights, 20 rows: no bound at all
    assert model.by_bound_ == 0
    assert "rule of thumb" in model.explain()
    assert "says nothing" not in StructuralRisk(QUICK, degrees=[1, 2]).fit(*signs(3000)).explain()


@pytest.mark.parametrize("form", [pd.DataFrame, np.asarray, sparse.csr_matrix])
def test_growing_sets_of_columns(form):
    random = np.random.default_rng(0)
    X = random.standard_normal((3000, 4))
    y = X[:, 1] + X[:, 3] > 0
    names = [1, 3, 0, 2]
    if form is pd.DataFrame:
        X = pd.DataFrame(X, columns=list("abcd"))
        names = ["b", "d", "a", "c"]
    else:
        X = form(X)
    model = StructuralRisk(QUICK, columns=[names[:k] for k in (1, 2, 3, 4)]).fit(X, y)
    assert model.record_["capacity"].tolist() == [2, 3, 4, 5]
    assert model.best_index_ == 1
    assert model.record_["name"] == [str(names[0]), *(f"+ {name}" for name in names[1:])]
    assert (model.predict(X) == y).mean() > 0.98


def test_any_classifiers_and_their_dimensions():
    X, y = signs(500)
    classes = [("line", LogisticRegression()), ("tree", DecisionTreeClassifier(max_leaf_nodes=8, random_state=0))]
    model = StructuralRisk(classes=classes, vc_dims=[3, 40], choice="cross-validation").fit(X, y)
    assert model.record_["name"] == ["line", "tree"]
    assert model.best_index_ == 1
    assert not hasattr(model, "decision_function")
    with pytest.raises(ValueError, match="class 'tree' is not known, because it has no coef_: give vc_dims"):
        StructuralRisk(classes=classes).fit(X, y)


def test_in_pipelines_and_of_pipelines():
    X, y = signs(300)
    inner = make_pipeline(StandardScaler(), QUICK)
    model = StructuralRisk(inner, degrees=[1, 2], random_state=3, cv=KFold(3, shuffle=True)).fit(X * [1, 1e3], y)
    assert model.best_index_ == model.by_cross_validation_ == 1
    assert model.estimator_[-1].features == "polynomial-2"
    assert cross_val_score(make_pipeline(StandardScaler(), StructuralRisk(QUICK, degrees=[1, 2])), X, y).mean() > 0.9


def test_equal_classes_give_the_smaller():
    X = np.linspace(-1, 1, 50).reshape(-1, 1) * [1, 1]
    model = StructuralRisk(QUICK, columns=[[0], [0, 1]]).fit(X, X[:, 0] > 0)
    assert (model.by_bound_, model.by_cross_validation_) == (0, 0)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"eta": 0.0}, "eta must be between 0 and 1"),
        ({"choice": "luck"}, "choice must be one of 'bound', 'cross-validation', not 'luck'."),
        ({"degrees": [2, 1]}, r"degrees must grow, not \[2, 1\]."),
        ({"degrees": [0, 1]}, "degrees must be a whole number of at least 1, not 0."),
        ({"degrees": []}, "at least one class"),
        ({"degrees": [1], "columns": [[0]]}, "degrees does not go with columns"),
        ({"columns": [[0], [1]]}, "columns must grow: 0 is in one set, but not in the next."),
        ({"columns": [[]]}, "empty set"),
        ({"classes": [("a", QUICK)], "estimator": QUICK}, "estimator does not go with classes"),
        ({"classes": [("b", QUICK), ("a", QUICK)], "vc_dims": [9, 3]}, "smallest first"),
        ({"vc_dims": [3]}, "one number for each class: 3, not 1"),
        ({"estimator": LogisticRegression()}, "degrees needs a classifier of rosenblatt"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        StructuralRisk(**{"estimator": QUICK, **parameters} if "classes" not in parameters else parameters).fit(
            *signs(40)
        )


def test_more_than_two_classes_are_refused():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        StructuralRisk(QUICK).fit(signs(30)[0], np.arange(30) % 3)
