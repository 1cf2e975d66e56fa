"""The kernels of the alarm against their definitions, and the one-step facts of the promises."""

import math

import numpy as np
import pytest

import alarm_twin as twin
from sparring.votes import _watches as kernels
from sparring.votes.alarms import Watching

pytestmark = [pytest.mark.core, pytest.mark.plain]

A = 300.0


def watching(K=3, watch=("leader", "pairs"), settle=10**6, every=A):
    return Watching(K, every / len(watch), watch, settle)


def tell(w, i, j, o):
    """Tell a vote; the events."""
    if i > j:
        i, j, o = j, i, 1 - o
    pair = w.place(i, j)
    events = kernels.add(i, j, pair, o, 0.0, tuple(w.memory), tuple(w.numbers))
    w.enter(i, j, pair)
    return events, pair


def random_votes(rng, K, n, outcomes=(0.0, 0.5, 1.0)):
    i = rng.integers(K, size=n)
    j = (i + rng.integers(1, K, n)) % K
    return list(zip(i.tolist(), j.tolist(), rng.choice(outcomes, n).tolist(), strict=True))


def test_the_sum_against_the_favourite_is_that_of_its_definition(rng):
    """After each of 200 votes, with ties, for favourites of lower and of higher place."""
    for favourite in range(3):
        w = watching()
        w.memory.counts[kernels.FAVOURITE] = favourite
        votes = random_votes(rng, 3, 200)
        for n, vote in enumerate(votes):
            tell(w, *vote)
            wanted = twin.evidence_against(favourite, votes[: n + 1], w.numbers.bets)
            assert w.memory.total[0] == pytest.approx(wanted, rel=1e-12)


def test_the_total_is_summed_anew_now_and_then():
    """So that roundings do not add up: after 1,024 votes it is the plain sum of its parts."""
    w = watching(K=4, every=1e15)
    w.memory.counts[kernels.FAVOURITE] = 0
    rng = np.random.default_rng(4)
    for _ in range(1024):
        tell(w, 0, int(rng.integers(1, 4)), float(rng.random() < 0.5))
    assert w.memory.total[0] == w.memory.means[0] + sum(w.memory.means[1:].tolist())


def test_the_alarm_of_the_leader_rings_at_the_threshold_and_not_before(rng):
    w = watching(K=2, watch=("leader",))
    w.memory.counts[kernels.FAVOURITE] = 1
    votes, events = [], 0
    while not events:
        votes.append((0, 1, 1.0))
        events, _ = tell(w, *votes[-1])
    assert events == kernels.LEADER
    bets = w.numbers.bets
    assert twin.evidence_against(1, votes, bets) >= A
    assert twin.evidence_against(1, votes[:-1], bets) < A


def test_without_a_favourite_nothing_is_held_against_anybody(rng):
    w = watching()
    for vote in random_votes(rng, 3, 50):
        tell(w, *vote)
    assert not w.memory.R.any() and w.memory.total[0] == 0


@pytest.mark.parametrize("change", [(0.9, 0.3), (0.15, 0.7), (0.5, 0.5)])
def test_a_pair_rings_when_its_definition_does(change, rng):
    """Ends and alarm are those of all sequences kept in full, by bisection, at 600 votes."""
    w = watching(K=2, watch=("pairs",))
    scores = (rng.random(600) < np.repeat(change, 300)).astype(float)
    scores[::7] = 0.5
    spans, rates = w.numbers.span.tolist(), w.numbers.rate.tolist()
    wanted, ends = twin.pair_alarm(scores, A, spans, rates)
    rang = None
    for n, o in enumerate(scores.tolist()):
        events, _ = tell(w, 1, 0, 1 - o)
        if events:
            rang = n + 1
            break
    assert rang == wanted
    assert (rang is None) == (change == (0.5, 0.5))
    assert w.memory.ends[0] == pytest.approx(ends, abs=1e-12)


def test_the_kept_logarithms_are_those_of_the_ends(rng):
    w = watching(K=2, watch=("pairs",), every=1e6)
    for o in (rng.random(500) < 0.8).tolist():
        tell(w, 0, 1, float(o))
    low, high = w.memory.ends[0].tolist()
    assert 0 < low < 0.8 < high < 1
    for row, x in zip(w.memory.logs[0], (low, high, 1 - high, 1 - low), strict=True):
        assert row.tolist() == [math.log1p(x * g) for g in w.numbers.growth.tolist()]


def test_pairs_do_not_ring_where_nobody_asked_and_are_counted_all_the_same():
    w = watching(K=2, watch=("leader",))
    for o in [1.0] * 200 + [0.0] * 200:
        events, _ = tell(w, 0, 1, o)
        assert not events
    assert w.memory.record[0].tolist() == [400, 200]
    assert w.memory.born[0, 0, :, 0].tolist() == [384, 352]


def test_a_pair_that_is_forgotten_is_as_if_never_met(rng):
    w = watching(K=3, watch=("pairs",))
    fresh = watching(K=3, watch=("pairs",))
    for vote in random_votes(rng, 3, 300):
        tell(w, *vote)
    pair, again = w.place(0, 1), fresh.place(0, 1)
    kernels.forget(pair, tuple(w.memory), tuple(w.numbers))
    for name in ("record", "ends", "logs"):
        assert np.array_equal(getattr(w.memory, name)[pair], getattr(fresh.memory, name)[again])
    assert (w.memory.born[pair, :, :, 0] == -1).all()


def test_a_choice_is_due_after_so_many_votes():
    w = watching(settle=5)
    assert [tell(w, 0, 1, 0.5)[0] for _ in range(6)] == [0] * 4 + [kernels.CHOOSE] * 2


def test_many_votes_at_once_stop_at_each_event():
    w = watching(K=2, watch=("leader",), settle=3)
    low = np.zeros(10, np.int64)
    pairs = w.place_all(low, low + 1)
    told = (low, low + 1, pairs, np.ones(10), np.zeros(10))
    assert kernels.add_many(*told, 0, tuple(w.memory), tuple(w.numbers)) == (3, kernels.CHOOSE)
    w.settle_down(kernels.CHOOSE, 0, w.begin_again(kernels.CHOOSE))
    assert w.favourite == 0
    assert kernels.add_many(*told, 3, tuple(w.memory), tuple(w.numbers)) == (6, kernels.CHOOSE)
    w.settle_down(kernels.CHOOSE, 0, w.begin_again(kernels.CHOOSE))
    assert kernels.add_many(*told, 6, tuple(w.memory), tuple(w.numbers)) == (10, 0)


def test_traces_keep_the_highest_of_the_votes_they_stand_for(rng):
    """Over 1,300 votes two points became one twice, and no peak was lost."""
    w = watching(K=2, watch=("leader",), every=1e9)
    w.memory.counts[kernels.FAVOURITE] = 0
    totals = []
    for _ in range(1300):
        tell(w, 0, 1, float(rng.random() < 0.5))
        totals.append(w.memory.total[0])
    width = int(w.memory.width[0])
    assert width == 4
    wanted = [max(totals[k : k + width]) for k in range(0, 1300, width)]
    assert w.memory.traces[: len(wanted), 0].tolist() == wanted
    assert not w.memory.traces[len(wanted) :].any()


def test_the_evidence_on_a_pair_reaches_the_threshold_when_it_rings():
    """And not before: the figure and the alarm say the same."""
    w = watching(K=2, watch=("pairs",))
    shown = []
    for o in [1.0] * 200 + [0.0] * 200:
        before = w.memory.traces[:, 1].copy()
        events, _ = tell(w, 0, 1, o)
        shown.append(w.memory.traces[w.votes - 1, 1])
        if events:
            break
    assert events == kernels.PAIR
    assert shown[-1] > math.log(A) >= max(shown[:-1])
    assert before.max() <= math.log(A)


def test_the_one_step_facts_of_the_promises():
    """E[1 + b (1/2 - o)] <= 1 for o with a mean of 1/2 or more, and for any o in [0, 1] with mean x
    E[e^(rate o)] <= 1 + x (e^rate - 1), with equality for wins and losses."""
    numbers = watching().numbers
    assert ((numbers.bets > 0) & (numbers.bets < 2)).all()
    for b in numbers.bets:
        for mean in (0.5, 0.7, 1.0):
            assert mean * (1 - b / 2) + (1 - mean) * (1 + b / 2) <= 1
    for rate, growth in zip(numbers.rate, numbers.growth, strict=True):
        for x in (0.0, 0.1, 0.5, 0.93, 1.0):
            for values, chances in (([0, 1], [1 - x, x]), ([x], [1]), ([0, x, 1], None)):
                if chances is None:
                    chances = [(1 - x) / 2, 0.5, x / 2]
                found = sum(c * math.exp(rate * v) for v, c in zip(values, chances, strict=True))
                assert found <= (1 + x * growth) * (1 + 1e-12)
        assert 0.3 * math.exp(rate) + 0.7 == pytest.approx(1 + 0.3 * growth, rel=1e-12)


def test_levels_add_up_to_no_more_than_the_votes_pay_for():
    """At each vote of a pair, the levels of all sequences begun by then are at most votes / A; and
    at the first of them they are all of it: nothing is wasted."""
    w = watching(K=2, watch=("pairs",))
    level = 2 / np.exp(w.numbers.limit)
    spent = 0.0
    for n in range(3000):
        for s, d in enumerate(w.numbers.span.tolist()):
            if n % d == 0:
                spent += level[s, 0] if n == 0 else level[s, 1]
        assert spent <= (n + 1) / A * (1 + 1e-12)
        if n == 0:
            assert spent == pytest.approx(1 / A)


def test_a_pair_of_many_votes_hears_the_longest_sequence(rng):
    """Which speaks from 8,192 votes on; the ends are within those of its definition."""
    w = watching(K=2, watch=("pairs",), every=1e6)
    scores = (rng.random(9000) < 0.6).astype(float)
    low = np.zeros(9000, np.int64)
    told = (low, low + 1, w.place_all(low, low + 1), scores, np.zeros(9000))
    assert kernels.add_many(*told, 0, tuple(w.memory), tuple(w.numbers)) == (9000, 0)
    level = 1 / (len(w.numbers.span) * 1e6)
    below, above = twin.interval(scores, w.numbers.rate[-1], level)
    least, largest = w.memory.ends[0].tolist()
    assert below <= least < 0.6 < largest <= above
