"""How parameter mixing ends, goes on, is interrupted and refuses: with the same bits, or with a sentence."""

import numpy as np
import pytest
from killed_driver import Killed, Mortal
from mixed_shards import CASES, digest, overlapping, plan_of, separable, stacked, trained

from rosenblatt.foundation.errors import InputError, TooLarge

pytestmark = pytest.mark.usefixtures("few_shards")


def test_no_mistakes_on_any_shard_are_proved_by_the_last_pass():
    X, codes = separable(5)
    learned = trained(plan_of(), X, codes)
    assert learned.status == f"no mistakes left after {learned.n_iter} epochs"
    assert learned.history["mistakes"][-1] == learned.history["updates"][-1] == 0
    margins = np.where(codes, 1, -1) * (X @ learned.coef[0] + learned.intercept[0])
    assert margins.min() > 0
    assert learned.n_visits == learned.n_iter * len(codes)


def test_a_limit_of_epochs_says_so():
    X, codes = overlapping(classes=2)
    learned = trained(plan_of(max_iter=3), X, codes)
    wrong = ((X @ learned.coef[0] + learned.intercept[0] > 0) != codes).sum()
    assert learned.status == f"max_iter reached after 3 epochs, with {wrong} of 600 rows misclassified"


def test_the_pocket_keeps_the_best_mixture():
    X, codes = overlapping(classes=2)
    learned = trained(plan_of("pocket", order="shuffle", max_iter=20), X, codes)
    every = [trained(plan_of(order="shuffle", max_iter=n), X, codes) for n in range(1, 11)]
    assert learned.status.mistakes == min(one.status.mistakes for one in every)
    assert learned.history["mistakes"][-1] == learned.status.mistakes
    assert learned.n_visits == 20 * 600  # ten epochs of learning, and as many of checks


def test_a_warm_start_goes_on():
    X, codes = separable(2, margin=0.05)
    plan = plan_of(order="cyclic", max_iter=1, intercept_scaling=2.0)
    once = trained(plan, X, codes)
    again = trained(plan, X, codes, start=(once.coef, once.intercept))
    twice = trained(plan_of(order="cyclic", max_iter=2, intercept_scaling=2.0), X, codes)
    np.testing.assert_array_equal(stacked(again), stacked(twice))


def test_sums_that_overflow_are_told():
    X, codes = overlapping(classes=2)
    with pytest.raises(TooLarge):
        trained(plan_of(), X * 1e200, codes)


def test_what_shards_cannot_learn_apart_is_refused():
    with pytest.raises(
        InputError, match=r"order='batch' chooses among all rows.*'cyclic', 'shuffle-once', 'shuffle', 'working-set'"
    ):
        trained(plan_of(order="batch"), *separable(0))
    for name, step in (("alma", "alma"), ("arow", "diagonal"), ("second-order", "diagonal")):
        with pytest.raises(InputError, match=f"step='{step}' depends on all earlier updates"):
            trained(plan_of(name), *separable(0))


def test_ctrl_c_between_epochs_keeps_what_was_learned():
    def watch(progress):
        raise KeyboardInterrupt

    X, codes = overlapping(classes=2)
    learned = trained(plan_of(), X, codes, watch=watch)
    assert learned.interrupted
    assert learned.n_visits == 600 * learned.n_iter
    np.testing.assert_array_equal(learned.coef, trained(plan_of(max_iter=learned.n_iter), X, codes).coef)


@pytest.mark.parametrize(("plan", "classes"), CASES)
def test_a_driver_that_is_killed_again_and_again_comes_to_the_same_bits(plan, classes):
    X, codes = overlapping(classes=classes)
    saved, deaths = None, 0
    while True:
        bookmark = Mortal(saved, saves=2)
        try:
            learned = trained(plan, X, codes, classes, bookmark=bookmark, rows=70)
            break
        except Killed:
            saved, deaths = bookmark.tree, deaths + 1
            assert deaths < 100
    assert deaths >= 2
    assert digest(learned) == digest(trained(plan, X, codes, classes, rows=70))


def test_a_saved_state_of_other_columns_is_refused():
    bookmark = Mortal(None, saves=1)
    with pytest.raises(Killed):
        trained(plan_of(), *overlapping(classes=2), bookmark=bookmark)
    with pytest.raises(ValueError, match="not of these columns"):
        trained(plan_of(), *overlapping(columns=5, classes=2), bookmark=Mortal(bookmark.tree, saves=9))
