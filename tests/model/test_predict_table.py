"""`predict` and `evaluate` of tables in Python: as the model itself answers, whoever computes."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import numpy as np
import pytest

from rosenblatt import LogisticRegression, evaluate, fit, predict, save
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.read import delimited


@pytest.fixture(scope="module", params=[2, 3])
def trained(request, tmp_path_factory):
    """A table of two or three classes in two files, and a model of it."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("rows")
    sizes, fruits = rng.standard_normal(3_000), rng.choice(["fig", "pear", ""], 3_000)
    kinds = np.digitize(sizes + rng.standard_normal(3_000), [0.0, 1.0][: request.param - 1])
    lines = [f"{size},{fruit},class {kind}" for size, fruit, kind in zip(sizes, fruits, kinds, strict=True)]
    for number, part in enumerate((lines[:2_000], lines[2_000:])):
        (folder / f"{number}.csv").write_text("\n".join(["size,fruit,kind", *part, ""]))
    return fit(folder / "*.csv", target="kind", algorithm="logistic", seed=0), str(folder / "*.csv"), folder


@pytest.mark.parametrize(
    ("answer", "method"), [("label", "predict"), ("score", "decision_function"), ("probability", "predict_proba")]
)
def test_answers_are_those_of_the_model_whoever_computes(trained, monkeypatch, answer, method):
    model, files, folder = trained
    expected = np.concatenate([getattr(model, method)(str(folder / name)) for name in ("0.csv", "1.csv")])
    one = predict(model, files, answer=answer)
    assert (one == expected).all() if answer == "label" else np.allclose(one, expected, rtol=1e-12, atol=0)
    assert (one.shape, one.dtype.kind) == (expected.shape, expected.dtype.kind)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1_000)
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as threads:
            assert predict(model, files, answer=answer, executor=threads).tobytes() == one.tobytes()


def test_processes_and_the_file_of_a_model_give_the_same_bits(trained, tmp_path):
    model, files, _ = trained
    save(model, tmp_path / "model")
    one = predict(model, files, answer="score")
    assert predict(tmp_path / "model", files, answer="score").tobytes() == one.tobytes()
    assert predict(model, files, answer="score", executor=2).tobytes() == one.tobytes()
    measures = evaluate(tmp_path / "model", files, executor=2)
    assert {**asdict(measures), "model": ""} == {**asdict(evaluate(model, files)), "model": ""}
    assert measures.confusion == evaluate(model, files, "kind").confusion
    assert np.sum(measures.confusion) == 3_000


def test_costs_and_what_is_printed(trained):
    model, files, _ = trained
    classes = model.classes_.tolist()
    dear = {decision: {truth: 5.0 * (truth != decision) for truth in classes} for decision in classes}
    one, five = evaluate(model, files), evaluate(model, files, loss_matrix=dear)
    assert five.risk == pytest.approx(5 * one.risk)
    assert "accuracy" in str(one)


def test_what_cannot_be_answered_is_refused(trained):
    model, files, _ = trained
    with pytest.raises(InputError, match='answer must be "label", "score" or "probability", not \'chance\''):
        predict(model, files, answer="chance")
    with pytest.raises(InputError, match="workers read files"):
        predict(model, {"size": [1.0], "fruit": ["fig"]}, executor=1)
    with pytest.raises(ValueError, match="call fit before predict"):
        predict(LogisticRegression(), files)
    plain = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(InputError, match="does not know the name of its target: give target"):
        evaluate(plain, {"x": [0.0], "y": [0]})
