"""Results in the order of the parts: few are held at a time, and workers that die change nothing."""

import os
import pickle
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from rosenblatt.distributed.local_processes import LocalProcesses
from rosenblatt.distributed.ordered_tasks import AHEAD, in_order
from rosenblatt.distributed.worker_failures import ClusterError
from rosenblatt.foundation.errors import ColumnError, TooLarge


@dataclass(frozen=True)
class Number:
    value: int

    @property
    def name(self):
        return f"number {self.value}"

    def load(self):
        return self.value


def numbers(count):
    return map(Number, range(count))


def square(number):
    time.sleep(0.002 * (number % 3 == 0))  # workers end in any order
    return number * number


def die_once(number, mark):
    """Kill this process the first time that it is called."""
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return number
    os.kill(os.getpid(), signal.SIGKILL)


def die(number):
    os.kill(os.getpid(), signal.SIGKILL)


def refuse(number):
    raise ColumnError(f"column 'a' is wrong in {number}: correct it", "a")


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_results_come_in_the_order_of_the_parts(workers):
    with ThreadPoolExecutor(workers) as threads:
        assert list(in_order(threads, numbers(50), square)) == [number * number for number in range(50)]
        assert list(in_order(threads, numbers(0), square)) == []


def test_few_parts_are_ahead_of_the_results_that_were_used():
    drawn, ahead = [], []
    parts = (drawn.append(part) or part for part in numbers(40))
    with ThreadPoolExecutor(3) as threads:
        for used, _ in enumerate(in_order(threads, parts, square)):
            ahead.append(len(drawn) - used)
    assert max(ahead) == 3 * AHEAD


def test_a_process_that_dies_changes_nothing(tmp_path):
    with LocalProcesses(2) as processes:
        assert list(in_order(processes, numbers(20), die_once, str(tmp_path / "died"))) == list(range(20))


def test_processes_that_always_die_end_with_a_sentence():
    with LocalProcesses(1) as processes, pytest.raises(ClusterError, match=r"workers died 5 times .* number 0"):
        list(in_order(processes, numbers(1), die))


def test_errors_of_a_process_reach_the_driver():
    with LocalProcesses(1) as processes, pytest.raises(ColumnError, match="column 'a' is wrong in 0") as error:
        list(in_order(processes, numbers(3), refuse))
    assert error.value.column == "a"
    assert str(pickle.loads(pickle.dumps(TooLarge()))) == str(TooLarge())
