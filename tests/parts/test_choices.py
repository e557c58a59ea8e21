"""The types of parameters name exactly the parts that there are, and the public signatures use them."""

from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import rosenblatt
from rosenblatt import classifiers
from rosenblatt.parts import catalogue, choices
from rosenblatt.parts.keeps import KEEPS
from rosenblatt.parts.kernels import KERNELS, PRECOMPUTED
from rosenblatt.parts.losses import LOSSES
from rosenblatt.parts.orders import ORDERS
from rosenblatt.parts.penalties import PENALTIES, penalties_of
from rosenblatt.parts.steps import PASSIVE_AGGRESSIVE, SCHEDULES, SECOND_ORDER
from rosenblatt.parts.stops import CRITERIA
from rosenblatt.risk.held_out_risk import Method
from rosenblatt.risk.intervals import MEAN_INTERVALS, SHARE_INTERVALS
from rosenblatt.risk.structural_risk import CHOICES, Choice
from rosenblatt.solvers.defaults import MULTI_CLASS, SOLVERS
from rosenblatt.tables.encode.column_options import KINDS, Kind

REGISTRIES = {
    choices.Order: ORDERS,
    choices.Schedule: SCHEDULES,
    choices.PassiveAggressiveStep: PASSIVE_AGGRESSIVE,
    choices.Covariance: SECOND_ORDER,
    choices.Keep: KEEPS,
    choices.Criterion: CRITERIA,
    choices.Penalty: penalties_of("squared-hinge"),
    choices.LogisticPenalty: PENALTIES,
    choices.MarginLoss: [name for name, loss in LOSSES.items() if loss.algorithm == "svm"],
    choices.KernelName: [*KERNELS, PRECOMPUTED],
    choices.Solver: SOLVERS,
    choices.MultiClass: MULTI_CLASS,
    choices.Balanced: ["balanced"],
    choices.Auto: ["auto"],
    choices.AlgorithmName: ["auto", *catalogue.ALGORITHMS],
    choices.ClassPairs: ["ovr", "ovo"],
    Kind: KINDS,
    Choice: CHOICES,
    Method: [*SHARE_INTERVALS, *MEAN_INTERVALS],
}
CHOSEN = ("order", "step", "keep", "criterion", "penalty", "loss", "kernel", "solver", "multi_class", "class_weight")


def literals(annotation: Any) -> list[Any]:
    """The literal types within a union."""
    if get_origin(annotation) is Literal:
        return [annotation]
    return [one for part in get_args(annotation) for one in literals(part)]


@pytest.mark.parametrize("kind", REGISTRIES, ids=lambda kind: get_args(kind)[0])
def test_a_type_names_all_members_of_its_registry(kind):
    assert sorted(get_args(kind)) == sorted(REGISTRIES[kind])


def test_every_type_is_held_to_a_registry():
    named = [kind for kind in vars(choices).values() if get_origin(kind) is Literal]
    assert all(kind in REGISTRIES for kind in named)


@pytest.mark.parametrize("name", catalogue.CLASS_NAMES)
def test_signatures_of_classifiers_name_the_choices(name):
    hints = get_type_hints(getattr(classifiers, name).__init__)
    for parameter in CHOSEN:
        if parameter in hints:
            [kind] = literals(hints[parameter])
            assert kind in REGISTRIES, parameter


def test_functions_name_the_choices():
    assert literals(get_type_hints(rosenblatt.fit)["algorithm"]) == [choices.AlgorithmName]
    assert literals(get_type_hints(rosenblatt.separability)["multi_class"]) == [choices.ClassPairs]
    assert literals(get_type_hints(rosenblatt.StructuralRisk.__init__)["choice"]) == [Choice]
    assert literals(get_type_hints(rosenblatt.held_out_risk)["method"]) == [Method]
    assert Kind in literals(get_type_hints(rosenblatt.TableEncoder.__init__)["kinds"])
