"""Commands that the program prints can be pasted and run: the examples of every --help, and the hints."""

import gzip
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rosenblatt
from rosenblatt.cli.app import app
from rosenblatt.cli.commands import COMMANDS
from rosenblatt.serve.log_records import Record
from rosenblatt.serve.log_writer import LogWriter

SOURCES = Path(rosenblatt.__file__).parents[1]
EXAMPLE = re.compile(r"^    (\S.*)$", re.MULTILINE)
RUNS_FOREVER = re.compile(r"^tail |rosenblatt (lab|serve)\b")


def examples():
    """Every indented line of a help text that is a command, on the pages of --help and --help-all."""
    for command in ((), *((name,) for name in COMMANDS)):
        pages = [CliRunner().invoke(app, [*command, option]) for option in ("--help", "--help-all")]
        text = "\n".join(page.stdout for page in pages if page.exit_code == 0)
        yield from dict.fromkeys(line for line in EXAMPLE.findall(text) if "rosenblatt " in line)


def flowers():
    rows = [f"{5 + k % 7 / 10},{3 + k % 5 / 10},{'setosa' if k % 2 else 'virginica'}" for k in range(40)]
    return "length,width,species\n" + "\n".join(rows) + "\n"


def mails():
    words = {"spam": "buy cheap pills now and win", "ham": "minutes of the last meeting are here"}
    kinds = ["spam" if k % 3 else "ham" for k in range(60)]
    rows = [f"{k},{words[kind]} {k % 7},{k % 4},{kind}" for k, kind in enumerate(kinds)]
    return "id,message,links,spam\n" + "\n".join(rows) + "\n"


@pytest.fixture
def folder(tmp_path):
    """A folder with every file that an example names, and `rosenblatt` on the path."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "rosenblatt"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rosenblatt.cli "$@"\n')
    program.chmod(0o755)
    (tmp_path / "flowers.csv").write_text(flowers())
    (tmp_path / "trial.csv").write_text(
        "age,dose,drug,n,outcome\n41,1,a,2,no\n35,2,a,1,yes\n52,1,b,3,yes\n47,3,b,1,no\n"
        "39,2,b,2,no\n58,1,a,1,yes\n44,3,a,3,no\n50,2,b,1,yes\n36,1,b,2,yes\n61,3,a,1,no\n"
    )
    (tmp_path / "iris.csv").write_text(
        "length,width,species\n5.1,3.5,setosa\n4.9,3.1,setosa\n6.1,2.9,setosa\n7.0,3.2,versicolor\n5.0,3.3,versicolor\n"
        "5.9,2.8,versicolor\n6.3,3.3,virginica\n5.8,2.7,virginica\n4.9,3.4,virginica\n"
    )
    (tmp_path / "log.csv").write_text("load,failed\n" + "1,no\n9,yes\n" * 2000)
    (tmp_path / "mails.csv.gz").write_bytes(gzip.compress(mails().encode()))
    return tmp_path


def environment(folder):
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    more = {"ROSENBLATT_CACHE": str(folder / "cache"), "PYTHONPATH": str(SOURCES), "BROWSER": "true"}
    return {**os.environ, **more, "PATH": path}


def shell(command, folder):
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=120,
    )


def prepare(folder, example):
    """Make the tables and models that an example reads."""
    about_flowers = "flowers" in example
    table, target = ("flowers.csv", "species") if about_flowers else ("mails.csv.gz", "spam")
    options = [] if about_flowers else ["--drop", "id"]
    new = flowers() if about_flowers else mails()
    (folder / "new").mkdir()
    for path in ("new.csv", "test.csv", "new/a.csv", "new/b.csv"):
        (folder / path).write_text(new)
    for model in re.findall(r"\S+\.rosenblatt\.safetensors|(?<= )m(?= )", example) or []:
        made = CliRunner().invoke(
            app, ["train", str(folder / table), "--target", target, *options, "--model", str(folder / model)]
        )
        assert made.exit_code == 0, made.stderr
    if re.search(r"(log \w+|--follow) mails\.log", example):
        write_log(folder)
    if " verify " in example:
        CliRunner().invoke(
            app,
            ["check", str(folder / "flowers.csv"), "--target", "species", "--certificate", str(folder / "proof.json")],
        )


def write_log(folder):
    """Make the log of a service that has learned a row."""
    model = folder / "of_log.safetensors"
    options = ["--target", "spam", "--drop", "id", "--model", str(model)]
    assert CliRunner().invoke(app, ["train", str(folder / "mails.csv.gz"), *options]).exit_code == 0
    writer = LogWriter(folder / "mails.log", model, print)
    row = {"message": "win cheap pills", "links": 3, "spam": "spam"}
    writer.submit(Record("learn", writer.published.schema.line(row, 1, truth=True))).result()
    writer.close()


def run_until_ready(command, folder):
    """Run a command that has no end of its own, stop it by Ctrl-C once it has printed something, and return its end."""
    process = subprocess.Popen(
        ["bash", "-c", f"trap : INT; {command} >out 2>err; exit ${{PIPESTATUS[-1]}}"],
        cwd=folder,
        env=environment(folder),
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 60
        while not any((folder / name).exists() and (folder / name).stat().st_size for name in ("out", "err")):
            assert time.monotonic() < until
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        return process.wait(timeout=600), (folder / "err").read_text()
    finally:
        with suppress(ProcessLookupError):  # all of its processes have ended
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("example", sorted(set(examples())))
def test_examples_of_the_help_run(example, folder):
    prepare(folder, example)
    if RUNS_FOREVER.search(example):
        code, stderr = run_until_ready(example, folder)
        assert (code, "Traceback" in stderr) in ((0, False), (130, False)), stderr
        assert "lab" in example or "serve" in example or (folder / "m").exists(), stderr
    else:
        result = shell(example, folder)
        assert result.returncode == 0, result.stderr


def test_every_command_has_an_example():
    text = "\n".join(examples())
    assert all(f"rosenblatt {name}" in text for name in COMMANDS)


@pytest.mark.parametrize("files", ["one.csv", "'my rows.csv'", "one.csv 'my rows.csv'", "'part*.csv'", "parts"])
def test_hints_can_be_pasted(files, folder):
    (folder / "parts").mkdir()
    for name in ("one.csv", "my rows.csv", "part1.csv", "part2.csv", "parts/x.csv", "parts/y.csv"):
        (folder / name).write_text(flowers())
    trained = shell(f"rosenblatt train {files} --target species", folder)
    [hint] = [line.removeprefix("hint: ") for line in trained.stderr.splitlines() if " rosenblatt predict " in line]
    predicted = shell(hint, folder)
    assert predicted.returncode == 0, predicted.stderr
    assert len(predicted.stdout.splitlines()) == 1 + 40 * (
        2 if files in ("parts", "'part*.csv'") or "e.csv '" in files else 1
    )
    checked = shell(f"rosenblatt check {files} --target species --certificate proof.json", folder)
    [hint] = [line.removeprefix("hint: ") for line in checked.stderr.splitlines() if " rosenblatt verify " in line]
    assert shell(hint, folder).returncode == 0, hint


def test_hints_about_standard_input_can_be_pasted(folder):
    trained = shell("cat flowers.csv | rosenblatt train - --target species", folder)
    [hint] = [line.removeprefix("hint: ") for line in trained.stderr.splitlines() if line.startswith("hint: ")]
    assert shell(hint, folder).returncode == 0, hint
    checked = shell("cat flowers.csv | rosenblatt check - --target species --certificate proof.json", folder)
    assert "rosenblatt verify" not in checked.stderr
