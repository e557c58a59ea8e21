"""The benchmarks: RESULTS.md is replaced one section at a time. Nothing is measured here."""

import asyncio
import importlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BEFORE = "# Benchmarks\n\nSome words.\n\n"
TRAINING = "## training\n\n- date: 2026-01-01\n\n| work |\n|------|\n| a    |\n\n"
MARGIN = "## margin\n\n- date: 2026-01-02\r\n\n| wörk |   \n|------|\n\n\n"
ONLINE = "## online\n\n| work |\n"
NEW = "## margin\n\n- date: 2026-02-03\n\n| new |\n"


@pytest.fixture
def load(monkeypatch):
    """Import a module of the benchmarks, which are not part of the package."""
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"benchmarks.{name}")


def run(*words, **environment):
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True)


def test_a_section_is_replaced_in_place(load, tmp_path):
    path = tmp_path / "RESULTS.md"
    path.write_bytes((BEFORE + TRAINING + MARGIN + ONLINE).encode())
    load("results").save_section(path, "margin", NEW)
    assert path.read_bytes().decode() == BEFORE + TRAINING + NEW + "\n\n" + ONLINE
    assert os.listdir(tmp_path) == ["RESULTS.md"]


@pytest.mark.parametrize("others", [TRAINING + ONLINE, TRAINING.rstrip("\n") + "\n", ONLINE, ""])
def test_a_new_section_is_inserted_in_the_order_of_the_groups(load, others):
    results = load("results")
    text = results.replace_section(BEFORE + others, "margin", NEW)
    for part in (BEFORE, *filter(None, (TRAINING.rstrip() * ("training" in others), ONLINE * ("online" in others)))):
        assert part in text
    names = [line for line in text.splitlines() if line.startswith("## ")]
    order = [name for name in ("## training", "## margin", "## online") if name in others or name == "## margin"]
    assert names == order
    assert "\n\n## margin" in text
    assert results.replace_section(text, "margin", NEW) == text


def test_a_missing_file_is_made(load, tmp_path):
    results, path = load("results"), tmp_path / "RESULTS.md"
    results.save_section(path, "margin", NEW)
    assert path.read_text() == results.INTRODUCTION + NEW


def test_a_failed_write_leaves_the_file_as_it_was(load, tmp_path, monkeypatch):
    path = tmp_path / "RESULTS.md"
    path.write_text(BEFORE + TRAINING)

    def full_disk(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        load("results").save_section(path, "margin", NEW)
    assert path.read_text() == BEFORE + TRAINING
    assert os.listdir(tmp_path) == ["RESULTS.md"]


def test_the_results_have_sections_of_known_groups_in_order(load):
    groups = load("groups").GROUPS
    text = (ROOT / "benchmarks" / "RESULTS.md").read_text()
    names = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    assert names == [group for group in groups if group in names]
    assert text.startswith(load("results").INTRODUCTION)


@pytest.fixture
def bench(load, monkeypatch, tmp_path):
    """Run the benchmarks on one made-up group, with constant times, into a file."""
    main, tasks = load("__main__"), load("tasks")
    path = tmp_path / "RESULTS.md"
    monkeypatch.setattr(load("timing"), "PAUSE", 0.0)
    monkeypatch.setattr(load("report"), "read_rate", lambda: 25e9)

    def run_on(*pairs, words=("--group", "margin")):
        made = [tasks.task(f"task-{k}", f"work {k}", "peer", tasks.faster(2))(pair) for k, pair in enumerate(pairs)]
        monkeypatch.setattr(main, "rows_of", lambda group: iter(made))
        code = main.main([*words, "--output", str(path)])
        return code, path.read_text() if path.exists() else None

    return run_on


def test_a_run_writes_its_section(bench, load, capsys):
    pair, missing = load("tasks").Pair, load("datasets").MissingData

    def no_data():
        raise missing("sonar.csv.xz is not in the folder that ROSENBLATT_DATA names")

    def no_peer():
        raise ModuleNotFoundError("No module named 'wabbit.core'", name="wabbit.core")

    code, text = bench(
        lambda: pair(lambda: 0.001, lambda: 0.003, lambda: "same result"),
        lambda: pair(lambda: 0.002, lambda: 0.003),
        no_data,
        lambda: pair(lambda: 0.001, lambda: 0.001, prepare_peer=no_peer),
    )
    assert code == 1  # work 1 falls short of its mark
    assert "\n- command: `python -m benchmarks --group margin`\n- date: 20" in text
    assert "\n- commit: " in text
    assert ", streaming read 25.0 GB/s\n" in text
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| work ")
    ]
    assert cells == [
        ["work", "against", "ours", "peer", "ratio", "mark", "met", "remark"],
        ["work 0", "peer", "1 ms", "3 ms", "3.00 x", "2 x", "yes", "same result"],
        ["work 1", "peer", "2 ms", "3 ms", "1.50 x", "2 x", "no", ""],
        [
            "work 2",
            "peer",
            "",
            "",
            "",
            "2 x",
            "skipped",
            "sonar.csv.xz is not in the folder that ROSENBLATT_DATA names",
        ],
        ["work 3", "peer", "", "", "", "2 x", "skipped", "wabbit is not installed"],
    ]
    printed = capsys.readouterr()
    assert text.rstrip().endswith(printed.out.rstrip())
    assert printed.err.endswith("falls short: work 1, against peer: 1.50 x, and the mark is 2 x.\n")


def test_long_work_runs_less_often(load):
    rounds = load("timing").Rounds(short=15, long=6, longest=2, enough=20)
    assert not rounds.suffice([(0.1, 0.2)] * 14, 0.2)
    assert rounds.suffice([(0.1, 0.2)] * 15, 0.2)
    assert not rounds.suffice([(5.0, 9.0)], 9.0)
    assert rounds.suffice([(5.0, 9.0)] * 2, 9.0)


def test_tasks_of_a_tuple_are_rows(load, monkeypatch):
    groups = load("groups")
    assert "learn-csc-int" in [row.name for row in groups.rows_of("one-row")]


def test_peers_that_reach_nothing_are_told(bench, load, monkeypatch):
    pair, peers = load("tasks").Pair, load("peers")
    monkeypatch.setattr(peers, "cached", lambda file, key, find: None)
    none_suffices = {"slow": peers.Peer(model=None, good=lambda model: False)}
    code, text = bench(
        lambda: pair(lambda: 0.001, lambda: 0.003),
        lambda: pair(
            lambda: 0.001, lambda: 0.001, prepare_peer=lambda: peers.fastest("hinge", none_suffices, None, None)
        ),
    )
    assert code == 0
    assert "| skipped | no peer reached that within 60 s" in text


def test_a_run_that_measures_nothing_writes_nothing(bench, load, capsys):
    def no_peer():
        raise ModuleNotFoundError(name="wabbit")

    code, text = bench(no_peer)
    assert (code, text) == (0, None)
    assert "nothing could be measured, so no results were written" in capsys.readouterr().err


def test_a_plan_divides_work_by_cores_and_counts_tasks(load):
    made = load("cluster_plan")
    rate = made.TrainingRate(seconds_per_row=1e-6, passes=10, returned=1000)
    rates = made.Rates(row_bytes=100, encode_seconds=2e-6, task_seconds=1e-3, trainings={"all": rate})
    encode, train = made.plan(rates, size=1e12, workers=1000)  # 1e10 rows
    assert (encode.cores, encode.driver, encode.returned) == pytest.approx((20, 3e10 / 2**18 * 1e-3, 4e10))
    assert (train.cores, train.driver, train.returned) == pytest.approx((10, 20, 2e7))  # 2,000 tasks a pass
    shards = made.Rates(100, 2e-6, 1e-3, {"mixed": made.TrainingRate(1e-6, 10, 1000, most_tasks=250)})
    assert made.plan(shards, 1e12, 1000)[1].cores == pytest.approx(40)  # 250 of 1,000 cores are busy
    assert "1 TB, 10,000,000,000 rows, 1,000 cores, 2,000 tasks" in made.report(rates, [encode, train], 1e12, 1000)


def test_an_unknown_group_is_answered_with_the_names(load):
    for words in (["benchmarks"], ["benchmarks.compare", "--before", ".", "--after", "."]):
        done = run(*words, "--group", "speed")
        assert done.returncode == 2
        names = ", ".join(load("groups").GROUPS)
        assert done.stderr == f"There is no group 'speed'; choose from {names}.\n"


def test_an_unknown_task_is_answered_with_the_names(bench, load, capsys):
    pair = load("tasks").Pair
    code, text = bench(lambda: pair(float, float), words=("--group", "margin", "--only", "task-7"))
    assert (code, text) == (2, None)
    assert capsys.readouterr().err == "There is no task 'task-7'; choose from task-0.\n"


def test_two_versions_are_compared(load):
    import rosenblatt

    folder = str(Path(rosenblatt.__file__).parents[1])
    done = run("benchmarks.compare", "--before", folder, "--after", folder, "--group", "mistakes",
               "--only", "mistakes-few", "--rounds", "1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    header, _, row = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()]
    assert header == ["group", "task", "work", "before", "after", "after / before"]
    assert row[1] == "mistakes-few"
    assert float(row[-1]) > 0


def test_a_folder_without_the_package_is_refused(tmp_path):
    done = run("benchmarks.compare", "--before", str(tmp_path), "--after", str(tmp_path), "--group", "margin")
    assert done.returncode == 2
    assert done.stderr.startswith("--before must be a folder that holds a package rosenblatt")


def test_a_client_counts_what_a_server_answers(load):
    """Both clients send whole requests to a small server, which holds answers of two pieces."""
    found = load("http_load")

    async def answer(reader, writer):
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            bodies.append(await reader.readexactly(length))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nno")
            await writer.drain()
            writer.write(b"ne")

    async def send_all():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        request = found.Request("/predict", b"{}")
        closed = await found.closed_loop(port, request, connections=3, requests=10)
        timed = await found.at_rate(port, request, rate=1e6, requests=20, connections=2)
        server.close()
        return closed, timed

    bodies = []
    with ThreadPoolExecutor(1) as thread:
        closed, timed = thread.submit(asyncio.run, send_all()).result()
    assert bodies == [b"{}"] * 30
    assert (closed.requests, timed.requests, len(timed.latencies)) == (10, 20, 20)
    assert min(timed.latencies) <= timed.p99 <= max(timed.latencies)
