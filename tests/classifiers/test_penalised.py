"""What LinearSVM and LogisticRegression share: the objective, three solvers, criteria, rows held out, refusals."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier

from rosenblatt import KernelPerceptron, LinearSVM, LogisticRegression, Perceptron
from rosenblatt.foundation.errors import TooLarge
from rosenblatt.foundation.splitting import split
from rosenblatt.solvers.defaults import default_parts

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
ROOT = Path(__file__).resolve().parents[2]


def hinge(**parameters):
    return LinearSVM(**parameters)


def squared_hinge(**parameters):
    return LinearSVM(loss="squared-hinge", **parameters)


LEARNERS = [LogisticRegression, hinge, squared_hinge]
SMOOTH = [LogisticRegression, squared_hinge]
LOSSES = {
    "logistic": lambda m: np.logaddexp(0, -m),
    "hinge": lambda m: np.maximum(0, 1 - m),
    "squared-hinge": lambda m: np.maximum(0, 1 - m) ** 2,
}


def overlapping(rows=300, columns=5, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    return X, (X[:, 0] - X[:, 1] + random.normal(size=rows) > 0.3).astype(int)


def mean_objective(loss, w, X, y, alpha, shares, penalize_last=False):
    """Straight from the definition; the last weight is the constant coordinate's."""
    free = 0 if penalize_last else 1
    penalised = w[: len(w) - free]
    return shares @ LOSSES[loss](y * (X @ w)) + alpha / 2 * penalised @ penalised


def slope(function, w, h=1e-6):
    """The gradient by central differences."""
    return np.array([(function(w + h * e) - function(w - h * e)) / (2 * h) for e in np.eye(len(w))])


@quietly
@pytest.mark.parametrize("penalize_intercept", [False, True])
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_step_of_gradient_descent_is_the_slope_of_the_objective(learner, penalize_intercept):
    X, y = overlapping(50)
    signs, s = 2 * y - 1, np.random.default_rng(1).uniform(0.1, 3, 50)
    model = learner(
        **{"solver": "gd", "C": 0.2, "max_iter": 1, "intercept_scaling": 2.0, "eta0": 0.5, "warm_start": True},
        penalize_intercept=penalize_intercept,
    )
    model.fit(X, y, sample_weight=s)
    before = np.append(model.coef_, model.intercept_ / 2)
    model.set_params(eta0=1e-3).fit(X, y, sample_weight=s)
    moved = before - np.append(model.coef_, model.intercept_ / 2)
    lifted = np.column_stack([X, np.full(50, 2.0)])
    args = (lifted, signs, 1 / (0.2 * s.sum()), s / s.sum(), penalize_intercept)
    expected = slope(lambda w: mean_objective(model.loss, w, *args), before)
    np.testing.assert_allclose(moved / 1e-3, expected, rtol=1e-5, atol=1e-8)


@quietly
@pytest.mark.parametrize("solver", ["optimum", "gd", "sgd"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_objective_is_that_of_the_weights_returned(learner, solver):
    X, y = overlapping()
    s = np.random.default_rng(1).uniform(0.1, 3, len(X))
    model = learner(solver=solver, C=0.3, random_state=0).fit(X, y, sample_weight=s)
    margins = (2 * y - 1) * (X @ model.coef_[0] + model.intercept_)
    expected = 0.3 * s @ LOSSES[model.loss](margins) + 0.5 * np.sum(model.coef_**2)
    assert model.objective_ == pytest.approx(expected, rel=1e-12)


def largest_curvature(X, bend, alpha):
    lifted = np.column_stack([X, np.ones(len(X))])
    return bend * np.linalg.eigvalsh(lifted.T @ lifted / len(X))[-1] + alpha


def descent(learner, X, y, **parameters):
    """The objectives of the weights after each pass."""
    return learner(solver="gd", tol=0, max_iter=100, **parameters).fit(X, y).history_["objective"]


@quietly
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("learner", "bend"), [(LogisticRegression, 0.25), (squared_hinge, 2.0)])
def test_gradient_descent_falls_at_every_step_below_two_over_l(learner, bend, seed):
    X, y = overlapping(seed=seed)
    X = X * [1, 2, 3, 4, 5]
    L = largest_curvature(X, bend, 1 / len(X))
    for step in (0.3, 1.0, 1.99):
        assert (np.diff(descent(learner, X, y, eta0=step / L)) <= 0).all(), step
    assert (np.diff(descent(learner, X, y)) <= 0).all()


@quietly
def test_gradient_descent_rises_where_the_step_is_too_long():
    X, y = overlapping()
    L = largest_curvature(X, 2.0, 1 / len(X))
    objectives = descent(squared_hinge, X, y, eta0=8 / L)
    assert objectives[-1] > objectives[0]


@pytest.mark.parametrize("learner", LEARNERS)
def test_stochastic_descent_comes_near_the_optimum(learner):
    X, y = overlapping(2000)
    best = learner().fit(X, y).objective_
    assert best < learner(solver="sgd", random_state=0).fit(X, y).objective_ < 1.01 * best


@pytest.mark.parametrize("learner", SMOOTH)
def test_gradient_descent_comes_to_the_optimum(learner):
    X, y = overlapping()
    best = learner(tol=1e-10).fit(X, y)
    model = learner(solver="gd", tol=1e-8, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(model.coef_, best.coef_, rtol=1e-4)
    assert model.status_.reason == "gradient"


@pytest.mark.parametrize("solver", ["gd", "sgd"])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("criterion", "tol"), [("loss", 0.6), ("gradient", 0.2), ("weights", 0.02), ("mistakes", 0.3)])
def test_every_criterion_ends_a_descent(learner, solver, criterion, tol):
    X, y = overlapping()
    model = learner(solver=solver, criterion=criterion, tol=tol, random_state=0).fit(X, y)
    assert (model.status_.reason, model.status_.converged) == (criterion, True)
    assert model.n_iter_ < 1000
    loss = LOSSES[model.loss]((2 * y - 1) * model.decision_function(X)).mean()
    if criterion == "loss":
        assert loss <= tol
    if criterion == "mistakes":
        assert model.score(X, y) >= 1 - tol


def test_a_limit_reached_warns_and_says_what_to_do():
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match="max_iter reached after 3 epochs.*raise max_iter or set solver='opt"):
        model = LogisticRegression(solver="gd", max_iter=3).fit(X, y)
    assert model.status_.reason == "max_iter"


@pytest.mark.parametrize("solver", ["optimum", "gd", "sgd"])
@pytest.mark.parametrize("learner", LEARNERS)
@quietly
def test_c_and_alpha_are_two_spellings(learner, solver):
    X, y = overlapping()
    s = np.where(y == 0, 0.5, 2.0)
    one = learner(solver=solver, C=0.25, random_state=0).fit(X, y, sample_weight=s)
    two = learner(solver=solver, alpha=1 / (0.25 * s.sum()), random_state=0).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-9)
    weighted = learner(solver=solver, C=0.25, random_state=0, class_weight={0: 0.5, 1: 2.0}).fit(X, y)
    np.testing.assert_array_equal(one.coef_, weighted.coef_)


@quietly
@pytest.mark.parametrize("solver", ["optimum", "gd", "sgd"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_sparse_and_float32_rows_give_the_same(learner, solver):
    X, y = overlapping()
    X[np.abs(X) < 0.7] = 0
    X = X.astype(np.float32)
    dense, csr, double = (
        learner(solver=solver, random_state=0).fit(form, y) for form in (X, sparse.csr_matrix(X), X.astype(np.float64))
    )
    np.testing.assert_allclose(csr.coef_, dense.coef_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(double.coef_, dense.coef_, rtol=1e-5, atol=1e-8)


# Rows held out


@quietly
@pytest.mark.parametrize("solver", ["gd", "sgd"])
@pytest.mark.parametrize("criterion", ["loss", "mistakes"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_rows_held_out_judge_the_weights_returned(learner, criterion, solver):
    X, y = overlapping(400)
    s = np.random.default_rng(2).uniform(0.5, 2, 400)
    model = learner(solver=solver, early_stopping=True, criterion=criterion, random_state=7, validation_fraction=0.25)
    model.fit(X, y, sample_weight=s)
    seed = np.random.RandomState(7).randint(2**31 - 1)
    kept, out = split(y.astype(np.int32), 0.25, int(seed))
    assert model.status_.rows == len(kept) == 300
    margins = (2 * y - 1)[out] * model.decision_function(X[out])
    seen = LOSSES[model.loss](margins) if criterion == "loss" else margins <= 0
    assert model.history_["held_out"].min() == pytest.approx(np.average(seen, weights=s[out]), abs=1e-12)
    assert model.status_.reason in ("held-out", "max_iter")
    if model.status_.reason == "held-out":
        before, last = np.split(model.history_["held_out"], [-5])
        assert before.min() - last.min() <= 1e-4


def test_theirs_judges_other_weights_and_labels_than_it_returns():
    """Rows held out have labels 0 and 1 for the log loss where -1 and 1 are predicted: all of class 0 are wrong.

    And the weights judged lack the factor that the L2 penalty keeps apart from them.
    """
    seen = {}

    class Watched(SGDClassifier):
        def score(self, X, y, sample_weight=None):
            seen.update(X=X, y=y, coef=self.coef_.copy(), score=super().score(X, y, sample_weight))
            return seen["score"]

    random = np.random.default_rng(0)
    X = random.normal(size=(1000, 3))
    y = (X[:, 0] + 0.3 * random.normal(size=1000) > 1.0).astype(int)
    theirs = Watched(loss="log_loss", alpha=0.1, early_stopping=True, random_state=0).fit(X, y)
    truth = np.mean(theirs.predict(seen["X"]) == (seen["y"] > 0))
    assert seen["score"] < 0.25 < 0.8 < truth
    assert np.abs(seen["coef"]).max() > 2 * np.abs(theirs.coef_).max()
    ours = LogisticRegression(solver="sgd", alpha=0.1, early_stopping=True, criterion="mistakes", random_state=0)
    out = split(y.astype(np.int32), 0.1, int(np.random.RandomState(0).randint(2**31 - 1)))[1]
    assert 1 - ours.fit(X, y).history_["held_out"].min() == pytest.approx(ours.score(X[out], y[out]))


def test_a_held_out_part_without_rows_is_refused():
    with pytest.raises(ValueError, match=r"validation_fraction=0.1 of 4 rows holds out none"):
        LogisticRegression(solver="sgd", early_stopping=True).fit([[0], [1], [2], [3]], [0, 0, 1, 1])


@quietly
def test_traces_name_rows_of_x_though_some_are_held_out():
    X, y = overlapping(100)
    model = LogisticRegression(solver="sgd", early_stopping=True, max_iter=1, random_state=7).fit(X, y, trace=True)
    kept, _ = split(y.astype(np.int32), 0.1, int(np.random.RandomState(7).randint(2**31 - 1)))
    assert sorted(model.trace_["row"]) == kept.tolist()


# Refusals

REFUSED = [
    ({"C": 1.0, "alpha": 1.0}, "C=1.0 and alpha=1.0 say the same thing"),
    ({"C": 1.0, "penalty": None}, "C does not go with penalty=None"),
    ({"alpha": 1.0, "penalty": None}, "alpha does not go with penalty=None"),
    ({"C": 0}, "C must be a finite number above 0, not 0"),
    ({"alpha": -1.0}, "alpha must be a finite number above 0"),
    ({"penalty": "l3"}, r"penalty must be 'l2'.* or None, not 'l3'"),
    ({"solver": "newton"}, "solver must be one of 'optimum', 'gd', 'sgd', not 'newton'"),
    ({"order": "cyclic"}, "order='cyclic' does not go with solver='optimum'"),
    ({"step": "1/t"}, "step='1/t' does not go with solver='optimum'"),
    ({"eta0": 1.0}, "eta0=1.0 does not go with solver='optimum'"),
    ({"keep": "average"}, "keep='average' does not go with solver='optimum'"),
    ({"criterion": "loss"}, "criterion='loss' does not go with solver='optimum'"),
    ({"early_stopping": True}, "early_stopping=True does not go with solver='optimum'"),
    ({"solver": "gd", "order": "shuffle"}, "order='shuffle' does not go with solver='gd'"),
    ({"solver": "sgd", "order": "batch"}, "order='batch' does not go with solver='sgd'"),
    (
        {"solver": "sgd", "step": "pa1", "penalty": None},
        "step must be one of 'constant', '1/t', '1/sqrt.t.', 'pegasos'.*, not 'pa1'",
    ),
    (
        {"solver": "sgd", "early_stopping": True, "criterion": "weights"},
        "criterion='weights' does not go with early_stopping",
    ),
    ({"solver": "sgd", "early_stopping": True, "validation_fraction": 1.0}, "validation_fraction must be below 1"),
    (
        {"solver": "sgd", "early_stopping": True, "validation_fraction": 0},
        "validation_fraction must be a finite number",
    ),
    ({"early_stopping": "yes"}, "early_stopping must be True or False, not 'yes'"),
    ({"penalize_intercept": 1}, "penalize_intercept must be True or False, not 1"),
    ({"max_iter": 0}, "max_iter must be a whole number of at least 1, not 0"),
    ({"tol": -1}, "tol must be a finite number of at least 0"),
]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("parameters", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_parameters_that_do_not_go_together_are_refused(learner, parameters, sentence):
    model = learner(**parameters)
    with pytest.raises(ValueError, match=sentence):
        model.fit([[0.0], [1.0]], [0, 1])
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (LinearSVM(loss="logistic"), "loss='logistic' is not offered: LogisticRegression has this loss."),
        (
            LinearSVM(loss="perceptron"),
            "loss='perceptron' is not offered: Perceptron has this loss.",
        ),
        (LinearSVM(penalty=None), "penalty=None does not go with solver='optimum' for the hinge loss"),
        (LogisticRegression(C=1e300), "C=1e.300 is too small or too large for sums with it"),
        (LogisticRegression(alpha=5e-324), "alpha=5e-324 is too small or too large for sums with it"),
        (LinearSVM(solver="sgd", C=1e-300), "C=1e-300 is too small or too large for sums with it"),
        (
            LinearSVM("squared-hinge", multi_class="joint"),
            "multi_class='joint' .* for the squared-hinge loss: 'sgd' and 'gd' .*; .*'ovr'",
        ),
        (LogisticRegression(multi_class="joint", solver="gd"), "multi_class='joint' .* 'optimum' trains softmax"),
        (LogisticRegression(multi_class="joint", solver="sgd"), "multi_class='joint' .* 'optimum' trains softmax"),
    ],
)
def test_what_a_classifier_cannot_do_is_refused(model, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit([[0.0], [1.0], [2.0]], [0, 1, 2])


def test_weights_that_are_too_large_for_the_default_C_are_told():
    sentence = r"C=1\.0 is too small or too large .* sum of all weights, 2e\+200, must lie between 1e-150 and 1e"
    with pytest.raises(ValueError, match=sentence):
        LogisticRegression().fit([[0.0], [1.0]], [0, 1], sample_weight=[1e200, 1e200])


@pytest.mark.parametrize("learner", [Perceptron, LogisticRegression, KernelPerceptron])
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"tol": 10**400}, "tol must be"),
        ({"max_seconds": 10**400}, "max_seconds must be"),
        ({"intercept_scaling": 10**400}, "intercept_scaling must be"),
    ],
    ids=str,
)
def test_whole_numbers_beyond_the_largest_float_are_refused(learner, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        learner(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("seed", ["many", -1, 2**32, 0.5, [1]])
def test_what_is_no_seed_is_refused_by_name(seed):
    with pytest.raises(ValueError, match=r"^random_state must be None, a whole number from 0 to 4294967295 or"):
        Perceptron(random_state=seed).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("learner", [Perceptron, LogisticRegression])
def test_a_warm_start_is_true_or_false(learner):
    with pytest.raises(ValueError, match="warm_start must be True or False, not 'False'"):
        learner(warm_start="False").fit([[0.0], [1.0]], [0, 1])


def test_an_optimum_has_no_moves_to_trace():
    with pytest.raises(ValueError, match="trace=True does not go with solver='optimum'"):
        LogisticRegression().fit([[0.0], [1.0]], [0, 1], trace=True)


def test_the_parameters_page_has_what_suits_each_descent():
    lines = (ROOT / "docs" / "parameters.md").read_text().partition("| left open |")[2].splitlines()[2:8]
    for line in lines:
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        for solver, cell in zip(("gd", "sgd"), cells, strict=True):
            value = default_parts(solver, "logistic")[name.strip("`")]
            assert cell.split(";")[0] == f"`{value!r}`".replace("'", '"')
    assert default_parts("sgd", "squared-hinge")["step"] == "constant"


@quietly
@pytest.mark.parametrize("solver", ["gd", "sgd"])
def test_the_pocket_of_a_descent_counts_rows(solver):
    X, y = overlapping()
    model = LogisticRegression(solver=solver, keep="best", max_iter=20, random_state=0).fit(X, y)
    assert model.history_["mistakes"][-1] == pytest.approx(model.status_.mistakes)


# Streams


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"alpha": 0.1}, "solver='sgd'"),
        ({"solver": "gd", "alpha": 0.1}, "solver='sgd'"),
        ({"solver": "sgd"}, "needs alpha, or penalty=None"),
        ({"solver": "sgd", "C": 1.0}, "needs alpha, or penalty=None"),
    ],
)
def test_partial_fit_is_there_only_where_rows_can_come_one_by_one(parameters, why):
    model = LogisticRegression(**parameters)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as error:
        model.partial_fit([[0.0]], [0])
    assert why in str(error.value.__cause__)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("strength", [{"alpha": 0.01}, {"penalty": None}])
def test_a_stream_is_one_epoch_of_cyclic_descent(learner, strength):
    X, y = overlapping()
    parameters = {**strength, "solver": "sgd", "eta0": 0.1}
    stream = learner(**parameters).partial_fit(X[:100], y[:100])
    for row in range(100, 150):
        stream.partial_fit(X[row : row + 1], y[row : row + 1])
    stream.partial_fit(X[150:], y[150:])
    with pytest.warns(ConvergenceWarning):
        whole = learner(order="cyclic", max_iter=1, **parameters).fit(X, y)
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-12)
    assert stream.score(X, y) > 0.7


def test_a_stream_goes_on_with_the_step_its_first_rows_set():
    X, y = overlapping()
    model = LogisticRegression(solver="sgd", alpha=0.01)
    steps = set()
    for part in (slice(0, 50), slice(50, 100), slice(100, 300)):
        model.partial_fit(X[part], y[part])
        steps.add(model._learned.recipe.eta0)
    assert len(steps) == 1
    assert model.n_visits_ == 300


# Going on, and breaking off


@pytest.mark.parametrize("learner", SMOOTH)
def test_a_warm_start_has_nothing_left_to_do(learner):
    X, y = overlapping()
    model = learner(warm_start=True).fit(X, y)
    steps, coef = model.n_iter_, model.coef_
    model.fit(X, y)
    assert steps > model.n_iter_ <= 1
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-5)


@pytest.mark.usefixtures("ctrl_c_amid_training")
@pytest.mark.parametrize("solver", ["gd", "sgd"])
def test_an_interrupted_descent_leaves_what_it_has_learned(solver):
    X, y = overlapping(5000, 20)
    model = LogisticRegression(solver=solver, tol=0, max_iter=10**9)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_.reason == "interrupted"
    assert model.score(X, y) > 0.7
    assert np.isfinite(model.objective_)


# Data at the edge


@quietly
@pytest.mark.parametrize("solver", ["optimum", "gd", "sgd"])
@pytest.mark.parametrize("learner", LEARNERS)
class TestEdges:
    def fitted(self, learner, solver, X, y, **parameters):
        model = learner(solver=solver, random_state=0, max_iter=200, **parameters).fit(X, y)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.objective_)
        return model

    def test_all_zero_matrix(self, learner, solver):
        model = self.fitted(learner, solver, np.zeros((10, 3)), [0, 0, 0, 1, 1, 1, 1, 1, 1, 1])
        assert not model.coef_.any()
        assert model.intercept_[0] > 0
        without = self.fitted(learner, solver, np.zeros((4, 3)), [0, 1, 1, 1], fit_intercept=False)
        assert not without.coef_.any()

    def test_constant_column(self, learner, solver):
        X, y = overlapping()
        plain = self.fitted(learner, solver, X, y)
        model = self.fitted(learner, solver, np.column_stack([X, np.full(len(X), 3.0)]), y)
        assert model.score(np.column_stack([X, np.full(len(X), 3.0)]), y) == pytest.approx(plain.score(X, y), abs=0.02)

    def test_columns_of_very_different_scales(self, learner, solver):
        X, y = overlapping()
        model = self.fitted(learner, solver, X * [1e-12, 1e12, 1, 1, 1], y)
        if solver == "optimum":
            assert model.score(X * [1e-12, 1e12, 1, 1, 1], y) > 0.6

    def test_more_columns_than_rows(self, learner, solver):
        X = np.random.default_rng(0).normal(size=(20, 100))
        y = np.arange(20) % 2
        assert self.fitted(learner, solver, X, y).score(X, y) == 1.0

    def test_one_row(self, learner, solver):
        with pytest.raises(ValueError, match="y has only one class"):
            learner(solver=solver).fit([[1.0]], [1])

    def test_weights_that_sum_to_zero(self, learner, solver):
        with pytest.raises(ValueError, match=r"(?i)sample.weights? .*(zero for every row|non-zero)"):
            learner(solver=solver).fit([[0.0], [1.0]], [0, 1], sample_weight=[0, 0])

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_numbers_that_are_not_finite(self, learner, solver, bad):
        X, y = overlapping(20)
        X[3, 2] = bad
        with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity) in column 2, row 3"):
            learner(solver=solver).fit(X, y)

    def test_numbers_too_large(self, learner, solver):
        if solver == "optimum" and learner is hinge:
            return  # the hinge's dual ends at max_iter instead, and says so
        X, y = overlapping(20)
        with pytest.raises(ValueError, match="so large that sums with them overflow"):
            learner(solver=solver).fit(X * 1e200, y)


@pytest.mark.parametrize(
    "offset",
    [
        {"fit_intercept": False},
        {"intercept_scaling": 5.0},
        {"intercept_scaling": 0.5, "penalize_intercept": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("learner", SMOOTH)
def test_the_gradient_criterion_takes_the_offset_as_it_is(learner, offset):
    X, y = overlapping()
    model = learner(solver="gd", tol=1e-7, max_iter=20_000, **offset).fit(X, y)
    best = learner(tol=1e-10, **offset).fit(X, y)
    assert model.status_.reason == "gradient"
    np.testing.assert_allclose(model.coef_, best.coef_, rtol=1e-4)
    np.testing.assert_allclose(model.intercept_, best.intercept_, rtol=1e-3)


def test_an_offset_of_large_scale_is_refused_like_other_large_numbers():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    with pytest.raises(TooLarge):
        LogisticRegression(solver="sgd", intercept_scaling=1e200).fit(X, y)


@pytest.mark.parametrize("columns", [2, 1100])
def test_rows_whose_squares_overflow_are_refused_by_the_hinge(columns):
    X, y = np.random.default_rng(0).standard_normal((8, columns)), [0, 1] * 4
    with pytest.raises(TooLarge):
        LinearSVM().fit(1e155 * X, y)


def test_columns_that_drown_in_rounding_give_a_warning():
    X = np.random.default_rng(0).standard_normal((60, 4))
    for shift in (1e7, 1e9):
        with pytest.warns(ConvergenceWarning, match="centre and scale them"):
            assert not LogisticRegression().fit(X + shift, X[:, 0] > np.median(X[:, 0])).status_.converged
