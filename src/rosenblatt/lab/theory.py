"""What can be proved about the points: the verdict with its certificate, the widest street, and the mistake bound."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import separability
from ..engine import Floats
from ..kernel import KernelClassifier
from ..prove.certificate import number
from ..prove.margin import max_margin
from ..prove.mistakes import Lifted, MistakeBound, mistake_bound
from ..prove.separability import Separability
from .packing import packed

Labels = npt.NDArray[np.int64]
Content = dict[str, Any]
SECONDS = 1.0  # for each proof; points of the plane take a thousandth of it
FEW = 20  # columns for which the bound is worked out too


def theory(X: Floats, y: Labels, fit_intercept: bool, intercept_scaling: float) -> tuple[Content, MistakeBound | None]:
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
        content["bound"] = {"radius": radius, "margin": 0.0, "bound": None}
        return content, None
    content["street"] = _street(X, y, fit_intercept)
    if X.shape[1] > FEW:
        return content, None
    bound = mistake_bound(X, y, fit_intercept, intercept_scaling)
    most = bound.bound if np.isfinite(bound.bound) else None
    content["bound"] = {"radius": bound.radius, "margin": bound.margin, "bound": most}
    return content, bound


def of_kernel(model: KernelClassifier) -> Content:
    """What a run in a kernel's space shows by itself: weights without a mistake prove that they exist."""
    kind = "undecided" if model.status_.mistakes else "complete"
    labels = model.classes_.tolist() if len(model.classes_) > 2 else [None]
    clash: Content = {"rows": [], "shares": [], "meet": None}
    verdict = {"kind": kind, "sentence": str(model.status_), "plane": None, "clash": clash}
    return {"verdicts": [verdict if label is None else {"class": label, **verdict} for label in labels]}


def _verdict(X: Floats, y: Labels, found: Separability) -> Content:
    """The kind, in words, and what shows it: a line, or points of two classes with a common mean."""
    clash, plane = found.certificate["clash"], found.hyperplane
    shares = [float(number(value)) for value in clash["multipliers"]]
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


def novikoff(walk: Floats, bound: MistakeBound, eta0: float, scaling: float) -> Content:
    """The two curves of the proof along the weights of one plane, and what bounds them.

    `walk` has the offset last, which is the weight of the constant coordinate times that constant.
    """
    assert bound.hyperplane is not None
    star = bound.hyperplane.coef / np.linalg.norm(bound.hyperplane.coef)
    lifted = walk if len(star) == walk.shape[1] else walk[:, : len(star)]
    if scaling != 1.0 and len(star) == walk.shape[1]:
        lifted = np.column_stack([walk[:, :-1], walk[:, -1] / scaling])
    k = np.arange(len(walk))
    return {
        "progress": packed(lifted @ star),
        "least": packed(k * eta0 * bound.margin),
        "squared_norm": packed((lifted * lifted).sum(axis=1)),
        "most": packed(k * (eta0 * bound.radius) ** 2),
    }
