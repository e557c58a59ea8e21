"""The page's questions about the user's data: one model at a time, trained on demand or given."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..engine.result import Watch
from ..foundation.errors import InputError
from .background_training import BackgroundTraining
from .data_report import data_report, plane_of, plotted_history
from .decision_figures import decision_figures
from .questions import QuestionHandler
from .row_lists import class_index, explain_row, list_rows
from .run_request import is_finite_number, short_repr
from .seen_model import SeenModel

MAX_WAIT_SECONDS = 5.0
CHOICES = ("learner", "parameters", "whole")  # what a training depends on
Content = dict[str, Any]
See = Callable[[Mapping[str, Any], Watch], SeenModel]


class DataView:
    """Answers "data", "rows", "row" and "cancel". `see` trains what a request chooses; a `fixed` model has no choice.

    A request of "data" with "wait" is answered after so many seconds, with the progress if training goes on.
    """

    def __init__(self, title: str, see: See, fixed: bool, sampled: bool = False) -> None:
        self._title, self._see, self._fixed, self._sampled = title, see, fixed, sampled
        self._training: BackgroundTraining | None = None
        self._key = ""

    @property
    def questions(self) -> dict[str, QuestionHandler]:
        """The handlers by the names of their questions."""
        return {"data": self.report, "rows": self.rows, "row": self.row, "cancel": self.cancel}

    def report(self, content: Mapping[str, Any]) -> Content:
        """The whole report on a model; its progress while it trains."""
        training = self._trained(content)
        wait = content.get("wait")
        if wait is not None and (not is_finite_number(wait) or not 0 <= wait <= MAX_WAIT_SECONDS):
            raise InputError(f"wait must be a number from 0 to {MAX_WAIT_SECONDS:g}, not {short_repr(wait)}.")
        if not training.wait(wait):
            return {"title": self._title, "training": training.progress()}
        return self._report(self._result(training), content)

    def _report(self, seen: SeenModel, content: Mapping[str, Any]) -> Content:
        shown_class = self._shown_class(seen, content)
        part = content.get("part", "measured")
        return {
            "title": self._title,
            "learner": seen.name,
            "fixed": self._fixed,
            "sampled": self._sampled,
            "classes": seen.classes,
            "counts": np.bincount(seen.codes, minlength=len(seen.classes)).tolist(),
            "rows": seen.all_rows,
            "columns": len(seen.cells.names) if seen.space is None else len(seen.space.names),
            "status": seen.status,
            "notes": list(seen.notes),
            "history": plotted_history(seen.history),
            "wrong": int((seen.decided[seen.measured] != seen.codes[seen.measured]).sum()),
            "figures": decision_figures(seen, shown_class),
            **data_report(seen, shown_class, part),
            "list": self._list(seen, content),
        }

    def rows(self, content: Mapping[str, Any]) -> Content:
        """A list of rows by a filter and an order."""
        return self._list(self._result(self._trained(content)), content)

    def _list(self, seen: SeenModel, content: Mapping[str, Any]) -> Content:
        return list_rows(seen, content, plane_of(seen, self._shown_class(seen, content)))

    def row(self, content: Mapping[str, Any]) -> Content:
        """The decision of one row, and what each column adds to its score."""
        return explain_row(self._result(self._trained(content)), content)

    def cancel(self, content: Mapping[str, Any]) -> Content:
        """End a training; it keeps what it has learned so far."""
        if self._training is not None:
            self._training.cancel()
        return {}

    def _shown_class(self, seen: SeenModel, content: Mapping[str, Any]) -> int:
        return class_index(content, "class", len(seen.classes), len(seen.classes) - 1)

    def _trained(self, content: Mapping[str, Any]) -> BackgroundTraining:
        """The training that a request chooses. Another one that still runs is ended."""
        key = json.dumps([content.get(name) for name in CHOICES], sort_keys=True)
        if self._training is None or (key != self._key and not self._fixed):
            self.cancel({})
            self._key = key
            self._training = BackgroundTraining(lambda watch: self._see(content, watch))
        return self._training

    def _result(self, training: BackgroundTraining) -> SeenModel:
        """What was learned. A request that cannot be trained is forgotten, and its error raised."""
        try:
            return training.result()
        except (ValueError, OverflowError, KeyboardInterrupt) as error:
            if self._training is training:
                self._training = None
            why = "The training was cancelled before it began." if isinstance(error, KeyboardInterrupt) else str(error)
            raise InputError(why) from None
