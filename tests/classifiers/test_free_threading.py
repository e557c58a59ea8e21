"""Different classifiers in different threads learn what they learn alone, with a GIL and without."""

import os
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, LinearSVM, LogisticRegression, PassiveAggressive, Perceptron

MODELS = [
    lambda: Perceptron(max_iter=20, n_iter_no_change=20, random_state=0),
    lambda: PassiveAggressive(max_iter=20, random_state=0),
    lambda: LogisticRegression(n_jobs=2),
    lambda: LogisticRegression(multi_class="joint"),
    lambda: LinearSVM(),
    lambda: KernelPerceptron(max_iter=5, random_state=0),
]
ROUNDS = 5
FIT = """
import sys, rosenblatt
rosenblatt.Perceptron().fit([[1.0], [2.0]], [0, 1]).predict([[0.5]])
rosenblatt.LogisticRegression().fit([[1.0], [2.0], [3.0]], [0, 1, 0]).predict_proba([[0.5]])
print(sys._is_gil_enabled())
"""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_classifiers_trained_side_by_side_learn_what_they_learn_alone():
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 5))
    y = np.digitize(X[:, 0] + 0.3 * random.normal(size=600), [-0.5, 0.5])
    alone = [make().fit(X, y).decision_function(X) for make in MODELS]
    with ThreadPoolExecutor(len(MODELS)) as pool:
        for _ in range(ROUNDS):
            together = pool.map(lambda make: make().fit(X, y).decision_function(X), MODELS)
            assert [(a == b).all() for a, b in zip(alone, together, strict=True)] == [True] * len(MODELS)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python is not free-threaded")
def test_training_leaves_the_gil_off():
    free = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    said = subprocess.run([sys.executable, "-c", FIT], env=free, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False"], said.stderr
