"""What averages and pockets return: the theorems and examples of the lecture notes, as tests."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from theory_rows import loop_of_notes_001, overlapping, separable

from rosenblatt import AveragedPerceptron, Perceptron, PocketPerceptron
from rosenblatt.parts.orders import ORDERS

# Averaged


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_average_is_the_mean_of_all_weights_visited():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-5, 6, (15, 3)).astype(float), rng.choice([-1, 1], 15)
    path = list(loop_of_notes_001(X, y, 4))
    model = AveragedPerceptron(order="cyclic", max_iter=4, n_iter_no_change=None).fit(X, y)
    np.testing.assert_allclose(model.coef_[0], np.mean([theta for theta, _ in path], axis=0), rtol=1e-14)
    np.testing.assert_allclose(model.intercept_[0], np.mean([theta_0 for _, theta_0 in path]), rtol=1e-14)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_averages_vary_less_over_seeds_than_last_weights():
    X, y = overlapping()

    def spread(classifier):
        planes = []
        for seed in range(50):
            model = classifier(max_iter=10, n_iter_no_change=None, random_state=seed).fit(X, y)
            plane = np.append(model.coef_, model.intercept_)
            planes.append(plane / np.linalg.norm(plane))
        return np.var(planes, axis=0).sum()

    assert spread(AveragedPerceptron) < 0.2 * spread(Perceptron)


def test_a_warning_describes_the_average_that_is_returned():
    """The last weights separate these rows, the average does not yet."""
    X, y, _, _ = separable(5, rows=40, columns=2, margin=0.02)
    with pytest.warns(ConvergenceWarning, match="misclassified"):
        model = AveragedPerceptron(order="cyclic", n_iter_no_change=None).fit(X, y)
    assert model.status_.mistakes == (model.predict(X) != y).sum() > 0


# Pocket


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("order", [o for o in ORDERS if o != "working-set"])
def test_the_pockets_mistakes_never_rise(order):
    for seed in range(5):
        X, y = overlapping(seed)
        model = PocketPerceptron(order=order, max_iter=60, random_state=seed).fit(X, y)
        mistakes = model.history_["mistakes"]
        assert (np.diff(mistakes) <= 0).all()
        wrong = (np.where(y == 1, 1, -1) * model.decision_function(X) <= 0).sum()
        assert mistakes[-1] == wrong == model.status_.mistakes


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_pocket_is_no_worse_than_the_last_weights():
    X, y = overlapping(1)
    last = Perceptron(order="random-mistake", max_iter=50, random_state=0).fit(X, y)
    pocket = PocketPerceptron(max_iter=50, random_state=0).fit(X, y)
    assert pocket.status_.mistakes <= last.status_.mistakes


def test_batch_pocket_is_the_algorithm_of_notes_000():
    X, y = overlapping(2, rows=50)
    rows = np.column_stack([X, np.ones(len(X))]) * np.where(y == 1, 1, -1)[:, None]
    w, best, fewest = np.zeros(3), np.zeros(3), np.inf
    for _ in range(25):
        wrong = rows @ w <= 0
        if wrong.sum() < fewest:
            best, fewest = w, wrong.sum()
        w = w + rows[wrong].sum(axis=0)
    with pytest.warns(ConvergenceWarning):
        model = PocketPerceptron(order="batch", max_iter=25, n_iter_no_change=None).fit(X, y)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), best, rtol=1e-12)
    assert model.status_.mistakes == fewest


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"tol": 0.4}, "mistakes"),
        ({"n_iter_no_change": 3, "max_iter": 10**6}, "no-change"),
        ({"max_iter": 5, "n_iter_no_change": None}, "max_iter"),
        ({"max_seconds": 0.05, "max_iter": 10**7, "n_iter_no_change": None}, "max_seconds"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_pocket_ends_for_any_of_its_reasons(parameters, reason):
    X, y = overlapping(0)
    model = PocketPerceptron(random_state=0, **parameters).fit(X, y)
    assert model.status_.reason == reason
