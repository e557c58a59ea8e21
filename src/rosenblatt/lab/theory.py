"""What can be proved about the points: the verdict with its certificate, the widest street, and the mistake bound."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..classifiers.kernel import KernelClassifier
from ..foundation.types import Floats
from ..prove.certificates.certificate import number
from ..prove.margin.max_margin import max_margin
from ..prove.mistakes.mistake_bound import Lifted, mistake_bound
from ..prove.separability.separability import Separability, separability
from .packed_arrays import packed
from .wide_bound import Bound, exact_bound, found_bound

Labels = npt.NDArray[np.int64]
Content = dict[str, Any]
SECONDS = 1.0  # for each proof; points of the plane take a thousandth of it
FEW = 20  # columns for which the bound is exact


def theory(X: Floats, y: Labels, fit_intercept: bool, intercept_scaling: float) -> tuple[Content, Bound | None]:
    """Verdict, widest street and bound of two classes; of more, the verdict for each against the rest.

    The bound is also given back as it is, for the curves of its proof.
    """
    classes = sorted(set(y.tolist()))
    if len(classes) > 2:
        each = separability(X, y, fit_intercept, SECONDS, multi_class="ovr")
        return {"verdicts": [{"class": label, **_verdict(X, y, each[label])} for label in classes]}, None
    found = separability(X, y, fit_intercept, SECONDS)
    content: Content = {"verdicts": [_verdict(X, y, found)], "street": None, "bound": None}
    if found.kind != "complete":
        radius = Lifted(X, y, fit_intercept, intercept_scaling, None, None).radius()
        content["bound"] = {"radius": radius, "margin": 0.0, "bound": None, "exact": True}
        return content, None
    content["street"] = _street(X, y, fit_intercept)
    if X.shape[1] > FEW:
        bound = found_bound(lifted(X, fit_intercept, intercept_scaling), y)
    else:
        proved = mistake_bound(X, y, fit_intercept, intercept_scaling)
        bound = exact_bound(proved) if np.isfinite(proved.bound) else None
    content["bound"] = _told(bound)
    return content, bound


def of_kernel(model: KernelClassifier, Z: Floats, y: Labels) -> tuple[Content, Bound | None]:
    """What is seen of a kernel's space: weights without a mistake, of the run or of a plane found beside it.

    Z holds the points in that space, see `wide.coordinates`, with the constant coordinate if there is one.
    """
    two = len(model.classes_) == 2
    bound = found_bound(Z, y) if two else None
    kind = "undecided" if model.status_.mistakes and bound is None else "complete"
    clash: Content = {"rows": [], "shares": [], "meet": None}
    verdict = {"kind": kind, "sentence": str(model.status_), "plane": None, "clash": clash}
    if not two:
        return {"verdicts": [{"class": label, **verdict} for label in model.classes_.tolist()]}, None
    return {"verdicts": [verdict], "street": None, "bound": _told(bound)}, bound


def _told(bound: Bound | None) -> Content | None:
    if bound is None:
        return None
    return {"radius": bound.radius, "margin": bound.margin, "bound": bound.mistakes, "exact": bound.exact}


def lifted(X: Floats, fit_intercept: bool, intercept_scaling: float) -> Floats:
    """Rows with the constant coordinate that an offset is the weight of."""
    return np.column_stack([X, np.full(len(X), intercept_scaling)]) if fit_intercept else X


def _verdict(X: Floats, y: Labels, found: Separability) -> Content:
    """The kind, in words, and what shows it: a line, or points of two classes with a common mean."""
    clash, plane = found.certificate["clash"], found.hyperplane
    multipliers = [number(value) for value in clash["multipliers"]]
    total = sum(multipliers)  # exact numbers of many columns are too long for floats, their shares are not
    shares = [float(value / total) for value in multipliers]
    return {
        "kind": found.kind,
        "sentence": found.explain().split(". ")[0].rstrip(".") + ".",
        "plane": None if plane is None else [*plane.coef.tolist(), plane.intercept],
        "clash": {"rows": clash["rows"], "shares": shares, "meet": _meeting_point(X, y, found, shares)},
    }


def _meeting_point(X: Floats, y: Labels, found: Separability, shares: list[float]) -> list[float] | None:
    """The point that the hulls of the clashing points have in common; through the origin there need be none."""
    rows, positive = found.certificate["clash"]["rows"], found.certificate["classes"][1]
    if not rows or X.shape[1] > 2 or not found.certificate["fit_intercept"]:
        return None
    ours = y[rows] == positive
    weights = np.array(shares)[ours]
    point: list[float] = (weights @ X[rows][ours] / weights.sum()).tolist()
    return point


def _street(X: Floats, y: Labels, fit_intercept: bool) -> Content | None:
    best = max_margin(X, y, fit_intercept, SECONDS)
    if best.hyperplane is None:
        return None
    return {
        "plane": [*best.hyperplane.coef.tolist(), best.hyperplane.intercept],
        "margin": best.margin,
        "upper": best.upper,
        "support": best.support.rows.tolist(),
    }


def novikoff(walk: Floats, bound: Bound, eta0: float) -> Content:
    """The two curves of the proof along the weights of one plane, and what bounds them, all in the lifted space."""
    k = np.arange(len(walk))
    return {
        "progress": packed(walk @ bound.star),
        "least": packed(k * eta0 * bound.margin),
        "squared_norm": packed((walk * walk).sum(axis=1)),
        "most": packed(k * (eta0 * bound.radius) ** 2),
    }
