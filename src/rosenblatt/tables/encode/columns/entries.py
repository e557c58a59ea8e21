"""Encoded entries of one table column: one entry a row, or any number of them as CSR has them."""

from typing import Any, NamedTuple

import numpy.typing as npt

from ....foundation.types import Floats

State = dict[str, Any]


class SingleEntries(NamedTuple):
    """One entry for each row: its place among the encoded columns of this table column, and its value."""

    places: npt.NDArray[Any]
    values: Floats


class CsrArrays(NamedTuple):
    """Any number of entries for each row, in CSR form."""

    starts: npt.NDArray[Any]
    places: npt.NDArray[Any]
    values: npt.NDArray[Any]


Entries = SingleEntries | CsrArrays
