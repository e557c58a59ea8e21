"""Models to save: rows to fit them to, saving and loading, and whether two are the same."""

import numpy as np

import rosenblatt


def table(classes=2, rows=90, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 4))
    return X, np.argmax(X[:, :classes] + random.normal(size=(rows, classes)), axis=1)


def saved_and_loaded(model, path):
    rosenblatt.save(model, path)
    return rosenblatt.load(path)


def assert_same(model, other, X):
    assert type(other) is type(model)
    assert other.get_params() == model.get_params()
    for name in ("coef_" if hasattr(model, "coef_") else "dual_coef_", "intercept_", "classes_"):
        np.testing.assert_array_equal(getattr(other, name), getattr(model, name), strict=True)
    for name in ("n_iter_", "n_visits_", "n_updates_", "n_mistakes_", "n_features_in_", "status_"):
        assert getattr(other, name) == getattr(model, name)
    for name in ("reason", "mistakes", "rows", "epochs", "converged"):
        assert getattr(other.status_, name) == getattr(model.status_, name)
    assert other.history_.keys() == model.history_.keys() - {"seconds"}
    for name, values in other.history_.items():
        np.testing.assert_array_equal(model.history_[name], values)
    np.testing.assert_array_equal(other.predict(X), model.predict(X), strict=True)
    np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
