"""Words read without typer mean what they mean to typer, and what is not plainly right is left to it."""

from importlib import import_module
from pathlib import Path

import pytest
from typer.main import get_command

from rosenblatt.cli.app import app
from rosenblatt.cli.commands import COMMANDS
from rosenblatt.cli.fast_parser import TyperNeeded, parse_words

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
    "train - --continue model.safetensors -o out",
    "lab --port 8000 --no-browser",
    "lab model.safetensors rows.csv --target kind",
]
NEED_TYPER = [
    *(
        "train",
        "train --help",
        "train rows.csv --targets kind",
        "train rows.csv --target",
        "train rows.csv --target --x",
    ),
    *("train rows.csv --ngrams two", "train rows.csv --ngrams 1.5", "train rows.csv --alpha -1", "train rows.csv -qh"),
    *("train rows.csv --seed 1 --seed 2", "train rows.csv --quiet=1", "train rows.csv --target=", "train -- rows.csv"),
    *("predict", "export", "export model out more", "train rows.csv --tar kind", "train rows.csv --C nan"),
]


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
