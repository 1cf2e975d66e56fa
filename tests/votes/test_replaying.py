"""Replay by rejection: the law of what is played, by enumeration of all logs, and its refusals."""

import itertools
import json
from collections import defaultdict
from functools import partial

import numpy as np
import pytest

import sparring
from sparring.problem import Duel
from sparring.votes import Votes, borda, replay
from sparring.votes.off_policy import _play
from worlds import ladder, random_matrices

NAMES = tuple("abcd")
PAIRS = [(0, 1), (0, 2), (1, 2)]


class Deterministic:
    """Asks for a pair that its past decides, now and then for an arm against itself."""

    K = 3

    def __init__(self):
        self.past, self.asked = [], 0

    def ask(self):
        self.asked += 1
        won = [pair for pair, outcome in self.past if outcome == 1]
        if self.asked == 2:
            return Duel(self.asked, 1, 1, np.empty((0, 3)))
        pair = (1, 0) if not won else (2, 0) if len(won) == 1 else (1, 2)
        return Duel(self.asked, *pair, np.empty((0, 3)))

    def tell(self, duel, outcome):
        if duel.row == duel.col:
            assert outcome == 0.5
        else:
            self.past.append(((duel.row, duel.col), outcome))


def in_service(P, rounds):
    """The law of the first rounds with two arms, by going through all outcomes."""
    law = {}
    for outcomes in itertools.product((0.0, 1.0), repeat=rounds):
        learner, chance, played = Deterministic(), 1.0, []
        while len(played) < rounds:
            duel = learner.ask()
            if duel.row == duel.col:
                learner.tell(duel, 0.5)
                continue
            o = outcomes[len(played)]
            chance *= P[duel.row, duel.col] if o else P[duel.col, duel.row]
            learner.tell(duel, o)
            played.append((duel.row, duel.col, o))
        law[tuple(played)] = chance
    return law


def test_the_history_has_the_law_of_service(rng):
    """All 6^5 logs of five votes on three arms: the first two rounds, given that there are two."""
    P = random_matrices(1, 3, rng)[0]
    law, enough = defaultdict(float), 0.0
    for log in itertools.product(range(3), (0.0, 1.0), repeat=5):
        pairs, outcomes = [PAIRS[k] for k in log[::2]], np.array(log[1::2])
        first, second = np.array(pairs).T
        chance = np.prod(np.where(outcomes == 1, P[first, second], P[second, first])) / 3**5
        history, _ = _play(Deterministic(), Votes(NAMES[:3], first, second, outcomes), None)
        met = history.votes >= 0
        if met.sum() >= 2:
            rounds = zip(history.rows[met], history.cols[met], history.outcomes[met], strict=True)
            law[tuple(itertools.islice(rounds, 2))] += chance
            enough += chance
    expected = in_service(P, 2)
    assert law.keys() == expected.keys()
    for history, chance in law.items():
        assert chance / enough == pytest.approx(expected[history], rel=1e-9)


def test_the_next_vote_on_the_pair_answers_whoever_is_first():
    votes = Votes(
        NAMES[:3],
        first=np.array([1, 0, 0, 2, 0]),
        second=np.array([2, 1, 1, 0, 2]),
        outcome=np.array([1.0, 0.0, 1.0, 0.25, 1.0]),
    )
    history, waited = _play(Deterministic(), votes, None)
    # It asks (1, 0), then 1 against itself; 1 won, so (2, 0), which vote 3 answers; and again.
    assert history.rows.tolist() == [1, 1, 2, 2]
    assert history.cols.tolist() == [0, 1, 0, 0]
    assert history.outcomes.tolist() == [1.0, 0.5, 0.25, 0.0]
    assert history.votes.tolist() == [1, -1, 3, 4]
    assert waited.tolist() == [[1, 0], [1, 0], [2, 0], [2, 0], [2, 0]]


def uniform_votes(n, P, rng):
    K = len(P)
    first = rng.integers(0, K, n)
    second = (first + rng.integers(1, K, n)) % K
    won = rng.random(n) < P[first, second]
    return Votes(NAMES[:K], first, second, won.astype(float))


def _arrays(votes):
    return votes.first, votes.second, votes.outcome


def test_how_many_rounds_there_are(rng):
    """n / 6 with four arms; 5 standard deviations, so a false alarm below 1e-6."""
    found = replay(uniform_votes(6_000, ladder(4, 0.2), rng), "tracker", differ=True)
    assert found.expected == 1_000
    assert abs(found.played - 1_000) < 5 * np.sqrt(6_000 * 5 / 36)
    assert found.learner.favourite == 0
    assert found.evaluation.estimates[0].lower > 0.5
    assert "likes a best" in str(found) and "1,000 were to be expected" in str(found)
    assert len(found.to_table()) == found.played + found.selves
    assert json.loads(json.dumps(found.to_json()))["played"] == found.played


def test_a_learner_by_name_is_told_the_rounds_there_are(rng):
    votes = uniform_votes(3_000, ladder(3, 0.2), rng)
    told = replay(votes, "dex3p").learner.tuning
    assert told == sparring.dex3p(3, T=1_000, seed=1).tuning
    given = sparring.rand(3, seed=4)
    assert replay(votes, given).learner is given


def test_rounds_end_it_or_are_refused(rng):
    votes = uniform_votes(600, ladder(3, 0.2), rng)
    assert replay(votes, "rand", rounds=100).played == 100
    with pytest.raises(ValueError, match="rounds must be as few as the log can answer"):
        replay(votes, "rand", rounds=500)


def test_what_is_refused(rng):
    votes = uniform_votes(600, ladder(3, 0.2), rng)
    with pytest.raises(ValueError, match="Did you mean 'tracker'"):
        replay(votes, "traker")
    with pytest.raises(ValueError, match="3 arms"):
        replay(votes, sparring.rand(4, seed=1))
    often = np.tile(np.flatnonzero(votes.first == 0), 4)
    more = np.concatenate([np.arange(600), often])
    skewed = Votes(votes.names, *(x[more] for x in _arrays(votes)))
    with pytest.warns(sparring.TheoremWarning, match="clearly not uniform"):
        replay(skewed, "rand")


def test_one_that_is_sure_for_ever_ends(rng):
    class Sure:
        K, favourite = 3, 0

        def ask(self):
            return Duel(1, 0, 0, np.empty((0, 3)))

        def tell(self, duel, outcome):
            pass

    with pytest.raises(ValueError, match="no two different arms"):
        replay(uniform_votes(100, ladder(3), rng), Sure())


@pytest.mark.parametrize(
    "what", [partial(replay, learner="tracker"), partial(borda, pairs="uniform")]
)
def test_chances_that_are_not_uniform_are_refused(what):
    """The log itself says that pairs were not uniform, however few votes it has."""
    arms = ("a", "b", "c"), [0, 1, 0] * 100, [1, 2, 2] * 100, [1.0, 0.0, 1.0] * 100
    with pytest.raises(
        ValueError, match=r"uniform pairs; got chances from 0.2 to 0.6 instead of 0"
    ):
        what(Votes(*arms, chance=[0.6, 0.2, 0.2] * 100))
    assert what(Votes(*arms, chance=[1 / 3] * 300))
