"""An interrupt at any moment leaves a vote counted or not counted, and nothing between."""

import itertools
import json

import numpy as np
import pytest

from interrupting import Interrupter, let_go
from sparring.votes import Alarm, RunningStandings, Votes

NAMES = ("tea", "coffee", "water")
MOMENTS = 80  # of a call, about


def contents(one):
    return json.loads(json.dumps(one.snapshot()))


def told(k):
    """The k-th vote: tea wins at first, and loses later, so that everything rings at times."""
    i, j = ((0, 1), (2, 0), (1, 2))[k % 3]
    return NAMES[i], NAMES[j], float((k * 7 % 10 < 8) == ((k < 90) == (i == 0)))


MADE = {
    "running": lambda: RunningStandings(NAMES, half_life=20, side=True),
    "running, times": lambda: RunningStandings(NAMES, half_life=0.001),
    "alarm": lambda: Alarm(NAMES, every=20, settle=6),
    "alarm, times": lambda: Alarm(NAMES, every=20, settle=6),
}


@pytest.mark.core
@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("warm", [0, 130], ids="after {}".format)
def test_a_vote_is_counted_or_not_counted(name, warm):
    """Interrupted before some of its bytecodes in turn, and so is the call that comes next.

    From the first vote on, with new pairs, and from later ones, with which alarms ring and
    strengths are settled.
    """
    one, twin = MADE[name](), MADE[name]()

    def vote(which):
        k = which.votes
        which.update(*told(k), at=1.7e9 + 10.0 * k if "times" in name else None)

    for _ in range(warm):
        vote(one)
        vote(twin)
    vote(other := MADE[name]())  # what is compiled at first is by now
    step = max(1, Interrupter.moments(vote, other) // MOMENTS)
    for n in itertools.count(1, step):
        before = contents(twin)
        cut_off = Interrupter(n).call(vote, one)
        let_go(one)
        seen = one.votes
        Interrupter(1 + n * 7 % 60).call(one.snapshot)  # and who comes next, too
        let_go(one)
        found = contents(one)
        assert seen == one.votes
        if found != before:
            vote(twin)
            assert found == contents(twin), f"half-done at moment {n}"
        else:
            assert cut_off, "not done, although nobody interrupted"
        if not cut_off:
            break
    assert n > 10 * step, "hardly anything was interrupted"
    type(one).restore(one.snapshot())


def test_many_votes_are_counted_up_to_some_vote():
    """An alarm that is cut off goes on from `votes`, and comes to what it would have."""
    k = np.arange(150)
    rows = [told(int(one)) for one in k]
    first, second = (np.array([NAMES.index(row[at]) for row in rows]) for at in (0, 1))
    votes = Votes(NAMES, first, second, np.array([row[2] for row in rows]), 1.7e9 + 10.0 * k)
    whole = MADE["alarm"]()
    whole.update_many(votes)
    assert whole.rung > 2
    step = max(1, Interrupter.moments(MADE["alarm"]().update_many, votes) // MOMENTS)
    counted = set()
    for n in itertools.count(1, step):
        one = MADE["alarm"]()
        cut_off = Interrupter(n).call(one.update_many, votes)
        counted.add(one.votes)
        one.update_many(votes[one.votes :])
        assert contents(one) == contents(whole)
        if not cut_off:
            break
    assert len(counted) > 5
