"""Elo, Glicko-2, TrueSkill and Bradley-Terry: their sources, their twins, and what they refuse."""

import json

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import sparring
from rating_twins import Twin, rated
from sparring import Block
from sparring._jit import JIT_OFF
from sparring.learners import BradleyTerry, Rating
from sparring.learners import ratings as rating
from sparring.learners.snapshots import digest
from worlds import random_matrices

SYSTEMS = ["elo", "glicko2", "trueskill", "bradley_terry"]
DOUBTFUL = SYSTEMS[1:]
PAIRS = [
    *((name, pairing) for name in SYSTEMS for pairing in ("random", "near", "greedy")),
    *((name, pairing) for name in DOUBTFUL for pairing in ("thompson", "top two")),
]
pairs = pytest.mark.parametrize(("name", "pairing"), PAIRS)


def made(name, K=5, seed=1, **options):
    return sparring.LEARNERS[name](K, seed=seed, **options)


def shown(learner):
    """What it knows, in points."""
    known = learner.strengths if isinstance(learner, BradleyTerry) else learner.ratings
    return known, learner.deviations


# What the sources say.


def test_glickmans_worked_example():
    """1500, 200, 0.06; beats 1400 (30), loses to 1550 (100) and 1700 (300): 1464.06, 151.52."""
    mu = np.array([0.0, -100.0, 50.0, 200.0]) / 173.7178
    variance = (np.array([200.0, 30.0, 100.0, 300.0]) / 173.7178) ** 2
    volatility, gain, bend = np.full(4, 0.06), np.zeros(4), np.zeros(4)
    for other, score in ((1, 1.0), (2, 0.0), (3, 0.0)):
        rating.note_game(score, 0, other, mu, variance, gain, bend)
    assert 1 / bend[0] == pytest.approx(1.7785, abs=1e-3)  # his v, of chances to 3 digits
    assert gain[0] / bend[0] == pytest.approx(-0.4834, abs=1e-3)  # his Delta
    rating.end_period(mu, variance, volatility, gain, bend, 0.5, np.inf)
    assert 1500 + 173.7178 * mu[0] == pytest.approx(1464.06, abs=0.01)
    assert 173.7178 * np.sqrt(variance[0]) == pytest.approx(151.52, abs=0.01)
    assert volatility[0] == pytest.approx(0.05999, abs=1e-5)
    games = [(1400, 30, 1), (1550, 100, 0), (1700, 300, 0)]
    twin = rated(1500, 200, 0.06, games, 0.5)
    assert twin == pytest.approx((1464.06, 151.52, 0.05999), abs=0.01)


@pytest.mark.parametrize(("lead", "factor"), [(0.0, 32.0), (200.0, 20.0), (-650.0, 10.0)])
@pytest.mark.parametrize("o", [0.0, 0.3, 0.5, 1.0])
def test_elos_formula(lead, factor, o):
    learner = made("elo", 2, pairing="random", factor=factor)
    learner._memory.mu[:] = np.array([lead, 0.0]) * np.log(10) / 400
    duel = learner.ask()
    before = learner.ratings[[duel.row, duel.col]]
    learner.tell(duel, o)
    expected = 1 / (1 + 10 ** (-(before[0] - before[1]) / 400))
    moved = factor * (o - expected)
    after = (before[0] + moved, before[1] - moved)
    assert tuple(learner.ratings[[duel.row, duel.col]]) == pytest.approx(after)
    assert learner.ratings.sum() == pytest.approx(before.sum())


@pytest.mark.parametrize("means", [(0.0, 0.0), (8.0, -3.0), (-14.0, 14.0)])
@pytest.mark.parametrize("deviations", [(8.0, 8.0), (1.0, 5.0)])
def test_trueskill_has_the_moments_of_the_exact_posterior(means, deviations):
    """Its update is Bayes' rule and then a normal law of the same mean and variance."""
    learner = made("trueskill", 2, pairing="random", dynamics=0.0)
    learner._memory.mu[:] = means
    learner._memory.variance[:] = np.square(deviations)
    duel = learner.ask()
    winner, loser = duel.row, duel.col
    learner.tell(duel, 1.0)
    beta2 = (25 / 6) ** 2
    for arm, other, sign in ((winner, loser, 1), (loser, winner, -1)):
        spread = np.sqrt(2 * beta2 + deviations[other] ** 2)

        def posterior(x, power, arm=arm, other=other, sign=sign, spread=spread):
            prior = norm.pdf(x, means[arm], deviations[arm])
            return x**power * prior * norm.cdf(sign * (x - means[other]) / spread)

        ends = (means[arm] - 12 * deviations[arm], means[arm] + 12 * deviations[arm])
        mass, first, second = (
            quad(posterior, *ends, (n,), epsabs=0, epsrel=1e-11, limit=300)[0] for n in range(3)
        )
        mean = first / mass
        assert learner._memory.mu[arm] == pytest.approx(mean, abs=1e-6)
        assert learner._memory.variance[arm] == pytest.approx(second / mass - mean**2, rel=1e-5)


def test_the_hazard_of_the_normal_law():
    """To 1e-12 from -36 to 36, where the series, the fraction and the density take turns."""
    t = np.linspace(-36, 36, 1441)
    found = [rating.hazard(x) for x in t]
    assert found == pytest.approx(np.exp(norm.logpdf(t) - norm.logcdf(t)), rel=1e-12)
    assert rating.hazard(40.0) == 0.0


# Beside the twins.


@pairs
@pytest.mark.parametrize("K", [2, 5, 9])
def test_same_arms_in_every_round(name, pairing, K):
    rng = np.random.default_rng([K, len(name), len(pairing)])
    learner = made(name, K, pairing=pairing, seed=K)
    twin = Twin(K, name, pairing, learner._memory.words)
    rounds = 20 if JIT_OFF else 200
    for P in (*random_matrices(1, K, rng), *random_matrices(1, K, rng, extreme=True)):
        coins = rng.random(rounds)
        plays = learner.play(Block(P[None], np.array([rounds])), coins)
        for coin, row, col in zip(coins, plays.rows.tolist(), plays.cols.tolist(), strict=True):
            assert twin.ask() == (row, col)
            twin.tell(row, col, float(coin < P[row, col]))
    agrees(learner, twin)


def agrees(learner, twin):
    """To 1e-9 of a rating; Glicko-2 to what Glickman's 1e-6 of a log-volatility makes of it."""
    ratings, deviations = shown(learner)
    close = {"rtol": 1e-6, "atol": 1e-6} if learner.KIND == "ratings" else {"rtol": 1e-9}
    np.testing.assert_allclose(ratings, twin.system.ratings, **{"atol": 1e-9, **close})
    expected = [twin.system.deviation(k) for k in range(learner.K)]
    np.testing.assert_allclose(deviations, expected, rtol=1e-6)


@pytest.mark.parametrize("name", SYSTEMS)
def test_late_answers_count_when_they_are_told(name):
    rng = np.random.default_rng(3)
    learner = made(name, pairing="random")
    twin = Twin(5, name, "random", learner._memory.words)
    waiting = []
    for _ in range(120):
        waiting.append(learner.ask())
        if len(waiting) > 7:
            duel = waiting.pop(int(rng.integers(len(waiting))))
            outcome = float(rng.choice([0.0, 0.25, 0.5, 1.0]))
            learner.tell(duel, outcome)
            twin.tell(duel.row, duel.col, outcome)
    agrees(learner, twin)


@pytest.mark.compiled
@pairs
def test_interpreted_is_compiled_to_the_last_bit(name, pairing):
    learners = [made(name, 4, pairing=pairing, seed=2) for _ in range(2)]
    P = random_matrices(2, 4, np.random.default_rng(5))
    coins = np.random.default_rng(6).random(300)
    memories = []
    play = learners[0].KERNELS.play
    for learner, form in zip(learners, (play, play.py_func), strict=True):
        arms, hold = np.empty((2, 300), np.int64), np.array([100, 200])
        memory = learner._state.copy().arrays
        assert form(memory, learner._numbers, np.empty(0), P, hold, coins, *arms) == 300
        memories.append([*memory, arms])
    for compiled, interpreted in zip(*memories, strict=True):
        assert np.array_equal(compiled, interpreted)


# What they are for.


@pytest.mark.parametrize("name", DOUBTFUL)
def test_doubt_comes_back(name):
    """Also while nothing but the leader with itself is told."""
    learner = made(name, 3, pairing="random")
    for t in range(400):
        learner.tell(learner.ask(), float(t % 2))
    before = learner.deviations
    for _ in range(600):
        learner.tell(learner.watch(1, 1), 0.5)
    assert (learner.deviations > 1.1 * before).all()


@pytest.mark.compiled
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_new_winner_is_found(name):
    """Arm 1 beats all others for 3,000 rounds with 0.8, then arm 2 does."""
    learner = made(name)
    rng = np.random.default_rng(1)
    for best in (1, 2):
        P = np.full((5, 5), 0.5)
        P[best], P[:, best] = 0.8, 0.2
        P[best, best] = 0.5
        learner.play(Block(P[None], np.array([3000])), rng.random(3000))
        assert learner.favourite == best


# What they refuse.


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: made("elo", pairing="thompson"), "no doubt to draw from"),
        (lambda: made("elo", pairing="swiss"), "pairing must be one of"),
        (lambda: made("elo", pairing=None), "pairing must be one of"),
        (lambda: made("elo", factor=0), "factor"),
        (lambda: made("elo", factor=float("nan")), "factor"),
        (lambda: made("elo", explore=1.5), "explore"),
        (lambda: made("glicko2", period=0), "period"),
        (lambda: made("glicko2", tau=0), "tau"),
        (lambda: made("glicko2", volatility=-1), "volatility"),
        (lambda: made("trueskill", beta=0), "beta"),
        (lambda: made("trueskill", dynamics=-1), "dynamics"),
        (lambda: made("bradley_terry", half=0.5), "half"),
        (lambda: made("bradley_terry", K=1), "K"),
        (lambda: Rating(3, system="chess", pairing="near"), "system must be one of"),
        (lambda: Rating(3, system="elo", pairing="near", tau=1), "what tunes elo must be among"),
        (lambda: Rating(3, system="elo", pairing="near", period=9), "only Glicko-2 has"),
    ],
)
def test_bad_input(make, match):
    with pytest.raises(ValueError, match=match):
        make()


def forged(name, part, value):
    learner = made(name)
    for t in range(60):
        learner.tell(learner.ask(), (t % 3) / 2)
    saved = json.loads(json.dumps(learner.snapshot()))
    array = np.array(saved["memory"][part], float)
    array.flat[1 if array.size > 1 else 0] = value
    saved["memory"][part] = array.tolist()
    return {**saved, "digest": digest(saved)}


@pytest.mark.parametrize(
    ("name", "part", "value"),
    [
        ("elo", "mu", 1e9),
        ("elo", "variance", 1.0),
        ("glicko2", "mu", 60.0),
        ("glicko2", "variance", 0.0),
        ("glicko2", "variance", 5.0),
        ("glicko2", "volatility", 0.0),
        ("glicko2", "bend", -1.0),
        ("glicko2", "gain", 1e9),
        ("trueskill", "variance", -1.0),
        ("bradley_terry", "information", 0.0),
        ("bradley_terry", "mu", 1e9),
        ("bradley_terry", "won", 1e6),
        ("bradley_terry", "state", 1e9),
    ],
)
def test_forged_memories_are_refused(name, part, value):
    with pytest.raises(sparring.SnapshotError, match="'memory' is damaged"):
        sparring.restore(forged(name, part, value))


def test_what_is_not_forged_is_restored():
    """Else the test above could not fail."""
    for name in SYSTEMS:
        sparring.restore(forged(name, "mu", 0.25))


@pytest.mark.parametrize("name", SYSTEMS)
def test_newcomers_begin_as_all_did_and_the_others_keep_their_ratings(name):
    learner = made(name, pairing="random")
    for t in range(100):
        learner.tell(learner.ask(), float(t % 2))
    ratings, deviations = shown(learner)
    first = shown(made(name))
    learner.add()
    learner.withdraw(0)
    now = shown(learner)
    assert np.array_equal(now[0][:4], ratings[1:]) and np.array_equal(now[1][:4], deviations[1:])
    assert now[0][4] == first[0][0] and now[1][4] == first[1][0]


@pytest.mark.parametrize(
    "make",
    [sparring.learners.elo, sparring.learners.bradley_terry, sparring.learners.seasoned],
    ids=lambda make: make.__name__,
)
def test_a_chance_that_is_none_ends_the_block(make):
    learner = make(3, seed=1)
    before = learner.snapshot()
    block = Block(np.full((1, 3, 3), 2.0), np.array([5]))
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        learner.play(block, np.zeros(5))
    assert learner.snapshot() == before


def test_a_wild_volatility_is_found_as_well():
    """Where f is negative a step of tau below, the search for its root goes on downwards."""
    delta2, variance, v, sigma, tau = 0.0, 0.01, 0.01, 10.0, 5.0
    a = np.log(sigma**2)
    assert rating.slope(a - tau, delta2, variance, v, a, tau) < 0
    found = rating.new_volatility(delta2, variance, v, sigma, tau)
    assert rating.slope(2 * np.log(found), delta2, variance, v, a, tau) == pytest.approx(
        0, abs=1e-4
    )
