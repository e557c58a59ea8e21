"""How texts write numbers and dates where Arrow does not read them.

Numbers may have decimal commas, and commas or points between thousands; dates may begin with day, month or year.

A column has one notation, which is detected from its first rows and kept in the model file, so that prediction reads
every file in the same way.
"""

import datetime
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as arrow

from ...foundation.types import Floats
from .arrow_arrays import SECONDS_PER_DAY, CategoryCodes, category_codes, is_text

AS_TYPED = ""  # the type of the column says it, or Arrow reads its texts
DECIMAL_COMMA, DAY_FIRST, MONTH_FIRST, YEAR_FIRST = "decimal-comma", "day-first", "month-first", "year-first"
COMMA_GROUPS, POINT_GROUPS = "comma-groups", "point-groups"  # 1,234,567.89 and 1.234.567,89
NUMBER_NOTATIONS = (DECIMAL_COMMA, COMMA_GROUPS, POINT_GROUPS)
DATE_NOTATIONS = (DAY_FIRST, MONTH_FIRST, YEAR_FIRST)

PLAIN_DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:[ T](\d{1,2}):(\d\d)(?::(\d\d))?)?", re.ASCII)
NUMBERS = {
    DECIMAL_COMMA: re.compile(r"[-+]?\d+(,\d+)?([eE][-+]?\d+)?", re.ASCII),
    COMMA_GROUPS: re.compile(r"[-+]?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?", re.ASCII),
    POINT_GROUPS: re.compile(r"[-+]?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?", re.ASCII),
}
GROUPS_SHOWN = {  # by two groups of thousands, or one and a decimal mark
    COMMA_GROUPS: re.compile(r"[-+]?\d+,\d{3}[,.].*", re.ASCII),
    POINT_GROUPS: re.compile(r"[-+]?\d+\.\d{3}[,.].*", re.ASCII),
}
GROUPED_NUMBER = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}", re.ASCII)  # as thousands are grouped, too
EPOCH = datetime.date(1970, 1, 1).toordinal()


class Unreadable(arrow.ArrowInvalid):  # type: ignore[misc]  # pyarrow has no types
    """A text that is not written in the notation of its column; `row` counts from 0."""

    def __init__(self, row: int, text: str) -> None:
        super().__init__(text)
        self.row, self.text = row, text


def read_number(text: str, notation: str = DECIMAL_COMMA) -> float | None:
    """A number in a notation; None if it is not written so.

    >>> read_number("-3,14"), read_number("7"), read_number("3.14")
    (-3.14, 7.0, None)
    >>> read_number("1,234,567.5", "comma-groups"), read_number("1.234,5", "point-groups")
    (1234567.5, 1234.5)
    """
    text = text.strip()
    if NUMBERS[notation].fullmatch(text) is None:
        return None
    if notation == COMMA_GROUPS:
        return float(text.replace(",", ""))
    return float(text.replace(".", "").replace(",", "."))


def read_day(text: str, notation: str) -> float | None:
    """A date, with a time or without, as days since 1970.

    >>> read_day("02/01/1970 12:00", "day-first"), read_day("01/02/1970", "month-first"), read_day("2.1.7", "day-first")
    (1.5, 1.0, None)
    """
    found = PLAIN_DATE.fullmatch(text.strip())
    if found is None:
        return None
    first, second, third = found[1], found[3], found[4]
    year, month, day = {
        DAY_FIRST: (third, second, first),
        MONTH_FIRST: (third, first, second),
        YEAR_FIRST: (first, second, third),
    }[notation]
    hour, minute, seconds = (int(part or 0) for part in found.group(5, 6, 7))
    if len(year) != 4 or len(month) > 2 or len(day) > 2 or hour > 23 or minute > 59 or seconds > 59:
        return None
    try:
        days = datetime.date(int(year), int(month), int(day)).toordinal() - EPOCH
    except ValueError:
        return None
    return days + (3600 * hour + 60 * minute + seconds) / SECONDS_PER_DAY


def reader_of(notation: str) -> Callable[[str], float | None]:
    """The function that reads a text in a notation; it returns None for other texts."""
    read = read_number if notation in NUMBER_NOTATIONS else read_day
    return lambda text: read(text, notation)


def is_written_so(values: Any, notation: str) -> bool:
    """Whether values are texts in a notation, rather than numbers or dates of their own type."""
    if isinstance(values, CategoryCodes):
        return notation != AS_TYPED
    kind = values.type.value_type if arrow.types.is_dictionary(values.type) else values.type
    return notation != AS_TYPED and is_text(kind)


def read_texts(values: Any, notation: str) -> Floats:
    """The numbers, or days since 1970, that texts stand for, with NaN for missing ones; raises `Unreadable`.

    >>> read_texts(arrow.array(["1,5", None]), "decimal-comma").tolist()
    [1.5, nan]
    """
    codes, texts = category_codes(values)
    read = [*map(reader_of(notation), texts), None]
    met = np.flatnonzero(np.bincount(codes + 1, minlength=len(texts) + 1)[1:])
    for code in met.tolist():
        if read[code] is None:
            raise Unreadable(int(np.flatnonzero(codes == code)[0]), texts[code])
    return np.array(read, dtype=np.float64)[codes]


def date_notations(texts: Sequence[str]) -> list[str]:
    """The notations in which every text is a date. With points between, the day comes before the month.

    >>> date_notations(["01/12/2024", "13/12/2024"]), date_notations(["01/12/2024"]), date_notations(["1.12.2024"])
    (['day-first'], ['day-first', 'month-first'], ['day-first'])
    """
    if not texts or PLAIN_DATE.fullmatch(texts[0].strip()) is None:
        return []
    found = [notation for notation in DATE_NOTATIONS if all(read_day(text, notation) is not None for text in texts)]
    return [DAY_FIRST] if len(found) > 1 and all("." in text for text in texts) else found


def has_decimal_commas(texts: Sequence[str]) -> bool | None:
    """Whether texts are numbers with decimal commas; None if the commas may also group thousands.

    >>> has_decimal_commas(["3,14", "2"]), has_decimal_commas(["1,250"]), has_decimal_commas(["a, b"])
    (True, None, False)
    """
    with_commas = [text.strip() for text in texts if "," in text]
    if not with_commas or not all(read_number(text) is not None for text in texts):
        return False
    return None if all(GROUPED_NUMBER.fullmatch(text) for text in with_commas) else True


def group_notation(texts: Sequence[str]) -> str | None:
    """How texts group the thousands of numbers; None if they do not, or if no text shows which mark does it.

    >>> group_notation(["1,234,567", "89"]), group_notation(["1.234,50", "2.000"]), group_notation(["1,250"])
    ('comma-groups', 'point-groups', None)
    """
    texts = [text.strip() for text in texts]
    for notation, shown in GROUPS_SHOWN.items():
        form = NUMBERS[notation]
        if all(form.fullmatch(text) for text in texts) and any(shown.fullmatch(text) for text in texts):
            return notation
    return None
