"""Lifts that are refused, too large, or never stored as a matrix."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from lifted_family import FAMILY, FORMS, XOR, XOR_Y, some_rows
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import Perceptron, Polynomial, RandomFourier, save
from rosenblatt.parts.features import as_features, physical_memory

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

REFUSED = [
    ("poly", "features must be 'identity', 'polynomial-2'"),
    ("polynomial-0", "degree must be a whole number of at least 1, not 0"),
    (2, "or a part such as Polynomial"),
    (None, "or a part such as Polynomial"),
    (PolynomialFeatures(2), "or a part such as Polynomial"),
]


@pytest.mark.parametrize(("features", "sentence"), REFUSED, ids=str)
@pytest.mark.parametrize("name", ["perceptron", "logistic", "sgd"])
def test_unknown_features_are_refused(name, features, sentence):
    with pytest.raises(ValueError, match=sentence):
        clone(FAMILY[name]).set_params(features=features).fit(XOR, XOR_Y)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Polynomial(2.0), "degree must be a whole number of at least 1, not 2.0"),
        (lambda: Polynomial(True), "degree must be a whole number"),
        (lambda: RandomFourier(0), "n_components must be a whole number of at least 1, not 0"),
        (lambda: RandomFourier(5, gamma=0.0), "gamma must be a finite number above 0, not 0.0"),
        (lambda: RandomFourier(5, gamma=np.nan), "gamma must be a finite number above 0, not nan"),
        (lambda: RandomFourier(5, random_state=None), "random_state must be a whole number of at least 0, not None"),
    ],
)
def test_parts_refuse_what_they_cannot_be(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("features", "columns", "count"),
    [
        ("polynomial-9", 784, "326,519,457,798,747,994,494 features"),
        ("polynomial-1000000", 3, "166,667,666,668,500,000 features"),
        ("polynomial-1000", 1000, r"more than 10\^18 features"),
        ("polynomial-999999999999999999", 1, "999,999,999,999,999,999 features"),
        (RandomFourier(10**12), 3, "7,000,000,000,000 frequencies and weights"),
    ],
)
@pytest.mark.parametrize("form", ["dense", "csr"])
def test_more_features_than_memory_holds_are_refused_with_their_number(features, columns, count, form):
    X = FORMS[form](np.ones((2, columns)))
    with pytest.raises(ValueError, match=f"{count}.* GB of memory"):
        Perceptron(features=features).fit(X, [0, 1])
    assert physical_memory() > 2**20


@pytest.mark.parametrize("inputs", [1, 3, 784, 100_000])
def test_a_degree_that_fits_is_suggested(inputs):
    """The largest: the next one is refused, too."""
    with pytest.raises(ValueError, match=r"choose a lower degree \(polynomial-\d+ fits\) or fewer columns") as caught:
        Polynomial(10**17).columns(inputs)
    degree = int(re.search(r"polynomial-(\d+) fits", str(caught.value))[1])
    assert Polynomial(degree).columns(inputs) >= inputs
    with pytest.raises(ValueError, match="GB of memory"):
        Polynomial(degree + 1).columns(inputs)


def test_a_smaller_lift_has_at_most_so_many_columns():
    assert Polynomial(99).within(4, 1000) == "polynomial-10"
    assert Polynomial(10).columns(4) == 1000
    assert Polynomial(99).within(4, 999) == "polynomial-9"
    assert Polynomial(99).within(4, 3) is None
    assert RandomFourier(500).within(4, 100.5) == "fourier-100"
    assert RandomFourier(50).within(4, 100) is None
    assert as_features("identity").within(4, 1) is None


def test_numbers_too_large_for_their_products_are_refused():
    with pytest.raises(ValueError, match="sums with them overflow"):
        Perceptron(features="polynomial-2").fit([[1e200], [-1e200]], [0, 1])
    with pytest.raises(ValueError, match="Input X contains NaN in column 1, row 2"):
        Perceptron(features="polynomial-2").fit([[1, 2], [3, 4], [5, np.nan]], [0, 1, 1])
    model = Perceptron(features="fourier-10").fit(XOR, XOR_Y)
    with pytest.raises(ValueError, match="Input X contains infinity in column 0, row 0"):
        model.predict([[np.inf, 0.0]])
    with pytest.raises(ValueError, match="X has 5 features, but Perceptron is expecting 2"):
        model.predict(np.zeros((1, 5)))


def test_features_that_changed_after_fit(tmp_path):
    X, y = some_rows()
    model = Perceptron(features="polynomial-2", max_iter=5, warm_start=True, random_state=0).fit(X, y)
    before = model.decision_function(X)
    model.set_params(features="polynomial-3")
    np.testing.assert_array_equal(model.decision_function(X), before)
    for attempt in (model.partial_fit, model.fit):
        with pytest.raises(ValueError, match="features was changed after the model had learned"):
            attempt(X, y)
    with pytest.raises(ValueError, match="features was changed after the model had learned"):
        save(model, tmp_path / "model.safetensors")
    assert model.set_params(warm_start=False).fit(X, y).coef_.shape == (1, 34)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the system does not tell the peak memory")
def test_the_lifted_matrix_is_never_there():
    """A row becomes 20,300 numbers, all rows 1.6 GB; a child trains and predicts in a tenth of that."""
    code = """
import re, warnings
import numpy as np
from rosenblatt import Perceptron
warnings.simplefilter("ignore")
X = np.random.default_rng(0).standard_normal((10_000, 200))
y = (X[:, 0] > 0).astype(int)
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
before = peak()
Perceptron(features="polynomial-2", max_iter=1).fit(X, y).predict(X[:2000])
print(peak() - before)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ), check=True)
    assert float(ran.stdout) < 100


@pytest.mark.parametrize("X", [[[1e200, -1e200]], sparse.csr_matrix([[1e200, -1e200]])])
def test_products_that_overflow_are_no_prediction(X):
    model = Perceptron(features="polynomial-2", random_state=0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    for look in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match="so large that sums with them overflow"):
            look(X)
