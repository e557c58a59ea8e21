"""Words read without typer mean what they mean to typer, and what is not plainly right is left to it."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.main import get_command

from rosenblatt.cli.app import app
from rosenblatt.cli.commands import COMMANDS
from rosenblatt.cli.fast_parser import TyperNeeded, UsageError, parse_words

RIGHT = [
    "train rows.csv --target kind",
    "train a.csv b.csv --drop x --drop=y --ngrams 2 --C 0.5 --alpha=1e-3 --max-iter 7 -q --json --model out",
    "train - --set tol=0.1 --set order=cyclic --test-fraction .25 --no-scale --early-stopping --seed 3",
    "train --target kind rows.csv --class-weight spam=2",
    "predict model rows.csv --output out.csv --add --probabilities",
    "evaluate model rows.csv --cost a:b=2 --json",
    "explain model",
    "explain model rows.csv --row 3",
    "export model out.onnx --format json",
    "export model -o out.json --force",
    "train rows.csv --target kind -o out --force",
    "check rows.csv --target kind --through-origin --certificate p.json",
    "summary rows.csv --target kind --firth --level 0.9 --json",
    "summary rows.csv --target kind --exact --max-seconds 5",
    "summary rows.csv --formula kind~width --firth",
    "verify p.json rows.csv --json",
    "cache --clear",
    "serve model.safetensors --log folder --port 8000 --max-rate 100",
    "log verify folder --json",
    "log trim folder",
    "train - --continue model.safetensors -o out",
    "lab --port 8000 --no-browser",
    "lab model.safetensors rows.csv --target kind",
]
NEED_TYPER = [
    *("train --help", "train rows.csv --target --x", "train rows.csv --alpha -1", "train rows.csv -qh"),
    *("train rows.csv --seed 1 --seed 2", "train rows.csv --quiet=1", "train rows.csv --target=", "train -- rows.csv"),
    *("train rows.csv --C nan", "train rows.csv --targets kind -h", "train rows.csv --ngrams 1_0"),
]
WRONG = {
    "train": "FILE is missing.",
    "train rows.csv --targets kind": "there is no option --targets: did you mean '--target'?",
    "train rows.csv --xyzzy": "there is no option --xyzzy.",
    "train rows.csv -x": "there is no option -x.",
    "train rows.csv --target": "--target needs a value after it.",
    "train rows.csv --ngrams two": "--ngrams must be a whole number, not 'two'.",
    "train rows.csv --ngrams 1.5": "--ngrams must be a whole number, not '1.5'.",
    "train rows.csv --alpha=1,5": "--alpha must be a number, not '1,5'.",
    "train rows.csv --C auto": "--C must be a number, not 'auto': --tune chooses it.",
    "predict": "MODEL is missing.",
    "export": "MODEL is missing.",
    "export model out more": "'more' is one argument too many.",
}


def function(name: str):
    return getattr(import_module(f"rosenblatt.cli.{name}"), name)


def test_every_command_has_a_case():
    assert {words.split()[0] for words in RIGHT} == set(COMMANDS)


@pytest.mark.parametrize("words", RIGHT)
def test_words_mean_what_they_mean_to_typer(words):
    name, *rest = words.split()
    command = get_command(app).commands[name]
    with command.make_context(name, list(rest)) as context:
        seen = dict(context.params)
    defaults = {parameter.name: parameter.get_default(context) for parameter in command.params}
    given = parse_words(function(name), rest)
    for parameter, value in seen.items():
        ours = given.get(parameter, defaults[parameter])
        if isinstance(value, list | tuple) or isinstance(ours, list | tuple):
            assert list(ours or ()) == list(value or ()), parameter
        else:
            assert (ours, type(ours)) == (value, type(value)), parameter
    assert not {type(value) for value in given.values()} - {bool, int, float, str, list, type(Path())}


@pytest.mark.parametrize("words", NEED_TYPER)
def test_what_is_not_plainly_right_is_left_to_typer(words):
    name, *rest = words.split()
    with pytest.raises(TyperNeeded):
        parse_words(function(name), rest)


@pytest.mark.parametrize("words", WRONG)
def test_what_is_plainly_wrong_is_refused_as_typer_does(words):
    name, *rest = words.split()
    with pytest.raises(UsageError) as caught:
        parse_words(function(name), rest)
    assert str(caught.value) == WRONG[words]
    with pytest.raises(SystemExit) as exit:
        get_command(app).commands[name].main(list(rest), name)
    assert exit.value.code == 2


def test_usage_errors_load_neither_typer_nor_numpy():
    for words in ("train rows.csv --targt kind", "trian rows.csv"):
        code = (
            "import sys; from rosenblatt.cli import main\n"
            "try: main()\n"
            "finally: print([name for name in ('typer', 'numpy', 'pydantic') if name in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code, *words.split()], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "[]\n")
        assert "did you mean" in done.stderr
        assert "--help" in done.stderr
