"""Hints that follow the report of training: what to check, and what to do next."""

import shlex
from collections.abc import Iterator, Sequence

from ..tables.encode.column_kinds import AMBIGUOUS_DATES
from ..tables.read.compressed import STDIN
from .report import Report

PENALISED = ("logistic", "svm")


def report_hints(report: Report, files: Sequence[str] = ()) -> list[str]:
    """What to check, and what to do next: leaking columns, a split column, a training that ended early.

    `files` are those that `rosenblatt train` was given: the last hint is a command that can be pasted.
    """
    return [*_column_hints(report), *_training_hints(report), *_next_command(report, files)]


def _column_hints(report: Report) -> Iterator[str]:
    """Columns that leak the target, say train or test, or can be read in two ways."""
    for name in report.leaks[:3]:
        yield (
            f"column {name!r} alone predicts {report.target!r} without a mistake: was it made from it? If so, "
            f"--drop {shlex.quote(name)}"
        )
    for name in report.splits:
        column = shlex.quote(name)
        yield f"column {name!r} says train or test: give --split-column {column} to hold out by it, or --drop it"
    for name, why in report.two_readings.items():
        column = shlex.quote(name)
        option = f"--day-first {column} or --month-first {column}" if why == AMBIGUOUS_DATES else f"--numeric {column}"
        reads = "to read them as dates" if why == AMBIGUOUS_DATES else "to read decimal commas"
        yield f"column {name!r}: {why}; give {option} {reads}"


def _training_hints(report: Report) -> Iterator[str]:
    """A training that was cut short, classes that overlap, a model without probabilities."""
    if report.automatic or report.streamed:
        pass  # the limits were chosen for the table
    elif report.mistakes and report.reason in ("max_iter", "max_seconds") and report.algorithm != "perceptron":
        yield "training was cut short; raise --max-iter or --max-seconds to let it go on"
    elif report.mistakes and report.algorithm not in ("pocket", *PENALISED):
        yield (
            "where classes overlap (rosenblatt check decides), no plane is right everywhere; --algorithm pocket keeps "
            "the best one it finds"
        )
    if report.calibration is None and report.algorithm != "logistic":
        yield "the model has no probabilities, because too few rows were held out to calibrate its scores"


def _next_command(report: Report, files: Sequence[str]) -> Iterator[str]:
    if report.model is not None:
        given = list(files) or [report.file]
        command = ["explain", report.model] if STDIN in given else ["predict", report.model, *given]
        yield f"rosenblatt {shlex.join(command)}"
