"""Which arm a learner thinks best: all of ours tell, also those that couple their arms."""

import numpy as np
import pytest

import sparring
from learner_factories import FACTORIES, SIZES
from sparring.learners import Adaptive
from sparring.learners.counts import leader
from sparring.learners.frame import Frame
from sparring.simulation.observers import favourite_of
from worlds import ladder

# Those who never learn, or are planned for far more rounds than these.
SLOW = {"rand", "dex3s", "borda_dex3s", "d_exp3", "anaconda", "metaswift"}


@pytest.mark.compiled
@pytest.mark.parametrize("name", sorted(FACTORIES.keys() - SLOW))
def test_after_some_thousand_duels_the_favourite_is_the_winner(name):
    """Arm 3 wins nine duels of ten; a learner that has begun anew has had 500 rounds since."""
    K = SIZES[name]["K"]
    order = np.roll(np.arange(K), 3)
    P = np.empty((K, K))
    P[np.ix_(order, order)] = ladder(K, 0.4)
    learner = FACTORIES[name](5)
    rounds = 4500
    block = sparring.Block(P[None], np.array([rounds]))
    learner.play(block, np.random.default_rng(6).random(rounds))
    assert learner.favourite == order[0]
    assert isinstance(learner.favourite, int)


@pytest.mark.parametrize("name", FACTORIES)
def test_a_new_learner_has_some_favourite(name):
    assert 0 <= FACTORIES[name](1).favourite < SIZES[name]["K"]


def test_the_leader_by_counts_is_who_beat_most_others_then_who_won_most():
    assert leader(np.zeros((3, 3))) == 0
    assert leader(np.array([[0, 1, 2], [3, 0, 9], [1, 0, 0]])) == 1
    cycle = np.array([[0.0, 6, 4], [4, 0, 9], [6, 1, 0]])  # each beat one: rates 10/20, 13/20, 7/20
    assert leader(cycle) == 1


def test_who_couples_its_arms_and_says_nothing_has_no_favourite():
    """Not arm 0, which would be right by luck."""

    class Silent(Adaptive):
        favourite = Frame.favourite

    learner = Silent(3, seed=1)
    with pytest.raises(
        AttributeError, match="Silent couples its arms: give it a property favourite"
    ):
        _ = learner.favourite
    assert favourite_of(learner) is None
