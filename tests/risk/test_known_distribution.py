"""Known distributions: what is exact agrees with what is drawn, and the table tells the story of notes on risk."""

import numpy as np
import pytest
from scipy.stats import expon, multivariate_normal, multivariate_t, norm, poisson, uniform
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from rosenblatt import KnownDistribution, LogisticRegression, Perceptron, empirical_risk
from rosenblatt.risk.vc import vc_confidence

GAUSSIAN = KnownDistribution(
    {"b": multivariate_normal([1, 1, 0], np.diag([1, 2, 0.5])), "a": multivariate_normal([0, 0, 0], np.eye(3))},
    priors=[0.3, 0.7],
)
SKEW = KnownDistribution({0: expon(0, 1), 1: uniform(1, 3)}, priors=[0.6, 0.4])


def test_draws_have_the_shares_and_means_they_should():
    X, y = GAUSSIAN.draw(100_000, random_state=0)
    assert GAUSSIAN.classes_.tolist() == ["a", "b"]
    assert (y == "b").mean() == pytest.approx(0.3, abs=0.005)
    assert X[y == "b"].mean(axis=0) == pytest.approx([1, 1, 0], abs=0.05)
    again, _ = GAUSSIAN.draw(100_000, random_state=0)
    assert (again == X).all()


@pytest.mark.parametrize("known", [GAUSSIAN, SKEW], ids=["gaussian", "skew"])
@pytest.mark.parametrize("losses", [None, [[0, 7], [1, 0.5]]])
def test_exact_risk_of_a_plane_is_the_mean_loss_of_many_draws(known, losses):
    model = LogisticRegression().fit(*known.draw(300, random_state=0))
    exact = known.true_risk(model, losses)
    assert exact.error == exact.draws == 0
    X, y = known.draw(200_000, random_state=1)
    assert empirical_risk(y, model.predict(X), losses) == pytest.approx(exact.risk, abs=0.02 if losses else 0.004)


@pytest.mark.parametrize(("offset", "risk"), [(0.0, 0.6), (1.0, 0.6), (-1.0, 0.4)])
def test_a_plane_that_always_says_the_same(offset, risk):
    """A score of 0 is the second class, which 40 % of the rows are."""
    model = LinearDiscriminantAnalysis().fit([[0.0], [1], [3], [4]], [0, 0, 1, 1])
    model.coef_, model.intercept_ = np.zeros((1, 1)), np.array([offset])
    assert SKEW.true_risk(model).risk == pytest.approx(risk)


def test_a_plane_in_a_lifted_space_is_no_plane():
    """Two random cosines of two columns: as many weights as columns, and yet not a line."""
    known = KnownDistribution(
        {0: multivariate_normal([0, 0], np.eye(2)), 1: multivariate_normal([0, 0], 9 * np.eye(2))}
    )
    X, y = known.draw(300, random_state=0)
    model = LogisticRegression(features="fourier-2").fit(X, y)
    told = known.true_risk(model, draws=20_000)
    assert model.coef_.shape == (1, 2)
    X_new, y_new = known.draw(20_000, random_state=1)
    assert told.risk == pytest.approx(empirical_risk(y_new, model.predict(X_new)), abs=0.02)
    assert told.draws == 20_000


def test_risk_of_other_classifiers_comes_with_its_error():
    known = KnownDistribution({0: multivariate_t([0, 0], df=3), 1: multivariate_t([2, 0], df=3)})
    model = QuadraticDiscriminantAnalysis().fit(*known.draw(500, random_state=0))
    told = known.true_risk(model, draws=100_000)
    other = known.true_risk(model, draws=100_000, random_state=5)
    assert 0 < told.error < 0.002
    assert abs(told.risk - other.risk) < 4 * (told.error + other.error)
    assert "from 100,000 draws" in str(told)


def test_bayes_plane_of_one_covariance_is_exact_and_best():
    shared = [[1, 0.4], [0.4, 2]]
    known = KnownDistribution(
        {0: multivariate_normal([0, 0], shared), 1: multivariate_normal([1, -1], shared)}, [0.7, 0.3]
    )
    for losses in (None, [[0, 5], [1, 0]]):
        exact = known.bayes_risk(losses)
        drawn = known.true_risk(known.bayes_rule(losses), losses, draws=200_000)
        assert exact.error == 0
        assert drawn.risk == pytest.approx(exact.risk, abs=4 * drawn.error)


def test_probabilities_far_from_all_classes_are_still_probabilities():
    p = KnownDistribution({0: norm(0, 1), 1: norm(1, 1)}).predict_proba([[-1000.0], [0.5], [1000.0]])
    assert p == pytest.approx(np.array([[1, 0], [0.5, 0.5], [0, 1]]))


def test_table_shows_what_is_too_low_and_what_holds():
    """Means over draws: training risk below the true one below the bound, and all but the bound near for many rows."""
    known = KnownDistribution({k: multivariate_normal(np.eye(10)[0] * k, np.eye(10)) for k in (0, 1)})
    tables = [known.risk_table(LogisticRegression(C=1e6), [30, 3000], random_state=seed) for seed in range(10)]
    few, many = np.mean(tables, axis=0)
    assert few[1] < known.bayes_risk().risk < many[3] < few[3]  # training looks better than the best there is
    assert abs(many[1] - many[3]) < 0.02
    assert few[2] == pytest.approx(few[3], abs=0.06)
    assert few[4] == pytest.approx(few[1] + vc_confidence(30, 11))
    assert few[4] > 1 > many[4] > many[3]
    assert "says nothing" in str(tables[0]).splitlines()[1]
    assert "says nothing" not in str(tables[0]).splitlines()[2]


def test_there_is_no_bound_for_fewer_rows_than_the_dimension():
    table = GAUSSIAN.risk_table(LogisticRegression(), [40], vc_dim=50)
    assert table[0].bound == np.inf
    assert "none" in str(table)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (KnownDistribution({0: norm()}), "at least two classes"),
        (KnownDistribution({0: norm(), 1: norm()}, priors=[0.5, 0.6]), "2 shares above 0 that sum to one"),
        (KnownDistribution({0: norm(), 1: norm()}, priors=[1.0]), "2 shares above 0"),
        (KnownDistribution({0: norm(), 1: multivariate_normal([0, 0])}), "as many columns as each other"),
    ],
)
def test_refusals(known, said):
    with pytest.raises(ValueError, match=said):
        known.draw(10)


def test_more_refusals():
    with pytest.raises(TypeError, match="frozen and continuous"):
        KnownDistribution({0: poisson(1), 1: poisson(2)}).draw(3)
    with pytest.raises(ValueError, match=r"rows of 1 columns, not an array of shape \(2,\)"):
        SKEW.predict_proba([0.5, 3.0])
    with pytest.raises(ValueError, match="Row 1 of X cannot be drawn"):
        KnownDistribution({0: uniform(0, 1), 1: uniform(0, 2)}).predict_proba([[0.5], [3.0]])
    with pytest.raises(ValueError, match="for two classes, not 3"):
        KnownDistribution({0: norm(), 1: norm(), 2: norm()}).risk_table(Perceptron(), [10])
    model = LinearDiscriminantAnalysis().fit([[0.0], [1], [3], [4]], [5, 5, 6, 6])
    with pytest.raises(ValueError, match=r"knows the classes \[5, 6\], and the rows have \[0, 1\]"):
        SKEW.true_risk(model)
