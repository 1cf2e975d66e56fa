"""Favourites in a table: who is asked for what, and when one is right."""

import math

import numpy as np
import pytest

import sparring
from sparring import Constant, Regret, preferences, simulate
from sparring.lab.experiments import Experiment, run
from sparring.lab.results import Shelf
from sparring.simulation.observers import FAVOURITE, favourite_of

pytestmark = pytest.mark.compiled  # no kernel is tested here

STRETCH = Regret("preference", "stretch")
P = [[0.5, 0.9, 0.8], [0.1, 0.5, 0.7], [0.2, 0.3, 0.5]]


class Plain:
    """A learner that plays arm 2 against itself and says no more than it must."""

    K = 3
    p = np.array([[0.1, 0.2, 0.7], [0.1, 0.5, 0.4]])

    def __init__(self, problem, rng):
        self.t = 0

    def ask(self):
        self.t += 1
        return sparring.Duel(self.t, 2, 2, self.p)

    def tell(self, duel, outcome):
        pass


class Coupled(Plain):
    p = np.empty((0, 3))


class Undecided(Plain):
    favourite = None


class Right(Coupled):
    favourite = 0


class Impossible(Plain):
    favourite = 3


def test_a_learner_without_a_favourite_is_known_by_what_it_draws():
    assert favourite_of(Plain(None, None)) == 2
    assert favourite_of(Right(None, None)) == 0
    assert favourite_of(Coupled(None, None)) is None
    assert favourite_of(Undecided(None, None)) is None


def right(table, entrant):
    return table.filter(regret=FAVOURITE, entrant=entrant)["value"].to_list()


def test_a_favourite_is_right_if_it_is_the_best_arm_of_that_round():
    """Path and learner are followed by hand: the same favourites, the same best arms."""
    world = sparring.FreshWinner(4, 400, S=3)
    stops = [1, 100, 134, 135, 300, 400]
    table = simulate(
        world, ["double_thompson"], STRETCH, runs=2, checkpoints=stops, favourites=True, seed=3
    )
    assert table.filter(regret=FAVOURITE)["t"].to_list() == stops * 2
    for number in range(2):
        sizes = {"experiment": "", "K": 4, "T": 400, "run": number}
        path, coins, own = (
            sparring.streams.keyed(3, purpose, label=label, **sizes)
            for purpose, label in (("path", ""), ("coins", ""), ("learner", "double_thompson"))
        )
        (block,) = world.blocks(path)
        matrices = np.repeat(block.P, block.hold, axis=0)
        learner, expected = sparring.learners.double_thompson(4, seed=own), []
        for t, P in enumerate(matrices, 1):
            if t in stops:  # what it thinks as the round begins
                expected.append(float(preferences.best_arms(P)[learner.favourite]))
            learner.play(sparring.Block(P[None], np.ones(1, np.int64)), coins.random(1))
        assert table.filter(regret=FAVOURITE, run=number)["value"].to_list() == expected


def test_learners_of_ones_own_take_part():
    entrants = {one.__name__: one for one in (Plain, Coupled, Undecided, Right)}
    table = simulate(Constant(P, 10), entrants, STRETCH, runs=1, favourites=True)
    assert (right(table, "Plain"), right(table, "Right")) == ([0.0], [1.0])
    assert all(math.isnan(*right(table, label)) for label in ("Coupled", "Undecided"))


def test_a_favourite_that_is_no_arm_is_the_learners_fault():
    with pytest.raises(
        sparring.checks.SimulationError, match=r"'Impossible' failed .* its favourite must"
    ):
        simulate(Constant(P, 10), Impossible, STRETCH, runs=1, favourites=True)


def test_who_begins_anew_behind_a_round_is_asked_before_it():
    """A new learner would say arm 0; the old one has seen arm 2 win every duel."""
    sure = [[0.5, 1.0, 0.0], [0.0, 0.5, 0.0], [1.0, 1.0, 0.5]]
    entrant = sparring.Entrant("periodic_restarts", learner="double_thompson", every=100)
    table = simulate(Constant(sure, 100), {"anew": entrant}, STRETCH, runs=5, favourites=True)
    assert right(table, "anew") == [1.0] * 5


def test_all_arms_that_are_best_are_right():
    tied = np.full((3, 3), 0.5)
    table = simulate(Constant(tied, 10), {"2": Plain}, STRETCH, runs=1, favourites=True)
    assert right(table, "2") == [1.0]


def test_asking_changes_nothing_else():
    world, names = sparring.FreshWinner(3, 300, S=2), sorted(sparring.LEARNERS)
    names = [name for name in names if name not in ("borda_dex3s", "monitored_db")]
    options = {"runs": 1, "checkpoints": 5}
    asked = simulate(world, names, STRETCH, favourites=True, **options)
    unasked = simulate(world, names, STRETCH, **options)
    assert asked.filter(regret=str(STRETCH)).equals(unasked)
    assert asked.filter(regret=FAVOURITE)["value"].is_in([0.0, 1.0]).all()


def test_no_regret_may_have_that_label():
    with pytest.raises(ValueError, match="labels of the regrets must be others than 'favourite'"):
        simulate(Constant(P, 10), "rand", {FAVOURITE: STRETCH}, runs=1, favourites=True)


def test_an_experiment_notes_favourites_if_it_is_told_to(tmp_path):
    world = sparring.FreshWinner(3, 200, S=2)
    plain = Experiment("mine", "Mine", "T", [world], "rand", STRETCH, checkpoints=4)
    noting = Experiment(
        "mine", "Mine", "T", [world], "rand", STRETCH, checkpoints=4, favourites=True
    )
    assert Experiment.from_json(noting.to_json()) == noting != plain
    old = {
        key: value for key, value in plain.to_json().items() if key not in ("favourites", "told")
    }
    assert Experiment.from_json(old) == plain  # as folders have it that were made before
    tables = []
    for name, one in (("plain", plain), ("noting", noting)):
        run(one, tmp_path / name, runs=2)
        tables.append(Shelf(tmp_path / name / "mine").read().table.drop("seconds"))
    assert tables[1].filter(regret=str(STRETCH)).equals(tables[0])
    assert tables[1].filter(regret=FAVOURITE)["t"].to_list() == [50, 100, 150, 200] * 2
