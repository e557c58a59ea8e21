"""A perceptron whose classes are proved to overlap ends; one that can succeed goes on."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron, fit
from rosenblatt.solvers import separation_check

IRIS = load_iris(return_X_y=True)
TO_THE_END = {"n_iter_no_change": 1000}


def noise(rows=300, columns=4, classes=2, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, columns)), random.integers(0, classes, rows)


def test_overlapping_classes_end_with_a_proof_and_say_so():
    with pytest.warns(
        ConvergenceWarning, match=r"Perceptron: the classes cannot be separated.* PocketPerceptron returns the best"
    ):
        model = Perceptron(random_state=0).fit(*noise())
    assert model.status_.reason == "overlap"
    assert not model.status_.converged
    assert model.n_iter_ < 100
    wrong = int(np.sum(model.predict(noise()[0]) != noise()[1]))
    assert model.status_ == (
        f"the classes cannot be separated (proved); stopped after {model.n_iter_} epochs, "
        f"with {wrong} of 300 rows misclassified"
    )


def test_a_class_between_two_others_is_not_called_inseparable_from_each():
    """Three clusters on a line: the middle one against the rest cannot be separated, though joint planes can."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    X = 5.0 * y[:, None] + random.normal(scale=0.1, size=(90, 1))
    with pytest.warns(ConvergenceWarning, match="multi_class='joint' lets the best plane win"):
        model = Perceptron(random_state=0).fit(X, y)
    assert model.status_.startswith("1 of 3 classes cannot be separated from the rest (proved); stopped after ")
    assert Perceptron(multi_class="joint", random_state=0).fit(X, y).status_.mistakes == 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("order", ["cyclic", "shuffle-once", "shuffle", "random-mistake", "working-set", "batch"])
def test_every_order_ends(order):
    model = Perceptron(order=order, random_state=0).fit(*noise())
    assert model.status_.reason == "overlap"
    assert model.n_visits_ >= 10_000


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_several_classes(multi_class):
    model = Perceptron(multi_class=multi_class, random_state=0).fit(*IRIS)
    assert model.status_.reason == "overlap"
    assert model.n_iter_ < 200


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_same_end_for_every_form_of_the_rows_and_number_of_threads():
    X, y = noise(classes=3)
    X = X.astype(np.float32)
    wanted = Perceptron(random_state=0, n_jobs=1).fit(X, y)
    for rows, threads in ((X, 2), (sparse.csr_matrix(X), 1), (sparse.csr_matrix(X), 2)):
        model = Perceptron(random_state=0, n_jobs=threads).fit(rows, y)
        assert (model.status_, model.n_visits_) == (wanted.status_, wanted.n_visits_)
        np.testing.assert_array_equal(model.coef_, wanted.coef_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_lifted_rows_are_judged_as_they_are_lifted():
    X, y = noise(60, 2)
    circle = (np.sum(X**2, axis=1) > 1).astype(int)
    assert Perceptron(random_state=0).fit(X, circle).status_.reason == "overlap"
    assert Perceptron(features="polynomial-2", random_state=0).fit(X, circle).status_.reason != "overlap"
    assert Perceptron(features="polynomial-2", random_state=0).fit(X, y).status_.reason == "overlap"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_of_zeros_are_never_right(fit_intercept):
    zeros = sparse.csr_matrix((60, 2))
    model = Perceptron(random_state=0, fit_intercept=fit_intercept).fit(zeros, np.arange(60) % 2)
    assert model.status_.reason == "overlap"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_some_rows_of_a_large_table_are_proof_enough(monkeypatch):
    X, y = noise(3000)
    whole = Perceptron(random_state=0).fit(X, y)
    monkeypatch.setattr(separation_check, "MAX_NUMBERS", 1000)
    some = Perceptron(random_state=0).fit(X, y)
    assert whole.status_ == some.status_
    monkeypatch.setattr(separation_check, "MAX_NUMBERS", 8)  # two rows prove nothing
    assert Perceptron(random_state=0, max_iter=100).fit(X, y).status_.reason == "max_iter"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_wide_table_goes_on_because_its_proof_would_take_longer():
    assert Perceptron(random_state=0).fit(*noise(100, 20)).status_.reason == "overlap"
    assert Perceptron(random_state=0, max_iter=300).fit(*noise(100, 21)).status_.reason == "max_iter"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("margin", [1e-1, 1e-2, 1e-3, 1e-4])
def test_separable_rows_train_as_long_as_ever(margin):
    X, _ = noise(200, 3)
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y, margin, -margin)
    model = Perceptron(random_state=0).fit(X, y)
    patient = Perceptron(random_state=0, **TO_THE_END).fit(X, y)
    assert model.status_ == patient.status_
    np.testing.assert_array_equal(model.coef_, patient.coef_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_other_wishes_are_not_cut_short():
    X, y = noise(150)
    for wish in (TO_THE_END, {"keep": "best"}, {"keep": "average"}, {"tol": 0.01}, {"criterion": "weights"}):
        assert Perceptron(random_state=0, max_iter=300, **wish).fit(X, y).status_.reason == "max_iter"
    assert Perceptron(random_state=0, max_iter=20).fit(X, y).n_iter_ == 20
    assert AveragedPerceptron(random_state=0).fit(X, y).status_.reason == "no-change"
    assert KernelPerceptron("linear", random_state=0, max_iter=300).fit(X, y).status_.reason == "max_iter"


def test_a_table_ends_alike():
    X, y = noise()
    model = fit({**{f"x{k}": column for k, column in enumerate(X.T)}, "y": y}, target="y", algorithm="perceptron")
    assert model.report_["reason"] == "overlap"
