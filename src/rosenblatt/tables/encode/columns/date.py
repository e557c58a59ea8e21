"""Encode a column of dates: days since 1970 as a number, weekday and month as categories."""

from typing import Any, ClassVar

import numpy as np

from ....foundation.types import Floats
from ...read.arrow_arrays import days
from ...read.batches import DATE
from ...read.notations import DATE_NOTATIONS
from .entries import SingleEntries
from .number import NumberColumn

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


class DateColumn(NumberColumn):
    """Days since 1970 as a number; the day of the week and the month as categories."""

    kind: ClassVar[str] = DATE
    notations: ClassVar[tuple[str, ...]] = DATE_NOTATIONS

    def typed_numbers(self, values: Any) -> Floats:
        return days(values)

    @property
    def names(self) -> list[str]:
        calendar = [f"{self.name} on a {day}" for day in WEEKDAYS] + [f"{self.name} in {month}" for month in MONTHS]
        return [*super().names, *calendar]

    @property
    def width(self) -> int:
        return super().width + len(WEEKDAYS) + len(MONTHS)

    @property
    def groups(self) -> list[list[int]]:
        first, gap = super().width, [1] * self.gaps
        months = first + len(WEEKDAYS)
        return [[*gap, *range(first, months)], [*gap, *range(months, months + len(MONTHS))]]

    def entries(self, values: Any) -> list[SingleEntries]:
        numbers = self.numbers(values)
        gaps = np.isnan(numbers)
        whole = np.floor(np.where(gaps, 0, numbers)).astype("datetime64[D]")
        first = super().width
        weekday = (whole.astype(np.int64) + 3) % 7
        month = whole.astype("datetime64[M]").astype(np.int64) % 12
        present = (~gaps).astype(np.float64)
        return [
            self.encoded(numbers),
            SingleEntries(first + weekday, present),
            SingleEntries(first + len(WEEKDAYS) + month, present.copy()),
        ]
