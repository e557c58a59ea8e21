"""The path of the hinge with an l1 penalty begins at the largest C at which all weights may be 0."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import LinearSVM, regularization_path


def two_classes(rows, columns, seed, share=0.3):
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, columns))
    scores = X[:, 0] + random.standard_normal(rows)
    return X, scores > np.quantile(scores, 1 - share)


def first_C(X, y, model, **fit):
    return regularization_path(X, y, model, Cs=1, **fit).C[0]


def loss_at_zero(y, weights):
    """The least sum of the hinges of constant scores: the smaller class is on the wrong side by 2."""
    return 2 * min(weights[y].sum(), weights[~y].sum())


CASES = {
    "few columns": (60, 3, {}),
    "more columns than join at once": (90, 50, {}),
    "wide": (30, 200, {}),
    "elastic net": (60, 8, {"penalty": "elasticnet", "l1_ratio": 0.6}),
    "larger offset": (60, 8, {"intercept_scaling": 3.0}),
    "no offset": (60, 8, {"fit_intercept": False}),
    "penalised offset": (60, 8, {"penalize_intercept": True}),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("case", CASES)
def test_weights_0_are_best_up_to_the_first_C_and_not_beyond(case, seed):
    rows, columns, options = CASES[case]
    X, y = two_classes(rows, columns, seed)
    model = LinearSVM(**{"penalty": "l1", **options})
    C, weights = first_C(X, y, model), np.random.default_rng(seed).uniform(0.5, 2, rows)
    weighted = first_C(X, y, model, sample_weight=weights)
    free = options.get("fit_intercept", True) and not options.get("penalize_intercept")
    for first, given in ((C, np.ones(rows)), (weighted, weights)):
        zero = loss_at_zero(y, given) if free else given.sum()
        below, above = (
            model.set_params(C=times * first).fit(X, y, sample_weight=given).objective_ / (times * first)
            for times in (1, 1.02)
        )
        assert below == pytest.approx(zero, rel=1e-9)
        assert above < zero * (1 - 1e-7)


def test_the_first_optimum_has_zeros_alone_and_the_next_has_not():
    X, y = two_classes(80, 6, seed=0)
    path = regularization_path(X, y, LinearSVM(penalty="l1"))
    assert not path.coef[0].any()
    assert path.coef[1:].any(axis=(1, 2)).all()


def test_sparse_rows_and_several_classes_begin_where_dense_ones_do():
    X, y = two_classes(80, 6, seed=1)
    X[np.abs(X) < 0.5] = 0.0
    model = LinearSVM(penalty="l1")
    assert first_C(sp.csr_matrix(X), y, model) == pytest.approx(first_C(X, y, model), rel=1e-6)
    three = np.where(X[:, 1] > 1, 2, y.astype(int))
    single = [first_C(X, three == k, model) for k in range(3)]
    assert first_C(X, three, model) == pytest.approx(min(single), rel=1e-6)


def test_no_C_moves_a_weight_where_one_class_lies_amid_the_other():
    X = np.array([[-1.0], [1.0], [-1.0], [1.0], [0.0]])
    path = regularization_path(X, [0, 0, 0, 0, 1], LinearSVM(penalty="l1"), Cs=3)
    assert path.C[0] == 1.0
    assert not path.coef.any()


def test_a_program_that_is_too_large_still_begins_among_zeros(monkeypatch):
    X, y = two_classes(60, 4, seed=2)
    model = LinearSVM(penalty="l1")
    exact = first_C(X, y, model)
    monkeypatch.setattr("rosenblatt.solvers.elastic_net.first_hinge_weight.MAX_ENTRIES", 10)
    early = regularization_path(X, y, model, Cs=1)
    assert early.C[0] < exact
    assert not early.coef.any()
