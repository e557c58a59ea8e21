"""The results of several labels as one: each label was trained by itself, and is one plane."""

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import numpy as np

from .. import _core
from ..foundation.phrases import count
from ..foundation.types import Floats
from ..parts.stops import INSEPARABLE, REASONS, Status
from .history import join_histories, join_traces
from .result import TrainingResult
from .vote import constant_vote, join_votes


def untrained(
    rows: _core.Rows, start: tuple[Floats, Floats], reason: str, trace: bool, vote_constant: float | None
) -> TrainingResult:
    """A plane that is returned as it is: of a label that all rows or none have, or that Ctrl-C came before.

    `vote_constant` is the constant coordinate of the rows where planes vote.
    """
    sentence = "interrupted" if reason == "interrupted" else "no mistakes left after 0 epochs"
    vote = None if vote_constant is None else constant_vote(rows, start, vote_constant)
    status = Status(sentence, reason, 0, rows.count, 0)
    none = join_traces([]) if trace else None
    return TrainingResult(
        *start, status, {}, 0, 0, 0, none, interrupted=reason == "interrupted", vote=vote, joint=False
    )


def join_labels(results: Sequence[TrainingResult], form: str, mistakes: int, rows: int) -> TrainingResult:
    """One result of all labels. `mistakes` of so many `rows` have a label that is wrong."""
    histories = [result.history for result in results if result.history]
    traces = [[] if result.trace is None else [result.trace] for result in results]
    votes = [result.vote for result in results if result.vote is not None]
    status = _status(results, mistakes, rows)
    return replace(
        results[0],
        coef=np.vstack([result.coef for result in results]),
        intercept=np.concatenate([result.intercept for result in results]),
        status=status,
        history=join_histories(histories) if histories else {},
        n_visits=sum(result.n_visits for result in results),
        n_updates=sum(result.n_updates for result in results),
        n_mistakes=sum(result.n_mistakes for result in results),
        trace=None if results[0].trace is None else join_traces(traces),
        warm=any(result.warm for result in results),
        interrupted=status.reason == "interrupted",
        mean_loss=nan,
        objective=float(np.nansum([result.objective for result in results])) if _any_known(results) else nan,
        gradient_norm=_largest([result.gradient_norm for result in results]),
        duality_gap=_largest([result.duality_gap for result in results]),
        vote=join_votes(votes) if votes else None,
        joint=False,
        label_form=form,
    )


def _any_known(results: Sequence[TrainingResult]) -> bool:
    return not all(np.isnan(result.objective) for result in results)


def _largest(values: Sequence[float]) -> float:
    return max((value for value in values if not np.isnan(value)), default=nan)


def _status(results: Sequence[TrainingResult], mistakes: int, rows: int) -> Status:
    """The least final ending of all labels."""
    worst = max((result.status for result in results), key=lambda status: REASONS.index(status.reason))
    alike = [result for result in results if result.status.reason == worst.reason]
    epochs, every = max(result.status.epochs for result in results), count(len(results), "label")
    ending = worst.recounted(mistakes, rows)
    if worst.reason == "overlap":
        proved = f"{len(alike)} of {every} cannot be separated from the rows without"
        sentence = ending.replace(INSEPARABLE, proved)
    else:
        note = f"all {every}" if len(alike) == len(results) else f"the last of {every} to end"
        sentence = ending if len(results) == 1 else f"{ending} ({note})"
    return Status(sentence, worst.reason, mistakes, rows, epochs)
