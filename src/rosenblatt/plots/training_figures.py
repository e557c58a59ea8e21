"""Figures of training: Novikoff's proof along a run, learning curves, and the objective of gradient descent."""

from math import isfinite
from typing import Any

import numpy as np

from ..prove.mistakes.audit import Audit
from .model_values import epoch_positions, history_entry, models_by_name
from .style import axes_or_new, colour, line_style


def mistakes_against_bound(checked: Audit, *, ax: Any = None) -> Any:
    """The two curves of Novikoff's proof, w.w* and ||w||, between the bounds that the proof gives for them.

    `checked` is the result of `audit`. After k mistakes w.w* is at least k eta gamma and ||w|| at most sqrt(k) eta R.
    Both bounds are drawn up to where they cross, which is the mistake bound. Rows that are not separable have no w*:
    only ||w|| and its bound are drawn.

    >>> from rosenblatt import Perceptron, audit
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> ax = mistakes_against_bound(audit(Perceptron(order="cyclic").fit(X, y, trace=True), X, y))
    >>> ax.get_title()
    '7 mistakes, at most 117 possible'
    """
    if not isinstance(checked, Audit):
        raise TypeError(f"mistakes_against_bound draws the result of audit(model, X, y), not {checked!r}.")
    ax = axes_or_new(ax)
    record, bound = checked.record, checked.bound.bound
    k = np.asarray(record["mistake"], dtype=np.float64)
    if not len(k):
        raise ValueError("There is nothing to plot: the run made no mistake.")
    end = bound if isfinite(bound) else float(k[-1])
    ahead = np.geomspace(1, max(end, k[-1]), 100)
    longest = np.sqrt(record["most_squared_norm"][0])
    ax.plot(ahead, longest * np.sqrt(ahead), "--", color=colour(1), label="||w|| at most: sqrt(k) eta R")
    ax.plot(k, np.sqrt(record["squared_norm"]), color=colour(1), label="||w||")
    if isfinite(bound):
        least = record["least_progress"][0]
        ax.plot(k, record["progress"], color=colour(0), label="w.w*")
        ax.plot(ahead, least * ahead, "--", color=colour(0), label="w.w* at least: k eta gamma")
        ax.axvline(bound, color="black", linestyle=":", label=f"bound (R / gamma)^2 = {bound:.4g}")
    ax.set(xscale="log", yscale="log", xlabel="mistakes k", ylabel="length")
    limit = f"at most {bound:.4g} possible" if isfinite(bound) else "no bound: not separable"
    ax.set_title(f"{checked.mistakes} mistakes, {limit}")
    ax.legend(loc="upper left")
    return ax


def learning_curves(models: Any, what: str = "mistakes", *, against: str = "epochs", ax: Any = None) -> Any:
    """An entry of `history_` against the epochs, for one model or for several: {name: model}.

    `what` is a key of `history_`: "mistakes", "loss", "objective", "updates", "held_out", ...; `against` is "epochs",
    "visits" or "seconds".

    >>> from rosenblatt import Perceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> ax = learning_curves(Perceptron(order="cyclic").fit(X, y))
    >>> ax.lines[0].get_ydata().tolist()
    [2, 1, 1, 2, 1, 0]
    """
    ax = axes_or_new(ax)
    for place, (name, model) in enumerate(models_by_name(models).items()):
        values = history_entry(model, what, name)
        ax.plot(epoch_positions(model, against, len(values), name), values, label=name, **line_style(place))
    ax.set(xlabel=against, ylabel=what.replace("_", " "))
    ax.legend(loc="best")
    return ax


def descents(models: Any, *, optimum: float | None = None, ax: Any = None) -> Any:
    """The objective after each pass of gradient descent, batch or stochastic, for one model or several: {name: model}.

    Fit the models with `criterion="loss"`; otherwise their history has no objective. `optimum` is the objective of a
    model trained to the optimum. With it, the plot shows the relative distance from it on a logarithmic scale, where a
    straight line means linear convergence.

    >>> from rosenblatt import LogisticRegression
    >>> X, y = [[0], [1], [2], [3]], [0, 1, 0, 1]
    >>> best = LogisticRegression().fit(X, y).objective_
    >>> runs = {kind: LogisticRegression(solver=kind, criterion="loss", tol=3.0, random_state=0).fit(X, y)
    ...         for kind in ("gd", "sgd")}
    >>> descents(runs, optimum=best).get_ylabel()
    'objective above the optimum'
    """
    ax = axes_or_new(ax)
    for place, (name, model) in enumerate(models_by_name(models).items()):
        values = history_entry(model, "objective", name)
        if optimum is not None:
            values = values / optimum - 1
        ax.plot(np.arange(1, len(values) + 1), values, label=name, **line_style(place))
    ax.set(xlabel="passes over the rows", ylabel="objective" if optimum is None else "objective above the optimum")
    if optimum is not None:
        ax.set_yscale("log")
    ax.legend(loc="best")
    return ax
