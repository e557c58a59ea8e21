"""Messages of classifiers: progress on standard error if `verbose`, and warnings with advice.

A warning points at the line outside this package that called it.
"""

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

from ..engine.result import Progress, TrainingResult
from ..foundation.types import Labels, Mask
from ..parts.losses import LOSSES
from ..parts.recipe import Recipe
from ..parts.stops import Status

PATIENCE_SECONDS = 10.0
OVERLAP = "If the classes overlap, no hyperplane classifies every row correctly: separability(X, y) decides."
SCALE = "columns of very different scales slow training down: scale them"
POCKET = "PocketPerceptron returns the best weights it finds"
CLASH = "names rows that clash, and n_iter_no_change=max_iter trains on all the same"
JOINT = "multi_class='joint' lets the best plane win, which may still be right on every row"
QUESTIONS = {
    "one plane": "print(separability(X, y))",
    "classes": "separability(X, y, multi_class='ovr')",
    "labels": "separability(X, Y[:, k]) of the label k",
}
MOST_SHOWN = 5  # labels that a warning names
ENDINGS_WITH_ADVICE = ("separated", "precision", "max_iter", "max_seconds")  # of a descent
LIMITS = {"no-change": "n_iter_no_change", "max_iter": "max_iter", "max_seconds": "max_seconds"}


class Watcher:
    """Prints progress at intervals, and after ten seconds warns once with advice."""

    def __init__(self, name: str, recipe: Recipe, verbose: int, finds_planes: bool = True) -> None:
        self.name = name
        self.interval = progress_interval(verbose)
        self.hopeful = recipe.stops.criterion == "mistakes" and recipe.keep != "best" and finds_planes
        self.shown = 0.0

    def __call__(self, progress: Progress) -> None:
        if progress.seconds - self.shown >= self.interval:
            self.shown = progress.seconds
            say(self.name, progress_line(progress))
        if self.hopeful and progress.seconds > PATIENCE_SECONDS:
            self.hopeful = False
            warn(
                f"{self.name} is still training after {PATIENCE_SECONDS:.0f} s, in epoch {progress.epochs:,.0f} of at "
                f"most {progress.max_iter:,}. {OVERLAP} {POCKET}.",
                UserWarning,
            )


def progress_interval(verbose: int) -> float:
    """The seconds between two lines of progress."""
    return 2.0 if verbose == 1 else 0.2 if verbose else float("inf")


def progress_line(progress: Progress) -> str:
    """
    >>> progress_line(Progress(epochs=12.5, max_iter=1000, mistakes=3, seconds=2.04))
    'epoch 12.5 of at most 1,000, 3 mistakes in the last whole one, 2.0 s'
    """
    mistakes = "" if progress.mistakes is None else f", {progress.mistakes:,.0f} mistakes in the last whole one"
    return f"epoch {progress.epochs:,.1f} of at most {progress.max_iter:,}{mistakes}, {progress.seconds:.1f} s"


def say(name: str, line: str) -> None:
    print(f"[{name}] {line}", file=sys.stderr)


def warn_of_mistakes(name: str, learned: TrainingResult, recipe: Recipe, weighted: bool) -> None:
    """Warn with advice if the returned weights make mistakes that the parameters do not allow."""
    status = learned.status
    if status.mistakes and not ended_as_asked(status, recipe, weighted):
        kind = kind_of_planes(learned)
        one_vs_rest = kind == "classes" and not learned.joint
        warn(f"{name}: {status}. {advice(status, recipe, kind, one_vs_rest)}", ConvergenceWarning)


def kind_of_planes(learned: TrainingResult) -> str:
    """What was separated: a key of `QUESTIONS`."""
    if learned.label_form is not None:
        return "labels"
    return "classes" if len(learned.coef) > 1 else "one plane"


def warn_of_constant_labels(name: str, labels: Labels, has: Mask) -> None:
    """Warn of labels that all rows have, or none: their planes are constant."""
    for share, which in ((0.0, "no row has"), (1.0, "every row has")):
        constant = labels[has.mean(axis=0) == share].tolist()
        if constant:
            shown = ", ".join(map(repr, constant[:MOST_SHOWN])) + (", ..." if len(constant) > MOST_SHOWN else "")
            these = (
                f"the label {shown}: it is" if len(constant) == 1 else f"the {len(constant)} labels {shown}: they are"
            )
            warn(f"{name}: {which} {these} {'always' if share else 'never'} predicted.", UserWarning)


class SeparationWarning(ConvergenceWarning):  # type: ignore[misc]  # scikit-learn has no types
    """A logistic regression without a penalty has no optimum because a hyperplane separates the classes."""


def warn_of_descent(name: str, status: Status, solver: str, kind: str = "one plane") -> None:
    """Warn with advice if the minimum of the objective was not reached; `kind` is a key of `QUESTIONS`."""
    if status.reason == "separated":
        warn(
            f"{name}: {status}. More steps would only make the weights grow, without end: choose a penalty "
            f"(penalty='jeffreys' keeps them finite and nearly unbiased, C=1.0 is the default). "
            f"{QUESTIONS[kind]} names the columns and proves it.",
            SeparationWarning,
        )
    elif status.reason == "precision":
        warn(
            f"{name}: {status}. Columns that are far from 0, nearly equal or of very different scales lose digits to "
            "rounding: centre and scale them, or raise tol.",
            ConvergenceWarning,
        )
    elif status.reason in ("max_iter", "max_seconds"):
        instead = f"raise {status.reason}" if solver == "optimum" else f"raise {status.reason} or set solver='optimum'"
        warn(f"{name}: {status}. To come nearer to the minimum, {instead} ({SCALE}).", ConvergenceWarning)


def ended_as_asked(status: Status, recipe: Recipe, weighted: bool = False) -> bool:
    """Return whether the parameters allow the mistakes left: by `tol`, by another criterion, or by the kind of learner.

    Only the last weights of a perceptron promise to make none. A pocket, an average and the hinge loss are for classes
    that overlap: they end when they no longer improve.
    With sample weights `tol` is a share of the weight. The status counts rows, so it is not compared then.
    """
    stops = recipe.stops
    if status.reason == "no-change":
        return recipe.keep != "last" or not LOSSES[recipe.loss].pushes_only_mistakes
    if status.reason != stops.criterion:
        return False
    if stops.criterion != "mistakes" or recipe.keep == "best":
        return True
    return stops.tol > 0 if weighted else status.mistakes <= stops.tol * status.rows


def advice(status: Status, recipe: Recipe, kind: str = "one plane", one_vs_rest: bool = False) -> str:
    """Return what to do about the mistakes left; `kind` is a key of `QUESTIONS`."""
    if status.reason == "overlap":
        return f"{JOINT if one_vs_rest else POCKET}; {QUESTIONS[kind]} {CLASH}."
    limit = LIMITS.get(status.reason)
    if limit is None:
        if recipe.keep == "average":
            return "Perceptron returns the last weights."
        return "Each one-vs-rest problem is within tol, but all together are not: lower tol."
    if recipe.keep == "best":
        return f"These are the best weights found; raise {limit} to look for better ones."
    return f"{OVERLAP} {POCKET}; otherwise raise {limit} ({SCALE})."


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the line that called this package."""
    level, frame = 1, sys._getframe()
    package = __name__.partition(".")[0]
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
