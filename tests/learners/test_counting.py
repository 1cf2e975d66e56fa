"""RUCB, RMED1 and double Thompson sampling against slow twins, and how they forget."""

import json
from concurrent.futures import ThreadPoolExecutor

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
from counting_twins import TWINS
from sparring import Block
from sparring._jit import JIT_OFF
from sparring.learners import Counting
from sparring.learners.snapshots import digest
from worlds import random_matrices

MEMORIES = [
    {},
    {"window": 1},
    {"window": 7},
    {"window": 300},
    {"discount": 0.5},
    {"discount": 0.9},
    {"discount": 0.995},
]
memories = pytest.mark.parametrize("memory", MEMORIES, ids=str)
rules = pytest.mark.parametrize("rule", TWINS)


def cyclic(K):
    """Each arm beats the half of the others that follow it; with K odd there is no winner."""
    ahead = (np.arange(K) - np.arange(K)[:, None]) % K
    return np.where(
        ahead == 0, 0.5, np.where(2 * ahead < K, 0.8, np.where(2 * ahead > K, 0.2, 0.5))
    )


def made(K, rule, seed=1, **options):
    learner = Counting(K, rule=rule, **options, seed=seed)
    return learner, TWINS[rule](K, learner._memory.words, **options)


@rules
@memories
@pytest.mark.parametrize("K", [2, 3, 5, 10, 20])
def test_same_arms_in_every_round(rule, memory, K):
    """`play` on a random, an extreme and a cyclic matrix, one after the other.

    With discount 1/2 not long enough for counts to leave the doubles: the twin's would not do so in
    the same round.
    """
    rng = np.random.default_rng([K, len(rule)])
    learner, twin = made(K, rule, seed=K, **memory)
    rounds = 300 if K > 5 or "discount" in memory else 1000
    if JIT_OFF:  # RMED1 begins with all of its pairs
        rounds = 100 // K if rule == "thompson" or K < 20 else 70
    coins = rng.random((3, rounds))
    matrices = [*random_matrices(1, K, rng), *random_matrices(1, K, rng, extreme=True), cyclic(K)]
    for P, part in zip(matrices, coins, strict=True):
        plays = learner.play(Block(P[None], np.array([rounds])), part)
        for coin, row, col in zip(part, plays.rows.tolist(), plays.cols.tolist(), strict=True):
            assert twin.may_choose((row, col)), f"round {twin.t + 1}"
            twin.tell(row, col, float(coin < P[row, col]))
    np.testing.assert_allclose(learner.wins, twin.count()[0], rtol=1e-9, atol=1e-300)


@rules
def test_a_chance_that_is_none_is_refused_and_changes_nothing(rule):
    learner = rounds_of(Counting(3, rule=rule, window=5, seed=1), 20)
    saved, P = learner.snapshot(), np.full((2, 3, 3), 0.5)
    P[1] = np.nan
    with pytest.raises(
        ValueError, match=r"block\.P\[1, \d, \d\] must be a probability in .* got nan"
    ):
        learner.play(Block(P, np.array([4, 3])), np.full(7, 0.4))
    assert learner.snapshot() == saved


outcomes = st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0, 1))


@hypothesis.settings(max_examples=10 if JIT_OFF else 150)
@hypothesis.given(
    rule=st.sampled_from(sorted(TWINS)),
    memory=st.sampled_from(MEMORIES),
    K=st.integers(2, 6),
    alpha=st.floats(0.01, 5),
    told=st.lists(outcomes, min_size=1, max_size=80),
    data=st.data(),
)
def test_any_outcomes_late_and_out_of_order(rule, memory, K, alpha, told, data):
    """ask/tell with up to six open duels; counted in the order in which they are told."""
    learner, twin = made(K, rule, alpha=alpha, **memory)
    waiting = []
    for outcome in told:
        duel = learner.ask()
        assert twin.may_choose((duel.row, duel.col))
        waiting.append((duel, outcome))
        while len(waiting) > 6 or (waiting and data.draw(st.booleans())):
            duel, outcome = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
            learner.tell(duel, outcome)
            twin.tell(duel.row, duel.col, outcome)
    np.testing.assert_allclose(learner.wins, twin.count()[0], rtol=1e-9, atol=1e-12)


def rounds_of(learner, n):
    """n rounds, with ties and outcomes that no sum of binary fractions is."""
    for t in range(n):
        learner.tell(learner.ask(), (t % 11) / 10)
    return learner


@rules
@pytest.mark.parametrize("window", [1, 4, 25])
def test_a_window_forgets_to_the_last_bit(rule, window):
    """What was told before it has no trace in W, whatever the outcomes were."""
    learner = rounds_of(Counting(4, rule=rule, window=window, seed=1), 200)
    rows, cols, o = (learner._memory._asdict()[name] for name in ("rows", "cols", "outcomes"))
    W = np.zeros((4, 4))
    for row, col, outcome in zip(rows, cols, o, strict=True):
        W[row, col] += outcome * (row != col)
        W[col, row] += (1 - outcome) * (row != col)
    np.testing.assert_array_equal(learner.wins, W)
    assert learner._memory.mass[0] == window


@rules
def test_a_window_of_all_rounds_is_none(rule):
    P, coins = random_matrices(1, 4, np.random.default_rng(1)), np.random.default_rng(2).random(200)
    block = Block(P, np.array([200]))
    plays = [
        Counting(4, rule=rule, **memory, seed=5).play(block, coins)
        for memory in ({}, {"window": 200}, {"window": 10_000}, {"discount": 1})
    ]
    for other in plays[1:]:
        np.testing.assert_array_equal(plays[0], other)


@rules
@pytest.mark.parametrize("discount", [0.5, 0.75])
def test_the_scale_of_discounted_counts_does_not_matter(rule, discount):
    """Counts in units as large as can be, so that they are rescaled at once: the same rounds."""
    usual, scaled = (Counting(4, rule=rule, discount=discount, seed=3) for _ in range(2))
    for t in range(120):
        if t == 20:  # the powers of two change no bit but those of the exponents
            for name in ("W", "unit", "divergence", "evidence"):
                scaled._memory._asdict()[name][...] *= 2.0**255 / 2.0 ** np.floor(
                    np.log2(usual._memory.unit[0])
                )
        duel, other = usual.ask(), scaled.ask()
        assert duel[1:3] == other[1:3]
        usual.tell(duel, t % 3 / 2)
        scaled.tell(other, t % 3 / 2)
    np.testing.assert_array_equal(usual.wins, scaled.wins)
    assert scaled._memory.unit[0] < 2.0**255, "it was never rescaled"


@rules
def test_after_thousands_of_halvings_all_is_finite(rule):
    learner = Counting(5, rule=rule, discount=0.5, seed=3)
    coins = np.random.default_rng(1).random(300 if JIT_OFF else 20_000)
    with np.errstate(over="ignore"):
        learner.play(Block(cyclic(5)[None], np.array([len(coins)])), coins)
    assert np.isfinite(learner.wins).all() and learner.wins.sum() <= 2
    assert 1 <= learner._memory.unit[0] <= 2.0**256
    sparring.restore(learner.snapshot())


@pytest.mark.compiled
@pytest.mark.parametrize("rule", ["rucb", "thompson"])  # RMED1 seeks only who beats an arm most
@pytest.mark.parametrize("discount", [0.5, 0.9, 0.99])
def test_with_discount_no_pair_is_left_out(rule, discount):
    """Between equals all 45 pairs meet again and again."""
    learner = Counting(10, rule=rule, discount=discount, seed=1)
    coins = np.random.default_rng(1).random(20_000)
    plays = learner.play(Block(np.full((1, 10, 10), 0.5), np.array([20_000])), coins)
    met = {frozenset(pair) for pair in zip(plays.rows[10_000:], plays.cols[10_000:], strict=True)}
    assert sum(len(pair) == 2 for pair in met) == 45


def test_wins_are_what_was_told():
    learner = Counting(3, rule="rmed1", seed=1)
    assert [learner.ask()[1:3] for _ in range(3)] == [(0, 1), (0, 2), (1, 2)]
    for duel, outcome in zip(list(learner.open.values()), (1.0, 0.5, 0.0), strict=True):
        learner.tell(duel, outcome)
    np.testing.assert_array_equal(learner.wins, [[0, 1, 0.5], [0, 0, 0], [0.5, 1, 0]])
    learner.wins[:] = 7
    assert learner.wins.max() == 1, "wins are a copy"


def test_a_self_duel_teaches_no_more_than_that_a_round_went_by():
    learner = rounds_of(Counting(2, rule="rucb", seed=1), 3)
    before = learner.wins
    while learner.t < 500:
        duel = learner.ask()
        learner.tell(duel, 1.0 if duel.row == 0 else 0.0)
        if duel.row == duel.col:
            break
        before = learner.wins
    assert duel.row == duel.col, "no self-duel in 500 rounds"
    np.testing.assert_array_equal(learner.wins, before)
    assert learner._memory.mass[0] == learner.t


# --- Arguments ------------------------------------------------------------------------------------

FINE = {"K": 4, "rule": "rucb"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"K": 1}, "K must be a whole number of at least 2; got 1"),
        ({"rule": "ucb"}, r"rule must be one of \['rmed1', 'rucb', 'thompson'\]; got 'ucb'"),
        ({"rule": None}, "rule must be one of .*; got None"),
        ({"rule": ["rucb"]}, "rule must be one of .*; got"),
        ({"window": 0}, "window must be a whole number of at least 1; got 0"),
        ({"window": 2.5}, "window must be a whole number of at least 1; got 2.5"),
        ({"window": True}, "window must be a whole number of at least 1; got True"),
        ({"window": 10**9}, "window must be at most 1e[+]08; got 1000000000"),
        ({"discount": 0.4}, r"discount must be a number in \[0.5, 1\]; got 0.4"),
        ({"discount": 1.1}, r"discount must be a number in \[0.5, 1\]; got 1.1"),
        ({"discount": float("nan")}, r"discount must be a number in \[0.5, 1\]; got nan"),
        ({"discount": None}, r"discount must be a number in \[0.5, 1\]; got None"),
        ({"alpha": -1}, r"alpha must be a number in \[0, 1e[+]06\]; got -1"),
        ({"alpha": "1"}, "alpha must be a number in .*; got '1'"),
        (
            {"window": 5, "discount": 0.9},
            "window or discount, not both; got window=5, discount=0.9",
        ),
        ({"seed": "x"}, "seed"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Counting(**{**FINE, **change})


@pytest.mark.parametrize("name", ["rucb", "rmed1", "double_thompson"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"forget": "all"},
            r"forget must be one of \('nothing', 'window', 'discount'\); got 'all'",
        ),
        ({"forget": 3}, "forget must be one of .*; got 3"),
        ({"T": None, "forget": "window"}, "T must be given, to forget by window; got None"),
        ({"T": None, "forget": "discount"}, "T must be given, to forget by discount; got None"),
        ({"T": 0}, "T must be a whole number of at least 1; got 0"),
        ({"S": 0}, "S must be a whole number of at least 1; got 0"),
        ({"S": 2_000}, "S must be at most T = 1000; got 2000"),
        ({"V_T": -1}, "V_T must be a number in .*; got -1"),
        ({"S": 2, "V_T": 1.0}, "give S or V_T, not both; got S=2, V_T=1.0"),
        ({"K": 0}, "K must be a whole number of at least 2; got 0"),
    ],
    ids=str,
)
def test_bad_arguments_of_the_named_are_refused(name, change, message):
    """Also what they would not need: who gives a wrong T is told, whatever is forgotten."""
    with pytest.raises(ValueError, match=message):
        sparring.LEARNERS[name](**{"K": 4, "T": 1_000, **change})


def test_how_much_is_remembered():
    def window(**sizes):
        learner = sparring.learners.rucb(**{"K": 10, "T": 10**5, **sizes}, forget="window")
        return learner.snapshot()["options"]["window"]

    def discount(**sizes):
        learner = sparring.learners.rmed1(**{"K": 10, "T": 10**5, **sizes}, forget="discount")
        return learner.snapshot()["options"]["discount"]

    assert window(S=2) == int(np.ceil(20 * np.sqrt(10**5 / 2 * np.log(10**5))))
    assert window(S=10) == 5_000, "half a segment, less than 6787"
    assert window(T=2_000, S=3) == 334 and window(T=2_000) == 2_000
    assert all(window(T=S, S=S) == 1 and discount(T=S, S=S) == 0.5 for S in (2, 3))
    assert window() == window(S=1) == window(V_T=0)
    assert window(V_T=100) == int(np.ceil((10**5 / 100) ** (2 / 3) * 10 ** (1 / 3)))
    assert window(T=1) == 1 and window(V_T=1e-300) == 10**5 == window(V_T=5e-324)
    assert discount(S=10) == 1 - np.sqrt(1e-4) / 40
    assert discount(T=2_000, S=10) == 1 - 20 / 2_000, "half a segment, less than 566"
    assert discount(T=2_000) == 1 - np.sqrt(1 / 2_000) / 40
    assert discount(V_T=100) == 1 - 1 / window(V_T=100)
    assert discount(T=1, V_T=1.0) == 0.5


@pytest.mark.parametrize("name", ["rucb", "rmed1", "double_thompson"])
@pytest.mark.parametrize("K", [2, 10, 100])
def test_whoever_expects_a_change_forgets_what_was_before_it(name, K):
    """Also where T is less than 4 K^2 ln T / S, and the formulas alone would keep all rounds."""
    for T, S in ((2, 2), (10, 3), (500, 2), (10_000, 2), (10_000, 10_000)):
        for forget in ("window", "discount"):
            learner = sparring.LEARNERS[name](K, T, S=S, forget=forget, seed=1)
            options = learner.snapshot()["options"]
            kept = options["window"] or 1 / (1 - options["discount"])
            assert kept <= max(T / (2 * S) + 1, 2) and kept < max(T, 3)


def test_repr_says_what_it_is():
    learner = Counting(3, rule="rucb", window=9, alpha=0.7, seed=1)
    learner.ask()
    assert (
        repr(learner)
        == "<Counting K=3, rule='rucb', window=9, discount=1.0, alpha=0.7; t=1, 1 open>"
    )


@rules
def test_a_generator_as_seed_gives_four_words(rule):
    rng = np.random.default_rng(5)
    learner = Counting(3, rule=rule, seed=rng)
    assert learner.seed is None
    words = np.random.default_rng(5).integers(0, 2**64, 5, dtype=np.uint64)
    np.testing.assert_array_equal(learner._memory.words, words[:4])
    assert rng.integers(0, 2**64, dtype=np.uint64) == words[4]
    again = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    assert [learner.ask()[:3] for _ in range(20)] == [again.ask()[:3] for _ in range(20)]


@rules
@pytest.mark.parametrize("memory", [{}, {"window": 50}], ids=str)
def test_threads_may_share_a_learner(rule, memory):
    """Each duel is counted once, and every round of asking has its own number."""
    learner = Counting(4, rule=rule, **memory, seed=1)

    def work(_):
        duels = []
        for t in range(100):
            duels.append(learner.ask())
            learner.tell(duels[-1], t % 2)
            learner.wins  # noqa: B018
        return duels

    with ThreadPoolExecutor(4) as executor:
        duels = [duel for part in executor.map(work, range(4)) for duel in part]
    assert sorted(duel.t for duel in duels) == list(range(1, 401))
    assert learner._memory.told[0] == 400 and not learner.open
    if not memory:
        assert learner.wins.sum() == sum(duel.row != duel.col for duel in duels)
    sparring.restore(learner.snapshot())


# --- Snapshots ------------------------------------------------------------------------------------


def trained(rule="thompson", n=60, **memory):
    learner = rounds_of(Counting(4, rule=rule, **memory, seed=3), n)
    learner.ask()
    learner.ask()
    return learner


def reseal(snapshot):
    """With a digest that fits: damage by somebody who knows how."""
    return {**snapshot, "digest": digest(snapshot)}


@rules
@memories
@pytest.mark.parametrize("n", [0, 3, 60])
def test_a_restored_learner_goes_on_bit_for_bit(rule, memory, n):
    learner = trained(rule, n, **memory)
    again = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    assert again.snapshot() == learner.snapshot()
    learner.forget(before=learner.t + 1)
    again.forget(before=again.t + 1)
    assert sparring.restore(learner.snapshot()).snapshot() == again.snapshot(), "nothing open"
    for t in range(40):
        duel, other = learner.ask(), again.ask()
        assert duel[:3] == other[:3]
        learner.tell(duel, t % 2)
        again.tell(other, t % 2)
    assert again.snapshot() == learner.snapshot()


@pytest.mark.parametrize("field", sorted(trained().snapshot().keys() - {"release"}))
@pytest.mark.parametrize("value", [None, [], {}, -1, "x", [[1]], ...], ids=str)
def test_every_field_missing_or_replaced_is_noticed(field, value):
    saved = trained(window=7).snapshot()
    damaged = {name: part for name, part in saved.items() if name != field}
    if value is not ...:
        damaged[field] = value
    with pytest.raises(sparring.SnapshotError):
        sparring.restore(damaged)


PARTS = sorted(trained().snapshot()["memory"])
NONSENSE = [None, [], {}, -1, "x", float("nan"), [float("inf")], ["1"] * 3, [[]], 10**400, ...]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("value", NONSENSE, ids=lambda value: str(value)[:9])
def test_every_part_of_the_memory_missing_or_replaced_is_noticed(part, value):
    saved = json.loads(json.dumps(trained("rmed1", discount=0.9).snapshot()))
    if value == [] and saved["memory"][part] == []:
        return
    del saved["memory"][part]
    if value is not ...:
        saved["memory"][part] = value
    with pytest.raises(sparring.SnapshotError):
        sparring.restore(saved)
    with pytest.raises(sparring.SnapshotError, match="'memory' is damaged"):
        sparring.restore(reseal(saved))


@pytest.mark.parametrize(
    ("part", "at", "value"),
    [
        ("rows", 2, 4),
        ("rows", 2, -2),
        ("rows", 2, -1),
        ("rows", 2, 2**62),
        ("cols", 0, 4),
        ("cols", 0, -1),
        ("outcomes", 1, 1.5),
        ("outcomes", 1, -0.5),
        ("outcomes", 1, 0.1),
        ("outcomes", 1, 1e308),
        ("favourite", 0, 4),
        ("favourite", 0, -2),
        ("told", 0, -1),
        ("told", 0, 2**62),
        ("mass", 0, -1.0),
        ("mass", 0, 1e308),
        ("mass", 0, 3.0),
        ("unit", 0, 0.0),
        ("unit", 0, -1.0),
        ("unit", 0, 1e308),
        ("unit", 0, 2.0),
        ("W", (0, 1), -1.0),
        ("W", (0, 1), 1e308),
        ("W", (0, 1), 0.125),
        ("order", (0, 0), 4),
        ("order", (0, 3), -1),
        ("place", 0, -1),
        ("place", 1, 5),
        ("place", 1, -1),
        ("place", 2, 5),
        ("words", slice(None), ["0x0"] * 4),
        ("words", 1, hex(2**64)),
        ("words", 1, "-0x1"),
    ],
    ids=str,
)
@rules
def test_impossible_values_are_refused_even_with_a_digest_that_fits(rule, part, at, value):
    """They would read beyond an array, or never end."""
    saved = trained(rule, window=7).snapshot()
    sparring.restore(reseal(saved))
    changed = np.array(saved["memory"][part], object)
    changed[at] = value
    saved["memory"][part] = changed.tolist()
    with pytest.raises(sparring.SnapshotError, match="'memory' is damaged"):
        sparring.restore(reseal(saved))


@rules
@pytest.mark.parametrize(
    ("part", "value"),
    [("W", 1e308), ("W", 1e200), ("W", 63.5), ("unit", 2.0**257), ("told", 10**19), ("mass", 61.0)],
    ids=str,
)
@pytest.mark.parametrize("memory", [{}, {"discount": 0.9}], ids=str)
def test_counts_beyond_the_duels_told_are_refused(rule, memory, part, value):
    """Beta draws of such shapes would never end."""
    saved = trained(rule, 60, **memory).snapshot()
    changed = np.array(saved["memory"][part], object)
    changed.flat[1 % changed.size] = value * (saved["memory"]["unit"][0] if value == 63.5 else 1)
    saved["memory"][part] = changed.tolist()
    with pytest.raises(sparring.SnapshotError, match="'memory' is damaged"):
        sparring.restore(reseal(saved))


@rules
@pytest.mark.parametrize("part", ["order", "divergence", "evidence", "scratch", "place"])
@pytest.mark.parametrize("seed", range(3))
def test_what_passes_for_a_memory_never_crashes(rule, part, seed):
    """Values that indices may have, in an order that no run leads to: the learner plays on."""
    rng = np.random.default_rng(seed)
    saved = trained(rule).snapshot()
    like = np.array(saved["memory"][part])
    if part == "place":
        changed = np.array([rng.integers(100), 4, rng.integers(5)])
    elif part == "order":
        changed = rng.integers(0, 3, like.shape)
    else:
        changed = rng.choice([-1e308, 1e308, 0.0, 5e-324], like.shape)
    saved["memory"][part] = changed.tolist()
    learner = sparring.restore(reseal(saved))
    with np.errstate(over="ignore"):
        for t in range(60):
            duel = learner.ask()
            assert 0 <= duel.row < 4 and 0 <= duel.col < 4
            learner.tell(duel, t % 2)


@pytest.mark.parametrize(
    "change",
    [
        {"K": 2**31},
        {"K": 10**7},
        {"K": 5},
        {"options": {"rule": "rucb"}},
        {"options": {"rule": "rucb", "window": -1, "discount": 1.0, "alpha": 0.5}},
        {"options": {"rule": "rucb", "window": 8, "discount": 1.0, "alpha": 0.5}},
        {"options": {"rule": "rucb", "window": 7, "discount": 1.0, "alpha": 0.5, "seed": 3}},
        {"open": [[1, 4, 0], [2, 0, 0]]},
        {"open": [[1, -1, 0], [2, 0, 0]]},
        {"open": [[63, 0, 0], [2, 0, 0]]},
        {"open": [[0, 0, 0], [2, 0, 0]]},
        {"notes": [[1.0], [1.0]]},
        {"notes": []},
        {"t": -1},
        {"t": 61},
        {"seed": {"entropy": "x"}},
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_even_with_a_digest_that_fits(change):
    saved = trained("rucb", window=7).snapshot()
    with pytest.raises(sparring.SnapshotError, match=r"is damaged|no field|changed after"):
        sparring.restore(reseal({**saved, **change}))
