"""Duels between arms with features: the fit and the rules against twins, bookkeeping, worlds."""

import json
import math

import numpy as np
import pytest

import linear_twin as twins
import sparring
from sparring import contexts
from sparring.checks import DuelError, SnapshotError
from sparring.contexts import Features, FeaturesEntrant

RULES = ("max_pair", "max_informative", "colstim", "thompson")


def answered(learner, rounds, K, rng, theta, **later):
    """Let a crowd with these weights answer; returns what was told."""
    told = []
    for _ in range(rounds):
        X = rng.standard_normal((K, learner.d))
        duel = learner.ask(X)
        outcome = float(rng.random() < twins.sigmoid(duel.z @ theta))
        learner.tell(duel, outcome)
        if duel.row != duel.col:
            told.append((duel.z, outcome))
    return told


@pytest.mark.parametrize("memory", [math.inf, 50.0, 2.0])
@pytest.mark.parametrize("rule", RULES)
def test_the_fit_is_its_twin(memory, rule):
    """To 1e-8, through 200 answers: the kernel keeps an inverse that the twin takes."""
    learner = Features(3, rule=rule, memory=memory, seed=1)
    told = answered(learner, 200, 4, np.random.default_rng(2), np.array([1.0, -1.0, 0.5]))
    twin = twins.GaussianTwin(3, memory)
    for z, o in told:
        twin.tell(z, o)
    np.testing.assert_allclose(learner.theta, twin.theta, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(learner._memory.V[0], np.linalg.inv(twin.A), rtol=1e-7, atol=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("memory", [math.inf, 300.0])
def test_one_step_an_answer_is_near_the_maximum_of_the_likelihood(memory):
    """Within a third of a standard deviation in each direction, after 2,000 answers."""
    rng, theta = np.random.default_rng(3), np.array([1.0, -0.5, 0.8, 0.0])
    learner = Features(4, rule="thompson", memory=memory, seed=1)
    Z, outcomes = map(np.array, zip(*answered(learner, 2_000, 6, rng, theta), strict=True))
    exact, covariance = twins.discounted_fit(Z, outcomes, memory)
    missed = learner.theta - exact
    assert missed @ np.linalg.solve(covariance, missed) < 4 * (1 / 3) ** 2


def test_memories_are_weighed_by_what_they_predicted():
    """The product of chances with a share, to 1e-9; the heaviest chooses."""
    lengths = (math.inf, 40.0, 5.0)
    learner = Features(2, memory=lengths, seed=1)
    rng = np.random.default_rng(4)
    told = answered(learner, 150, 3, rng, np.array([2.0, 0.0]))
    before = len(told)
    told += answered(learner, 150, 3, rng, np.array([-2.0, 0.0]))
    twin = [twins.GaussianTwin(2, length) for length in lengths]
    weights, heaviest = np.full(3, 1 / 3), []
    for z, o in told:
        chances = np.array([one.tell(z, o) for one in twin])
        weights *= o * chances + (1 - o) * (1 - chances)
        weights = (1 - contexts.features.SHARE) * weights / weights.sum()
        weights += contexts.features.SHARE / 3
        heaviest.append(int(weights.argmax()))
    np.testing.assert_allclose(list(learner.weights.values()), weights, rtol=1e-7)
    assert heaviest[before - 1] in (0, 1)  # while nothing changes, one that remembers
    assert heaviest[-1] != 0  # after a change, one that forgets
    np.testing.assert_allclose(learner.theta, twin[heaviest[-1]].theta, rtol=1e-7)


@pytest.mark.parametrize("K", [2, 3, 8])
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("rule", ["max_pair", "max_informative"])
def test_a_rule_of_pairs_is_its_twin(rule, K, d):
    rng = np.random.default_rng([5, K, d])
    learner = Features(d, rule=rule, memory=math.inf, seed=1)
    for _ in range(60):
        X = rng.standard_normal((K, d))
        duel = learner.ask(X)
        wanted = getattr(twins, rule)(X, learner.theta, learner._memory.V[0], learner.width)
        assert {duel.row, duel.col} == wanted
        learner.tell(duel, float(rng.random() < twins.sigmoid(3 * duel.z[0])))


@pytest.mark.parametrize("K", [2, 3, 8])
def test_the_second_arm_of_colstim_is_its_twin(K):
    rng = np.random.default_rng([6, K])
    learner = Features(3, rule="colstim", memory=math.inf, seed=1)
    for _ in range(60):
        X = rng.standard_normal((K, 3))
        duel = learner.ask(X)
        V = learner._memory.V[0]
        assert duel.col == twins.colstim_second(X, learner.theta, V, learner.width, duel.row)
        learner.tell(duel, float(rng.random() < twins.sigmoid(3 * duel.z[0])))


@pytest.mark.compiled
def test_the_first_arm_of_colstim_is_perturbed_by_gumbel_noise():
    """Two arms whose utilities are 0, deviations 2 and 1: the first wins as Gumbel's law says.

    20,000 draws; 5 deviations are exceeded by chance once in 1.7 million.
    """
    X, draws = np.array([[2.0], [1.0]]), 20_000
    learner = Features(1, rule="colstim", memory=math.inf, width=4.0, seed=1)
    found = 0
    for _ in range(draws):
        duel = learner.ask(X)
        found += duel.row == 0
        learner.forget(duel)
    gumbel = -np.log(-np.log((np.arange(2_000) + 0.5) / 2_000)).clip(-4, 4)
    chance = (2 * gumbel[:, None] > gumbel[None, :]).mean()
    assert abs(found - draws * chance) < 5 * math.sqrt(draws * chance * (1 - chance))


@pytest.mark.compiled
@pytest.mark.parametrize("d", [1, 2, 3])
def test_thompson_draws_theta_from_its_gaussian(d):
    """The utility of one arm against 0 is positive as often as the normal law says.

    8,000 draws of each player; 5 deviations are exceeded by chance once in 1.7 million.
    """
    learner = Features(d, rule="thompson", memory=math.inf, seed=1)
    rng = np.random.default_rng(7)
    answered(learner, 8, 4, rng, np.full(d, 0.7))
    x = np.arange(1.0, d + 1)
    X, n = np.array([x, np.zeros(d)]), 8_000
    mean = x @ learner.theta
    deviation = math.sqrt(x @ learner._memory.V[0] @ x)
    chance = 0.5 * math.erfc(-mean / deviation / math.sqrt(2))
    wins = np.zeros(2)
    for _ in range(n):
        duel = learner.ask(X)
        wins += (duel.row == 0, duel.col == 0)
        learner.forget(duel)
    assert (abs(wins - n * chance) < 5 * math.sqrt(n * chance * (1 - chance))).all()


def test_forgetting_for_ever_keeps_the_prior():
    """A direction never seen again has the prior's variance to within the coordinates' turns."""
    learner = Features(2, memory=20.0, ridge=2.0, seed=1)
    for _ in range(2_000):
        duel = learner.ask(np.array([[1.0, 0.0], [-1.0, 0.0]]))
        learner.tell(duel, 1.0)
    variance = learner._memory.V[0][1, 1]
    assert 0.8 * 0.5 < variance < 1.25 * 0.5
    assert np.isfinite(learner.theta).all()


@pytest.mark.parametrize("rule", RULES)
def test_restored_it_goes_on_bit_for_bit(rule):
    learner, rng = Features(3, rule=rule, seed=1), np.random.default_rng(8)
    answered(learner, 50, 5, rng, np.ones(3))
    late = [learner.ask(rng.standard_normal((4, 3))) for _ in range(3)]
    copy = Features.from_snapshot(json.loads(json.dumps(learner.snapshot())))
    for one in (learner, copy):
        one.tell(late[1], 1.0)
        one.tell(late[0], 0.25)
        answered(one, 30, 5, np.random.default_rng(9), np.ones(3))
    assert learner.snapshot() == copy.snapshot()


def test_damaged_snapshots_are_refused():
    learner = Features(2, seed=1)
    learner.ask(np.eye(2))
    saved = learner.snapshot()
    for field, value in (
        ("d", 3),
        ("rule", "best"),
        ("words", ["0x0"] * 4),
        ("told", [9]),
        ("theta", [[math.nan] * 2] * 4),
        ("open", [[1, 0, 1, [1.0]]]),
        ("width", 2.0),
    ):
        with pytest.raises(SnapshotError):
            Features.from_snapshot({**saved, field: value})


def test_bad_input_is_refused_and_changes_nothing():
    learner = Features(2, seed=1)
    duel = learner.ask(np.eye(2))
    before = learner.snapshot()
    for X in ([[1, 2]], np.eye(3), [[1, math.nan], [0, 0]], [[1e9, 0], [0, 0]], "X", None):
        with pytest.raises(ValueError, match="X"):
            learner.ask(X)
    for outcome in (math.nan, 2, "won", None):
        with pytest.raises(ValueError, match="outcome"):
            learner.tell(duel, outcome)
    foreign = Features(2).ask(np.eye(2))
    for stranger in (None, duel._replace(t=7), duel._replace(col=duel.row), foreign):
        with pytest.raises(DuelError):
            learner.tell(stranger, 1.0)
    with pytest.raises(ValueError, match="not both"):
        learner.forget()
    assert learner.snapshot() == before
    assert learner.forget(before=2) == 1
    assert not learner.open


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d": 0}, "d must be"),
        ({"d": 2, "rule": "ucb"}, "rule must be one of"),
        ({"d": 2, "memory": 1}, "memory must be"),
        ({"d": 2, "memory": ()}, "memory must be"),
        ({"d": 2, "memory": (5, 5)}, "memory must be"),
        ({"d": 2, "width": -1}, "width must be"),
        ({"d": 2, "ridge": 0}, "ridge must be"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Features(**options)


def test_the_world_is_logistic_in_its_features():
    """P of a round is that of its features and the segment's weights, however it is cut."""
    world = sparring.worlds.LinearUtilities(K=4, T=3_000, d=3, segments=2, scale=2.0)
    blocks = list(world.blocks(np.random.default_rng(1)))
    P = np.concatenate([np.repeat(block.P, block.hold, axis=0) for block in blocks])
    odds = np.log(P / P.transpose(0, 2, 1))
    for start, stop in ((0, 1_500), (1_500, 3_000)):
        X = world.features(start, stop)
        differences = (X[:, :, None] - X[:, None, :]).reshape(-1, 3)
        theta = np.linalg.lstsq(differences, odds[start:stop].reshape(-1), rcond=None)[0]
        np.testing.assert_allclose(odds[start:stop].reshape(-1), differences @ theta, atol=1e-9)
        assert np.linalg.norm(theta) == pytest.approx(2)
    np.testing.assert_array_equal(world.features(1_000, 1_100), world.features(900, 1_200)[100:200])


def test_weights_that_walk_turn_slowly():
    world = sparring.worlds.LinearUtilities(K=2, T=500, d=4, segments=2, walk=True)
    turns = world._directions(np.random.default_rng(1))
    theta = world._weights(np.arange(500), turns)
    np.testing.assert_allclose(np.linalg.norm(theta, axis=1), 4.0)
    assert np.linalg.norm(np.diff(theta, axis=0), axis=1).max() < 0.2
    np.testing.assert_allclose(theta[0], 4 * turns[0])
    np.testing.assert_allclose(theta[250], 4 * turns[1], atol=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_playing_is_asking_and_telling(rule):
    """The block kernel leaves what ask and tell leave, to the last bit, however a path is cut."""
    world = sparring.worlds.LinearUtilities(K=5, T=120, d=3, segments=2)
    (block,) = world.blocks(np.random.default_rng(1))
    coins = np.random.default_rng(2).random(120)
    player = FeaturesEntrant(world, rule)(sparring.Problem(5, 120), np.random.default_rng(3))
    rows = []
    for start, stop in ((0, 50), (50, 51), (51, 120)):
        piece = sparring.Block(block.P[start:stop], block.hold[start:stop])
        rows += player.play(piece, coins[start:stop]).rows.tolist()
    learner = Features(3, rule=rule, seed=np.random.default_rng(3))
    for t, X in enumerate(world.features(0, 120)):
        duel = learner.ask(X)
        assert duel.row == rows[t]
        learner.tell(duel, float(coins[t] < block.P[t, duel.row, duel.col]))
    np.testing.assert_array_equal(learner.theta, player._learner.theta)


@pytest.mark.compiled
def test_it_learns_and_follows():
    """On weights that switch, forgetting has less regret than remembering all: sums of 5 runs.

    In 200 other runs the ratio of the two had mean 0.68 and deviation 0.12, and that of the latter
    to random pairs 0.36 and 0.11: means of five at 1 or above are six deviations away.
    """
    world = sparring.worlds.LinearUtilities(K=6, T=3_000, d=4, segments=3)
    entrants = {
        "told nothing": FeaturesEntrant(world),
        "still": FeaturesEntrant(world, memory=math.inf),
        "rand": "rand",
    }
    regret = sparring.Regret("preference", "round")
    table = sparring.simulate(world, entrants, regret, runs=5, favourites=True)
    values = {
        name: table.filter(entrant=name, regret=table["regret"][0])["value"].to_numpy()
        for name in entrants
    }
    assert values["told nothing"].sum() < values["still"].sum() < values["rand"].sum()


def test_bad_entrants_are_refused():
    with pytest.raises(ValueError, match="features"):
        FeaturesEntrant(sparring.FreshWinner(K=3, T=10, S=1))
    world = sparring.worlds.LinearUtilities(K=3, T=10, d=2)
    for other in (
        sparring.worlds.LinearUtilities(K=3, T=20, d=2),
        sparring.worlds.LinearUtilities(K=3, T=10, d=2, contexts=7),  # other features
    ):
        with pytest.raises(ValueError, match="the world simulated must be the entrant's"):
            sparring.simulate(other, {"features": FeaturesEntrant(world)}, "static", runs=1)


def test_few_features_are_there_at_once(monkeypatch):
    """However few rounds' features are read at a time, the numbers are the same."""
    world = sparring.worlds.LinearUtilities(K=4, T=200, d=3, segments=2)
    values = []
    for most in (4_000_000, 12 * 7):
        monkeypatch.setattr(contexts.playing, "MOST_NUMBERS", most)
        entrant = {"features": FeaturesEntrant(world)}
        values.append(sparring.simulate(world, entrant, "static", runs=2)["value"].to_list())
    assert values[0] == values[1]


def test_a_chance_outside_zero_and_one_ends_the_block():
    world = sparring.worlds.LinearUtilities(K=3, T=10, d=2)
    player = FeaturesEntrant(world)(sparring.Problem(3, 10), np.random.default_rng(3))
    block = sparring.Block(np.full((1, 3, 3), 2.0), np.array([10]))
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        player.play(block, np.zeros(10))
    with pytest.raises(TypeError, match="features are needed"):
        player.ask()
    with pytest.raises(TypeError, match="features are needed"):
        player.tell(None, 1.0)
