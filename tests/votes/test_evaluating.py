"""Off-policy estimates: unbiased by enumeration, from earlier votes, refused without overlap."""

import itertools
import json
import math

import numpy as np
import pytest

import sparring
from sparring.votes import Votes, evaluate, from_duels, shown_shares
from sparring.votes.off_policy import (
    PolicyEstimate,
    Target,
    Terms,
    _ratio,
    _terms,
    _within,
    constant,
    pair_shares,
)
from worlds import ladder, random_matrices

NAMES = tuple("abcd")


def uniform_votes(n, P, rng):
    K = len(P)
    first = rng.integers(0, K, n)
    second = (first + rng.integers(1, K, n)) % K
    won = rng.random(n) < P[first, second]
    return Votes(NAMES[:K], first, second, won.astype(float))


def value(P, pi, rho):
    """The definition: rho None is any other arm."""
    K, total = len(P), 0.0
    for i, j in itertools.product(range(K), repeat=2):
        if rho is None:
            total += pi[i] * P[i, j] / (K - 1) if i != j else 0
        else:
            total += pi[i] * rho[j] * (P[i, j] if i != j else 0.5)
    return total


@pytest.mark.core
@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("reference", [True, False])
def test_terms_are_unbiased(K, reference, rng):
    """The mean over all pairs and outcomes of one vote, whatever the model says."""
    for _ in range(10):
        P, Q = random_matrices(2, K, rng)
        pi = rng.dirichlet(np.ones(K) / 2)
        rho = rng.dirichlet(np.ones(K) / 2) if reference else None
        target = Target(constant(pi), None if rho is None else constant(rho), K)
        pairs = list(itertools.permutations(range(K), 2))  # either may be the first
        chances = rng.dirichlet(np.ones(K * (K - 1) // 2))
        of_pair = dict(
            zip(map(frozenset, itertools.combinations(range(K), 2)), chances, strict=True)
        )
        mean = np.zeros(5)
        for i, j in pairs:
            chance = of_pair[frozenset((i, j))]
            for outcome, likely in ((1.0, P[i, j]), (0.0, P[j, i])):
                votes = Votes(NAMES[:K], np.array([i]), np.array([j]), np.array([outcome]))
                terms, _ = _terms(votes, np.array([chance]), target, lambda votes, Q=Q: Q)
                mean += chance / 2 * likely * np.array([term[0] for term in terms])
        mean = Terms(*mean)
        truth = value(P, pi, rho)
        assert mean.won + mean.tied / 2 == pytest.approx(truth, abs=1e-12)
        assert mean.lost + mean.tied / 2 == pytest.approx(1 - truth, abs=1e-12)
        assert mean.expected == pytest.approx(value(Q, pi, rho), abs=1e-12)
        assert mean.expected + mean.correction == pytest.approx(truth, abs=1e-12)


def test_the_model_sees_earlier_votes_only(rng):
    """Other outcomes from vote 500 on change no term before it."""
    votes = uniform_votes(1_000, ladder(3, 0.2), rng)
    other = votes.outcome.copy()
    other[500:] = 1 - other[500:]
    changed = Votes(votes.names, votes.first, votes.second, other)
    target = Target(constant(np.array([1.0, 0, 0])), None, 3)
    chance = np.full(1_000, 1 / 3)
    one, two = (_terms(v, chance, target, pair_shares)[0] for v in (votes, changed))
    for before, after in zip(one, two, strict=True):
        assert np.array_equal(before[:500], after[:500])
    assert not np.array_equal(one.expected[600:], two.expected[600:])


def test_estimates_against_plain_loops(rng):
    """A slow twin of the three estimates, on votes with unequal chances."""
    P, n = ladder(3, 0.2), 400
    law = np.array([0.6, 0.3, 0.1])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    which = rng.choice(3, n, p=law)
    first, second = pairs[which].T
    won = (rng.random(n) < P[first, second]).astype(float)
    votes = Votes(NAMES[:3], first, second, won, chance=law[which])
    pi, rho = np.array([0.2, 0.5, 0.3]), np.array([0.0, 0.5, 0.5])
    found = evaluate(votes, pi, reference=rho, model=lambda votes: np.full((3, 3), 0.5))
    tied = (pi * rho).sum()
    wins = weights = corrections = 0.0
    for i, j, s, chance in zip(first, second, won, votes.chance, strict=True):
        forth, back = pi[i] * rho[j] / chance, pi[j] * rho[i] / chance
        wins += forth * s + back * (1 - s)
        weights += forth + back
        corrections += (forth - back) * (s - 0.5)
    plain, balanced, robust = (estimate.value for estimate in found.estimates)
    assert plain == pytest.approx(wins / n + tied / 2, rel=1e-12)
    assert balanced == pytest.approx(tied / 2 + (1 - tied) * wins / weights, rel=1e-12)
    assert robust == pytest.approx(0.5 + (1 - tied) * corrections / weights, rel=1e-12)
    assert found.weight == pytest.approx(weights / n / (1 - tied), rel=1e-12)


def test_weight_that_has_not_come_counts_as_one_more_vote():
    """Of 100 votes of weight 1, half won: a residual is 1/2, and 20 more were to be expected."""
    won, weight = np.tile([1.0, 0.0], 50), np.ones(100)
    for needed, missing in ((100, 0.0), (90, 0.0), (120, 0.2)):
        ratio, error = _ratio(won, weight, needed)
        assert ratio == 0.5
        assert error == pytest.approx(math.sqrt(100 * (0.5 / 99) ** 2 + 0.25 * missing**2))
    alone = np.array([1.0, 0.0])
    assert _ratio(alone, alone, 1) == (1.0, 0.0)  # nothing disagrees, and votes of no weight
    assert _ratio(np.zeros(2), np.zeros(2), 1) == (0.0, 0.0)


def test_the_interval_that_is_narrower_is_shown_and_said():
    surely = PolicyEstimate("importance weighting", 0.5, 0.3, 0.6, "finite-sample, at all times")
    normal = _within("x", 0.5, 0.1, surely)
    assert normal[1:4] == pytest.approx((0.5, 0.4, 0.6)) and normal.says.startswith("normal")
    wide = _within("x", 0.7, 0.16, surely)
    assert wide[1:4] == (0.6, 0.3, 0.6)  # the estimate stays inside
    assert wide.says.startswith("finite-sample, at all times: too few votes")


def test_policies_may_be_given_in_five_ways(rng):
    votes = uniform_votes(600, ladder(3, 0.2), rng)
    p = np.array([0.5, 0.5, 0.0])
    ways = [
        {"a": 0.5, "b": 0.5},
        p,
        np.tile(p, (600, 1)),
        lambda t: {"a": 0.5, "b": 0.5},
        lambda t: p if 1 <= t <= 600 else None,
    ]
    found = [evaluate(votes, way, pairs="uniform").to_json()["estimates"] for way in ways]
    assert all(one == found[0] for one in found)
    assert evaluate(votes, "a", pairs="uniform").estimates == (
        evaluate(votes, {"a": 1.0}, pairs="uniform").estimates
    )


def test_a_policy_that_changes_with_the_votes(rng):
    """First arm a, then arm c: the value is the mean of their scores."""
    votes = uniform_votes(20_000, ladder(3, 0.3), rng)
    found = evaluate(votes, lambda t: {"a": 1} if t <= 10_000 else {"c": 1}, pairs="uniform")
    for estimate in found.estimates:
        assert estimate.value == pytest.approx((0.8 + 0.2) / 2, abs=0.02)
        assert estimate.lower < 0.5 < estimate.upper


def test_against_itself_everything_is_a_tie(rng):
    votes = uniform_votes(100, ladder(3), rng)
    found = evaluate(votes, "a", reference="a", pairs="uniform")
    assert {estimate.value for estimate in found.estimates} == {0.5}


def test_against_the_policy_that_was_logged(rng):
    """What the learner itself shows, against itself, wins half the time."""
    learner, duels = sparring.dex3s(3, T=3_000, S=2, seed=1), []
    P = ladder(3, 0.2)
    for _ in range(3_000):
        duel = learner.ask()
        outcome = 0.5 if duel.row == duel.col else float(rng.random() < P[duel.row, duel.col])
        learner.tell(duel, outcome)
        duels.append((duel, outcome))
    votes, shares = from_duels(duels), shown_shares(duels)
    plain, *normalised = evaluate(votes, shares, reference=shares).estimates
    assert [estimate.value for estimate in normalised] == pytest.approx([0.5, 0.5], abs=1e-9)
    assert plain.lower < 0.5 < plain.upper
    best = evaluate(votes, "0", reference=shares)
    assert best.estimates[0].lower > 0.5


def test_no_overlap_is_refused(rng):
    votes = uniform_votes(2_000, ladder(4), rng)
    never = (votes.first == 3) | (votes.second == 3)
    without = votes[~never]
    logged = Votes(
        NAMES, without.first, without.second, without.outcome, chance=np.full(len(without), 1 / 3)
    )
    with pytest.raises(ValueError, match=r"100\.0% of what it needs is in pairs that were never"):
        evaluate(logged, "d")
    with pytest.raises(ValueError, match="were never shown"):
        evaluate(logged, "a")  # against any other arm, d among them
    assert evaluate(logged, "a", reference={"b": 0.5, "c": 0.5}).value > 0.9


def test_pairs_that_lost_their_chance_are_refused(rng):
    """Arm d was shown in the first tenth only: then the mean weight is a tenth of what it must."""
    votes = uniform_votes(5_000, ladder(4), rng)
    keep = (np.arange(5_000) < 500) | ((votes.first != 3) & (votes.second != 3))
    rest = votes[keep]
    chance = np.where(np.arange(5_000) < 500, 1 / 6, 1 / 3)[keep]
    logged = Votes(NAMES, rest.first, rest.second, rest.outcome, chance=chance)
    with pytest.raises(ValueError, match="the mean weight is"):
        evaluate(logged, "d")


def test_a_few_heavy_votes_are_refused(rng):
    votes = uniform_votes(50, ladder(4), rng)
    with pytest.raises(ValueError, match="of equal weight, fewer than 30"):
        evaluate(votes, "a", pairs="uniform")


def test_bad_policies_are_refused(rng):
    votes = uniform_votes(100, ladder(3), rng)
    for bad, match in [
        ("e", "one of"),
        ({"e": 1.0}, "one of"),
        ({"a": 0.5}, "sum to 1"),
        ([0.5, 0.6, -0.1], "sum to 1"),
        (np.ones((7, 3)) / 3, "distribution"),
        (np.ones((100, 3)), "in vote 1"),
        (None, "policy"),
        (lambda t: [1.0, 0.0], "shape"),
    ]:
        with pytest.raises(ValueError, match=match):
            evaluate(votes, bad, pairs="uniform")
    with pytest.raises(ValueError, match="reference"):
        evaluate(votes, "a", reference="e", pairs="uniform")
    with pytest.raises(ValueError, match=r"votes\.chance"):
        evaluate(votes, "a")


def test_a_learner_by_name_is_replayed_on_uniform_pairs_only(rng):
    votes = uniform_votes(2_000, ladder(3, 0.3), rng)
    found = evaluate(votes, "rand", pairs="uniform")
    assert found.policy == "rand, replayed"
    assert found.value == pytest.approx(0.5, abs=0.05)
    logged = Votes(
        votes.names, votes.first, votes.second, votes.outcome, chance=np.full(2_000, 1 / 3)
    )
    with pytest.raises(ValueError, match="uniform pairs only"):
        evaluate(logged, "rand")


def test_what_it_says(rng):
    found = evaluate(uniform_votes(600, ladder(3, 0.2), rng), "a", pairs="uniform")
    assert "always a, against any other arm: wins with probability" in str(found)
    assert "finite-sample" in str(found) and "normal" in str(found)
    assert json.loads(json.dumps(found.to_json()))["estimates"][0]["name"] == "importance weighting"
    assert found.to_table()["value"].to_list() == [e.value for e in found.estimates]
