"""A numpy.matrix is refused in one sentence wherever X is taken. Plots and densities read sparse matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import multivariate_normal

import rosenblatt
from rosenblatt import KernelPerceptron, KnownDistribution, LinearSVM, LogisticRegression, Perceptron, TableEncoder
from rosenblatt.plots.plane import two_columns

X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0], [0.0, 1.0]])
Y = np.array([1, 1, 0, 0])
MODEL = Perceptron(order="cyclic").fit(X, Y, trace=True)
KNOWN = KnownDistribution({0: multivariate_normal([0, 0]), 1: multivariate_normal([2, 0])})
STRUCTURAL = rosenblatt.StructuralRisk(degrees=(1,), cv=2).fit(X, Y)

TAKERS = {
    "fit": lambda M: Perceptron().fit(M, Y),
    "kernel fit": lambda M: KernelPerceptron().fit(M, Y),
    "svm fit": lambda M: LinearSVM().fit(M, Y),
    "partial_fit": lambda M: Perceptron().partial_fit(M, Y),
    "predict": MODEL.predict,
    "decision_function": MODEL.decision_function,
    "regularization_path": lambda M: rosenblatt.regularization_path(M, Y),
    "cross_validated_risk": lambda M: rosenblatt.cross_validated_risk(Perceptron(), M, Y, cv=2),
    "structural fit": lambda M: rosenblatt.StructuralRisk(degrees=(1,), cv=2).fit(M, Y),
    "bayes fit": lambda M: rosenblatt.BayesRule(LogisticRegression()).fit(M, Y),
    "transform": lambda M: rosenblatt.Polynomial(2).transform(M),
    "separability": lambda M: rosenblatt.separability(M, Y),
    "separating_degree": lambda M: rosenblatt.separating_degree(M, Y),
    "max_margin": lambda M: rosenblatt.max_margin(M, Y),
    "mistake_bound": lambda M: rosenblatt.mistake_bound(M, Y),
    "minimum_mistakes": lambda M: rosenblatt.minimum_mistakes(M, Y),
    "audit": lambda M: rosenblatt.audit(MODEL, M, Y),
    "signed_distance": lambda M: rosenblatt.signed_distance(MODEL, M),
    "margins": lambda M: rosenblatt.margins(MODEL, M, Y),
    "structural predict": STRUCTURAL.predict,
    "table": lambda M: TableEncoder().fit(M),
    "lab": lambda M: rosenblatt.Lab(M, Y),
    "plots": lambda M: rosenblatt.plots.decision_regions(MODEL, M, Y),
    "density": KNOWN.predict_proba,
}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("taker", TAKERS)
def test_a_numpy_matrix_is_refused(taker):
    with pytest.raises(TypeError, match=r"^X is a numpy\.matrix: pass numpy\.asarray\(X\) instead\.$"):
        TAKERS[taker](np.asmatrix(X))


def test_a_plane_may_be_sparse():
    np.testing.assert_array_equal(two_columns(sp.coo_array(X)), X)
    with pytest.raises(ValueError, match=r"A plane has two columns: X has the shape \(3, 3\)"):
        two_columns(sp.csr_array(np.eye(3)))


def test_a_density_reads_sparse_rows():
    np.testing.assert_array_equal(KNOWN.predict_proba(sp.csr_matrix(X)), KNOWN.predict_proba(X))


def test_a_sparse_matrix_is_no_table():
    with pytest.raises(TypeError, match="X is a sparse matrix, not a table: classifiers take it as it is"):
        TAKERS["table"](sp.csr_matrix(X))
