"""Penalties: what large w costs. The core keeps w = scale * v, so 1/2 ||w||^2 costs one product a visit."""

from dataclasses import dataclass

from .losses import LOSSES
from .part import Part


@dataclass(frozen=True)
class Penalty(Part):
    """A penalty, and what plans need to know about it."""

    has_strength: bool = True  # which C or alpha chooses
    losses: tuple[str, ...] = tuple(LOSSES)  # that it is made for
    optimum_losses: tuple[str, ...] = tuple(LOSSES)  # those among them whose optimum with it can be found


SPARSE = ("logistic", "squared-hinge", "hinge")  # the losses whose optimum with exact zeros can be found

PENALTIES = {
    "l2": Penalty(1, "1/2 ||w||^2; the offset is free unless penalize_intercept"),
    "l1": Penalty(3, "||w||_1, the sum of all |w_j|: many weights are exactly 0", optimum_losses=SPARSE),
    "elasticnet": Penalty(4, "l1_ratio ||w||_1 + (1 - l1_ratio) / 2 ||w||^2: a mixture of both", optimum_losses=SPARSE),
    "jeffreys": Penalty(
        2, "Firth's bias reduction: 1/2 log(det A(0) / det A(w)), A the information", False, losses=("logistic",)
    ),
}


def penalties_of(loss: str) -> dict[str, Penalty]:
    """The penalties that go with a loss.

    >>> list(penalties_of("hinge")), list(penalties_of("logistic"))
    (['l2', 'l1', 'elasticnet'], ['l2', 'l1', 'elasticnet', 'jeffreys'])
    """
    return {name: penalty for name, penalty in PENALTIES.items() if loss in penalty.losses}
