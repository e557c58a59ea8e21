"""Every option that takes a number refuses numbers that make no sense, in a sentence that names the option."""

from importlib import import_module
from typing import get_args

import pytest
from typer.testing import CliRunner

import rosenblatt
from rosenblatt.cli.app import app
from rosenblatt.cli.commands import COMMANDS
from rosenblatt.cli.fast_parser import Option

TABLE = "a,b,kind\n" + "1,2,x\n2,1,y\n3,5,x\n4,3,y\n" * 5
BEFORE = {
    "train": ("train", "rows.csv", "--target", "kind", "-o", "m"),
    "check": ("check", "rows.csv", "--target", "kind"),
    "summary": ("summary", "rows.csv", "--target", "kind"),
    "predict": ("predict", "m", "rows.csv"),
    "evaluate": ("evaluate", "m", "rows.csv"),
    "explain": ("explain", "m", "rows.csv"),
    "lab": ("lab", "--no-browser"),
    "serve": ("serve", "m"),
}
ALLOWED = {("train", "--C", "inf")}  # no penalty, as in scikit-learn


def numeric_options():
    """The command, name and type of each option that takes a number."""
    for command in COMMANDS:
        function = getattr(import_module(f"rosenblatt.cli.{command}"), command)
        for name, annotation in function.__annotations__.items():
            kind, about = get_args(annotation) or (None, None)
            if isinstance(about, Option) and {int, float} & {kind, *get_args(kind)}:
                spelled = about.names[0] if about.names else f"--{name.replace('_', '-')}"
                yield command, spelled, float in (kind, *get_args(kind))


def cases():
    for command, option, is_float in numeric_options():
        for value in ("-1", "nan", "inf", "-inf") if is_float else ("-1",):
            if (command, option, value) not in ALLOWED:
                yield command, option, value


def call(*words):
    return CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(TABLE)
    rosenblatt.save(rosenblatt.fit("rows.csv", target="kind"), "m")


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(("command", "option", "value"), list(cases()))
def test_numbers_out_of_range_are_refused(command, option, value):
    result = call(*BEFORE[command], option, value)
    assert result.exit_code == 2
    [sentence] = result.stderr.splitlines()
    assert option.lstrip("-") in sentence
    assert "Traceback" not in sentence


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((*BEFORE["train"], "--checkpoint-every", 0), "--checkpoint-every must be a finite number above 0, not 0."),
        ((*BEFORE["train"], "--folds", 10**20), "--folds must be at most the number of rows, 20, not 100,000,"),
        ((*BEFORE["check"], "--max-seconds", 0), "--max-seconds must be a finite number above 0, not 0."),
        ((*BEFORE["explain"], "--top", 0), "--top must be a whole number of at least 1, not 0."),
    ],
    ids=lambda given: " ".join(map(str, given[-2:])) if isinstance(given, tuple) else "",
)
def test_numbers_that_are_just_too_small_or_too_large(words, sentence):
    result = call(*words)
    assert (result.exit_code, sentence in result.stderr) == (2, True), result.stderr


@pytest.mark.usefixtures("rows")
def test_fit_refuses_them_too():
    for every in (0, -1, float("nan"), None):
        with pytest.raises(ValueError, match="checkpoint_every must be a finite number above 0"):
            rosenblatt.fit("rows.csv", target="kind", checkpoint_every=every)


@pytest.mark.usefixtures("rows")
def test_an_infinite_C_is_no_penalty_and_can_be_saved():
    assert call(*BEFORE["train"], "--C", "inf").exit_code == 0
    assert (rosenblatt.load("m")[-1].C, rosenblatt.load("m")[-1].penalty) == (None, None)
    model = rosenblatt.LogisticRegression(C=float("inf")).fit([[0.0], [1.0], [0.4], [0.6]], [0, 1, 1, 0])
    rosenblatt.save(model, "n")
    assert (rosenblatt.load("n").coef_ == model.coef_).all()
    assert (rosenblatt.load("n").C, rosenblatt.load("n").penalty) == (None, None)
