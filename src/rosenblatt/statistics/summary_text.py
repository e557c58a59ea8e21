"""A summary as text and as HTML, and its numbers for JSON."""

import math
from html import escape
from typing import Any, NamedTuple

from .coefficient import Coefficient

NOT_DETERMINED = "not determined"


def number(value: float) -> str:
    """
    >>> number(0.123456), number(float("inf")), number(float("nan")), number(-1234567.0)
    ('0.123', 'inf', '-', '-1.23e+06')
    """
    return "-" if math.isnan(value) else f"{value:.3g}"


def p_value(value: float) -> str:
    """
    >>> p_value(0.0312), p_value(1e-9), p_value(float("nan"))
    ('0.031', '<0.001', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{value:.3f}" if value >= 0.001 else "<0.001"


def cells(one: Coefficient) -> list[str]:
    """The numbers of one line as texts."""
    estimate = NOT_DETERMINED if math.isnan(one.estimate) else number(one.estimate)
    interval = f"{number(one.lower)} .. {number(one.upper)}"
    tests = [p_value(one.p_wald), p_value(one.p_likelihood_ratio)]
    return [estimate, number(one.std_error), *tests, interval, number(one.odds_ratio)]


class Table(NamedTuple):
    """Headings, and lines of as many texts. The first text of a line is its name; missing texts are empty."""

    headings: list[str]
    lines: list[list[str]]


def text_page(title: str, tables: list[Table], notes: list[str]) -> str:
    """Tables for a terminal."""
    parts = [title, *("\n".join(_aligned(table)) for table in tables), "\n".join(notes)]
    return "\n\n".join(parts)


def _aligned(table: Table) -> list[str]:
    every, columns = [table.headings, *table.lines], range(len(table.headings))
    every = [line + [""] * (len(columns) - len(line)) for line in every]
    widths = [max(len(line[k]) for line in every) for k in columns]
    return ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in every]


def html_page(title: str, tables: list[Table], notes: list[str]) -> str:
    """Tables for a notebook."""
    captions = [f"<caption>{escape(title)}</caption>", *[""] * (len(tables) - 1)]
    below = "".join(f"<p>{escape(line)}</p>" for line in notes)
    return "".join(map(_html_table, captions, tables)) + below


def _html_table(caption: str, table: Table) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in table.headings)
    body = "".join(f"<tr>{_html_cells(line, len(table.headings))}</tr>" for line in table.lines)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cells(line: list[str], columns: int) -> str:
    name, *texts = line
    if not texts:
        return f'<th colspan="{columns}">{escape(name)}</th>'
    return f"<th>{escape(name)}</th>{''.join(f'<td>{escape(text)}</td>' for text in texts)}"


def plain_numbers(value: Any) -> Any:
    """Content for JSON: infinity as "inf" or "-inf", NaN as None.

    >>> plain_numbers({"a": [float("inf"), float("nan"), 1.5]})
    {'a': ['inf', None, 1.5]}
    """
    if isinstance(value, dict):
        return {name: plain_numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [plain_numbers(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
