"""Many short tasks, each in a forked process of its own, under a limit of processor time.

The parent has imported the slow libraries once, so that a task starts at once. It must have no other threads.
"""

import json
import math
import os
import resource
import signal
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

PATIENCE = 5  # a task that waits without using the processor ends after this many times its limit, in clock time


class Task(NamedTuple):
    """`work` returns what JSON can hold. `seconds` of processor time are allowed, unless it calls `allow` itself."""

    name: str
    work: Callable[[], object]
    seconds: float


class Running(NamedTuple):
    task: Task
    pipe: int
    deadline: float


def run_tasks(tasks: Iterable[Task], jobs: int, done: Callable[[str, object], None]) -> None:
    """Run tasks, `jobs` at a time. Calls done(name, answer), where the answer of a task that was ended is None."""
    running: dict[int, Running] = {}
    for task in tasks:
        while len(running) >= jobs:
            collect(running, done)
        running |= start(task)
    while running:
        collect(running, done)


def start(task: Task) -> dict[int, Running]:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        run_in_child(task, writer)
    os.close(writer)
    return {pid: Running(task, reader, time.monotonic() + PATIENCE * task.seconds)}


def run_in_child(task: Task, writer: int) -> None:
    status, messages = 1, os.dup(2)
    try:
        os.setsid()  # so that processes started by the task end with it
        allow(task.seconds)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        os.write(writer, json.dumps(task.work()).encode())
        status = 0
    except Exception:
        os.write(messages, traceback.format_exc().encode())
    finally:
        os._exit(status)


def allow(seconds: float) -> None:
    """Allow this process so much processor time from now on. Then the system ends it, whatever code it runs."""
    limit = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def collect(running: dict[int, Running], done: Callable[[str, object], None]) -> None:
    """Wait until one task has ended."""
    while True:
        for pid, (task, pipe, deadline) in running.items():
            if time.monotonic() > deadline:
                os.killpg(pid, signal.SIGKILL)
            if os.waitpid(pid, os.WNOHANG)[0] == 0:
                continue
            end_group(pid)
            with os.fdopen(pipe, "rb") as answer:
                text = answer.read()
            del running[pid]
            return done(task.name, json.loads(text) if text else None)
        time.sleep(0.01)


def end_group(pid: int) -> None:
    with suppress(ProcessLookupError):  # most tasks leave no process behind
        os.killpg(pid, signal.SIGKILL)
