"""The lower bounds of Sec. 5 against the best that anybody can do, computed exactly.

On a segment whose winner is drawn at random, the player who knows the family, epsilon and D and
thinks ahead has the least expected regret of all. Dynamic programming gives it without chance, so
there are no false alarms: a bound above it is wrong.
"""

import itertools
import math
from functools import lru_cache

import numpy as np
import pytest

import sparring
from sparring.worlds import hard

LOG = math.log(4 / 3)
MARGINS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25)
# The longest segments: as long as the beliefs that a player can arrive at stay below 20,000.
SIZES = [
    ("simple", 2, 60),
    ("simple", 3, 20),
    ("simple", 4, 12),
    ("simple", 5, 8),
    ("paper", 3, 60),
    ("paper", 4, 12),
    ("paper", 5, 8),
]


def candidates(family, K):
    """The arms that may win: the paper's arm 1, which is arm 0 here, never does."""
    return range(1 if family == "paper" else 0, K)


def sign(family, winner, i, j):
    """P(i, j) = 1/2 + sign epsilon, as printed in Sec. 5 for i < j; the simple family has ties."""
    if i >= j:
        return -sign(family, winner, j, i) if i > j else 0
    if i == winner or (family == "paper" and i == 0 and j != winner):
        return 1
    return -1 if j == winner else 0


def matrix(family, K, winner, epsilon):
    arms = range(K)
    return np.array([[0.5 + epsilon * sign(family, winner, i, j) for j in arms] for i in arms])


def regret(P, winner, a, b):
    """r_t(winner) of Sec. 2."""
    return (P[winner, a] + P[winner, b] - 1) / 2


def canonical(belief):
    """What all candidates share cancels in the posterior, and their names do not matter."""
    plus, minus = (min(counts) for counts in zip(*belief, strict=True))
    return tuple(sorted((p - plus, m - minus) for p, m in belief))


@lru_cache(maxsize=32)
def beliefs(family, K, D):
    """What D rounds can teach, in the order of the rounds it takes, and where each duel leads.

    A belief says of each candidate how many outcomes had chance 1/2 + epsilon and 1/2 - epsilon if
    it is the winner. The first sizes[t] beliefs are those within reach of t rounds.
    """
    pairs = list(itertools.combinations_with_replacement(range(K), 2))
    signs = [[sign(family, w, i, j) for w in candidates(family, K)] for i, j in pairs]
    index = {((0, 0),) * len(candidates(family, K)): 0}
    steps, sizes = [], [1]
    for _ in range(D):
        for belief in list(index)[len(steps) :]:
            step = []
            for outcome, told in itertools.product((1, -1), signs):
                counts = zip(belief, told, strict=True)
                then = canonical(
                    [(p + (s == outcome), m + (s == -outcome)) for (p, m), s in counts]
                )
                step.append(index.setdefault(then, len(index)))
            steps.append(step)
        sizes.append(len(index))
    return np.array(list(index)), np.array(steps).reshape(-1, 2, len(pairs)), sizes, pairs


@lru_cache(maxsize=256)
def bayes(family, K, D, epsilon):
    """The least expected regret of 0, ..., D rounds, over all players and a random winner."""
    counts, steps, sizes, pairs = beliefs(family, K, D)
    likelihood = ((1 + 2 * epsilon) ** counts[..., 0]) * ((1 - 2 * epsilon) ** counts[..., 1])
    posterior = likelihood / likelihood.sum(axis=1, keepdims=True)
    worlds = [(w, matrix(family, K, w, epsilon)) for w in candidates(family, K)]
    win = posterior @ [[P[i, j] for i, j in pairs] for _, P in worlds]
    now = posterior @ [[regret(P, w, i, j) for i, j in pairs] for w, P in worlds]
    least, V = [0.0], np.zeros(sizes[D])
    for n in range(1, D + 1):
        reach = sizes[D - n]  # n rounds are left after at most D - n
        won, lost = V[steps[:reach, 0]], V[steps[:reach, 1]]
        V = (now[:reach] + win[:reach] * won + (1 - win[:reach]) * lost).min(axis=1)
        least.append(float(V[0]))
    return least


@lru_cache(maxsize=32)
def cases(family, K, longest):
    """All (D, epsilon, least regret), each D's hardest epsilon included."""
    hardest = {hard.hardest(family, K, D, 1, None, None)[0] for D in range(1, longest + 1)}
    epsilons = sorted({*MARGINS, *hardest})
    table = [(epsilon, bayes(family, K, longest, epsilon)) for epsilon in epsilons]
    return [(D, epsilon, v[D]) for epsilon, v in table for D in range(1, longest + 1)]


def hardest_cases(family, K, longest):
    """The (D, epsilon, least regret) whose bound is highest."""
    every = cases(family, K, longest)
    return [c for c in every if c[1] == hard.hardest(family, K, c[0], 1, None, None)[0]]


def refuses(table, family, K, factor=1.0):
    """Somebody's regret is below the bound times the factor; the last digits are rounding."""
    return any(
        least < factor * hard.lower_bound(family, K, D, 1, epsilon) * (1 - 1e-12)
        for D, epsilon, least in table
    )


# The computation itself.


@pytest.mark.parametrize(
    ("family", "K"), [("simple", 2), ("simple", 4), ("paper", 3), ("paper", 4)]
)
def test_the_instance_is_the_worlds(family, K, rng):
    world = sparring.CondorcetSwitches(K, 100, S=100, family=family, epsilon=0.07)
    found = np.concatenate([block.P for block in world.blocks(rng)])
    possible = np.array([matrix(family, K, w, 0.07) for w in candidates(family, K)])
    equal = np.isclose(found[:, None], possible[None], rtol=0, atol=1e-15).all(axis=(2, 3))
    assert (equal.sum(axis=1) == 1).all()  # each is one of ours
    assert equal.any(axis=0).all()  # and all of ours occur


@pytest.mark.parametrize(("family", "K", "longest"), SIZES)
def test_nothing_to_find_costs_nothing(family, K, longest):
    D = min(longest, 8)
    assert bayes(family, K, D, 0.0) == [0.0] * (D + 1)


@pytest.mark.parametrize("epsilon", [0.01, 0.25])
def test_the_first_rounds_by_hand(epsilon):
    """One round is a blind guess, and a duel between two candidates is no worse a guess.

    So with two candidates it comes first, and who won it is the winner with 1/2 + epsilon:
    epsilon / 2 + epsilon (1/2 - epsilon) in two rounds.
    """
    for K in (2, 3, 4, 5):
        assert bayes("simple", K, 1, epsilon)[1] == pytest.approx(epsilon * (K - 1) / K)
    for K in (3, 4, 5):
        assert bayes("paper", K, 1, epsilon)[1] == pytest.approx(epsilon * (K - 2) / (K - 1))
    assert bayes("simple", 2, 2, epsilon)[2] == pytest.approx(epsilon - epsilon**2)
    # With two candidates a duel with arm 0 tells no more than one between them, and costs more.
    assert bayes("paper", 3, 60, epsilon) == pytest.approx(bayes("simple", 2, 60, epsilon))


@pytest.mark.parametrize(("family", "K", "longest"), SIZES)
def test_more_rounds_cost_more_and_a_guess_is_never_better(family, K, longest):
    n = len(candidates(family, K))
    for epsilon in (0.02, 0.1, 0.25):
        least = np.array(bayes(family, K, longest, epsilon))
        assert (np.diff(least) >= 0).all()
        guess = epsilon * (n - 1) / n * np.arange(longest + 1)
        assert (least <= guess * (1 + 1e-12)).all()
        assert least[-1] < guess[-1]  # whoever learns gains by it


@pytest.mark.parametrize(
    ("family", "K", "D"), [("simple", 2, 2), ("simple", 2, 3), ("simple", 3, 2), ("paper", 3, 2)]
)
def test_no_policy_of_all_is_better(family, K, D):
    """Every deterministic policy, a pair for each history, with its regret added up as defined."""
    epsilon = 0.2
    pairs = list(itertools.product(range(K), repeat=2))
    histories = [h for t in range(D) for h in itertools.product((0, 1), repeat=t)]
    worlds = [(w, matrix(family, K, w, epsilon)) for w in candidates(family, K)]
    best = math.inf
    for choice in itertools.product(pairs, repeat=len(histories)):
        policy = dict(zip(histories, choice, strict=True))
        total = 0.0
        for w, P in worlds:
            chances = {(): 1.0}
            for history, pair in policy.items():
                chance = chances[history]
                total += chance * regret(P, w, *pair) / len(worlds)
                chances[*history, 1] = chance * P[pair]
                chances[*history, 0] = chance * (1 - P[pair])
        best = min(best, total)
    assert bayes(family, K, D, epsilon)[D] == pytest.approx(best, rel=1e-12)


def by_histories(family, K, lengths, epsilon):
    """The least regret over segments of these lengths; nothing but whole histories is used.

    Hypotheses are sequences of winners, one a segment, and every ordered pair is tried.
    """
    worlds = {w: matrix(family, K, w, epsilon) for w in candidates(family, K)}
    hypotheses = list(itertools.product(worlds, repeat=len(lengths)))
    segment = [s for s, length in enumerate(lengths) for _ in range(length)]

    def least(t, weights):
        if t == len(segment):
            return 0.0
        best = math.inf
        for a, b in itertools.product(range(K), repeat=2):
            value, won, lost = 0.0, [], []
            for weight, winners in zip(weights, hypotheses, strict=True):
                w = winners[segment[t]]
                value += weight * regret(worlds[w], w, a, b)
                won.append(weight * worlds[w][a, b])
                lost.append(weight * (1 - worlds[w][a, b]))
            best = min(best, value + least(t + 1, won) + least(t + 1, lost))
        return best

    return least(0, [1 / len(hypotheses)] * len(hypotheses))


@pytest.mark.parametrize(
    ("family", "K", "D"), [("simple", 2, 4), ("simple", 3, 3), ("paper", 4, 3)]
)
@pytest.mark.parametrize("epsilon", [0.03, 0.25])
def test_counts_say_all_that_histories_say(family, K, D, epsilon):
    expected = by_histories(family, K, (D,), epsilon)
    assert bayes(family, K, D, epsilon)[D] == pytest.approx(expected, rel=1e-12)


# The bounds.


@pytest.mark.parametrize(("family", "K", "longest"), SIZES)
def test_nobody_is_below_the_bound(family, K, longest):
    """Thm 5.1 with the epsilon and the constants of errata E7, for every D."""
    table = cases(family, K, longest)
    for D, epsilon, least in table:
        bound = hard.lower_bound(family, K, D, 1, epsilon)
        assert least >= bound * (1 - 1e-12), f"D = {D}, epsilon = {epsilon}"
    assert sum(hard.lower_bound(family, K, D, 1, e) > 0 for D, e, _ in table) >= len(table) / 2


@pytest.mark.parametrize(("family", "K", "longest"), SIZES)
def test_a_bound_somewhat_too_high_would_be_refused(family, K, longest):
    """The power of the test above, over all margins and at the hardest one.

    As epsilon goes to 0 both become a blind guess's regret, so the first factor could be as near to
    1 as we like and says only that rho is right. The second has more to say: at the hardest epsilon
    the bound is half a blind guess's regret, so a player who learns nothing refuses a factor of 2.
    """
    table = cases(family, K, longest)
    assert refuses(table, family, K, 1.1)
    inside = [c for c in hardest_cases(family, K, longest) if c[1] < hard.LARGEST]
    assert refuses(inside, family, K, 1.65 if family == "simple" else 1.75)


@pytest.mark.parametrize(
    ("family", "wrong"),
    [
        ("simple", {"information": hard.FAMILIES["simple"].information / 6}),
        ("paper", {"information": hard.FAMILIES["paper"].information / 12}),
        ("simple", {"others": -1}),
        ("paper", {"others": 0}),
    ],
)
def test_wrong_constants_would_be_refused(family, wrong, monkeypatch):
    """Rho with one candidate too many, and b too small by 2.5 (simple) or 3.5 (paper).

    A b too small by 2 would pass: so coarse are Pinsker's inequality and the rest of the proof.
    """
    tables = [(K, cases(family, K, longest)) for name, K, longest in SIZES if name == family]
    assert not any(refuses(table, family, K) for K, table in tables)
    monkeypatch.setitem(hard.FAMILIES, family, hard.FAMILIES[family]._replace(**wrong))
    assert any(refuses(table, family, K) for K, table in tables)


@pytest.mark.parametrize(
    ("family", "K", "lengths"),
    [("simple", 2, (2, 2)), ("simple", 2, (1, 2, 1)), ("paper", 3, (2, 1))],
)
def test_segments_tell_nothing_about_each_other(family, K, lengths):
    """So the least regret of several is the sum of theirs."""
    separately = sum(bayes(family, K, D, 0.2)[D] for D in lengths)
    assert by_histories(family, K, lengths, 0.2) == pytest.approx(separately, rel=1e-12)


@pytest.mark.parametrize(("family", "K", "longest"), SIZES)
def test_nobody_is_below_the_bound_of_several_segments(family, K, longest, rng):
    """Also where S does not divide T; the lengths are the world's."""
    for S, D in itertools.product((2, 3, 7), (1, 2, longest // 2, longest)):
        for T in {S * D, max(S * D - 1, S)}:
            world = sparring.CondorcetSwitches(K, T, S=S, family=family)
            holds = np.concatenate([block.hold for block in world.blocks(rng)])
            assert len(holds) == S and holds.sum() == T
            least = sum(bayes(family, K, longest, world.margin)[hold] for hold in holds.tolist())
            assert least >= world.lower_bound * (1 - 1e-12), f"T = {T}, S = {S}"
            assert least < 2.1 * world.lower_bound, "the test would have little power"


# What is printed.


def printed_switching(K, T, S, epsilon):
    """App. C, after and before step (a), which puts 1/2 for (K - 2)/(K - 1)."""
    penalty = 8 * epsilon**2 * math.sqrt(T * (K - 1) / S * LOG) * T / (K - 1)
    return epsilon * T / 2 - penalty, epsilon * T * (K - 2) / (K - 1) - penalty


@pytest.mark.parametrize(
    ("K", "T", "S"), [(10, 10**4, 10), (10, 10**6, 10), (3, 10**5, 1), (50, 10**6, 100)]
)
def test_the_printed_epsilon_of_theorem_5_1_makes_a_negative_bound(K, T, S):
    """Errata E7: -3.26 sqrt(S (K - 1) T), which says nothing; regret to a winner is never less."""
    root = math.sqrt(S * (K - 1) * T)
    epsilon = 0.5 * math.sqrt(S * (K - 1) / (T * LOG))
    assert epsilon < 0.25  # so that the theorem speaks of it
    after, before = printed_switching(K, T, S, epsilon)
    assert after == pytest.approx((1 / 4 - 2) / math.sqrt(LOG) * root)
    assert after <= before < 0
    winner = K - 1
    P = matrix("paper", K, winner, epsilon)
    assert min(regret(P, winner, a, b) for a in range(K) for b in range(K)) == 0
    # The maximum of the same parabola is at a sixteenth of it, and positive.
    after, _ = printed_switching(K, T, S, epsilon / 16)
    assert after == pytest.approx(root / math.sqrt(LOG) / 128)
    for factor in (0.99, 1.01):
        assert printed_switching(K, T, S, factor * epsilon / 16)[0] < after


def test_the_printed_step_from_lengths_to_their_mean_fails():
    """Errata E8: where segments are unequal, somebody is below the bound with T/S for the length.

    One long segment and many short ones: the long one can be learnt.
    """
    short, long, K, epsilon = 300, 2700, 3, 0.02
    T, S = short + long, short + 1
    # The paper's family with three arms is the simple one with two, see above, and that is faster.
    V = bayes("simple", 2, long, epsilon)
    least = short * V[1] + V[long]
    claim, _ = printed_switching(K, T, S, epsilon)
    assert claim > least
    # As it should be: the lengths one by one.
    right = sum(printed_switching(K, D, 1, epsilon)[0] for D in [1] * short + [long])
    assert right <= least


def printed_continuous(K, T, V_T):
    """Delta and epsilon of the proof of Thm 5.2, and the regret claimed to be unavoidable."""
    delta = K ** (-5 / 3) * (T / V_T) ** (2 / 3)
    root = math.sqrt(delta * K * LOG)
    epsilon = min(V_T / (2 * math.ceil(T / delta)), 1 / (16 * root))
    return delta, epsilon, T / (64 * root)


@pytest.mark.parametrize(
    ("K", "T", "V_T"),
    [(10, 10**6, 10), (10, 10**4, 10), (5, 10**6, 10), (20, 10**7, 1), (50, 10**8, 10)],
)
def test_the_printed_claim_of_theorem_5_2_is_more_than_anybody_can_lose(K, T, V_T):
    """Errata E9: no round costs more than epsilon, whatever is played. Also not at random."""
    delta, epsilon, claim = printed_continuous(K, T, V_T)
    assert delta >= 1 and epsilon < 0.25
    worst, uniform = 0.0, 0.0
    for w in candidates("paper", K):
        P = matrix("paper", K, w, epsilon)
        r = (P[w][:, None] + P[w][None] - 1) / 2  # of all pairs
        worst, uniform = max(worst, float(r.max())), max(uniform, float(r.mean()))
    assert worst == pytest.approx(epsilon)
    assert uniform == pytest.approx(epsilon * (K - 1) / K)
    assert claim > T * worst > T * uniform


@pytest.mark.parametrize("K", [3, 4, 5, 10, 30])
def test_the_printed_claim_of_theorem_5_2_is_more_than_a_blind_guess_loses(K):
    """E9 for every number of arms: with K = 3 and 4 it is a fixed arm that refutes the claim."""
    T, V_T = 10**8, 10
    delta, epsilon, claim = printed_continuous(K, T, V_T)
    assert delta >= 1 and epsilon == V_T / (2 * math.ceil(T / delta))  # the first branch
    guess = epsilon * (K - 2) / (K - 1)
    worlds = [(w, matrix("paper", K, w, epsilon)) for w in candidates("paper", K)]
    mean = sum(regret(P, w, 1, 1) for w, P in worlds) / len(worlds)
    assert mean == pytest.approx(guess)
    assert claim > T * mean
    # Ours stays below what the same guess loses on our instance.
    world = sparring.CondorcetSwitches(K, T, V_T=V_T, family="paper")
    assert world.lower_bound < T * world.margin * (K - 2) / (K - 1)


@pytest.mark.parametrize(("K", "T", "ratio"), [(10, 10**4, 13), (10, 10**6, 12), (50, 10**5, 165)])
def test_the_printed_claim_of_theorem_5_2_is_more_than_its_own_chain_gives(K, T, ratio):
    """The figures of E9: V_T = 10, and Delta a whole number of rounds."""
    V_T = 10
    delta = max(round(printed_continuous(K, T, V_T)[0]), 1)
    root = math.sqrt(delta * K * LOG)
    epsilon = min(V_T / (2 * math.ceil(T / delta)), 1 / (16 * root))
    chain = epsilon * T * (1 / 2 - 4 * epsilon * root)
    assert round(T / (64 * root) / chain) == ratio


def test_a_printed_segment_can_be_shorter_than_a_round():
    """Errata E9 (iii): where T / V_T < K^(5/2)."""
    assert printed_continuous(10, 10**4, 100)[0] == pytest.approx(0.46, abs=0.005)
    for K in (3, 10, 50):
        below, above = (printed_continuous(K, x * K**2.5, 1)[0] for x in (0.99, 1.01))
        assert below < 1 < above
