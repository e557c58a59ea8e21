"""A summary with one line for each coefficient, as text, HTML, JSON or a data frame."""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from .summary_text import Table, html_page, plain_numbers, text_page


class Line(Protocol):
    """What a summary says about one coefficient."""

    @property
    def name(self) -> str: ...

    def as_dict(self) -> dict[str, Any]: ...


C = TypeVar("C", bound=Line)


class CoefficientTable(ABC, Generic[C]):
    """What the summaries share. A subclass has the lines, and says what stands around them."""

    coefficients: Sequence[C]

    def __getitem__(self, name: Any) -> C:
        """The coefficient of a column, or of "intercept"."""
        found = {self._key(one): one for one in self.coefficients}
        if name not in found:
            raise KeyError(f"there is no coefficient {name!r}; there are {', '.join(map(repr, found))}.")
        return found[name]

    def as_dict(self) -> dict[str, Any]:
        """All numbers, ready for JSON: infinity is "inf" or "-inf", and what does not exist is None."""
        whole = {**self._facts(), "coefficients": [one.as_dict() for one in self.coefficients]}
        return dict(plain_numbers(whole))

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=2, default=str)

    def to_frame(self) -> Any:
        """A pandas data frame with one row for each coefficient."""
        import pandas as pd

        return pd.DataFrame([one.as_dict() for one in self.coefficients]).set_index(self._index())

    def _key(self, one: C) -> Any:
        """What a coefficient is found by."""
        return one.name

    def _index(self) -> list[str]:
        """The columns of the data frame that say which coefficient a row has."""
        return ["name"]

    def __str__(self) -> str:
        return text_page(self._title(), self._tables(), self._notes())

    def _repr_html_(self) -> str:
        return html_page(self._title(), self._tables(), self._notes())

    def _tables(self) -> list[Table]:
        return [Table(self._headings(), self._lines())]

    @abstractmethod
    def _facts(self) -> dict[str, Any]:
        """The numbers that belong to no single coefficient."""

    @abstractmethod
    def _title(self) -> str: ...

    @abstractmethod
    def _headings(self) -> list[str]: ...

    @abstractmethod
    def _lines(self) -> list[list[str]]: ...

    @abstractmethod
    def _notes(self) -> list[str]:
        """Lines below the table."""
