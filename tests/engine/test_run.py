"""The loop around the core: limits, criteria and refusals that concern whole runs."""

import gc
import signal
import time

import numpy as np
import pytest

from rosenblatt import PassiveAggressive, Perceptron, PocketPerceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def normal(rows, columns, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_all_one_vs_rest_problems_share_one_clock(n_jobs):
    X, y = normal(3000, 20), np.random.default_rng(1).integers(0, 8, 3000)
    began = time.perf_counter()
    model = Perceptron(max_iter=10**9, n_iter_no_change=10**9, max_seconds=0.3, n_jobs=n_jobs).fit(X, y)
    assert model.status_.reason == "max_seconds"
    assert time.perf_counter() - began < 60  # 8 problems of 10^9 epochs would take years


@pytest.mark.parametrize("criterion", ["loss", "weights"])
@pytest.mark.parametrize(
    "model",
    [Perceptron(order="working-set"), PocketPerceptron(order="batch"), PocketPerceptron(), Perceptron(keep="average")],
    ids=repr,
)
def test_weights_of_zero_or_a_pocket_at_rest_meet_no_criterion(model, criterion):
    X = normal(1000, 5)
    y = X[:, 0] > 0.2
    model.set_params(criterion=criterion, random_state=0, max_iter=50).fit(X, y)
    assert model.coef_.any()
    assert model.status_.mistakes < 60


@pytest.mark.parametrize(("rows", "epochs"), [(4, 200), (20, 200), (80, 125), (1000, 10)])
def test_patience_ends_nothing_before_10_000_visits_or_200_epochs(rows, epochs):
    y = np.arange(rows) % 2
    model = Perceptron(n_iter_no_change=3, random_state=0).fit(np.ones((rows, 1)), y)
    assert model.status_.reason == "no-change"
    assert model.n_iter_ >= epochs
    assert model.n_iter_ < epochs + 50


@pytest.mark.parametrize("parameters", [{"eta0": 1e308}, {"intercept_scaling": 1e308}, {"class_weight": {1: 1e308}}])
def test_parameters_too_large_are_not_blamed_on_x_alone(parameters):
    X = normal(100, 3)
    with pytest.raises(ValueError, match="Numbers in X, their weights, or parameters such as eta0 are so large"):
        Perceptron(random_state=0, **parameters).fit(X, X[:, 0] > 0)


@pytest.mark.parametrize("step", ["pa", "pa1", "pa2"])
def test_passive_aggressive_rows_too_long_to_measure_are_refused(step):
    X = normal(100, 3)
    with pytest.raises(ValueError, match="so large that sums with them overflow"):
        PassiveAggressive(step=step).fit(X * 1e160, X[:, 0] > 0)


@pytest.mark.parametrize(
    ("X", "y", "wrong"), [([1, 2, -1, -2], [1, 1, 0, 0], 0), ([1, 1, 1, 1, 1], [1, 0, 1, 0, 1], 2)]
)
def test_a_pocket_that_never_came_to_a_check_counts_its_mistakes(X, y, wrong):
    """No right answer is followed by a wrong one here, which is what calls for a check."""
    model = PocketPerceptron(order="cyclic", fit_intercept=False, max_iter=1).fit(np.reshape(X, (-1, 1)), y)
    assert model.history_["mistakes"].tolist() == [wrong]
    assert model.status_.mistakes == wrong


@pytest.mark.parametrize("order", ["working-set", "random-mistake"])
def test_no_epoch_is_empty(order):
    for keep in ("last", "average"):
        model = Perceptron(order=order, keep=keep, random_state=0).fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
        assert (model.history_["visits"] > 0).all()
        assert model.n_iter_ == len(model.history_["visits"])


@pytest.fixture
def interrupted():
    """Calls a function and sends it a Ctrl-C after some seconds, and one more after another if the first was lost.

    Python drops a Ctrl-C that lands in a callback of the garbage collector, and says so.
    """
    gc.disable()
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))

    def call(function, seconds):
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
        try:
            function()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    yield call
    signal.signal(signal.SIGALRM, before)
    gc.enable()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_at_any_time_of_one_vs_rest_is_raised_once_all_have_ended(interrupted, n_jobs):
    """Most of these moments are in the checks of X and y, or while the threads start."""
    X, y = normal(3000, 20), np.random.default_rng(1).integers(0, 8, 3000)
    handler = signal.getsignal(signal.SIGINT)
    Perceptron(max_iter=1, n_jobs=n_jobs).fit(X, y)  # imports what is imported at first use, which is no part of this
    for seconds in [*np.linspace(0.0002, 0.004, 100), 0.3]:
        model = Perceptron(max_iter=10**9, n_iter_no_change=10**9, n_jobs=n_jobs)
        with pytest.raises(KeyboardInterrupt):
            interrupted(lambda model=model: model.fit(X, y), seconds)
        assert signal.getsignal(signal.SIGINT) is handler
        assert not hasattr(model, "coef_") or model.status_.reason == "interrupted"
    assert len(model.predict(X)) == 3000
