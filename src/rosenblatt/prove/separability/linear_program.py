"""Linear programs in floating point, by HiGHS. Nothing here is a proof."""

from typing import Any

import highspy
import numpy as np

from ...foundation.types import Floats
from ..time_limit import Clock

OPTIONS: dict[str, bool | int | float | str] = {
    "output_flag": False,
    "presolve": "off",
    "solver": "simplex",
    "threads": 1,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}
PRIMAL_SIMPLEX = 4  # it can continue when columns join
NO_INDICES = np.array([], dtype=np.int32)


def new_highs(**options: Any) -> Any:
    """A solver of linear programs with our options, and those given."""
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in {**OPTIONS, **options}.items():
        highs.setOptionValue(option, value)
    return highs


def run_highs(highs: Any, clock: Clock) -> bool:
    """Whether HiGHS finds an optimum in the time that is left."""
    if np.isfinite(clock.seconds_left()):
        highs.setOptionValue("time_limit", highs.getRunTime() + clock.seconds_left())
    highs.run()
    return bool(highs.getModelStatus() == highspy.HighsModelStatus.kOptimal)


def nonzero_arrays(floats: Floats) -> tuple[int, Any, Any, Floats]:
    """The nonzero numbers row by row, in the form that HiGHS takes."""
    where = floats != 0
    starts = np.append(0, np.cumsum(where.sum(axis=1))).astype(np.int32)
    return int(starts[-1]), starts[:-1], np.nonzero(where)[1].astype(np.int32), floats[where]
