"""The checks of `sparring.testing.check_world`: our worlds pass them, and each can fail."""

import numpy as np
import pytest

import sparring
from sparring.testing import WORLD_CHECKS, check_world

K, T = 3, 300
ROCK_PAPER_SCISSORS = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]

WORLDS = {
    "GaussianWalk": sparring.GaussianWalk(K, T, sigma=0.1),
    "SwitchingWalk": sparring.SwitchingWalk(K, T, S=7),
    "BudgetedDrift": sparring.BudgetedDrift(K, T, V_T=5, direction="persistent"),
    "CondorcetSwitches": sparring.CondorcetSwitches(K, T, V_T=1, family="paper"),
    "FreshWinner": sparring.FreshWinner(K, T, S=7),
    "Storm": sparring.Storm(K, T, S=7, calm=0.3),
    "Newcomer": sparring.Newcomer(K, T, S=3),
    "RotatingWinner": sparring.RotatingWinner(K, T, V_T=3),
    "UtilityWalk": sparring.UtilityWalk(K, T),
    "MovingShares": sparring.worlds.MovingShares(K, T),
    "Seasonal": sparring.worlds.Seasonal(K, T, period=70, seasons=3),
    "UtilitySwitches": sparring.worlds.UtilitySwitches(K, T, S=7),
    "LinearUtilities": sparring.worlds.LinearUtilities(K, T, d=2, segments=3),
    "Cyclic": sparring.Cyclic(K, T),
    "Constant": sparring.Constant(ROCK_PAPER_SCISSORS, T),
    "Recorded": sparring.worlds.Recorded([np.full((2, 2), 0.5)] * 3, T, interpolate=True),
    "Late": sparring.worlds.Late(sparring.FreshWinner(K, T, S=7), mean=3),
    "Silent": sparring.worlds.Silent(sparring.BudgetedDrift(K, T, V_T=5), share=0.5),
    "Spoiled": sparring.worlds.Spoiled(sparring.UtilityWalk(K, T), share=0.1, aim="leader"),
    "Rigged": sparring.worlds.Rigged(sparring.UtilityWalk(K, T), share=0.1, plan="newcomers"),
}


def test_every_world_is_checked():
    assert set(WORLDS) == set(sparring.WORLDS)


@pytest.mark.parametrize("name", WORLDS)
def test_our_worlds_pass(name):
    assert set(check_world(WORLDS[name]).values()) <= {
        "passed",
        "skipped: the world states neither S nor V_T",
    }


class Tides:
    """A world as a user would write it, with a fault to order."""

    K, T = 2, 100

    def __init__(self, fault=None):
        self.fault, self.paths = fault, 0
        if fault in ("S", "V_T"):
            setattr(self, fault, 2)
        if fault == "K":
            self.K = 2.5
        if fault == "lambda":
            self.callback = lambda: None

    def blocks(self, rng):
        self.paths += 1
        level = rng.random()
        for start in range(0, self.T - (10 if self.fault == "short" else 0), 10):
            if self.fault == "shared":
                self.level = level
            rounds = np.arange(start, start + 10)
            if self.fault == "chance":
                rounds += self.paths
            p = 0.5 + 0.5 * level * np.sin(rounds / 3)
            P = np.full((10, 2, 2), 0.5)
            P[:, 0, 1], P[:, 1, 0] = p, 1 - p
            if self.fault == "matrix":
                P[7, 1, 0] = 0.9
            hold = np.ones(10, np.int64)
            if self.fault == "hold":
                hold = hold[:9]
            if self.fault == "block":
                yield P, hold
            else:
                yield sparring.Block(P, hold)
            if self.fault == "shared":
                level = self.level


FAULTS = {
    "K": "sizes_are_whole_numbers",
    "block": "blocks_have_a_hold_for_each_matrix",
    "hold": "blocks_have_a_hold_for_each_matrix",
    "short": "holds_sum_to_T",
    "matrix": "matrices_are_preferences",
    "chance": "same_generator_same_path",
    "shared": "paths_do_not_disturb_each_other",
    "S": "what_it_states_is_true",
    "V_T": "what_it_states_is_true",
}


def test_a_users_world_passes():
    verdicts = check_world(Tides())
    assert verdicts.pop("what_it_states_is_true") == "skipped: the world states neither S nor V_T"
    assert set(verdicts.values()) == {"passed"}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_check_can_fail(fault):
    with pytest.raises(AssertionError, match=FAULTS[fault]):
        check_world(Tides(fault))


def test_the_first_bad_entry_is_named():
    with pytest.raises(AssertionError, match=r"P of block 0\[7, 1, 0\] must be 1 - "):
        check_world(Tides("matrix"))


def test_a_world_that_cannot_be_pickled_is_told_so():
    assert "threads only" in check_world(Tides("lambda"))["survives_pickling"]


def test_pickling_that_changes_the_world_is_caught(monkeypatch):
    def forget(self):
        return Tides, ("chance",)

    monkeypatch.setattr(Tides, "__reduce__", forget)
    with pytest.raises(AssertionError, match="survives_pickling"):
        check_world(Tides("moved"))


@pytest.mark.parametrize("wrong", [Tides, 7, object()])
def test_what_is_no_world_is_refused(wrong):
    with pytest.raises(TypeError, match="takes a world"):
        check_world(wrong)


def test_every_check_has_a_fault_that_it_finds():
    caught = set(FAULTS.values()) | {"survives_pickling"}
    assert caught == {check.__name__ for check in WORLD_CHECKS}
