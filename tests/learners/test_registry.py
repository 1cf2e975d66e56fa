"""Learners and worlds register where they are defined, and segments are cut in one way."""

import json

import numpy as np
import pytest

import sparring
from sparring.learners import frame
from sparring.segments import boundary, equal_cuts, lengths
from sparring.worlds.registry import is_own, register

pytestmark = pytest.mark.core

LEARNERS = [
    "tracker",
    "rand",
    "rex3",
    "dex3p",
    "dex3s",
    "borda_dex3s",
    "d_exp3",
    "sym_exp3s",
    "steady",
    "sturdy",
    "sparring_exp3",
    "sparring_exp3ix",
    "sparring_exp3six",
    "versatile_db",
    "sym_exp3six",
    "rucb",
    "rmed1",
    "double_thompson",
    "elo",
    "glicko2",
    "trueskill",
    "bradley_terry",
    "seasoned",
    "btwr",
    "monitored_db",
    "anaconda",
    "metaswift",
    "periodic_restarts",
]
WORLDS = [
    "GaussianWalk",
    "SwitchingWalk",
    "BudgetedDrift",
    "CondorcetSwitches",
    "FreshWinner",
    "Storm",
    "Newcomer",
    "RotatingWinner",
    "UtilityWalk",
    "UtilitySwitches",
    "MovingShares",
    "Seasonal",
    "LinearUtilities",
    "Cyclic",
    "Constant",
    "Recorded",
    "Late",
    "Silent",
    "Spoiled",
    "Rigged",
]


def test_the_order_is_that_of_the_imports():
    """Figures and tables go by it."""
    assert list(sparring.LEARNERS) == LEARNERS
    assert list(sparring.WORLDS) == WORLDS
    alone = ("tracker", "steady", "sturdy", "periodic_restarts")
    assert list(frame.PLAIN) == [name for name in LEARNERS if name not in alone]


def test_every_family_can_be_restored_and_is_ours():
    for name in LEARNERS:
        make = sparring.LEARNERS[name]
        options = {"S": 2} if name == "borda_dex3s" else {}
        options |= {"T": 2_000} if "T" in make.told else {}
        learner = make(3, **options, seed=1)
        assert frame.KINDS[learner.KIND] is type(learner) and frame.is_own(learner)


def test_a_subclass_is_not_ours():
    class Mine(sparring.learners.ExponentialWeights):
        pass

    class Walk(sparring.GaussianWalk):
        pass

    assert not frame.is_own(Mine(3, sparring.Tuning(0.1, 0.2)))
    assert not is_own(Walk(3, 10)) and is_own(sparring.GaussianWalk(3, 10))


def test_no_name_is_taken_twice():
    def rand(K, *, seed=None):
        return sparring.rand(K, seed=seed)

    with pytest.raises(ValueError, match=r"'rand' is taken by sparring\.learners\.dex3\.rand"):
        sparring.learners.register()(rand)
    assert frame.PLAIN["rand"] is sparring.LEARNERS["rand"] is sparring.rand

    class Cyclic:
        pass

    with pytest.raises(ValueError, match=r"'Cyclic' is taken by sparring\.worlds\.given\.Cyclic"):
        register(Cyclic)
    assert sparring.WORLDS["Cyclic"] is sparring.Cyclic
    with pytest.raises(ValueError, match="'restarts' is taken by"):
        type("Other", (sparring.learners.Restarting,), {"KIND": "restarts"})


def test_an_unknown_kind_says_what_to_do():
    saved = {**sparring.rand(3, seed=1).snapshot(), "kind": "mine"}
    with pytest.raises(sparring.SnapshotError, match=r"'mine'.*Import the module that defines"):
        sparring.restore(saved)


@pytest.mark.parametrize(("T", "S"), [(10, 4), (97, 13), (60, 60), (5, 1), (1_000, 3)])
def test_rounds_are_cut_in_one_way(T, S, tmp_path):
    """By worlds, and in a certificate."""
    cuts = [int(np.floor(s * T / S + 0.5)) for s in range(1, S)]
    assert equal_cuts(T, S) == cuts == [boundary(s, T, S) for s in range(1, S)]
    assert lengths(0, S, T, S).tolist() == np.diff([0, *cuts, T]).tolist()
    assert [change - 1 for change in sparring.FreshWinner(3, T, S=S).changes] == cuts
    learner, path = sparring.rand(3, seed=1), tmp_path / "log.jsonl"
    with path.open("w") as log:
        for t in range(T):
            duel = learner.ask()
            log.write(json.dumps({**duel.to_json(), "outcome": t % 2}) + "\n")
            learner.tell(duel, t % 2)
    found = sparring.certify(path, segments=S)
    assert found.segments == S and found.dynamic == sparring.certify(path, cuts=cuts).dynamic


@pytest.mark.parametrize("told", [("K",), ("t",), (sparring.rand,)])
def test_a_learner_is_told_t_s_or_v_t(told):
    with pytest.raises(ValueError, match="what a learner is told must be among T, S, V_T"):
        sparring.learners.register(*told)


def test_a_learner_is_told_what_it_says_and_no_more():
    """A simulation, which knows all three, passes no other."""
    world = sparring.FreshWinner(4, 2_000, S=3)
    for name, make in sparring.LEARNERS.items():
        given, entrant = {}, sparring.Entrant(name)

        def spy(K, *, seed, given=given, **options):
            given.update(options)
            return sparring.rand(K, seed=seed)

        spy.told = make.told
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sparring.LEARNERS, name, spy)
            problem = sparring.Problem(world.K, world.T, world.S)
            entrant(problem, np.random.default_rng(0))
        assert given.keys() == {*make.told} - {"V_T"}, name
