"""Help: what it shows, that it is there at once, and what follows a slip of the keyboard."""

import re
import resource
import subprocess
import sys

import pytest
from command_line import COMMAND, call, run

import rosenblatt
from rosenblatt.cli.fast_parser import option_names
from rosenblatt.cli.train import train
from rosenblatt.parts import catalogue

# Help


def test_help_imports_nothing_that_takes_long():
    code = (
        "import sys; sys.argv = ['rosenblatt', '--help']\n"
        "from rosenblatt.cli import main\n"
        "try: main()\n"
        "finally: print(sorted({'numpy', 'pyarrow', 'rich', 'sklearn', 'scipy'} & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "[]"
    assert "train" in result.stdout


def fastest(command):
    """Seconds of processor time, which other programs on the machine hardly change; the best of five runs."""

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(5))


def test_help_is_there_at_once():
    """Within 150 ms where Python itself starts in 12; slower machines get as much more."""
    start = fastest([sys.executable, "-c", "pass"])
    assert fastest([*COMMAND, "--help"]) < 0.150 * max(1.0, start / 0.012)


@pytest.mark.parametrize("command", [[], ["train"], ["predict"], ["check"], ["verify"]])
def test_help_fits_a_screen_and_shows_examples(command):
    text = run(*command, "--help").stdout
    assert len(text.splitlines()) <= 50
    assert max(map(len, text.splitlines())) <= 80
    assert "\n    rosenblatt " in text


def test_help_all_shows_every_option():
    """Apart from old spellings of other options. The plain help says that there is more."""
    plain, every = (run("train", option).stdout for option in ("--help", "--help-all"))
    assert "--help-all " in plain
    assert option_names(train) - set(re.findall(r"(?<= )--?[\w-]+", every)) == {"--model"}
    assert "--checkpoint-every S " not in plain
    assert "--checkpoint-every S " in every
    assert max(map(len, every.splitlines())) <= 80
    assert set(plain.splitlines()) - set(every.splitlines()) == set()


def test_help_names_every_algorithm():
    text = " ".join(call("train", "--help").stdout.split())
    assert all(name in text for name in catalogue.ALGORITHMS)


def test_version():
    assert call("--version").stdout == f"rosenblatt {rosenblatt.__version__}\n"


# What cannot be used


def test_usage_errors_suggest_options_and_commands():
    assert "--target" in call("train", "x.csv", "--targt", "kind").stderr
    assert "Did you mean 'train'?" in call("trian", "x.csv").stderr


def test_usage_errors_end_with_2():
    for arguments in (["train"], ["train", "x.csv"], ["predict", "a"], ["fly"], ["train", "x.csv", "--flie", "1"]):
        result = call(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
