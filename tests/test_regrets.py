"""Every regret is what its definition says, and the identities between regrets hold."""

import math
from itertools import pairwise

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import sparring
from regret_definitions import (
    Asked,
    Listed,
    Made,
    Played,
    borda,
    definition,
    every_regret,
    expand,
    segments,
    stretches,
    variation,
)
from sparring import Regret
from sparring.regret import Arms, Mixture
from worlds import ladder, random_matrices

pytestmark = pytest.mark.core

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def listed(K, *holds, seed=1, extreme=False):
    """A world of random matrices, one block for each tuple of holds."""
    rng = np.random.default_rng(seed)
    return Listed(*((random_matrices(len(hold), K, rng, extreme), hold) for hold in holds))


def repeating():
    """The same matrix twice in one block, again in the next, and once more after another."""
    B, C = random_matrices(2, 3, np.random.default_rng(2))
    A = (3 * sparring.Cyclic(3, 1).matrix + C) / 4  # in a cycle the best arm soon changes
    return Listed(([A, A], [4, 3]), ([A], [5]), ([B, A, A], [1, 2, 6]), ([A, B], [3, 9]))


def with_and_without_winner():
    """Rounds with a Condorcet winner, without, and with a tie that lets nobody win."""
    cycle = sparring.Cyclic(3, 1).matrix
    tied = np.array([[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]])
    return Listed(([ladder(3, 0.2), cycle, tied], [6, 8, 5]), ([ladder(3, 0.3)[::-1, ::-1]], [4]))


WORLDS = {
    "held long": lambda: listed(4, [17, 2, 30], [1, 11]),
    "hold of one": lambda: listed(4, [1] * 20, [1] * 13),
    "mixed": lambda: listed(3, [1, 1, 9, 1], [3], [4, 1, 25], [1]),
    "two arms": lambda: listed(2, [7, 1, 1], [12]),
    "one round": lambda: listed(3, [1]),
    "one round, two arms": lambda: listed(2, [1]),
    "held for exactly K": lambda: listed(3, [3, 4, 3], [3]),
    "repeating": repeating,
    "with and without winner": with_and_without_winner,
    "more arms than rounds": lambda: listed(9, [2, 3]),
    "every duel is certain": lambda: listed(5, [8, 1, 14], [6], extreme=True),
}


def unique_value_only(regrets, P):
    """Without von Neumann winners where an average has ties, and so several of them."""
    average = np.mean(P, axis=0)
    ties = np.count_nonzero(np.abs(average - 0.5) < 1e-9) > len(average)
    certain = all(np.isin(matrix, (0, 0.5, 1)).all() for matrix in P)
    if not (ties or certain):
        return regrets
    return {label: r for label, r in regrets.items() if r.benchmark != "von neumann"}


def charged(world, regrets, kind=Asked, **options):
    """One run of one learner: {(label, t): (value, undefined)}, the table and the learner."""
    made = Made(kind)
    table = sparring.simulate(world, {"learner": made}, regrets, runs=1, **options)
    columns = (table[name].to_list() for name in ("regret", "t", "value", "undefined"))
    return {(row[0], row[1]): row[2:] for row in zip(*columns, strict=True)}, table, *made.learners


@pytest.mark.parametrize("piece", [1, 7, 16_384])
@pytest.mark.parametrize("kind", [Asked, Played])
@pytest.mark.parametrize("name", WORLDS)
def test_every_regret_is_its_definition_at_every_checkpoint(name, kind, piece, monkeypatch, rng):
    """With pieces shorter than a hold, and pieces of many blocks' worth."""
    monkeypatch.setattr("sparring.simulation.path.PIECE", piece)
    world = WORLDS[name]()
    P = expand(world.given)
    regrets = unique_value_only(every_regret(world.K, world.T, rng), P)
    stops = sorted({1, world.T // 3 + 1, world.T // 2 + 1, world.T})
    found, table, learner = charged(world, regrets, kind, checkpoints=stops)
    assert len(learner.rows) == len(learner.cols) == world.T
    for t in stops:
        plays = learner.rows[:t], learner.cols[:t]
        for label, regret in regrets.items():
            if (
                regret.benchmark == "von neumann"
                and unique_value_only({label: regret}, P[:t]) == {}
            ):
                continue
            value, undefined = definition(regret, P[:t], *plays)
            np.testing.assert_allclose(found[label, t][0], value, **CLOSE, err_msg=f"{label}, {t}")
            assert found[label, t][1] == undefined, label
    assert set(table["S"]) == {segments(P)}
    np.testing.assert_allclose(table["V_T"], variation(P), **CLOSE)


def test_the_worlds_above_have_what_they_are_for():
    """Else the test of the definitions would miss the cases it is there for."""
    parts = stretches(expand(WORLDS["repeating"]().given))
    assert [stop - start for start, stop in parts] == [12, 1, 11, 9]
    regrets = {"known": Regret("preference", "condorcet")}
    found, *_ = charged(WORLDS["with and without winner"](), regrets)
    assert found["known", 23][1] == 13
    lengths = [stop - start for start, stop in stretches(expand(WORLDS["mixed"]().given))]
    assert 1 in lengths and max(lengths) > 3 * 7


@st.composite
def random_worlds(draw):
    """Blocks of matrices from a pool of three, so that neighbours are often equal."""
    K, seed = draw(st.integers(2, 4)), draw(st.integers(0, 99))
    rng = np.random.default_rng(seed)
    pool = random_matrices(3, K, rng, extreme=draw(st.booleans()))
    if draw(st.booleans()):
        pool[0] = 0.5
    entry = st.tuples(st.integers(0, 2), st.integers(1, 9))
    blocks = draw(st.lists(st.lists(entry, min_size=1, max_size=4), min_size=1, max_size=4))
    return Listed(*(([pool[m] for m, _ in block], [n for _, n in block]) for block in blocks))


@hypothesis.settings(max_examples=40)
@hypothesis.given(random_worlds(), st.integers(1, 12), st.sampled_from([Asked, Played]), st.data())
def test_every_regret_is_its_definition_in_random_worlds(world, piece, kind, data):
    regrets = every_regret(world.K, world.T, np.random.default_rng(3))
    regrets = {label: r for label, r in regrets.items() if r.benchmark != "von neumann"}
    t = data.draw(st.integers(1, world.T))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparring.simulation.path.PIECE", piece)
        found, _, learner = charged(world, regrets, kind, checkpoints=[t, world.T])
    P = expand(world.given)
    for stop in (t, world.T):
        for label, regret in regrets.items():
            value, undefined = definition(regret, P[:stop], learner.rows, learner.cols)
            np.testing.assert_allclose(found[label, stop][0], value, **CLOSE, err_msg=label)
            assert found[label, stop][1] == undefined, label


@pytest.mark.parametrize(
    "world",
    [
        sparring.GaussianWalk(4, 60, sigma=0.1),
        sparring.SwitchingWalk(4, 60, S=4, sigma=0.3),
        sparring.SwitchingWalk(3, 40, S=40, sigma=0.3),
        sparring.BudgetedDrift(3, 50, V_T=4, direction="persistent"),
        sparring.CondorcetSwitches(4, 60, S=6, epsilon=0.2),
        sparring.FreshWinner(5, 60, S=3),
        sparring.RotatingWinner(4, 50, V_T=3),
        sparring.Cyclic(5, 30),
    ],
    ids=lambda world: f"{type(world).__name__}, S={getattr(world, 'S', None)}",
)
def test_every_regret_is_its_definition_in_the_worlds_of_the_package(world, rng):
    """On the matrices the learner was shown, which are those of `describe` too."""
    regrets = every_regret(world.K, world.T, rng)
    if isinstance(world, (sparring.CondorcetSwitches, sparring.RotatingWinner)):
        # Ties everywhere; there may be several von Neumann winners.
        regrets = {label: r for label, r in regrets.items() if r.benchmark != "von neumann"}
    found, table, learner = charged(world, regrets, Played, seed=5)
    for label, regret in regrets.items():
        value, undefined = definition(regret, learner.P, learner.rows, learner.cols)
        np.testing.assert_allclose(found[label, world.T][0], value, **CLOSE, err_msg=label)
        assert found[label, world.T][1] == undefined, label
    assert table["S"][0] == segments(learner.P) == sparring.describe(world, 5).S
    np.testing.assert_allclose(table["V_T"][0], variation(learner.P), **CLOSE)


def test_a_repeated_matrix_is_one_stretch_however_it_is_handed_over():
    """Stretch regret of two equal holds is that of one hold of both, to the last bit."""
    A, B = sparring.Cyclic(3, 1).matrix, ladder(3, 0.3)
    whole = Listed(([A, B], [40, 6]))
    cut = Listed(([A], [15]), ([A, A], [1, 7]), ([A, B], [17, 1]), ([B], [5]))
    regrets = {f"{gain}": Regret(gain, "stretch") for gain in ("preference", "borda")}
    shown = 0
    for seed in range(5):
        first, table, learner = charged(whole, regrets, seed=seed)
        second, other, _ = charged(cut, regrets, seed=seed)
        assert first == second
        assert table["S"][0] == other["S"][0] == 2
        split = sum(
            definition(Regret("preference", "horizon"), expand(whole.given)[part], rows, cols)[0]
            for part in (slice(0, 15), slice(15, 40), slice(40, 46))
            for rows, cols in [(learner.rows[part], learner.cols[part])]
        )
        shown += split > first["preference", 46][0] + 0.01
    assert shown, "cutting a stretch would have made no difference"


def test_for_one_and_the_same_arms_both_is_the_mean_of_row_and_column(rng):
    """DR = (DR+ + DR-) / 2 for a given j^T, a mixture, and every fixed arm (Sec. 3.2 and 4.1)."""
    world = WORLDS["mixed"]()
    pi = rng.random(3)
    benchmarks = {
        "arms": Arms(rng.integers(3, size=world.T)),
        "mixture": Mixture(pi / pi.sum()),
        "condorcet": "condorcet",
        "von neumann": "von neumann",
        **{f"arm {j}": Arms([j], [world.T]) for j in range(3)},
    }
    sides = ("both", "row", "column")
    regrets = {
        f"{gain}/{name}/{side}": Regret(gain, benchmark, side)
        for gain in ("preference", "borda")
        for name, benchmark in benchmarks.items()
        for side in sides
    }
    found, *_ = charged(world, regrets)
    for gain in ("preference", "borda"):
        for name in benchmarks:
            both, row, col = (found[f"{gain}/{name}/{side}", world.T][0] for side in sides)
            np.testing.assert_allclose(both, (row + col) / 2, **CLOSE, err_msg=f"{gain}/{name}")
            assert not np.isclose(row, col), "else the mean would say nothing"


@pytest.mark.parametrize("name", ["held long", "hold of one", "mixed", "repeating"])
@pytest.mark.parametrize("gain", ["preference", "borda"])
@pytest.mark.parametrize("side", ["both", "row", "column"])
def test_a_finer_benchmark_regrets_more(name, gain, side, rng):
    """horizon <= stretch <= round at every checkpoint, and any given arms <= round."""
    world = WORLDS[name]()
    benchmarks = ("horizon", "stretch", "round", Arms(rng.integers(world.K, size=world.T)))
    regrets = {str(benchmark): Regret(gain, benchmark, side) for benchmark in benchmarks}
    found, *_ = charged(world, regrets, checkpoints=list(range(1, world.T + 1)))
    for t in range(1, world.T + 1):
        horizon, stretch, each, given = (found[label, t][0] for label in regrets)
        assert horizon <= stretch + 1e-9 <= each + 2e-9
        assert given <= each + 1e-9
    assert horizon < each - 0.1, "else nothing was compared"


@pytest.mark.parametrize("gain", ["preference", "borda"])
@pytest.mark.parametrize("side", ["both", "row", "column"])
def test_the_horizon_is_the_best_fixed_arm_and_a_one_hot_mixture_is_its_arm(gain, side):
    world = WORLDS["held long"]()
    fixed = {f"arm {j}": Regret(gain, Arms([j], [world.T]), side) for j in range(world.K)}
    one_hot = {f"pi {j}": Regret(gain, Mixture(np.eye(world.K)[j]), side) for j in range(world.K)}
    found, *_ = charged(world, {"horizon": Regret(gain, "horizon", side), **fixed, **one_hot})
    values = {label: value for (label, _), (value, _) in found.items()}
    np.testing.assert_allclose(values["horizon"], max(values[label] for label in fixed), **CLOSE)
    for j in range(world.K):
        np.testing.assert_allclose(values[f"pi {j}"], values[f"arm {j}"], **CLOSE)


@pytest.mark.parametrize("gain", ["preference", "borda"])
def test_distributions_of_segments_do_no_better_than_their_best_arms(gain, rng):
    """Remarks 3.4 and 4.3: one distribution in each stretch of P against "stretch", one for all.

    Regret to a distribution is the mean of that to its arms, here by `Arms` in each stretch.
    """
    world = WORLDS["held long"]()
    starts = np.flatnonzero(
        np.append(True, [(a != b).any() for a, b in pairwise(expand(world.given))])
    )
    lengths = np.diff(np.append(starts, world.T))
    names = {f"{s} {j}": (s, j) for s in range(len(starts)) for j in range(world.K)}
    # All rounds to arm 0 but those of stretch s, which go to j: differences are of one stretch.
    given = {
        name: Regret(gain, Arms([j if n == s else 0 for n in range(len(starts))], lengths))
        for name, (s, j) in names.items()
    }
    mixtures = {f"pi {n}": Regret(gain, Mixture(rng.dirichlet(np.ones(world.K)))) for n in range(5)}
    whole = {"stretch": Regret(gain, "stretch"), "horizon": Regret(gain, "horizon")}
    found, *_ = charged(world, {**whole, **given, **mixtures})
    value = {label: it for (label, _), (it, _) in found.items()}
    base = value["0 0"]
    of = np.array([[value[f"{s} {j}"] for j in range(world.K)] for s in range(len(starts))])
    best = base + (of - base).max(axis=1).sum()
    np.testing.assert_allclose(value["stretch"], best, **CLOSE)
    for _ in range(20):
        pi = rng.dirichlet(np.full(world.K, 0.3), len(starts))
        assert base + ((of - base) * pi).sum() <= value["stretch"] + 1e-9
    assert all(value[name] <= value["horizon"] + 1e-9 for name in mixtures)


@pytest.mark.parametrize("benchmark", ["condorcet", "arms"])
def test_weak_is_at_most_both_is_at_most_strong(benchmark, rng):
    world = WORLDS["with and without winner"]()
    given = Arms(rng.integers(3, size=world.T)) if benchmark == "arms" else benchmark
    regrets = {side: Regret("preference", given, side) for side in ("weak", "both", "strong")}
    found, *_ = charged(world, regrets, checkpoints=list(range(1, world.T + 1)))
    for t in range(1, world.T + 1):
        assert found["weak", t][0] <= found["both", t][0] <= found["strong", t][0]
        assert found["weak", t][1] == found["both", t][1] == found["strong", t][1]
        both = (found["weak", t][0] + found["strong", t][0]) / 2
        np.testing.assert_allclose(found["both", t][0], both, **CLOSE)


def test_borda_regret_is_in_scores_without_oneself():
    """By b_t, the mean over the others, and not s_t, over all arms (errata U9)."""
    world = listed(3, [9])
    found, _, learner = charged(world, {"known": Regret("borda", Arms([1], [9]))})
    P = world.given[0].P[0]
    by_b = sum(
        borda(P, 1) - (borda(P, a) + borda(P, b)) / 2
        for a, b in zip(learner.rows, learner.cols, strict=True)
    )
    s = P.mean(axis=1)
    by_s = sum(s[1] - (s[a] + s[b]) / 2 for a, b in zip(learner.rows, learner.cols, strict=True))
    np.testing.assert_allclose(found["known", 9][0], by_b, **CLOSE)
    np.testing.assert_allclose(by_b, 1.5 * by_s, **CLOSE)
    assert abs(by_b - by_s) > 0.1


class Oracle(Played):
    """Plays the Condorcet winner of each round with itself."""

    def play(self, block, coins):
        arms = np.array([int(np.argmax((P > 0.5).sum(axis=1))) for P in expand([block])])
        self.rows += arms.tolist()
        self.cols += arms.tolist()
        return sparring.Plays(arms, arms)


def test_negative_static_regret_occurs_and_is_kept():
    """Who follows a winner that changes beats every fixed arm (Sec. 7.1)."""
    P = np.array([ladder(3, 0.3), ladder(3, 0.3)[::-1, ::-1]])
    world = Listed((P, [20, 20]))
    regrets = [Regret("preference", b) for b in ("horizon", "stretch", "round", "condorcet")]
    found, _, learner = charged(world, regrets, Oracle)
    assert set(learner.rows) == {0, 2}
    horizon = found["preference/horizon", 40][0]
    assert horizon == pytest.approx(
        definition(regrets[0], expand(world.given), learner.rows, learner.cols)[0]
    )
    assert horizon < -3
    for benchmark in ("stretch", "round", "condorcet"):
        assert found[f"preference/{benchmark}", 40] == (pytest.approx(0, abs=1e-9), 0)


def test_regret_to_a_winner_where_there_never_is_one_is_no_number():
    """A zero would look like a learner without regret."""
    world = sparring.Cyclic(3, 25)
    sides = ("both", "row", "column", "weak", "strong")
    found, *_ = charged(world, {side: Regret("preference", "condorcet", side) for side in sides})
    assert len(found) == 5
    assert all(math.isnan(value) and undefined == 25 for value, undefined in found.values())


def test_the_von_neumann_winner_is_that_of_the_average_so_far():
    """Not of a round, and not of the average of the whole path, at a checkpoint."""
    world = Listed(([ladder(3, 0.4), ladder(3, 0.3)[::-1, ::-1]], [10, 30]))
    regret = {"pi": Regret("preference", "von neumann")}
    found, _, learner = charged(world, regret, checkpoints=[10, 40])
    P = expand(world.given)
    for t, arm in ((10, 0), (40, 2)):
        fixed = Regret("preference", Arms([arm], [t]))
        value, _ = definition(fixed, P[:t], learner.rows[:t], learner.cols[:t])
        np.testing.assert_allclose(found["pi", t][0], value, **CLOSE)


def test_the_best_responses_of_the_two_players_regret_at_least_the_common_one():
    """max_j of a mean is at most the mean of the maxima; by choice of j they differ."""
    world = WORLDS["mixed"]()
    sides = ("both", "row", "column")
    for benchmark in ("horizon", "stretch", "round"):
        regrets = {side: Regret("preference", benchmark, side) for side in sides}
        found, *_ = charged(world, regrets)
        both, row, col = (found[side, world.T][0] for side in sides)
        assert both <= (row + col) / 2 + 1e-9


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Regret("win"), "gain must be one of 'preference', 'borda'; got 'win'"),
        (
            lambda: Regret(benchmark="best"),
            "benchmark must be one of .*got 'best'.*sparring.regret.Arms",
        ),
        (lambda: Regret(benchmark=[0, 1]), "benchmark must be one of"),
        (lambda: Regret(side="left"), "side must be one of .*got 'left'"),
        (lambda: Regret("borda", "condorcet", "weak"), "gain must be 'preference' for weak"),
        (lambda: Regret("preference", "round", "strong"), "'condorcet' or Arms for strong regret"),
        (lambda: Regret("preference", Mixture([1.0, 0.0]), "weak"), "'condorcet' or Arms for weak"),
        (lambda: Arms([]), "arms must be one or more arms"),
        (lambda: Arms([0, -1]), "arms must be one or more arms, from 0"),
        (lambda: Arms([0.5]), "arms must be an array of whole numbers"),
        (lambda: Arms([0, 1], [3]), "rounds must be an array"),
        (lambda: Arms([0, 1], [3, 0]), r"rounds must be at least 1 everywhere .*; got \[3, 0\]"),
        (lambda: Mixture([0.5, 0.6]), "pi must be probabilities that sum to 1; got 1.1"),
        (lambda: Mixture([1.5, -0.5]), "pi must be a number in"),
        (lambda: Mixture([float("nan"), 1.0]), "pi must be"),
    ],
)
def test_what_is_no_regret_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_equal_neighbours_of_given_arms_are_joined_and_all_goes_through_json(rng):
    assert Arms([2, 2, 0, 0, 0, 2]) == Arms([2, 0, 2], [2, 3, 1])
    assert Arms([1, 1], [2, 5]) == Arms([1], [7])
    for regret in every_regret(3, 5, rng).values():
        assert Regret.from_json(regret.to_json()) == regret
    for broken in ({}, {"gain": "borda"}, {"gain": "borda", "side": "row", "benchmark": {"a": 1}}):
        with pytest.raises(ValueError, match="not a regret as Regret"):
            Regret.from_json(broken)
