"""What a search for parameters tried, as a table for people: one line for each path, with its best C."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..foundation.phrases import count
from ..solvers.tuning.search import HOPELESS

ENDED = {"interrupted": "cut short by Ctrl-C", "max_seconds": "cut short by max_seconds"}
LOSS_NAMES = {"logistic": "log-loss"}
HEADER = ("penalty", "columns", "n-grams", "C", "loss", "+-", "weights", "Cs tried", "time")


def tuning_lines(tuning: Mapping[str, Any] | None, algorithm: str) -> list[str]:
    """The lines about a search. `+-` is the standard error of the mean loss, of the rows left out in turn."""
    if tuning is None:
        return []
    loss = LOSS_NAMES.get(algorithm, "loss")
    ended = f", {ENDED[tuning['ended']]}" if tuning["ended"] else ""
    measured = max((len(trial["fold_losses"]) for trial in tuning["trials"]), default=0)
    folds = f"{tuning['folds']} folds" if measured == tuning["folds"] else f"{measured} of {tuning['folds']} folds"
    first = f"{count(tuning['rows'], 'row')} left out in {folds}, {_seconds(tuning['seconds'])}{ended}"
    if tuning["best"] is None:
        what = "nothing was compared with the default C" if measured else "nothing was measured"
        return [first, f"{what} in time, so C and penalty keep their defaults"]
    trials = tuning["trials"]
    best, simplest = trials[tuning["best"]], trials[tuning["simplest"]]
    near = f"the simplest within one standard error: {_choice(simplest)}, with {_number(simplest['weights'])} weights"
    return [
        first,
        *_table(trials),
        f"taken: {_choice(best)}, which has the least mean {loss}",
        near if simplest is not best else "no simpler choice is within one standard error",
    ]


def _table(trials: list[Mapping[str, Any]]) -> Iterator[str]:
    rows = [HEADER, *map(_line, _by_path(trials))]
    shown = [column for column in range(len(HEADER)) if any(row[column] for row in rows[1:])]
    widths = {column: max(len(row[column]) for row in rows) for column in shown}
    for row in rows:
        cells = (row[c].ljust(widths[c]) if c < 3 else row[c].rjust(widths[c]) for c in shown)
        yield "  ".join(cells).rstrip()


def _by_path(trials: list[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """The trials of each path, in the order of the search."""
    paths: dict[str, list[Mapping[str, Any]]] = {}
    for trial in trials:
        paths.setdefault(repr(trial["settings"]), []).append(trial)
    return list(paths.values())


def _line(trials: list[Mapping[str, Any]]) -> tuple[str, ...]:
    """One path: its best trial of those measured on the most folds, and the time of all."""
    tried = [trial for trial in trials if trial["fold_losses"]]
    settings = trials[0]["settings"]
    lift = settings.get("features", "identity")
    names = (_penalty(settings), "" if lift == "identity" else lift, _ngrams(settings))
    if not tried:
        return (*names, "", "", "", "", "0", trials[0]["abandoned"])
    most = max(len(trial["fold_losses"]) for trial in tried)
    best = min((trial for trial in tried if len(trial["fold_losses"]) == most), key=lambda trial: trial["loss"])
    seconds = _seconds(sum(trial["seconds"] for trial in trials))
    hopeless = f", {HOPELESS} after {count(most, 'fold')}" if best["abandoned"] == HOPELESS else ""
    numbers = f"{best['C']:.3g}", f"{best['loss']:.4f}", f"{best['standard_error']:.4f}", _number(best["weights"])
    return (*names, *numbers, str(len(tried)), f"{seconds}{hopeless}")


def _choice(trial: Mapping[str, Any]) -> str:
    settings = trial["settings"]
    lift = settings.get("features", "identity")
    ngrams = f"{_ngrams(settings)}-grams" if settings.get("ngrams", 1) > 1 else ""
    parts = (_penalty(settings), "" if lift == "identity" else lift, ngrams, f"C={trial['C']:.3g}")
    return ", ".join(filter(None, parts))


def _penalty(settings: Mapping[str, Any]) -> str:
    return str(settings.get("penalty", "l2"))


def _ngrams(settings: Mapping[str, Any]) -> str:
    return str(settings.get("ngrams", ""))


def _number(weights: float) -> str:
    return f"{weights:,.0f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s"
