"""Borda scores from votes: unbiased by enumeration, windows, delta, refusals."""

import itertools
import json
import sys

import numpy as np
import pytest

from sparring import TheoremWarning
from sparring.votes import Votes, borda, uniformity
from sparring.votes.borda_scores import SHORTEST, _starts
from worlds import random_matrices


def uniform_votes(n, P, rng):
    K = len(P)
    first = rng.integers(0, K, n)
    second = (first + rng.integers(1, K, n)) % K
    won = rng.random(n) < P[first, second]
    return Votes(tuple("abcdefgh"[:K]), first, second, won.astype(float))


def one_vote(K, i, j, outcome, chance):
    names = tuple("abcdefgh"[:K])
    return Votes(names, np.array([i]), np.array([j]), np.array([outcome]), chance=[chance])


@pytest.mark.core
@pytest.mark.parametrize("K", [2, 3, 4])
def test_the_estimate_is_unbiased(K, rng, monkeypatch):
    """The mean over all pairs and outcomes of one vote, by enumeration, is the Borda score."""
    monkeypatch.setattr(sys.modules["sparring.votes.borda_scores"], "_inside", lambda *three: three)
    for _ in range(10):
        P = random_matrices(1, K, rng)[0]
        pairs = list(itertools.combinations(range(K), 2))
        chances = rng.dirichlet(np.ones(len(pairs)))
        mean = np.zeros(K)
        for (i, j), chance in zip(pairs, chances, strict=True):
            for outcome, likely in ((1.0, P[i, j]), (0.0, 1 - P[i, j])):
                window = borda(one_vote(K, i, j, outcome, chance)).windows[0]
                mean += chance * likely * window.estimate
        assert mean == pytest.approx((P.sum(axis=1) - 0.5) / (K - 1), rel=1e-9)


def test_shares_of_delta_sum_to_less_than_one():
    """Over every start that is ever used, each once; it comes close to one."""
    used = {}
    for n in range(1, 40_000):
        for start, share in _starts(n):
            level = None if start == 0 else n - start
            assert start == 0 or SHORTEST <= level < n
            used[start, share] = share
    total = sum(used.values())
    assert 0.9 < total < 1


def test_windows_begin_where_they_may():
    n = 5_000
    starts = [start for start, _ in _starts(n)]
    assert starts[0] == 0
    assert starts == sorted(starts)
    for start in starts[1:]:
        length = n - start
        level = SHORTEST << int(np.log2(length // SHORTEST))
        assert start % level == 0
        assert level <= length < 2 * level


@pytest.mark.plain
def test_the_order_is_found_and_drift_is_seen(rng):
    """The first arm leads, then the last: the long window is undecided, the short one is not."""
    P = np.full((3, 3), 0.5)
    P[0, 1:], P[1:, 0] = 0.9, 0.1
    first = uniform_votes(8_000, P, rng)
    turned = uniform_votes(8_000, P[::-1, ::-1], rng)
    parts = [np.concatenate(two) for two in zip(_arrays(first), _arrays(turned), strict=True)]
    votes = Votes(first.names, *parts)
    found = borda(votes, pairs="uniform")
    shorter = next(window for window in found.windows if window.start >= 8_000)
    assert shorter.above[2, 0] and not shorter.above[0, 2]
    assert not found.windows[0].above[[0, 2], [2, 0]].any()
    logged = borda(Votes(votes.names, *parts, chance=np.full(16_000, 1 / 3)))
    shorter = next(window for window in logged.windows if window.start >= 8_000)
    assert shorter.above[2, 0] and not shorter.above[0, 2]


def _arrays(votes):
    return votes.first, votes.second, votes.outcome


def test_uniform_pairs_give_narrower_intervals_on_the_whole(rng):
    """Not of an arm that happened to be shown more often than it should have been."""
    votes = uniform_votes(4_000, np.full((4, 4), 0.5), rng)
    said = borda(votes, pairs="uniform").windows[0]
    parts = _arrays(votes)
    logged = borda(Votes(votes.names, *parts, chance=np.full(4_000, 1 / 6))).windows[0]
    assert (said.upper - said.lower).mean() < 0.95 * (logged.upper - logged.lower).mean()


def test_pairs_without_a_chance_leave_the_interval_right(rng):
    """Arms 0 and 2 never meet: x and y have smaller means, so the interval is wide, not wrong."""
    P = np.array([[0.5, 0.5, 1.0], [0.5, 0.5, 0.5], [0.0, 0.5, 0.5]])
    n = 20_000
    first = np.where(rng.random(n) < 0.5, 0, 2)
    second = np.ones(n, int)
    won = (rng.random(n) < P[first, second]).astype(float)
    votes = Votes(("a", "b", "c"), first, second, won, chance=np.full(n, 0.5))
    window = borda(votes).windows[0]
    truth = (P.sum(axis=1) - 0.5) / 2
    assert (window.lower <= truth).all() and (truth <= window.upper).all()
    assert window.upper[0] > 0.74  # a quarter of what might be is unknown on each side
    assert window.lower[0] < 0.26


def test_refused_without_chances_and_with_weights(rng):
    votes = uniform_votes(100, np.full((3, 3), 0.5), rng)
    with pytest.raises(ValueError, match='pairs="uniform"'):
        borda(votes)
    with pytest.raises(ValueError, match="delta"):
        borda(votes, pairs="uniform", delta=0)
    with pytest.raises(ValueError, match="pairs must be one of"):
        borda(votes, pairs="unifrom")
    weighed = Votes(votes.names, *_arrays(votes), weight=np.full(100, 2.0))
    with pytest.raises(ValueError, match="weight"):
        borda(weighed, pairs="uniform")
    with pytest.raises(ValueError, match="at least one"):
        borda(votes[:0], pairs="uniform")


def test_clearly_not_uniform_is_warned_of(rng):
    names = tuple("abc")
    votes = Votes(names, np.zeros(500, int), 1 + (rng.random(500) < 0.1), np.ones(500))
    with pytest.warns(TheoremWarning, match="clearly not uniform"):
        borda(votes, pairs="uniform")


def test_uniformity_has_its_law(rng):
    """400 uniform logs, by pairs and by arms: p below 0.05 in 5% of them, by binomial tails.

    Bounds of 5 to 38 of 400 have a false alarm below 1e-4 together, also if the rate is 4 or 6%.
    """
    for n, K in ((600, 4), (100, 8)):  # 8 arms have 28 pairs: fewer than five votes each
        fair = np.full((K, K), 0.5)
        low = sum(uniformity(uniform_votes(n, fair, rng)).chance < 0.05 for _ in range(400))
        assert 5 <= low <= 38


def test_what_it_says(rng):
    votes = uniform_votes(300, np.array([[0.5, 0.9], [0.1, 0.5]]), rng)
    found = borda(votes, pairs="uniform")
    assert "if pairs were uniform" in str(found)
    assert "a  " in str(found) and "certainly above 1 of 1" in str(found)
    fields = json.loads(json.dumps(found.to_json()))
    assert fields["windows"][0]["above"] == [["a", "b"]]
    table = found.to_table()
    assert len(table) == 2 * len(found.windows)
    assert table["lower"][0] == found.windows[0].lower[0]


def test_an_arm_nobody_saw_is_unknown():
    names = tuple("abc")
    votes = Votes(names, np.zeros(40, int), np.ones(40, int), np.ones(40))
    with pytest.warns(TheoremWarning):
        window = borda(votes, pairs="uniform").windows[0]
    assert np.isnan(window.estimate[2])
    assert (window.lower[2], window.upper[2]) == (0, 1)
