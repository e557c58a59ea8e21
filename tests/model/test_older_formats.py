"""Model files of every format so far are read."""

from pathlib import Path

import numpy as np
import pytest

import rosenblatt

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

MODELS = Path(__file__).parent / "models"


def test_a_fitted_model_of_format_1():
    model = rosenblatt.load(MODELS / "format-1-fitted.safetensors")
    assert type(model) is rosenblatt.AveragedPerceptron
    assert (model.order, model.random_state, model.class_weight) == ("cyclic", 0, {"ash": 2.0})
    assert model.classes_.tolist() == ["ash", "birch", "cedar"]
    assert model.feature_names_in_.tolist() == ["height", "width"]
    np.testing.assert_allclose(model.coef_ * 9, [[-32, -28], [30, 0], [0, 24]])
    np.testing.assert_allclose(model.intercept_ * 6, [10, -7, -8])
    assert (model.status_.reason, model.n_iter_, model.n_visits_, model.n_updates_) == ("mistakes", 3, 21, 8)
    assert len(model.history_["mistakes"]) == 3


def test_a_streaming_model_of_format_1_learns_on():
    model = rosenblatt.load(MODELS / "format-1-streamed.safetensors")
    np.testing.assert_allclose(model.coef_ * 3, [[-8, -4], [8, 0], [0, 4]])
    model.partial_fit([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], [10, 20, 30])
    np.testing.assert_allclose(model.coef_ * 3, [[-10, -8], [10, 0], [0, 8]])
    np.testing.assert_allclose(model.intercept_ * 6, [0, -1, 1], atol=1e-12)


def test_a_model_of_libsvm_text_that_had_a_column_0(tmp_path):
    (tmp_path / "rows.svm").write_text("1 1:2 3:1\n0 2:1\n")
    model = rosenblatt.load(MODELS / "format-2-libsvm.safetensors")
    assert model[-1].coef_.shape == (1, 4)
    np.testing.assert_allclose(model.decision_function(tmp_path / "rows.svm"), [5.025, -0.95])


def test_a_model_of_a_table_of_format_2_has_no_probabilities():
    model = rosenblatt.load(MODELS / "format-2-table.safetensors")
    assert model.predict({"size": [1.5, 8.5], "colour": ["red", None]}).tolist() == ["small", "large"]
    assert model[-1].calibration is None
    assert not hasattr(model, "predict_proba")


def test_a_calibrated_model_of_format_3():
    model = rosenblatt.load(MODELS / "format-3-calibrated.safetensors")
    assert model[-1].calibration == "platt"
    found = model.predict_proba({"size": [1.5, 8.5], "colour": ["red", None]})
    np.testing.assert_allclose(found, [[0.01645734, 0.98354266], [0.96931495, 0.03068505]], atol=1e-8)
