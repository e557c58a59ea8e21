"""The Bayes rule: least expected loss with any probabilities, least risk with the true ones."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import BayesRule, KnownDistribution, LinearSVM, LogisticRegression, Perceptron, empirical_risk

UNEQUAL = [[0, 10], [1, 0]]


class Fixed(ClassifierMixin, BaseEstimator):
    """Gives the probabilities that it was made with."""

    def __init__(self, given=None, classes=(0, 1)):
        self.given = given
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X):
        return self.given


def rule_of(given, loss_matrix=None, classes=(0, 1)):
    given = np.asarray(given)
    return BayesRule(Fixed(given, classes), loss_matrix).fit(np.zeros((len(given), 1)), None)


@parametrize_with_checks([BayesRule(LogisticRegression())])
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


@given(st.integers(2, 4), st.booleans(), st.randoms(use_true_random=False))
def test_no_other_decision_has_a_smaller_expected_loss(k, rejects, random):
    draw = np.random.default_rng(random.randrange(2**32))
    losses = draw.uniform(0, 10, (k + rejects, k))
    losses[range(k), range(k)] = 0
    p = draw.dirichlet(np.ones(k), size=20)
    classes = list(range(10, 10 + k))
    rule = rule_of(p, losses, classes)
    expected = np.array(
        [[sum(p[i, c] * losses[d, c] for c in range(k)) for d in range(k + rejects)] for i in range(20)]
    )
    assert np.allclose(rule.expected_loss(np.zeros((20, 1))), expected)
    decisions = [*classes, "reject"]
    assert rule.predict(np.zeros((20, 1))).tolist() == [decisions[d] for d in expected.argmin(axis=1)]


def test_without_losses_it_decides_for_the_most_probable_class():
    X, y = load_iris(return_X_y=True)
    rule = BayesRule(LogisticRegression(multi_class="joint")).fit(X, y)
    assert (rule.predict(X) == rule.estimator_.predict(X)).all()
    assert rule.score(X, y) == pytest.approx(rule.estimator_.score(X, y))
    assert (rule.predict_proba(X) == rule.estimator_.predict_proba(X)).all()


def test_two_classes_have_a_threshold():
    """Calling 1 costs 1 if it is 0, calling 0 costs 10 if it is 1: call 1 from a probability of 1/11 on."""
    p = np.array([0.0, 0.09, 0.0910, 0.5, 1.0])
    assert rule_of(np.column_stack([1 - p, p]), UNEQUAL).predict(np.zeros((5, 1))).tolist() == [0, 0, 1, 1, 1]


def test_rejects_between_two_thresholds():
    """Chow's rule: reject where the more probable class has less than 1 - cost."""
    p = np.linspace(0, 1, 11)
    matrix = [[0, 1], [1, 0], [0.25, 0.25]]
    decided = rule_of(np.column_stack([1 - p, p]), matrix).predict(np.zeros((11, 1)))
    assert decided.tolist() == [0, 0, 0, *["reject"] * 5, 1, 1, 1]
    assert decided.dtype == object
    assert rule_of(np.column_stack([1 - p, p]), matrix, ("a", "b")).predict(np.zeros((11, 1))).dtype.kind == "U"


def test_dear_rejecting_is_never_chosen():
    p = np.linspace(0, 1, 11)
    assert (
        "reject" not in rule_of(np.column_stack([1 - p, p]), [[0, 1], [1, 0], [0.6, 0.6]]).predict(p[:, None]).tolist()
    )


# With the true probabilities

LINE = KnownDistribution({0: norm(0, 1), 1: norm(1.5, 1)}, priors=[0.8, 0.2])
PLANE = KnownDistribution(
    {
        "a": multivariate_normal([0, 0], [[1, 0.3], [0.3, 1]]),
        "b": multivariate_normal([2, 0], [[1, 0], [0, 0.2]]),
        "c": multivariate_normal([0, 2], [[0.5, 0], [0, 2]]),
    },
    priors=[0.5, 0.3, 0.2],
)
LOSSES = {
    "0-1": None,
    "10:1": [[0, 10], [1, 0]],
    "reject": [[0, 1], [1, 0], [0.1, 0.1]],
    "uneven": [[-1, 4], [3, 0.5]],
}


@pytest.mark.parametrize("losses", LOSSES.values(), ids=LOSSES)
def test_it_reaches_the_bayes_risk_on_simulated_rows(losses):
    """The integral of the least expected loss over x is the Bayes risk: no classifier is below it."""
    x = np.linspace(-10, 12, 220_001)
    matrix = np.array([[0, 1], [1, 0]] if losses is None else losses, dtype=float)
    joint = np.array([0.8 * norm.pdf(x), 0.2 * norm.pdf(x - 1.5)])
    bayes_risk = float((matrix @ joint).min(axis=0).sum() * (x[1] - x[0]))
    X, y = LINE.draw(200_000, random_state=1)
    found = empirical_risk(y, LINE.bayes_rule(losses).predict(X), losses, classes=[0, 1])
    spread = np.ptp(matrix) / np.sqrt(200_000)
    assert found == pytest.approx(bayes_risk, abs=2 * spread)
    told = LINE.bayes_risk(losses)
    assert told.risk == pytest.approx(bayes_risk, abs=5 * told.error + 1e-6)


@pytest.mark.parametrize("losses", [None, [[0, 5, 1], [1, 0, 1], [9, 1, 0], [0.4, 0.4, 0.4]]])
def test_no_trained_classifier_is_better(losses):
    best = PLANE.bayes_risk(losses, draws=200_000)
    X, y = PLANE.draw(2000, random_state=0)
    for model in (LinearDiscriminantAnalysis(), LogisticRegression(multi_class="joint")):
        for rule in (model, BayesRule(model, losses)):
            risk = PLANE.true_risk(rule.fit(X, y), losses, draws=200_000)
            assert risk.risk >= best.risk - 3 * (risk.error + best.error)
        assert risk.risk <= 1.25 * best.risk  # but by expected loss nearly as good


# In company


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        LinearDiscriminantAnalysis(),
        CalibratedClassifierCV(LinearSVM(), cv=3),
        CalibratedClassifierCV(Perceptron(max_iter=20, order="batch", keep="best"), cv=3),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_losses_lower_the_cost_with_any_estimator(estimator):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X[:, :4])
    rule = BayesRule(estimator, UNEQUAL).fit(X, y)
    assert empirical_risk(y, rule.predict(X), UNEQUAL) < empirical_risk(y, rule.estimator_.predict(X), UNEQUAL)
    assert rule.n_features_in_ == 4


def test_prefit_and_frozen_estimators_are_taken_as_they_are():
    X, y = load_breast_cancer(return_X_y=True)
    model = LogisticRegression().fit(X[:, :3], y)
    at_once = BayesRule(model, UNEQUAL, prefit=True)
    expected = BayesRule(LogisticRegression(), UNEQUAL).fit(X[:, :3], y).predict(X[:, :3])
    assert (at_once.predict(X[:, :3]) == expected).all()
    assert at_once.fit(X[:5, :3], y[:5]).estimator_ is model
    frozen = BayesRule(FrozenEstimator(model), UNEQUAL).fit(X[:5, :3], y[:5])
    assert (frozen.predict(X[:, :3]) == expected).all()


def test_search_goes_by_cost():
    X, y = load_breast_cancer(return_X_y=True)
    rule = BayesRule(make_pipeline(StandardScaler(), LogisticRegression()), UNEQUAL)
    scores = cross_val_score(rule, X[:, :3], y, cv=3)
    assert (scores < 1).all()
    search = GridSearchCV(rule, {"loss_matrix": [None, UNEQUAL], "estimator__logisticregression__C": [0.01, 1]}, cv=3)
    assert search.fit(X[:, :3], y).best_params_["loss_matrix"] is None  # whose cost is that of plain mistakes


def test_names_of_columns_and_sparse_rows_pass_through():
    from scipy.sparse import csr_matrix

    X, y = load_iris(return_X_y=True)
    table = pd.DataFrame(X, columns=list("abcd"))
    assert BayesRule(LogisticRegression()).fit(table, y).feature_names_in_.tolist() == list("abcd")
    dense, sparse = (BayesRule(LogisticRegression()).fit(kind(X), y) for kind in (np.array, csr_matrix))
    assert (dense.predict(X) == sparse.predict(csr_matrix(X))).all()


def test_weights_reach_the_estimator():
    X, y = load_breast_cancer(return_X_y=True)
    weights = np.where(y == 1, 5.0, 1.0)
    rule = BayesRule(LogisticRegression()).fit(X[:, :2], y, sample_weight=weights)
    assert (rule.estimator_.coef_ == LogisticRegression().fit(X[:, :2], y, sample_weight=weights).coef_).all()
    with pytest.raises(TypeError, match="LinearDiscriminantAnalysis learns without weights"):
        BayesRule(LinearDiscriminantAnalysis()).fit(X, y, sample_weight=weights)


# Refusals


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (np.ones((3, 3)), r"loss_matrix has the shape \(3, 3\), but there are 2 classes, 0, 1: it must be 2 x 2"),
        ([[0, np.nan], [1, 0]], "deciding 0 where 1 is true costs nan"),
        ([[1, 0], [0, 1]], "makes a wrong decision cheaper than the right one"),
        ({"no": {}, "yes": {}}, "must have a row for each class, 0, 1"),
    ],
)
def test_refused_losses(matrix, said):
    X, y = load_breast_cancer(return_X_y=True)
    rule = BayesRule(LinearDiscriminantAnalysis(), matrix)
    with pytest.raises(ValueError, match=said):
        rule.fit(X, y)
    assert "estimator_" not in vars(rule)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[0.5, 0.5], [0.5, 0.6]], "gives for row 1 sum to 1.1, not to one"),
        ([[0.5, np.nan]], "not probabilities"),
        ([[-0.5, 1.5]], r"gives \[-0.5, 1.5\] for row 0: not probabilities"),
        ([[0.2, 0.3, 0.5]], r"one column for each of its 2 classes, not an array of shape \(1, 3\)"),
        ([0.5, 0.5], r"not an array of shape \(2,\)"),
    ],
)
def test_refused_probabilities(given, said):
    with pytest.raises(ValueError, match=said):
        rule_of(given).predict(np.zeros((len(given), 1)))


def test_probabilities_in_float32_are_taken():
    p = np.random.default_rng(0).dirichlet(np.ones(100), size=50).astype(np.float32)
    assert len(rule_of(p, classes=range(100)).predict(np.zeros((50, 1)))) == 50


def test_refused_estimators():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(TypeError, match="LinearSVM has no predict_proba: use LogisticRegression, or Calibrated"):
        BayesRule(LinearSVM()).fit(X, y)
    with pytest.raises(TypeError, match="LinearSVM has no predict_proba"):
        BayesRule(LinearSVM().fit(X[:50, :2], y[:50]), prefit=True).predict(X[:, :2])
    with pytest.raises(NotFittedError):
        BayesRule(LogisticRegression(), prefit=True).predict(X)
    with pytest.raises(NotFittedError, match="call fit, or give a fitted estimator"):
        BayesRule(LogisticRegression()).predict(X)
    with pytest.raises(ValueError, match="'reject' is one of the classes"):
        BayesRule(LogisticRegression(), [[0, 1], [1, 0], [0.1, 0.1]]).fit([[0], [1]], ["reject", "take"])


def test_any_object_with_classes_and_probabilities_will_do():
    class Plain:
        classes_ = np.array(["ham", "spam"])

        def __init__(self, chances):
            self.chances = chances

        def predict_proba(self, X):
            return np.tile(self.chances, (len(X), 1))

    dear = [[0, 1], [10, 0]]
    assert BayesRule(Plain([0.2, 0.8]), dear, prefit=True).predict([[0.0]]).tolist() == ["ham"]
    assert BayesRule(Plain([0.05, 0.95]), dear, prefit=True).predict([[0.0]]).tolist() == ["spam"]
    with pytest.raises(ValueError, match=r"sum to 1\.2, not to one"):
        BayesRule(Plain([0.6, 0.6]), dear, prefit=True).predict([[0.0]])
