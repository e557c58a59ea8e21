"""FLIC and FLAC: R's figures, their definitions, dense and sparse rows, counts, and refusals."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import LogisticRegression, fit, flac, flic, load, save, summary

FIGURES = json.loads((Path(__file__).parents[1] / "solvers" / "brglm2" / "figures.json").read_text())


def firth(X, y, sample_weight=None, **parameters):
    return LogisticRegression(penalty="jeffreys", **parameters).fit(X, y, sample_weight=sample_weight)


def rare(rows=60, seed=0):
    dice = np.random.default_rng(seed)
    X = dice.normal(size=(rows, 2))
    X[np.abs(X) < 0.4] = 0
    return X, (X[:, 0] + dice.logistic(size=rows) > 2.5).astype(int)


def test_endometrial_as_in_r():
    """The figures that `solvers/brglm2/make_flic_flac.R` prints."""
    X, y = np.array(FIGURES["endometrial"]["X"]), np.array(FIGURES["endometrial"]["y"], int)
    model = firth(X, y)
    assert flic(model, X, y).intercept_[0] == pytest.approx(3.7860834944919, rel=1e-10)
    assert flic(model, X, y).coef_.tolist() == model.coef_.tolist()
    found = flac(model, X, y)
    want = [3.79816075157376, 2.94136655913209, -0.034610031770945, -2.61426340031319]
    np.testing.assert_allclose([*found.intercept_, *found.coef_[0]], want, rtol=1e-8)


@pytest.mark.parametrize("correct", [flic, flac])
def test_probabilities_add_up_to_the_successes(correct):
    X, y = rare()
    model = firth(X, y)
    assert model.predict_proba(X)[:, 1].sum() > y.sum() + 0.1
    assert correct(model, X, y).predict_proba(X)[:, 1].sum() == pytest.approx(y.sum(), abs=1e-6)
    separated = firth([[1], [2], [3], [4]], [0, 0, 1, 1])
    assert correct(separated, [[1], [2], [3], [4]], [0, 0, 1, 1]).predict_proba([[1], [2], [3], [4]])[
        :, 1
    ].sum() == pytest.approx(2, abs=1e-6)


@pytest.mark.parametrize("correct", [flic, flac])
def test_sparse_rows_counts_and_the_model_itself(correct):
    X, y = rare(40, 3)
    model = firth(X, y)
    before = model.intercept_.tolist()
    found = correct(model, X, y)
    thin = correct(firth(sparse.csr_matrix(X), y), sparse.csr_matrix(X), y)
    np.testing.assert_allclose([*thin.intercept_, *thin.coef_[0]], [*found.intercept_, *found.coef_[0]], atol=1e-7)
    counts = np.random.default_rng(1).integers(1, 4, 40)
    counted = correct(firth(X, y, counts), X, y, counts)
    again = np.repeat(X, counts, axis=0), np.repeat(y, counts)
    repeated = correct(firth(*again), *again)
    np.testing.assert_allclose(counted.intercept_, repeated.intercept_, rtol=1e-6)
    np.testing.assert_allclose(counted.coef_, repeated.coef_, rtol=1e-6)
    assert model.intercept_.tolist() == before
    with pytest.raises(AttributeError, match="there is no objective_"):
        _ = found.objective_


@pytest.mark.parametrize("correct", [flic, flac])
def test_what_they_do_not_correct_is_refused(correct):
    X, y = rare()
    with pytest.raises(ValueError, match="corrects Firth's estimates: train a LogisticRegression"):
        correct(LogisticRegression(penalty=None).fit(X, y), X, y)
    with pytest.raises(ValueError, match="corrects Firth's estimates"):
        correct(LogisticRegression(penalty="l2").fit(X, y), X, y)
    with pytest.raises(ValueError, match="corrects the intercept: train with fit_intercept=True"):
        correct(firth(X, y, fit_intercept=False), X, y)
    with pytest.raises(ValueError, match="the model is not the optimum for these rows"):
        correct(firth(X, y), X, 1 - y)


@pytest.mark.parametrize("correct", [flic, flac])
def test_the_model_of_a_formula_is_corrected_with_its_table(correct, tmp_path):
    X, y = rare()
    table = pd.DataFrame(X, columns=["age", "dose"]).assign(ill=y)
    model = correct(fit(table, formula="ill ~ age + dose", penalty="jeffreys"), table)
    plain = correct(firth(X, y), X, y)
    np.testing.assert_allclose(model.predict_proba(table), plain.predict_proba(X), rtol=1e-9)
    save(model, tmp_path / "model")
    assert (load(tmp_path / "model").predict_proba(table) == model.predict_proba(table)).all()


@pytest.mark.parametrize("ask", [summary, flic, flac])
def test_pipelines_are_answered_by_what_to_give(ask):
    X, y = rare()
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(penalty="jeffreys")).fit(X, y)
    with pytest.raises(
        TypeError, match=rf"^{ask.__name__} is for a LogisticRegression, not for Pipeline: give its last"
    ):
        ask(pipeline, X, y)
    rows = pipeline[:-1].transform(X)
    assert ask(pipeline[-1], rows, y) is not None
