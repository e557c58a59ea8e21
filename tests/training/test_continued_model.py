"""A learner that goes on from a model: it begins as the model, and its bits depend on the rows alone."""

import json

import numpy as np
import pytest

from rosenblatt import Perceptron, fit, load
from rosenblatt.cli.main import main
from rosenblatt.foundation import state_file
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import model_of, serialized, write
from rosenblatt.tables.read.text_lines import Block
from rosenblatt.tables.read.typed_json_lines import TypedJsonLines
from rosenblatt.training.online.calibrate_learner import calibrate_learner
from rosenblatt.training.online.continued_model import continue_model, request_of
from rosenblatt.training.online.endless_input import EndlessInput
from rosenblatt.training.online.learner_state import learner_from_tree, learner_to_tree
from rosenblatt.training.online.progressive_accuracy import ProgressiveAccuracy

NAMES = ["size", "colour", "note", "kind"]


def rows(count, seed, shift=0.0):
    """Rows whose class depends on a number and a category. Words and, later, values appear with the seed."""
    random = np.random.default_rng(seed)
    sizes, colours = random.normal(shift, 1, count), random.choice(["red", "blue", f"colour{seed}"], count)
    words = random.choice(["old", "new", "rare", f"word{seed}"], (count, 3))
    return [
        {
            "size": round(float(size), 4),
            "colour": str(colour),
            "note": f"{' '.join(word)} and {seed + k % 40} more words",
            "kind": "large" if size + (colour == "red") > 0.5 + shift else "small",
        }
        for k, (size, colour, word) in enumerate(zip(sizes, colours, words, strict=True))
    ]


def lines(some):
    return "".join(json.dumps(row) + "\n" for row in some).encode()


def trained(algorithm, **options):
    some = rows(400, 0)
    columns = {name: [row[name] for row in some] for name in NAMES}
    return model_of(fit(columns, target="kind", algorithm=algorithm, kinds={"note": "text"}, **options))


def learner_of(model):
    return continue_model(model, TypedJsonLines("rows", NAMES), ProgressiveAccuracy())


@pytest.mark.parametrize("algorithm", ["averaged", "perceptron", "logistic", "svm", "passive-aggressive", "pocket"])
def test_it_begins_as_the_model_and_has_the_same_bits_in_pieces_restored_and_by_train(algorithm):
    model, new = trained(algorithm), [*rows(900, 1), *rows(1100, 2, shift=3.0)]
    whole = learner_of(model)
    assert np.array_equal(whole.model().learned.coef, model.learned.coef)
    assert np.array_equal(whole.model().learned.intercept, model.learned.intercept)
    whole.learn_block(Block(lines(new), 1, 0))
    assert whole.accuracy.rows == 2000

    pieces, restored, random = learner_of(model), 0, np.random.default_rng(5)
    left = list(new)
    while left:
        until = pieces.renewal_row - pieces.rows
        count = min(int(random.integers(1, 300)), until, len(left))
        pieces.learn_block(Block(lines(left[:count]), 1, 0))
        left = left[count:]
        if count == until:  # the columns were just renewed
            tree = state_file.read(state_file.written(learner_to_tree(pieces)))
            pieces, restored = learner_from_tree(tree, TypedJsonLines("rows", NAMES)), restored + 1
    assert restored > 2
    endless = EndlessInput(request_of(model), start=model)
    endless.feed(lines(new[:7])[:-3])
    endless.feed(lines(new[:7])[-3:] + lines(new[7:]))
    endless.end()
    expected = serialized(calibrate_learner(whole)[0])
    assert serialized(calibrate_learner(pieces)[0]) == expected
    assert serialized(endless.stream_outcome("end").model) == expected
    assert whole.encoder.columns > model.encoder.columns  # new words have got columns


def delimited(some):
    """CSV with a newline and a quotation mark in every note."""
    rows = (f'{row["size"]},{row["colour"]},"{row["note"]}\nand ""more""",{row["kind"]}\n' for row in some)
    return "".join([",".join(NAMES) + "\n", *rows]).encode()


@pytest.mark.parametrize("text_of", [lines, delimited])
def test_a_continued_model_does_not_depend_on_where_the_input_is_cut(text_of):
    """Bytes arrive in pieces of any size: as `log export | train - --continue` sends them, a row may be cut."""
    model, text = trained("averaged"), text_of(rows(60, 1))

    def learned(*pieces):
        endless = EndlessInput(request_of(model), start=model)
        for piece in pieces:
            endless.feed(piece)
        endless.end()
        assert endless.accuracy.rows == 60
        return serialized(endless.stream_outcome("end").model)

    expected = learned(*(text[place : place + 1] for place in range(len(text))))
    for cut in [len(text), *range(1, len(text), 41)]:
        assert learned(text[:cut], text[cut:]) == expected


def test_it_learns_what_changes_and_keeps_what_does_not():
    model = trained("averaged")
    same, changed = learner_of(model), learner_of(model)
    same.learn_block(Block(lines(rows(2000, 0)), 1, 0))
    assert same.accuracy.right > 0.95 * 2000
    flipped = [{**row, "kind": "small" if row["kind"] == "large" else "large"} for row in rows(6000, 0)]
    changed.learn_block(Block(lines(flipped), 1, 0))
    assert changed.accuracy.recent.rows == 6000
    last = learner_of(changed.model())
    last.learn_block(Block(lines(flipped[:500]), 1, 0))
    assert last.accuracy.right > 0.9 * 500


def test_a_new_class_is_learned_and_drops_the_old_probabilities():
    learner = learner_of(trained("averaged"))
    assert calibrate_learner(learner)[0].calibration is not None
    learner.learn_block(Block(lines([{**row, "kind": "huge"} for row in rows(3, 1)]), 1, 0))
    model = calibrate_learner(learner)[0]
    assert model.classes.tolist() == ["huge", "large", "small"]
    assert model.calibration is None
    assert learner.accuracy.right <= 2  # nobody could predict it before its first row


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: model_of(Perceptron().fit([[0.0], [1.0]], [0, 1])), "not trained on a table"),
        (lambda: trained("logistic", features="polynomial-2"), "lifts its rows"),
        (lambda: trained("logistic", penalty="l1"), "its penalty is l1"),
    ],
)
def test_models_that_cannot_learn_from_single_rows_are_refused(make, why):
    with pytest.raises(InputError, match=f"cannot learn from single rows, because .*{why}"):
        learner_of(make())


def test_joint_logistic_classes_are_refused():
    some = rows(300, 0)
    columns = {name: [row[name] for row in some] for name in NAMES}
    columns["kind"] = ["abc"[k % 3] for k in range(300)]
    with pytest.raises(InputError, match="trained together"):
        learner_of(model_of(fit(columns, target="kind", algorithm="logistic")))


def run(words, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["rosenblatt", *map(str, words)])
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code
    return code, capsys.readouterr()


def test_train_continues_from_a_model_with_csv(tmp_path, start):
    import subprocess
    import sys

    model, new = trained("averaged"), rows(60, 1)
    write(model, tmp_path / "m.safetensors")
    text = "size,colour,note,kind\n" + "".join(",".join(str(row[name]) for name in NAMES) + "\n" for row in new)
    words = [sys.executable, "-m", "rosenblatt.cli", "train", "-", "--continue", tmp_path / "m.safetensors"]
    process = start([*words, "-o", tmp_path / "n.safetensors", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.communicate(text.encode())
    assert process.returncode == 0
    learner = learner_of(model)
    learner.learn_block(Block(lines(new), 1, 0))
    assert (tmp_path / "n.safetensors").read_bytes() == serialized(calibrate_learner(learner)[0])
    assert load(tmp_path / "n.safetensors").predict({name: [new[0][name]] for name in NAMES[:3]})[0] in (
        "large",
        "small",
    )


@pytest.mark.parametrize("options", [["--target", "size"], ["--algorithm", "svm"], ["--drop", "note"]])
def test_options_that_the_model_decides_are_refused(options, tmp_path, capsys, monkeypatch):
    write(trained("averaged"), tmp_path / "m.safetensors")
    code, said = run(
        ["train", "-", "--continue", tmp_path / "m.safetensors", *options, "-o", tmp_path / "n"], capsys, monkeypatch
    )
    assert code == 2
    assert "--continue takes target, columns and algorithm from" in said.err


def test_continue_goes_with_standard_input_only(tmp_path, capsys, monkeypatch):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    code, said = run(["train", tmp_path / "t.csv", "--target", "b", "--continue", tmp_path / "m"], capsys, monkeypatch)
    assert code == 2
    assert "--continue goes with standard input" in said.err
