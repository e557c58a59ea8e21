"""Rows that keep coming: the model depends on them and not on their pace, and follows what changes on the way."""

import numpy as np
import pytest
from stream_rows import HEADER, fed, lines, scores

from rosenblatt.classifiers.calibration.methods import calibration_state
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import read, write
from rosenblatt.tables.read.text_lines import Block
from rosenblatt.training.online.endless_input import MAX_HELD_ROWS, open_text
from rosenblatt.training.request import Request
from rosenblatt.training.train_table import train_table

# The same at any pace


@pytest.mark.parametrize(
    "algorithm", ["auto", "perceptron", "averaged", "pocket", "passive-aggressive", "alma", "arow", "svm", "logistic"]
)
def test_the_model_depends_on_the_rows_and_not_on_their_pace(algorithm):
    text = HEADER + "".join(lines(1200) + lines(900, seed=1, scale=300.0) + ["9e9,red,large\n"] + lines(900, seed=2))
    text += "1,red,huge\n0,blue,tiny\n" + "".join(lines(500, seed=3))
    whole, cut = fed(text, algorithm=algorithm), fed(text, pieces=997, algorithm=algorithm)
    assert (whole.accuracy.right, whole.accuracy.rows) == (cut.accuracy.right, cut.accuracy.rows)
    assert whole.accuracy.recent == cut.accuracy.recent
    first, second = whole.model(), cut.model()
    assert first.encoder.state() == second.encoder.state()
    assert np.array_equal(first.learned.coef, second.learned.coef)
    assert np.array_equal(first.learned.intercept, second.learned.intercept)
    assert first.classes.tolist() == second.classes.tolist() == ["huge", "large", "small", "tiny"]
    if algorithm != "logistic":
        assert calibration_state(first.calibration)["rows"] == 501  # since the last new class
        assert str(calibration_state(first.calibration)) == str(calibration_state(second.calibration))


def test_long_streams_depend_on_no_pace_either():
    rows = (
        lines(17_000)
        + [f"{k / 500:.3f},{'violet' if k % 2 else 'pink'},large\n" for k in range(9000)]
        + lines(15_000, 1)
    )
    whole, cut = (fed(HEADER + "".join(rows), pieces=pieces) for pieces in (1, 1009))
    assert (whole.accuracy.right, whole.accuracy.recent) == (cut.accuracy.right, cut.accuracy.recent)
    assert whole.model().encoder.state() == cut.model().encoder.state()
    assert "colour=violet" in cut.model().encoder.names
    assert np.array_equal(whole.model().learned.coef, cut.model().learned.coef)


def test_texts_depend_on_no_pace_either():
    random = np.random.default_rng(0)
    words = [f"word{k}" for k in range(3000)]
    rows = []
    for k in range(4000):
        said = random.choice(words[: 200 + k // 2], 12)
        rows.append(" ".join(said) + "\t" + ("odd" if sum(int(word[4:]) % 2 for word in said) > 6 else "even") + "\n")
    text = "said\tkind\n" + "".join(rows)
    whole, cut = (fed(text, pieces=pieces).model() for pieces in (3, 301))
    assert whole.encoder.names == cut.encoder.names
    assert np.array_equal(whole.learned.coef, cut.learned.coef)


def test_few_rows_are_an_ordinary_table():
    text = HEADER + "".join(lines(MAX_HELD_ROWS))
    endless = fed(text, pieces=50)
    assert not endless.is_streaming
    plain = train_table(open_text(text.encode()), Request(target="kind"))
    assert np.array_equal(endless.table_outcome("end").model.learned.coef, plain.model.learned.coef)
    assert fed(text + "1,red,large\n").is_streaming


# What changes on the way


def test_scores_stay_when_columns_are_renewed():
    """Other scales, new values, a gap where there was none: every score is what it was just before."""
    endless = fed(HEADER + "".join(lines(3000)))
    learning = endless.learner
    rows = lines(900, seed=1, scale=3.0)
    rows += [",red,large\n"] * 5 + [f"{k / 9},violet,small\n" for k in range(9)]
    asked = [*lines(50, seed=2), "0.3,red,small\n", "2,violet,large\n", ",blue,small\n"]
    batch = learning._read(Block("".join(rows).encode(), 1, 0))
    learning.monitor.observe(batch.table)
    before = scores(learning.model(), asked)
    width = learning.encoder.columns
    learning.stream.remap(learning.monitor.renew(1000))
    after = scores(learning.model(), asked)
    assert learning.encoder.columns == width + 2  # violet, and where the size is missing
    assert "colour=violet" in learning.encoder.names
    assert "size is missing" in learning.encoder.names
    assert after == pytest.approx(before, abs=1e-6 * np.abs(before).max())


def test_new_words_are_learned():
    random = np.random.default_rng(0)

    def texts(rows, good, bad):
        for k in range(rows):
            said = " ".join(random.choice(["the", "a", "film", "of", "it", "was"], 5))
            yield f"{k} {said} {random.choice(good)}\tgood\n"
            yield f"{k} {said} {random.choice(bad)}\tbad\n"

    old = list(texts(1000, ["lovely", "fine"], ["dull", "poor"]))
    new = list(texts(2000, ["splendid", "superb"], ["ghastly", "dreary"]))
    endless = fed("said\tkind\n" + "".join(old + new))
    assert {"said: splendid", "said: ghastly", "said: lovely"} <= set(endless.learner.encoder.names)
    recent = endless.accuracy.recent
    assert recent.right / recent.rows > 0.98  # only the first rows with new words are guesses
    assert recent.right < recent.rows


def test_columns_have_a_limit(monkeypatch):
    monkeypatch.setattr("rosenblatt.training.online.online_learner.MAX_COLUMNS", 600)
    rows = [f"w{k % 700} w{k * 7 % 900} and w{k * k % 800}\t{'a' if k % 2 else 'b'}\n" for k in range(4000)]
    learning = fed("said\tkind\n" + "".join(rows)).learner
    assert learning.columns_full
    assert learning.encoder.columns <= max(600, 900)
    more = fed("said\tkind\n" + "".join(rows + [f"new{k % 50} w1 or w2 x\ta\n" for k in range(3000)])).learner
    assert more.encoder.columns == learning.encoder.columns


def test_classes_may_turn_up_at_any_time():
    random = np.random.default_rng(0)
    rows = [f"{x:.3f},red,{'low' if x < 0 else 'high'}\n" for x in random.normal(0, 1, 2000)]
    rows += [f"{x:.3f},red,{'low' if x < 0 else 'high' if x < 2 else 'top'}\n" for x in random.normal(1, 2, 8000)]
    endless = fed(HEADER + "".join(rows))
    assert endless.model().classes.tolist() == ["high", "low", "top"]
    assert endless.learner.classes.sorted_counts[2] == sum("top" in row for row in rows)
    recent = endless.accuracy.recent
    assert recent.right / recent.rows > 0.8
    only = fed(HEADER + "1,red,large\n2,blue,large\n" * 1000 + "".join(lines(3000)))  # the first thousand of one class
    assert only.model().classes.tolist() == ["large", "small"]
    assert only.accuracy.recent.right / only.accuracy.recent.rows > 0.8


def test_columns_that_said_nothing_wake_up():
    rows = ["1," + row for row in lines(1500)]
    asleep = fed("flag," + HEADER + "".join(rows)).learner
    assert asleep.encoder.left_out == {"flag": "it is always the same"}
    rows += [f"{5 if 'large' in row else 1}," + row for row in lines(1500, seed=1)]
    awake = fed("flag," + HEADER + "".join(rows)).learner
    assert awake.encoder.left_out == {}
    weights = dict(zip(awake.encoder.names, np.abs(awake.stream.coef[0]), strict=True))
    assert weights["flag"] > weights["colour=blue"]


@pytest.mark.parametrize("algorithm", ["auto", "logistic", "passive-aggressive", "svm"])
def test_a_stream_that_changes_is_followed(algorithm):
    """Other units, an outlier beyond all measure, and then the opposite rule."""
    rows = lines(4000) + lines(8000, seed=1, scale=1000.0) + ["1e12,red,small\n"] + lines(12000, seed=2, scale=1000.0)
    recent = fed(HEADER + "".join(rows), algorithm=algorithm).accuracy.recent
    assert recent.right / recent.rows > 0.85
    turned = rows + lines(40000, seed=3, scale=1000.0, flip=True)
    recent = fed(HEADER + "".join(turned), algorithm=algorithm).accuracy.recent
    assert recent.right / recent.rows > 0.85


# The model of a stream


def test_class_weights_count_in_a_stream():
    rows = [
        f"{x:.3f},red,{'large' if x + y > 1.5 else 'small'}\n"
        for x, y in np.random.default_rng(0).normal(0, 1, (6000, 2))
    ]
    plain, heavy = (fed(HEADER + "".join(rows), class_weight=weight) for weight in (None, {"large": 20.0}))
    asked = lines(2000, seed=5)
    found = [int((scores(model.model(), asked)[:, 0] < 0).sum()) for model in (plain, heavy)]
    assert found[1] > found[0] + 100


def test_a_stream_is_saved_and_read_back_as_it_was(tmp_path):
    endless = fed(HEADER + "".join(lines(3000)))
    write(endless.model(), tmp_path / "m")
    asked = lines(100, seed=9)
    assert np.array_equal(scores(read(tmp_path / "m"), asked), scores(endless.model(), asked))


def test_numbers_beyond_all_measure_do_no_harm():
    endless = fed(
        HEADER + "".join(lines(1500) + ["1e308,red,large\n", "-1e308,blue,small\n"] * 3 + lines(1500, seed=1))
    )
    assert endless.accuracy.right / endless.accuracy.rows > 0.9  # they are learned from as if they were less far
    with pytest.raises(InputError, match="too large or too small"):
        fed(HEADER + "".join(lines(1500) + ["1e308,red,large\n", "-1e308,blue,small\n"] * 3), scale=False)
