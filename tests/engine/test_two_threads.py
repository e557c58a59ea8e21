"""Native objects in two threads: a call is refused or sees the whole object, with a GIL and without."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from rosenblatt import _core
from rosenblatt.parts.recipe import Recipe

FIRST_VISITS, MAX_VISITS = 1 << 14, 1 << 24


def advanced_while_drained(visits):
    """Advance a run that always has lines to write, and drain its trace from another thread until it has ended.

    Returns the visits of all lines, the number of updates, and how many drains were refused.
    """
    random = np.random.default_rng(0)
    X, signs = random.normal(size=(500, 3)), random.choice(np.array([-1, 1], np.int8), 500)
    problem = _core.Problem(_core.Rows.dense(X), signs, None, None, Recipe(order="cyclic").native(), 1)
    state, trace, refused, drained = _core.State(1, 3, 0, 0), _core.Trace(visits), 0, []
    with ThreadPoolExecutor(1) as pool:
        training = pool.submit(state.advance, problem, visits, visits, trace)
        while not training.done():
            try:
                drained.append(trace.drain()["visit"])
            except RuntimeError as error:
                if "in another thread" not in str(error):
                    raise
                refused += 1
        training.result()
    return np.concatenate([*drained, trace.drain()["visit"]]), state.updates, refused


def test_a_trace_drained_during_a_training_loses_and_repeats_no_line():
    visits, refused = FIRST_VISITS, 0
    while not refused and visits <= MAX_VISITS:  # until a drain comes between the beginning and the end of a call
        lines, updates, refused = advanced_while_drained(visits)
        assert len(lines) == updates
        assert (np.diff(lines.astype(np.int64)) > 0).all()
        visits *= 2
    assert refused
