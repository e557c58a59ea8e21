"""The parts have the same names and numbers in Python, in the core and in the reference."""

import pytest

from rosenblatt import _core
from rosenblatt.parts.keeps import KEEPS
from rosenblatt.parts.losses import LOSSES
from rosenblatt.parts.orders import ORDERS
from rosenblatt.parts.steps import STEPS
from rosenblatt.reference import learner, visit_orders

SPELLED_OUT = {"1/t": "inverse", "1/sqrt(t)": "inverse_sqrt"}


@pytest.mark.parametrize(("kind", "members"), [("loss", LOSSES), ("order", ORDERS), ("step", STEPS), ("keep", KEEPS)])
def test_the_core_numbers_its_parts_as_python_does(kind, members):
    names = [SPELLED_OUT.get(name, name.replace("-", "_")) for name in members]
    assert _core.part_names()[kind] == names
    assert [part.code for part in members.values()] == list(range(len(members)))


def test_the_reference_defines_every_loss_step_and_order():
    assert learner.LOSSES.keys() == LOSSES.keys()
    assert learner.STEPS.keys() == STEPS.keys()
    assert visit_orders.ORDERS.keys() == ORDERS.keys()


@pytest.mark.parametrize("name", LOSSES)
def test_facts_of_a_loss_hold_for_its_definition(name):
    loss, define = LOSSES[name], learner.LOSSES[name]
    margins = [-3.0, -1.5, -0.5, -1e-3, 1e-3, 0.5, 0.9, 1.5]
    assert loss.pushes_only_mistakes == all(define(m)[1] == 0 for m in margins if m > 0)
    assert loss.reaches_zero == (define(10.0)[0] == 0)
    assert loss.push_grows == (define(-0.9)[1] > 1)
    for m in margins:
        value, push = define(m)
        assert (define(m - 1e-6)[0] - value) / 1e-6 == pytest.approx(push, abs=1e-4)


def test_the_core_knows_which_losses_rest():
    facts = _core.loss_facts()
    for name, loss in LOSSES.items():
        assert facts[name.replace("-", "_")]["rests_when_correct"] == loss.pushes_only_mistakes
