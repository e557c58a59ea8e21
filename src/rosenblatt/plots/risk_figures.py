"""The figure of structural risk minimisation: risks against the capacity of nested classes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..foundation.types import Floats
from .style import axes_or_new, line_style, marker, ring_style

CURVES = {
    "training": "training risk",
    "confidence": "VC confidence",
    "bound": "bound: training + confidence",
    "held_out": "held-out risk",
    "true": "true risk",
}


def risk_against_capacity(record: Any, *, ax: Any = None) -> Any:
    """Training risk, the bound on the true risk and the held-out risk, against the capacity of nested classes.

    `record` is the `record_` of a `StructuralRisk`, or maps names to equally long lists: `capacity` (VC dimensions),
    `training`, and optionally `confidence` (the VC term), `bound`, `held_out` and `true`. The minimum of each of the
    last three is ringed: the training risk goes on falling after it.

    >>> ax = risk_against_capacity({"capacity": [2, 3, 4], "training": [0.3, 0.1, 0.05], "confidence": [0.2, 0.3, 0.5]})
    >>> [line.get_label() for line in ax.lines]
    ['training risk', 'VC confidence', 'bound: training + confidence']
    """
    columns = risk_columns(record)
    ax = axes_or_new(ax)
    capacity = columns.pop("capacity")
    for place, (name, values) in enumerate(columns.items()):
        ax.plot(capacity, values, marker=marker(place), markersize=5, label=CURVES[name], **line_style(place))
        if name in ("bound", "held_out", "true"):
            least = int(np.nanargmin(values))
            ax.scatter(capacity[least], values[least], **ring_style(place))
    if "bound" in columns and np.nanmax(columns["bound"]) >= 1:
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":", label="from 1 on the bound says nothing")
    ax.set(xlabel="capacity (VC dimension)", ylabel="risk")
    ax.legend(loc="best")
    return ax


def risk_columns(record: Any) -> dict[str, Floats]:
    """The columns to draw, in the order of CURVES; the bound is computed if it is not given.

    `StructuralRisk` calls two of them `training_risk` and `held_out_risk`.
    """
    if isinstance(record, Mapping):
        record = {str(name).removesuffix("_risk"): values for name, values in record.items()}
    if not isinstance(record, Mapping) or not {"capacity", "training"} <= set(record):
        raise ValueError(f"record must map capacity and training to equally long lists, not {record!r}.")
    columns = {name: np.asarray(record[name], dtype=np.float64) for name in ("capacity", *CURVES) if name in record}
    if "confidence" in columns and "bound" not in columns:
        columns["bound"] = columns["training"] + columns["confidence"]
    if len({values.shape for values in columns.values()}) > 1 or not columns["capacity"].size:
        lengths = {name: len(values) for name, values in columns.items()}
        raise ValueError(f"The lists of record must be equally long and not empty: they have {lengths}.")
    return {name: columns[name] for name in ("capacity", *CURVES) if name in columns}
