"""Hints that follow the report of training: what to check, and what to do next."""

import shlex
from collections.abc import Sequence

from ..tables.encode.column_kinds import AMBIGUOUS_DATES
from ..tables.read.compressed import STDIN
from .report import Report

PENALISED = ("logistic", "svm")


def report_hints(report: Report, files: Sequence[str] = ()) -> list[str]:
    """What to check, and what to do next: leaking columns, a split column, a training that ended early.

    `files` are those that `rosenblatt train` was given: the last hint is a command that can be pasted.
    """
    hints = []
    for name in report.leaks[:3]:
        hints.append(
            f"column {name!r} alone predicts {report.target!r} without a mistake: was it made from it? If so, "
            f"--drop {shlex.quote(name)}"
        )
    for name in report.splits:
        column = shlex.quote(name)
        hints.append(
            f"column {name!r} says train or test: give --split-column {column} to hold out by it, or --drop it"
        )
    for name, why in report.two_readings.items():
        column = shlex.quote(name)
        option = f"--day-first {column} or --month-first {column}" if why == AMBIGUOUS_DATES else f"--numeric {column}"
        reads = "to read them as dates" if why == AMBIGUOUS_DATES else "to read decimal commas"
        hints.append(f"column {name!r}: {why}; give {option} {reads}")
    if report.automatic or report.streamed:
        pass  # the limits were chosen for the table
    elif report.mistakes and report.reason in ("max_iter", "max_seconds") and report.algorithm != "perceptron":
        hints.append("training was cut short; raise --max-iter or --max-seconds to let it go on")
    elif report.mistakes and report.algorithm not in ("pocket", *PENALISED):
        hints.append(
            "where classes overlap (rosenblatt check decides), no plane is right everywhere; --algorithm pocket keeps "
            "the best one it finds"
        )
    if report.calibration is None and report.algorithm != "logistic":
        hints.append("the model has no probabilities, because too few rows were held out to calibrate its scores")
    if report.model is not None:
        given = list(files) or [report.file]
        command = ["explain", report.model] if STDIN in given else ["predict", report.model, *given]
        hints.append(f"rosenblatt {shlex.join(command)}")
    return hints
