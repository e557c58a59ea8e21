"""Tasks that fail: the first by its place is named, after the results before it."""

from concurrent.futures import Future
from itertools import permutations
from threading import Thread

import pytest

from rosenblatt.distributed.task_queue import TaskQueue


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=str)
def test_the_first_task_that_failed_is_named_in_whatever_order_they_end(order):
    futures, found = [Future() for _ in range(4)], []

    def end_all():
        for place in order:
            futures[place].set_result(place) if place == 0 else futures[place].set_exception(ValueError(place))

    with TaskQueue() as queue:
        for place, future in enumerate(futures):
            queue.add(place, f"task {place}", lambda future=future: future)
        Thread(target=end_all).start()
        with pytest.raises(ValueError, match=r"^1$"):
            found.extend(iter(queue.next_ended, None))
    assert found == [(0, 0)]
