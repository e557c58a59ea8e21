"""Steps: eta_t. t counts visits, and passes for the batch order. CONTRIBUTING.md says how to add one."""

from dataclasses import dataclass
from typing import Literal

from .part import Part


@dataclass(frozen=True)
class Step(Part):
    """A step schedule, and what solvers need to know about it."""

    # eta0 of stochastic gradient descent, relative to the step that makes up for one push on a row of mean length.
    # Pushes of the hinge and the logistic loss are at most 1, so a falling step may start far above that: 50 was the
    # best of 0.1 to 50 on four data sets.
    first_step: float = 50.0
    needs_penalty: bool = False
    family: Literal["schedule", "passive-aggressive", "alma", "second-order"] = (
        "schedule"  # schedules depend on t alone
    )


STEPS = {
    "constant": Step(0, "eta0", first_step=0.1),
    "1/t": Step(1, "eta0 / t"),
    "1/sqrt(t)": Step(2, "eta0 / sqrt(t)"),
    "pegasos": Step(3, "1 / (alpha t), for an L2 penalty alpha", first_step=1.0, needs_penalty=True),
    "pa": Step(4, "loss / ||x||^2: just enough to make the loss of this row 0", family="passive-aggressive"),
    "pa1": Step(5, "min(C, loss / ||x||^2); a sample weight multiplies C", family="passive-aggressive"),
    "pa2": Step(6, "loss / (||x||^2 + 1 / (2 C)); a sample weight multiplies C", family="passive-aggressive"),
    "alma": Step(7, "eta0 / (||x|| sqrt(k)) at update k; w then returns to the unit ball", family="alma"),
    "diagonal": Step(8, "(1 - m) / (x.Sx + 1 / (2 C)) along Sx, where S is a variance a weight", family="second-order"),
    "full": Step(9, "(1 - m) / (x.Sx + 1 / (2 C)) along Sx, where S is a covariance matrix", family="second-order"),
}


def _steps_of(family: str) -> dict[str, Step]:
    return {name: step for name, step in STEPS.items() if step.family == family}


SCHEDULES = _steps_of("schedule")
PASSIVE_AGGRESSIVE = _steps_of("passive-aggressive")
ALMA = _steps_of("alma")
SECOND_ORDER = _steps_of("second-order")
