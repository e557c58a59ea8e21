"""On a terminal: lines that fit, progress, Ctrl-C and other signals."""

import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from functools import partial

import pytest
from command_line import COMMAND, SOURCES, noise, run

import rosenblatt

HOURS = ("--max-iter", "100000000", "--set", "n_iter_no_change=100000000")  # of training, where classes overlap


def read_until(terminal, wanted, seconds=60):
    """What a terminal shows, until something wanted is there."""
    shown, until = b"", time.monotonic() + seconds
    while wanted not in shown and time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 1 << 16)
    return shown.decode()


@pytest.fixture
def on_terminal(start):
    """Run a command on a terminal 80 wide, and return what it shows."""
    return partial(show_on_terminal, start)


def show_on_terminal(start, *arguments, cwd, **more):
    terminal, its_end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "PYTHONPATH": SOURCES, **more}
    environment = {name: value for name, value in environment.items() if value is not None}
    process = start([*COMMAND, *arguments], stdout=its_end, stderr=its_end, cwd=cwd, env=environment)
    os.close(its_end)
    shown = b""
    with contextlib.suppress(OSError):  # the end of a terminal that nobody writes to
        while part := os.read(terminal, 1 << 16):
            shown += part
    os.close(terminal)
    assert process.wait(timeout=600) == 0, shown
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_lines_that_fit_it_and_colour(tumours, tmp_path, on_terminal):
    wide = ("train", tumours, "--target", "diagnosis", "-o", "m")
    shown = on_terminal(*wide, cwd=tmp_path, NO_COLOR=None)
    plain = on_terminal(*wide, cwd=tmp_path, NO_COLOR="1")
    assert "\x1b[1mtarget\x1b[0m     diagnosis: " in shown
    assert "\x1b[36mhint:\x1b[0m rosenblatt predict m " in shown
    assert "\x1b" not in plain
    assert "\x1b" not in on_terminal(*wide, cwd=tmp_path, NO_COLOR=None, TERM="dumb")
    report = plain[: plain.index("hint:")].splitlines()
    assert max(map(len, report)) <= 80
    assert all(line.startswith(" " * 11) or line[:11].rstrip() in TITLES for line in report), "\n".join(report)
    assert json.loads(on_terminal(*wide, "--json", "-q", cwd=tmp_path))["rows"] == 569


TITLES = {"table", "target", "columns", "algorithm", "stopped", "training", "possible", "bound", "time", "model"}
TITLES |= {"held out", "log-loss"}


def test_a_terminal_shows_progress_and_ctrl_c_keeps_what_was_learned(tmp_path, start):
    path = noise(tmp_path / "noise.csv")
    terminal, its_end = pty.openpty()
    options = ["--target", "y", "--algorithm", "perceptron", *HOURS]
    process = start(
        [*COMMAND, "train", path, *options],
        stdout=subprocess.PIPE,
        stderr=its_end,
        text=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "500"},
    )
    shown = read_until(terminal, b"; Ctrl-C stops")
    process.send_signal(signal.SIGINT)
    talk = read_until(terminal, b"safetensors.")
    output, _ = process.communicate(timeout=600)
    os.close(terminal)
    os.close(its_end)
    assert re.search(r"epoch \d[\d,]* of 100,000,000 at most, [\d,]+ mistakes; Ctrl-C stops", shown)
    assert process.returncode == 130
    assert "interrupted: what was learned so far is saved in " in talk
    assert "stopped    interrupted after " in output
    assert rosenblatt.load(tmp_path / "noise.rosenblatt.safetensors")[-1].status_.reason == "interrupted"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_other_signals_that_ask_for_an_end_keep_what_was_learned_too(name, tmp_path, start):
    path, kept = noise(tmp_path / "noise.csv"), tmp_path / "kept"
    options = ["--target", "y", "--algorithm", "perceptron", *HOURS]
    process = start(
        [*COMMAND, "train", path, *options, "--checkpoint", kept, "--checkpoint-every", "0.05"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    began = time.monotonic()
    while not (kept / "checkpoint.safetensors").exists():
        assert time.monotonic() - began < 60
        time.sleep(0.01)
    process.send_signal(getattr(signal, name))
    output, talk = process.communicate(timeout=600)
    assert process.returncode == 128 + getattr(signal, name)
    model = tmp_path / "noise.rosenblatt.safetensors"
    assert talk.endswith(
        f"terminated: what was learned so far is saved in {model}; the same command goes on from {kept}.\n"
    )
    assert "stopped    interrupted after " in output
    assert rosenblatt.load(model)[-1].status_.reason == "interrupted"
    assert sorted(os.listdir(tmp_path)) == ["kept", "noise.csv", model.name]


def test_no_progress_where_there_is_no_terminal(tmp_path):
    path = noise(tmp_path / "noise.csv")
    result = run("train", path, "--target", "y", "--algorithm", "perceptron", "--max-seconds", "1", *HOURS)
    assert "stopped    max_seconds=1.0 reached after " in result.stdout
    assert [line.split()[0] for line in result.stderr.splitlines()] == ["hint:", "hint:"]
