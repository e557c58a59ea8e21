"""Every row of a stream is predicted before it is learned: recent scores say what the model was worth."""

import io
import json
import subprocess
from copy import deepcopy

import numpy as np
import pytest
from stream_rows import COMMAND, HEADER, fed, lines, piped

from rosenblatt import PassiveAggressive, Perceptron, fit
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.predict import predictions
from rosenblatt.training.online.endless_input import EndlessInput, open_text
from rosenblatt.training.request import Request


def flipping(rows, every=100):
    """Numbers whose classes change places every so many rows."""
    X = np.random.default_rng(0).normal(0, 1, (rows, 3)).round(3)
    side = (X @ [1.0, -2.0, 0.5] > 0) != (np.arange(rows) // every % 2 == 1)
    return X, np.where(side, "yes", "no")


@pytest.mark.parametrize("algorithm", ["perceptron", "passive-aggressive"])
def test_labels_that_flip_are_predicted_as_one_row_after_the_other(algorithm):
    """The same rows through scikit-learn's interface: predict one row, then learn it."""
    X, y = flipping(3000)
    text = "a,b,c,kind\n" + "".join(f"{a},{b},{c},{label}\n" for (a, b, c), label in zip(X, y, strict=True))
    endless = fed(text, pieces=7, algorithm=algorithm, scale=False)
    model = {"perceptron": Perceptron, "passive-aggressive": PassiveAggressive}[algorithm]()
    model.partial_fit(X[:20], y[:20], classes=["no", "yes"])  # held to determine the kinds of columns
    right = []
    for row, label in zip(X[20:], y[20:], strict=True):
        right.append(model.predict([row])[0] == label)
        model.partial_fit([row], [label])
    assert (endless.accuracy.right, endless.accuracy.rows) == (sum(right), len(right))
    assert np.array_equal(endless.model().learned.coef, model.coef_)
    assert np.mean(right) > 0.8
    stale = fed(text, algorithm=algorithm, scale=False, predict_batch=200).accuracy
    assert stale.right / stale.rows < 0.6  # half of each batch has its classes the other way round


def predicted(model, row):
    """The class that a model gives to a row of text, by the way of `rosenblatt predict`."""
    [found] = predictions(model, open_text((HEADER + row).encode()))
    return model.classes[model.decide(found.scores)[0]]


@pytest.mark.parametrize("batch", [1, 101])
@pytest.mark.parametrize("algorithm", ["auto", "perceptron", "pocket", "svm"])
def test_each_row_is_predicted_by_the_model_that_would_be_saved_before_it(algorithm, batch):
    """Outliers, which are learned as if they were nearer, new classes and renewed columns included."""
    rows = lines(1010, flip=True) + lines(100, seed=1, scale=3.0) + ["-300,blue,large\n", "250,red,small\n"]
    rows += ["1,red,huge\n", "70,violet,tiny\n", "2,red,huge\n"] if batch == 1 else ["1,violet,large\n"] * 3
    rows += lines(60, seed=2) + ["2,violet,small\n"] * 3 + lines(130, seed=3, flip=True)
    slow, right = EndlessInput(Request(target="kind", algorithm=algorithm)), []
    slow.feed((HEADER + "".join(rows[:1010])).encode())
    columns, model = slow.learner.encoder.columns, None
    for row in rows[1010:]:
        encoder = slow.learner.encoder.state()
        if slow.rows % batch == 0:
            model = deepcopy(slow.model())
        right.append(predicted(model, row) == row.strip().split(",")[-1])
        slow.feed(row.encode())
        if slow.learner.encoder.state() != encoder:
            model = deepcopy(slow.model())  # a batch goes on with renewed columns
    fast = fed(HEADER + "".join(rows), algorithm=algorithm, predict_batch=batch).accuracy
    before = fed(HEADER + "".join(rows[:1010]), algorithm=algorithm, predict_batch=batch).accuracy
    assert slow.learner.encoder.columns > columns
    assert (fast.right - before.right, fast.rows - before.rows) == (sum(right), len(right))


def test_the_size_of_predicted_batches_does_not_change_the_model():
    text = HEADER + "".join(lines(1500) + lines(1500, seed=1, flip=True))
    one, many = fed(text), fed(text, pieces=31, predict_batch=500)
    assert np.array_equal(one.model().learned.coef, many.model().learned.coef)
    assert one.accuracy.rows == many.accuracy.rows
    assert one.accuracy.right > many.accuracy.right
    assert many.accuracy.right == fed(text, predict_batch=500).accuracy.right


def test_the_report_names_predicted_batches(tmp_path):
    text = HEADER + "".join(lines(2500))
    said = piped(text, "--target", "kind", "--model", tmp_path / "m", "--predict-batch", 1000)
    assert "rows right, each predicted before its batch of 1,000 was learned" in said.stdout.decode()
    assert "% right before learned in batches of 1,000, " in said.stderr.decode()
    for options, size in ((("--predict-batch", 1000), 1000), ((), 1)):
        result = piped(text, "--target", "kind", "--model", tmp_path / "m", "--json", *options)
        report = json.loads(result.stdout)
        assert (report["predict_batch"], report["progressive_rows"]) == (size, 2480)
    plain = piped(text, "--target", "kind", "--model", tmp_path / "m").stdout.decode()
    assert "rows right, each predicted before it was learned" in plain


def test_predicted_batches_are_refused_where_they_mean_nothing(tmp_path):
    text = HEADER + "".join(lines(1500))
    (tmp_path / "t.csv").write_text(text)
    command = [*COMMAND, "train", str(tmp_path / "t.csv"), "--target", "kind", "--predict-batch", "10"]
    refused = subprocess.run(command, capture_output=True, timeout=600)
    assert refused.returncode == 2
    assert b"--predict-batch goes with standard input" in refused.stderr
    for options, what in (
        (("--predict-batch", 0), "--predict-batch must be a whole number of at least 1, not 0."),
        (("--predict-batch", 5, "--folds", 3), "--predict-batch does not go with --folds"),
    ):
        assert what in piped(text, "--target", "kind", "--model", tmp_path / "m", *options, ends=2).stderr.decode()
    with pytest.raises(InputError, match="predict_batch goes with an open file"):
        fit(tmp_path / "t.csv", target="kind", predict_batch=10)
    assert fit(io.BytesIO(text.encode()), target="kind", predict_batch=10).report_["predict_batch"] == 10
