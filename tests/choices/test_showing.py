"""Several arms at once: what is told is unbiased, by enumeration; bookkeeping; simulations."""

import json
from itertools import permutations, product

import numpy as np
import pytest

import sparring
from sparring import choices
from sparring.checks import DuelError, SnapshotError
from sparring.choices import Choice, Showing, ShowingEntrant
from sparring.choices import showing as module
from worlds import random_matrices

K = 4
U = np.array([0.3, -1.0, 0.9, 0.1])
BRADLEY_TERRY = 1 / (1 + np.exp(U[None, :] - U[:, None]))
ANY = random_matrices(1, K, np.random.default_rng(3))[0]
P_OF_PAIR = np.array([[0.1, 0.2, 0.3, 0.4]])
APART = 1 - (P_OF_PAIR**2).sum()


class Scripted:
    """A learner that asks what it is told to, and writes down what it learns."""

    K, differ, arms = K, True, tuple(range(K))

    def __init__(self, asks, p=P_OF_PAIR):
        self.p, self.asks, self.told = p, list(asks), []

    def ask(self, *, distinct=False):
        return sparring.Duel(len(self.asks), *self.asks.pop(0), self.p)

    def watch(self, row, col):
        return sparring.Duel(0, row, col, self.p)

    def tell(self, duel, outcome):
        self.told.append((duel.row, duel.col, outcome))

    def forget(self, duel):
        pass


class Fills:
    """A generator whose first number fills a place; the others leave the order as it is."""

    def __init__(self, first):
        self.numbers = [first]

    def random(self):
        return self.numbers.pop() if self.numbers else 1 - 2**-53


def law_of_pairs():
    """Each ordered pair and its chance, drawn from p given that the arms differ."""
    p = P_OF_PAIR[0]
    return {(i, j): p[i] * p[j] / APART for i, j in permutations(range(K), 2)}


def shown_sets(monkeypatch):
    """Everything `ask` can do with m = 3 and one further ask: chance, showing and choice."""
    monkeypatch.setattr(module, "ASKS", 1)
    for (pair, first), (other, second) in product(law_of_pairs().items(), repeat=2):
        # The two arms that are left are equally likely, if the further ask brings no third one.
        fills = [0.25, 0.75] if set(other) == set(pair) else [0.5]
        for fill in fills:
            showing = Showing(Scripted([pair, other]), 3, seed=1)
            showing._rng = Fills(fill)
            yield first * second / len(fills), showing, showing.ask()


@pytest.mark.parametrize(
    ("P", "model"), [(BRADLEY_TERRY, "plackett-luce"), (BRADLEY_TERRY, "pairs"), (ANY, "pairs")]
)
def test_what_the_pair_is_told_is_a_duel_under_preferences(P, model, monkeypatch):
    """Given the pair the mean is P'(a, b), P' is a preference matrix, and gains are unbiased."""
    told, chance, gains = np.zeros((K, K)), np.zeros((K, K)), np.zeros(K)
    p = P_OF_PAIR[0]
    for weight, showing, choice in shown_sets(monkeypatch):
        wins = choices.chances(P, choice.arms, model)
        for winner, likely in zip(choice.arms, wins, strict=True):
            learner = showing.learner
            learner.told = []
            showing._open[choice.t] = choice
            showing.tell(choice, winner)
            ((a, b, outcome),) = learner.told
            told[a, b] += weight * likely * outcome
            chance[a, b] += weight * likely
            lead = APART * (2 * outcome - 1) / 2  # SYM-EXP3.S for two different arms
            gains[a] += weight * likely * lead / p[a]
            gains[b] -= weight * likely * lead / p[b]
    assert chance.sum() == pytest.approx(1)
    induced = np.where(chance > 0, told / np.where(chance > 0, chance, 1), 0.5)
    np.testing.assert_allclose(induced + induced.T, 1, atol=1e-12)
    np.testing.assert_allclose(gains, 2 * (induced - 0.5) @ p, atol=1e-12)
    if model == "plackett-luce":
        assert (np.sign((induced - 0.5).round(12)) == np.sign((P - 0.5).round(12))).all()


def test_a_ranking_tells_the_pair_its_own_duel(monkeypatch):
    """Of strengths: the mean over all rankings is P(a, b)."""
    told, chance = np.zeros((K, K)), np.zeros((K, K))
    for weight, showing, choice in shown_sets(monkeypatch):
        for order in permutations(choice.arms):
            likely, left = 1.0, list(choice.arms)
            for arm in order[:-1]:
                likely *= choices.chances(BRADLEY_TERRY, left)[left.index(arm)]
                left.remove(arm)
            showing.learner.told = []
            showing._open[choice.t] = choice
            showing.tell(choice, order)
            ((a, b, outcome),) = showing.learner.told
            told[a, b] += weight * likely * outcome
            chance[a, b] += weight * likely
    np.fill_diagonal(chance, 1)
    np.testing.assert_allclose((told / chance)[chance < 1], BRADLEY_TERRY[chance < 1], atol=1e-12)


@pytest.mark.parametrize("answer", ["winner", "ranking"])
def test_of_strengths_all_pairs_that_are_decided_are_unbiased(answer):
    """Given that an answer decides a pair, the higher wins with P(i, j); each at most once."""
    for arms in permutations(range(K), 3):
        wins, decided = np.zeros((K, K)), np.zeros((K, K))
        for order in permutations(arms):
            likely, left = 1.0, list(arms)
            for arm in order[:-1]:
                likely *= choices.chances(BRADLEY_TERRY, left)[left.index(arm)]
                left.remove(arm)
            learner = Scripted([arms[:2], arms[1:]], p=np.empty((0, K)))
            showing = Showing(learner, 3, seed=1)
            choice = showing.ask()
            assert set(choice.arms) == set(arms)
            showing.tell(choice, order if answer == "ranking" else order[0])
            assert len(learner.told) == (3 if answer == "ranking" else 2)
            for winner, loser, outcome in learner.told:
                assert outcome == 1
                wins[winner, loser] += likely
                decided[winner, loser] += likely
                decided[loser, winner] += likely
        met = decided > 0
        np.testing.assert_allclose(wins[met] / decided[met], BRADLEY_TERRY[met], atol=1e-12)


def test_arms_differ_and_no_place_is_better():
    """2,000 sets of 3 of 5: each place has the pair's row arm a third of the time.

    Each count is binomial; 5 deviations are exceeded by chance once in 1.7 million.
    """
    showing = Showing(sparring.rand(5, seed=1), 3, seed=2)
    places = np.zeros(3)
    for _ in range(2_000):
        choice = showing.ask()
        assert len(set(choice.arms)) == 3
        assert set(choice.duel[1:3]) <= set(choice.arms)
        places[choice.arms.index(choice.duel.row)] += 1
        showing.forget(choice)
    assert abs(places - 2_000 / 3).max() < 5 * np.sqrt(2_000 * 2 / 9)
    assert not showing.open
    assert not showing.learner.open


@pytest.mark.parametrize(
    "learner",
    [
        lambda: sparring.tracker(6, differ=True, seed=1),
        lambda: sparring.steady(6, differ=True, seed=1),
        lambda: sparring.dex3s(6, 10_000, S=2, seed=1),
    ],
)
@pytest.mark.parametrize("m", [2, 4, 6])
def test_restored_it_goes_on_bit_for_bit(learner, m):
    showing = Showing(learner(), m, seed=3)
    late = [showing.ask() for _ in range(5)]
    showing.tell(late[3], late[3].arms[0])
    copy = Showing.from_snapshot(json.loads(json.dumps(showing.snapshot())))
    for choice in (late[0], late[4]):
        for one in (showing, copy):
            one.tell(choice, choice.arms[-1])
    for _ in range(20):
        ours, theirs = showing.ask(), copy.ask()
        assert ours.arms == theirs.arms
        showing.tell(ours, ours.arms[0])
        copy.tell(theirs, theirs.arms[0])
    assert showing.snapshot()["open"] == copy.snapshot()["open"]


def test_a_damaged_snapshot_is_refused():
    saved = Showing(sparring.steady(4, differ=True, seed=1), 3, seed=1).snapshot()
    with pytest.raises(SnapshotError, match="field 'm'"):
        Showing.from_snapshot({**saved, "m": 9})
    with pytest.raises(SnapshotError, match="digest"):
        Showing.from_snapshot({**saved, "m": 4})


def test_names_are_shown_and_told():
    learner = sparring.steady(4, differ=True, seed=1).named(["plain", "polite", "terse", "rude"])
    showing = Showing(learner, 3, seed=1)
    choice = showing.ask()
    assert len(choice.names) == 3
    showing.tell(choice, choice.names[1])
    choice = showing.ask()
    showing.tell(choice, choice.names)
    assert not showing.open


def test_bad_answers_change_nothing():
    showing = Showing(sparring.steady(5, differ=True, seed=1), 3, seed=1)
    choice = showing.ask()
    before = showing.snapshot()
    missing = next(arm for arm in range(5) if arm not in choice.arms)
    for answer in (
        missing,
        None,
        "plain",
        True,
        choice.arms[:2],
        [choice.arms[0]] * 3,
        0.5,
        [],
        [[1, 2], [3]],
    ):
        with pytest.raises(ValueError, match="the answer must be"):
            showing.tell(choice, answer)
    for stranger in (None, choice.duel, choice._replace(t=9), choice._replace(arms=(0, 1, 2, 3))):
        with pytest.raises(DuelError):
            showing.tell(stranger, choice.arms[0])
    assert showing.snapshot() == before
    showing.tell(choice, choice.arms[0])
    with pytest.raises(DuelError, match="told or forgotten"):
        showing.tell(choice, choice.arms[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"m": 1}, "m must be a whole number of at least 2"),
        ({"m": 6}, "m must be at most 5; got 6. It shows m different arms"),
        ({"m": 3, "learn": "some"}, "learn must be one of"),
        ({"m": 3, "learn": "all"}, "'pair' for a learner with a p"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Showing(sparring.steady(5, differ=True, seed=1), **options)


def test_a_learner_that_may_show_one_arm_for_ever_is_refused():
    with pytest.raises(ValueError, match="differ=True"):
        Showing(sparring.tracker(5, seed=1), 3)


def test_what_is_no_learner_is_refused():
    with pytest.raises(ValueError, match=r"learner must be .*; got 'tracker'\. For"):
        Showing("tracker", 3)


@pytest.mark.parametrize("answer", ["winner", "ranking"])
@pytest.mark.parametrize(
    "learner", [sparring.Entrant("tracker", differ=True), sparring.Entrant("steady", differ=True)]
)
def test_simulations_do_not_depend_on_how_a_path_is_cut(learner, answer):
    """Sets of three end in the middle of blocks."""
    world = sparring.worlds.UtilitySwitches(K=5, T=1_000, S=3)
    entrant = {"three": ShowingEntrant(learner, 3, answer=answer)}
    values = [
        sparring.simulate(world, entrant, "dynamic", runs=2, checkpoints=stops)
        .filter(t=1_000)["value"]
        .to_list()
        for stops in (1, 7)
    ]
    assert values[0] == values[1]


def test_the_regret_of_a_set_is_the_mean_over_its_arms():
    """One answer from all arms: regret to the best arm is the mean of P(best, i) - 1/2, m times."""
    world = sparring.Constant(BRADLEY_TERRY, T=K)
    entrant = {"all": ShowingEntrant(sparring.Entrant("rand"), K)}
    (value,) = sparring.simulate(world, entrant, "static", runs=1)["value"]
    assert value == pytest.approx((BRADLEY_TERRY[2] - 0.5).sum())


def test_bad_entrants_are_refused():
    with pytest.raises(ValueError, match="answer must be one of"):
        ShowingEntrant("rand", 3, answer="best")
    with pytest.raises(ValueError, match="model must be one of"):
        ShowingEntrant("rand", 3, model="luce")
    late = sparring.worlds.Late(sparring.UtilityWalk(K=5, T=100), mean=3)
    with pytest.raises(ValueError, match="whose answers just come"):
        sparring.simulate(late, {"three": ShowingEntrant("rand", 3)}, runs=1)
    world = sparring.FreshWinner(K=3, T=100, S=1)
    with pytest.raises(sparring.checks.SimulationError, match="m must be at most 3"):
        sparring.simulate(world, {"four": ShowingEntrant("rand", 4)}, runs=1)


def test_a_choice_is_a_value():
    showing = Showing(sparring.rand(5, seed=1), 3, seed=2)
    choice = showing.ask()
    assert choice == Choice(1, choice.arms, choice.duel)
