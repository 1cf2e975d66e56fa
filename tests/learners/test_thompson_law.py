"""Double Thompson sampling draws little, and its pairs follow the law of drawing everything.

Seeds are fixed; a false-alarm rate says how likely a right program was to fail on a seed chosen
blindly.
"""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats

from counting_twins import Words
from sparring import Block
from sparring._jit import JIT_OFF, kernel
from sparring.learners import Counting, counts
from worlds import random_matrices

MANY = 1_000 if JIT_OFF else 200_000


@kernel
def fill(memory, numbers, pairs):
    m, n = counts.Counts(*memory), counts.CountsNumbers(*numbers)
    for t in range(pairs.shape[0]):
        row, col = counts.choose(t, pairs, m, n)
        pairs[t, 0] = row
        pairs[t, 1] = col


def frequencies(learner, number=MANY):
    """(K, K): how often each pair is asked for, nothing being told."""
    pairs = np.empty((number, 2), np.int64)
    fill(tuple(learner._memory), learner._numbers, pairs)
    return np.bincount(pairs @ [learner.K, 1], minlength=learner.K**2).reshape(learner.K, -1)


def knowing(W, alpha=0.51, unit=1.0, **options):
    """A learner with these counts, in units of `unit`."""
    learner = Counting(len(W), rule="thompson", alpha=alpha, seed=1, **options)
    learner._memory.W[...] = np.array(W) * unit
    learner._memory.unit[0] = unit
    learner._memory.mass[0] = np.sum(W)
    return learner


def losing(W, alpha):
    """(K, K): where mu(i, j) + sqrt(alpha ln t / N(i, j)) <= 1/2, pairs that met."""
    N = np.maximum(W + W.T, 1e-300)
    return (W / N + np.sqrt(alpha * np.log(1 + W.sum()) / N) <= 0.5) & (W + W.T > 0)


def law(W, alpha):
    """(K, K): the chance of each pair by Algorithm 1 of Wu and Liu.

    Summed over all outcomes of all pairs of the first draw, integrated over the largest of the
    second.
    """
    W = np.array(W, float)
    K, loses = len(W), losing(W, alpha)
    zeta = K - 1 - loses.sum(axis=1)
    C = np.flatnonzero(zeta == zeta.max())
    pairs = list(itertools.combinations(range(K), 2))
    above = [stats.beta(W[i, j] + 1, W[j, i] + 1).sf(0.5) for i, j in pairs]
    results = np.array(list(itertools.product((False, True), repeat=len(pairs))))
    weight = np.where(results, above, 1 - np.array(above)).prod(axis=1)
    won = np.zeros((len(results), K))
    for (i, j), result in zip(pairs, results.T, strict=True):
        won[:, i] += result
        won[:, j] += ~result
    best = won[:, C] == won[:, C].max(axis=1, keepdims=True)
    rows = np.zeros(K)
    rows[C] = (best / best.sum(axis=1, keepdims=True) * weight[:, None]).sum(axis=0)
    return rows[:, None] * np.array([columns(W, c, loses) for c in range(K)])


def columns(W, c, loses):
    """The law of the column arm, c being the row arm."""
    rivals = [i for i in range(len(W)) if i != c and not loses[c, i]]
    draws = {i: stats.beta(W[i, c] + 1, W[c, i] + 1) for i in rivals}

    def density(x, i):
        return draws[i].pdf(x) * np.prod([draws[j].cdf(x) for j in rivals if j != i])

    chances = np.zeros(len(W))
    for i in rivals:
        chances[i] = integrate.quad(density, 0.5, 1, args=(i,), epsabs=1e-12, limit=200)[0]
    chances[c] = np.prod([draws[j].cdf(0.5) for j in rivals])
    return chances


def upper(K, wins, losses):
    """Counts with these above the diagonal, row by row, and those below it."""
    W = np.zeros((K, K))
    W[np.triu_indices(K, 1)] = wins
    W.T[np.triu_indices(K, 1)] = losses
    return W


CASES = {
    "nothing is known": (np.zeros((3, 3)), 0.51),
    "two arms": (upper(2, [3], [5]), 0.51),
    "a circle": (upper(3, [6, 2, 6], [2, 6, 2]), 0.51),
    "one candidate": (upper(3, [30, 25, 4], [5, 4, 3]), 0.51),
    "two candidates": (upper(4, [5, 30, 40, 25, 50, 3], [4, 2, 9, 3, 8, 3]), 0.51),
    "nobody without a loss": (upper(3, [40, 5, 40], [5, 40, 5]), 0.51),
    "one beyond doubt": (upper(4, [7, 300, 9, 2, 3, 0], [5, 20, 3, 2, 8, 1]), 0.01),
    "shades": (upper(4, [0.3, 2.25, 1.5, 4.75, 0.6, 0], [1.7, 0.5, 6.5, 0.25, 0.1, 0.9]), 0.2),
    "five arms": (upper(5, [1, 5, 2, 9, 3, 2, 0, 4, 6, 1], [2, 3, 2, 4, 1, 2, 3, 0, 6, 7]), 0.51),
    "six, sparse": (upper(6, [2, 0, 0, 1, 5, *[0, 1] * 5], [0, 3, 0, 1, 1, *[1, 0] * 5]), 0.51),
    "many duels": (upper(3, [1500, 700, 90], [1530, 720, 140]), 0.51),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("unit", [1.0, 2.0**200])
def test_pairs_follow_the_law_of_all_draws(name, unit):
    """Chi-square over pairs, those of less than 5 expected pooled: at 1e-6 each, 2.2e-5 in all."""
    W, alpha = CASES[name]
    expected = law(W, alpha)
    assert expected.sum() == pytest.approx(1, abs=1e-9)
    options = {} if unit == 1 else {"discount": 0.99}
    seen = frequencies(knowing(W, alpha, unit, **options))
    assert not seen[expected < 1e-12].any(), "a pair that cannot be"
    often = expected * MANY >= 5
    seen = np.append(seen[often], seen[~often].sum())
    expected = np.append(expected[often], expected[~often].sum())
    if expected[-1] * MANY < 5:
        assert seen[-1] <= stats.poisson(expected[-1] * MANY).isf(1e-6)
        seen, expected = seen[:-1], expected[:-1]
    if len(seen) > 1:
        assert stats.chisquare(seen, expected / expected.sum() * seen.sum()).pvalue > 1e-6


def all_draws(W, alpha, number, rng):
    """(K, K): how often each pair is chosen where every theta is drawn, twice."""
    K, loses = len(W), losing(W, alpha)
    zeta = K - 1 - loses.sum(axis=1)
    seen = np.zeros((K, K), int)
    for _ in range(number):
        first, second = (np.tril(rng.beta(W + 1, W.T + 1), -1) for _ in range(2))
        first, second = (x + np.triu(1 - x.T, 1) for x in (first, second))
        np.fill_diagonal(first, 0.0)
        np.fill_diagonal(second, 0.5)
        won = np.where(zeta == zeta.max(), (first > 0.5).sum(axis=1), -1)
        c = rng.choice(np.flatnonzero(won == won.max()))
        seen[c, np.where(loses[c], 0.0, second[:, c]).argmax()] += 1
    return seen


@pytest.mark.compiled
@pytest.mark.parametrize("rounds", [100, 400, 2_000])
def test_a_learner_s_own_counts_give_the_pairs_of_all_draws(rounds):
    """Twelve arms: chi-square of two samples over pairs seen 20 times, the rest pooled, at 1e-6."""
    rng = np.random.default_rng(rounds)
    P = random_matrices(1, 12, rng)
    learner = Counting(12, rule="thompson", seed=1)
    learner.play(Block(P, np.array([rounds])), rng.random(rounds))
    seen = np.stack(
        [frequencies(learner, 60_000), all_draws(learner.wins, 0.51, 20_000, rng)]
    ).reshape(2, -1)
    often = seen.sum(axis=0) >= 20
    table = np.column_stack([seen[:, often], seen[:, ~often].sum(axis=1)])
    assert stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > 1e-6


@pytest.mark.parametrize("rule", ["rucb", "thompson"])
@pytest.mark.parametrize(
    "memory", [{}, {"window": 40}, {"discount": 0.9}, {"discount": 0.999}], ids=str
)
def test_what_is_kept_to_save_time_changes_nothing(rule, memory):
    """Forget it before each round, as a snapshot of an older version has none: the same pairs."""
    keeping, forgetful = (Counting(7, rule=rule, **memory, seed=5) for _ in range(2))
    coins = np.random.default_rng(1).random(60 if JIT_OFF else 3_000)
    P = random_matrices(3, 7, np.random.default_rng(2))
    for t, coin in enumerate(coins):
        for name in ("order", "evidence", "divergence"):
            forgetful._memory._asdict()[name][...] = 0
        duel, other = keeping.ask(), forgetful.ask()
        assert duel[1:3] == other[1:3], t
        o = float(coin < P[3 * t // len(coins), duel.row, duel.col])
        keeping.tell(duel, o)
        forgetful.tell(other, o)


@pytest.mark.compiled
def test_a_lone_candidate_is_not_drawn_for():
    """One uniform for each of two arms well behind, and nothing else."""
    learner = knowing(CASES["one candidate"][0])
    words = learner._memory.words.copy()
    assert frequencies(learner, 1)[0, 0] == 1
    twin = Words(words)
    twin.next()
    twin.next()
    assert learner._memory.words.tolist() == twin.s
