"""The methods of calibration by name, and the one that suits a number of rows."""

from collections.abc import Mapping
from typing import Any

from ...foundation.json_values import require_type
from ...foundation.suggestions import unknown_choice
from ...foundation.types import Codes, Floats
from .calibration import Calibration
from .isotonic import IsotonicCalibration
from .platt import PlattCalibration

METHODS: Mapping[str, type[Calibration]] = {kind.method: kind for kind in (PlattCalibration, IsotonicCalibration)}
ISOTONIC_ROWS = 20_000  # from which isotonic regression is better; docs/decisions/0024-calibration.md has the figures


def check_method(method: object) -> None:
    """Refuse a method that does not exist; None stands for no calibration."""
    if method is not None and not (isinstance(method, str) and method in METHODS):
        raise ValueError(unknown_choice("calibration", method, METHODS))


def best_method(rows: int) -> str:
    """The method for so many rows.

    >>> best_method(500), best_method(50_000)
    ('platt', 'isotonic')
    """
    return "isotonic" if rows >= ISOTONIC_ROWS else "platt"


def fit_calibration(
    method: str, scores: Floats, codes: Codes, classes: int, weights: Floats | None = None
) -> Calibration:
    """Fit a calibration to scores, one column a plane, and class numbers of rows held out from training."""
    return METHODS[method].fit(scores.reshape(len(codes), -1), codes, classes, weights)


def calibration_state(calibration: Calibration) -> dict[str, Any]:
    """A calibration as plain values and arrays."""
    return {"method": calibration.method, "rows": calibration.rows, **calibration.state()}


def calibration_from_state(state: dict[str, Any], classes: int) -> Calibration:
    """The calibration that `calibration_state` described; a ValueError if its numbers are not sane."""
    method, rows = require_type(state["method"], str), require_type(state["rows"], int)
    if method not in METHODS:
        raise ValueError(f"there is no calibration {method!r}")
    if rows < 1:
        raise ValueError("its calibration was fitted to no rows")
    return METHODS[method].from_state(state, rows, classes)
