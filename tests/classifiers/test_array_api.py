"""Arrays that follow the array API and are not NumPy's: read as NumPy arrays, or refused in a sentence."""

import os
import subprocess
import sys

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, LogisticRegression, Perceptron

xp = pytest.importorskip("array_api_strict")

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(np.int64)
WEIGHTS = np.arange(1.0, 41.0)


@pytest.mark.parametrize("model", [Perceptron(random_state=0), LogisticRegression(), KernelPerceptron()], ids=str)
def test_an_array_of_another_library_learns_and_predicts_as_numpys(model):
    own = model.fit(X, Y, WEIGHTS).predict(X)
    theirs = model.fit(xp.asarray(X), xp.asarray(Y), xp.asarray(WEIGHTS)).predict(xp.asarray(X))
    assert type(theirs) is np.ndarray
    np.testing.assert_array_equal(own, theirs)


def test_partial_fit_reads_an_array_of_another_library():
    model = Perceptron(random_state=0).partial_fit(xp.asarray(X), xp.asarray(Y), classes=xp.asarray([0, 1]))
    np.testing.assert_array_equal(model.coef_, Perceptron(random_state=0).partial_fit(X, Y).coef_)


@pytest.mark.parametrize("given", ["X", "y", "sample_weight"])
def test_an_array_on_another_device_is_refused_in_a_sentence(given):
    there = {"X": X, "y": Y, "sample_weight": WEIGHTS}
    there[given] = xp.asarray(there[given], device=xp.Device("device1"))
    with pytest.raises(
        TypeError, match=rf"^{given} is a array_api_strict\S+ that NumPy cannot read: move it to the CPU"
    ):
        Perceptron().fit(**there)


def test_array_api_dispatch_of_scikit_learn_changes_nothing():
    code = (
        "import numpy, sklearn, array_api_strict as xp, rosenblatt\n"
        "X = numpy.random.default_rng(0).normal(size=(40, 3))\n"
        "with sklearn.config_context(array_api_dispatch=True):\n"
        "    model = rosenblatt.LogisticRegression().fit(xp.asarray(X), xp.asarray((X[:, 0] > 0) * 1))\n"
        "    print(type(model.coef_).__name__, type(model.predict_proba(xp.asarray(X))).__name__)\n"
    )
    here = os.environ | {"SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=here, check=False)
    assert done.stderr == ""
    assert done.stdout == "ndarray ndarray\n"
