"""What can be proved about the points: separability with its certificate, the widest margin, and the mistake bound."""

from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from ..classifiers.kernel import KernelClassifier
from ..foundation.types import Floats
from ..prove.certificates.certificate import parse_fraction
from ..prove.margin.max_margin import max_margin
from ..prove.mistakes.mistake_bound import PerceptronRows, mistake_bound
from ..prove.separability.separability import Separability, separability
from .approximate_bound import Bound, approximate_bound, exact_bound
from .packed_arrays import pack_array

Labels = npt.NDArray[np.int64]
Content = dict[str, Any]
SECONDS_PER_PROOF = 1.0  # points of the plane take a thousandth of it
MAX_EXACT_COLUMNS = 20  # with more columns the bound is found in floating point


def linear_theory(X: Floats, y: Labels, fit_intercept: bool, intercept_scaling: float) -> tuple[Content, Bound | None]:
    """Verdict, widest margin and mistake bound of two classes; of more classes, a verdict for each against the rest.

    The bound is also returned as a value, because `novikoff_curves` needs it.
    """
    classes = sorted(set(y.tolist()))
    if len(classes) > 2:
        each = separability(X, y, fit_intercept, SECONDS_PER_PROOF, multi_class="ovr")
        return {"verdicts": [{"class": label, **_verdict(X, y, each[label])} for label in classes]}, None
    found = separability(X, y, fit_intercept, SECONDS_PER_PROOF)
    content: Content = {"verdicts": [_verdict(X, y, found)], "street": None, "bound": None}
    if found.kind != "complete":
        radius = PerceptronRows(X, y, fit_intercept, intercept_scaling, None, None).radius()
        if isfinite(radius):
            content["bound"] = {"radius": radius, "margin": 0.0, "bound": None, "exact": True}
        return content, None
    content["street"] = _widest_margin(X, y, fit_intercept)
    bound = _mistake_bound(X, y, fit_intercept, intercept_scaling)
    content["bound"] = _bound_content(bound)
    return content, bound


def _mistake_bound(X: Floats, y: Labels, fit_intercept: bool, intercept_scaling: float) -> Bound | None:
    if X.shape[1] > MAX_EXACT_COLUMNS:
        return approximate_bound(with_constant_column(X, fit_intercept, intercept_scaling), y)
    proved = mistake_bound(X, y, fit_intercept, intercept_scaling)
    return exact_bound(proved) if isfinite(proved.bound) else None


def kernel_theory(model: KernelClassifier, Z: Floats, y: Labels) -> tuple[Content, Bound | None]:
    """The verdict in a kernel's space: separable if the run, or a plane found beside it, makes no mistake.

    Z holds the points in that space (`kernel_coordinates`), with the constant column if there is an offset.
    """
    two = len(model.classes_) == 2
    bound = approximate_bound(Z, y) if two else None
    kind = "undecided" if model.status_.mistakes and bound is None else "complete"
    clash: Content = {"rows": [], "shares": [], "meet": None}
    verdict = {"kind": kind, "sentence": str(model.status_), "plane": None, "clash": clash}
    if not two:
        return {"verdicts": [{"class": label, **verdict} for label in model.classes_.tolist()]}, None
    return {"verdicts": [verdict], "street": None, "bound": _bound_content(bound)}, bound


def _bound_content(bound: Bound | None) -> Content | None:
    if bound is None:
        return None
    return {"radius": bound.radius, "margin": bound.margin, "bound": bound.mistakes, "exact": bound.exact}


def with_constant_column(X: Floats, fit_intercept: bool, intercept_scaling: float) -> Floats:
    """Rows with the constant coordinate whose weight is the offset."""
    return np.column_stack([X, np.full(len(X), intercept_scaling)]) if fit_intercept else X


def _verdict(X: Floats, y: Labels, found: Separability) -> Content:
    """The kind of separation and its proof: a line, or points of both classes with a common mean."""
    clash, plane = found.certificate["clash"], found.hyperplane
    multipliers = [parse_fraction(value) for value in clash["multipliers"]]
    total = sum(multipliers)  # with many columns the exact numbers overflow floats; their shares do not
    shares = [float(value / total) for value in multipliers]
    return {
        "kind": found.kind,
        "sentence": found.explain().split(". ")[0].rstrip(".") + ".",
        "plane": None if plane is None else [*plane.coef.tolist(), plane.intercept],
        "clash": {"rows": clash["rows"], "shares": shares, "meet": _common_point(X, y, found, shares)},
    }


def _common_point(X: Floats, y: Labels, found: Separability, shares: list[float]) -> list[float] | None:
    """The point that the convex hulls of the clashing points share; without an offset there may be none."""
    rows, positive = found.certificate["clash"]["rows"], found.certificate["classes"][1]
    if not rows or X.shape[1] > 2 or not found.certificate["fit_intercept"]:
        return None
    ours = y[rows] == positive
    weights = np.array(shares)[ours]
    point: list[float] = (weights @ X[rows][ours] / weights.sum()).tolist()
    return point


def _widest_margin(X: Floats, y: Labels, fit_intercept: bool) -> Content | None:
    best = max_margin(X, y, fit_intercept, SECONDS_PER_PROOF)
    if best.hyperplane is None:
        return None
    return {
        "plane": [*best.hyperplane.coef.tolist(), best.hyperplane.intercept],
        "margin": best.margin,
        "upper": best.upper,
        "support": best.support.rows.tolist(),
    }


def novikoff_curves(weights_path: Floats, bound: Bound, eta0: float) -> Content:
    """The two curves of Novikoff's proof along the weights of one plane (offset included), and their bounds."""
    k, step = np.arange(len(weights_path)), eta0 * bound.radius
    return {
        "progress": pack_array(weights_path @ bound.normal),
        "least": pack_array(k * eta0 * bound.margin),
        "squared_norm": pack_array((weights_path * weights_path).sum(axis=1)),
        "most": pack_array(_multiples(k, step * step)),
    }


def _multiples(k: npt.NDArray[np.intp], square: float) -> Floats:
    """k times a square; 0 for k = 0 even if the square is infinite, because floats cannot hold it."""
    return np.asarray(k * square if isfinite(square) else np.where(k > 0, np.inf, 0.0))
