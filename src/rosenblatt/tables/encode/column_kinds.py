"""Guess the kind of a column from its first rows.

| kind | recognised by | read as |
|---|---|---|
| number | its type, or decimal commas, or marks between thousands | a number |
| yes/no | truth values, or two different texts | a category |
| category | texts that repeat | a category |
| text | texts of several words that rarely repeat | words |
| date | its type, or dates written in one order of day, month and year | days |
| identifier | a different value in every row; row numbers | left out |
"""

import re
from typing import Any, NamedTuple

import numpy as np
import pyarrow as arrow

from ...foundation.errors import ColumnError
from ..read.arrow_arrays import category_codes, combine_chunks, floats, is_date, is_number, is_text, unique_inverse
from ..read.arrow_types import is_simple
from ..read.batches import CATEGORY, DATE, NUMBER, NUMBERED, TEXT, Batch
from ..read.notations import (
    AS_TYPED,
    DATE_NOTATIONS,
    DAY_FIRST,
    DECIMAL_COMMA,
    MONTH_FIRST,
    date_notations,
    group_notation,
    has_decimal_commas,
)
from ..read.svmlight_table import is_index_value_list

YES_NO, IDENTIFIER, EMPTY, NESTED = "yes/no", "identifier", "empty", "nested"
UNREADABLE = "it holds values of type"
READ_AS = {
    NUMBER: NUMBER,
    YES_NO: CATEGORY,
    CATEGORY: CATEGORY,
    TEXT: TEXT,
    DATE: DATE,
    EMPTY: CATEGORY,
    NUMBERED: NUMBERED,
}

SAMPLE_ROWS = 2000  # rows
LONGEST_NUMERAL = 400  # characters; the largest float64 has 309 before its point
MAX_TEXTS_SPLIT = 200  # texts whose words are counted
MAX_CHARACTERS_SPLIT = 200  # of each of these texts
MIN_DISTINCT = 20  # rows or values from which on "all different" means something
AMBIGUOUS_DATES = "its dates do not show whether day or month is first"
AMBIGUOUS_COMMAS = "its commas may be decimal ones or group thousands"
PANDAS_INDEX = re.compile(r"__index_level_\d+__")
ID_NAME = re.compile(r"(^|[_\s.-])(id|ids|uid|uuid|guid|index|key|rowid|rownumber|row)$|[a-z]I[dD]$", re.IGNORECASE)


class KindGuess(NamedTuple):
    """The kind that a column seems to have, why it is left out, if it is, and how its texts are written."""

    kind: str
    why: str = ""
    notation: str = AS_TYPED


def guess_kinds(batch: Batch, names: list[str]) -> dict[str, KindGuess]:
    """The kind of each column of a batch.

    >>> table = arrow.table({"age": [31, 40], "job": ["cook", "clerk"], "born": [None, None]})
    >>> {name: found.kind for name, found in guess_kinds(Batch(table, "", str), table.column_names).items()}
    {'age': 'number', 'job': 'yes/no', 'born': 'empty'}
    """
    head = batch.table.slice(0, SAMPLE_ROWS)
    return {name: _kind(batch, name, combine_chunks(head.column(name))) for name in names}


def _kind(batch: Batch, name: str, values: Any) -> KindGuess:
    kind = values.type
    if is_pandas_index(name):
        return KindGuess(IDENTIFIER, "it is the row index that pandas wrote")
    if len(values) == values.null_count:
        return KindGuess(EMPTY)
    if arrow.types.is_boolean(kind):
        return KindGuess(YES_NO)
    if is_number(kind) or arrow.types.is_decimal(kind):
        return _kind_of_numbers(name, values)
    if is_date(kind):
        return KindGuess(DATE)
    if arrow.types.is_dictionary(kind) and is_number(kind.value_type):
        return KindGuess(CATEGORY)
    if is_text(kind) or (arrow.types.is_dictionary(kind) and is_simple(kind)):
        return _kind_of_texts(batch, name, values)
    if is_index_value_list(kind):
        return KindGuess(NUMBERED)
    return KindGuess(NESTED, f"{UNREADABLE} {kind}")


def _kind_of_numbers(name: str, values: Any) -> KindGuess:
    numbers = floats(values)
    if len(numbers) < MIN_DISTINCT or np.isnan(numbers).any() or not arrow.types.is_integer(values.type):
        return KindGuess(NUMBER)
    steps = np.diff(numbers)
    if (steps == 1).all():
        return KindGuess(IDENTIFIER, "it numbers the rows")
    if ID_NAME.search(name) and len(unique_inverse(numbers)[0]) == len(numbers):
        return KindGuess(IDENTIFIER, "every row has another, and its name says so")
    return KindGuess(NUMBER)


def _kind_of_texts(batch: Batch, name: str, values: Any) -> KindGuess:
    codes, texts = category_codes(values)
    rows = int((codes >= 0).sum())
    used = _used(codes, texts)
    written = _kind_by_notation(batch, name, used)
    if written is not None and written.kind in READ_AS:
        return written
    if all(map(is_numeral, used)):  # the value that makes the column text, if any, is in later rows
        _refuse_mixture(batch, name, *category_codes(batch.table.column(name)))
    else:
        _refuse_mixture(batch, name, codes, texts)
    if not used:
        return KindGuess(EMPTY)
    words = float(
        np.mean([len(text[:MAX_CHARACTERS_SPLIT].split()) for text in used[:: max(1, len(used) // MAX_TEXTS_SPLIT)]])
    )
    repeats = rows / len(used)
    if words >= 3 and repeats < 2 and len(used) >= MIN_DISTINCT // 4:
        return KindGuess(TEXT)
    if len(used) == 2:
        return KindGuess(YES_NO)
    if rows >= MIN_DISTINCT and repeats < 1.1:
        if written is not None:
            return written
        return KindGuess(TEXT) if words >= 2 else KindGuess(IDENTIFIER, "nearly every row has another")
    return KindGuess(CATEGORY)


def _used(codes: Any, texts: list[str]) -> list[str]:
    """The texts that some row has."""
    return [texts[code] for code in np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(texts)))]


def _kind_by_notation(batch: Batch, name: str, used: list[str]) -> KindGuess | None:
    """Numbers with commas, and dates; left out, with the reason, where their notation has two readings."""
    commas, dates = has_decimal_commas(used), date_notations(used)
    if commas is None or len(dates) > 1:  # more rows may decide
        used = _used(*category_codes(batch.table.column(name)))
        commas, dates = has_decimal_commas(used), date_notations(used)
    grouped = group_notation(used)
    if commas or grouped:
        return KindGuess(NUMBER, notation=grouped or DECIMAL_COMMA)
    if len(dates) == 1:
        return KindGuess(DATE, notation=dates[0])
    ambiguous = two_readings(used)
    return None if ambiguous is None else KindGuess(IDENTIFIER, ambiguous)


def two_readings(texts: list[str]) -> str | None:
    """What cannot be told of texts that can be read in two ways; None for others.

    >>> two_readings(["01/02/2024", "03/04/2024"])
    'its dates do not show whether day or month is first'
    """
    if has_decimal_commas(texts) is None:
        return AMBIGUOUS_COMMAS
    return AMBIGUOUS_DATES if len(date_notations(texts)) > 1 else None


def kind_as_told(batch: Batch, name: str, kind: str) -> KindGuess:
    """The kind that the user gives a column, with the notation of its texts."""
    if kind in DATE_NOTATIONS:
        return KindGuess(DATE, notation=kind)
    values = combine_chunks(batch.table.column(name))
    value_type = values.type.value_type if arrow.types.is_dictionary(values.type) else values.type
    if kind not in (NUMBER, DATE) or not is_text(value_type):
        return KindGuess(kind)
    used = _used(*category_codes(values))
    if kind == NUMBER:
        typed = AS_TYPED if has_decimal_commas(used) is False else DECIMAL_COMMA
        return KindGuess(NUMBER, notation=group_notation(used) or typed)
    notations = date_notations(used)
    if len(notations) > 1:
        what = f"column {name!r} holds dates that do not show whether day or month is first"
        raise ColumnError(f"{batch.path}, {what}: call it {DAY_FIRST} or {MONTH_FIRST}", name)
    return KindGuess(DATE, notation=notations[0] if notations else AS_TYPED)


def _refuse_mixture(batch: Batch, name: str, codes: Any, texts: list[str]) -> None:
    """Refuse a column of many numbers with a few words, or one: these are probably mistakes."""
    numbers = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
    rows = {text: number for text, number in zip(texts, numbers, strict=True) if number}
    words = [text for text in rows if not is_numeral(text)]
    few = len(rows) >= MIN_DISTINCT // 4 and len(words) <= len(rows) // 5
    single = len(words) == 1 and rows[words[0]] == 1 and len(rows) > 2
    if not words or not (few or single):
        return
    row = int(np.flatnonzero(np.isin(codes, [texts.index(word) for word in words]))[0])
    what = f"column {name!r} holds numbers, but {texts[codes[row]]!r} in {batch.place(row)}"
    raise ColumnError(f"{batch.path}, {what}: correct it, call it --categorical", name)


def is_pandas_index(name: str) -> bool:
    """Whether a column is the index of rows that pandas writes to a file beside the columns."""
    return PANDAS_INDEX.fullmatch(name) is not None


def is_numeral(text: str) -> bool:
    """Whether a text is written as a number."""
    if len(text) > LONGEST_NUMERAL:  # the error of `float` would repeat the whole text
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
