"""Significant shifts: hand-made paths, and all intervals by brute force."""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
import world_twins as twins
from sparring import Block
from sparring.problem import LONGEST
from sparring.simulation import _shifts as kernels
from sparring.simulation import shifts
from sparring.simulation.path import Path


class Given:
    """A world of these matrices, in blocks of some."""

    def __init__(self, P, hold, block=1_000):
        self.P, self.hold, self.block = np.array(P, float), np.array(hold), block
        self.K, self.T = self.P.shape[1], int(self.hold.sum())

    def blocks(self, rng):
        for start in range(0, len(self.P), self.block):
            part = slice(start, start + self.block)
            yield Block(self.P[part], self.hold[part])


def counted(P, hold, block=1_000):
    world = Given(P, hold, block)
    problem = sparring.Problem(world.K, world.T)
    found = shifts.Shifts(world.K)
    for piece in Path(world, problem, np.random.default_rng(0), longest=LONGEST):
        found.follow(piece)
    return found.count


def two(lead):
    """Two arms, the first ahead by so much."""
    return [[0.5, 0.5 + lead], [0.5 - lead, 0.5]]


@pytest.mark.parametrize(
    ("leads", "holds", "shifts"),
    [
        ([0.5], [1_000], 0),  # one winner that stays
        ([0.5, -0.5], [8, 8], 1),  # n / 2 >= sqrt(2 n) from n = 8 on, for both
        ([0.5, -0.5], [7, 8], 0),  # the second arm was not bad for long enough
        ([0.5, -0.5], [8, 7], 0),
        ([0.5, -0.5], [100, 10_000], 1),
        ([0.5, -0.5, 0.5], [8, 8, 8], 1),  # of the new episode the first arm was bad for one round
        ([0.5, -0.5, 0.5], [8, 15, 8], 2),  # the shift's own round counts again: 8 and 8
        ([0.5, -0.5, 0.5], [8, 14, 8], 1),
        ([0.25, -0.25], [32, 32], 1),  # half the gap takes four times as long
        ([0.25, -0.25], [32, 31], 0),
        ([0.5, 0.0, -0.5], [4, 100, 8], 0),  # a tie is bad for nobody, and dilutes
        ([0.5, -0.5] * 50, [3] * 100, 10),  # five spells of three in 27 rounds: 7.5 >= sqrt(54)
    ],
)
def test_paths_by_hand(leads, holds, shifts):
    P = [two(lead) for lead in leads]
    expected = twins.significant_shifts(np.repeat(P, holds, axis=0)) if sum(holds) < 2_000 else None
    assert expected is None or len(expected) == shifts
    assert counted(P, holds) == shifts


def test_where_nobody_beats_all_the_least_beaten_arm_is_not_bad():
    """Rock, paper, scissors is no shift after the other."""
    assert sparring.describe(sparring.Cyclic(K=3, T=100_000)).significant_shifts == 0


def test_many_changes_may_matter_to_nobody():
    """Small ones, of two arms that are equally good; large ones come through."""
    P, hold = [two(0.01), two(-0.01)] * 200, [20] * 400
    assert twins.segments(np.array(P)) == 400
    assert counted(P, hold) == 0
    found = sparring.describe(sparring.FreshWinner(K=5, T=50_000, S=8))
    assert found.significant_shifts == 7


@hypothesis.settings(max_examples=60)
@hypothesis.given(data=st.data(), K=st.integers(2, 3), longest=st.sampled_from([1, 6, 40]))
def test_as_by_all_intervals(data, K, longest):
    """Eighths, so that no sum is rounded; in blocks of any length, with no room to begin with."""
    pairs = K * (K - 1) // 2
    entry = st.integers(0, 8) if data.draw(st.booleans()) else st.sampled_from([0, 8])
    rows = data.draw(
        st.lists(st.lists(entry, min_size=pairs, max_size=pairs), min_size=1, max_size=40)
    )
    hold = data.draw(st.lists(st.integers(1, longest), min_size=len(rows), max_size=len(rows)))
    P = np.full((len(rows), K, K), 0.5)
    above = np.triu_indices(K, 1)
    P[:, above[0], above[1]] = np.array(rows) / 8
    P[:, above[1], above[0]] = 1 - P[:, above[0], above[1]]
    expected = len(twins.significant_shifts(np.repeat(P, hold, axis=0)))
    assert counted(P, hold) == expected
    assert counted(P, hold, block=data.draw(st.integers(1, 9))) == expected


def test_a_stack_that_is_full_grows(monkeypatch):
    world = sparring.GaussianWalk(K=4, T=5_000, sigma=0.03)
    path = twins.expand(world, np.random.default_rng(2))
    expected = counted(path, np.ones(len(path), int))
    monkeypatch.setattr(shifts, "FIRST_ROOM", 1)
    assert counted(path, np.ones(len(path), int)) == expected > 0


def test_a_start_that_an_older_one_beats_for_ever_is_none():
    """Gaps of 10 in 4 rounds are bad already from the older start: a new one cannot be better."""
    size, start, base = np.array([1]), np.zeros((1, 4), np.int64), np.zeros((1, 4))
    kernels.begin(0, 2, 4, np.array([10.0]), size, start, base)
    assert size.tolist() == [1]
    kernels.begin(0, 2, 4, np.array([0.0]), size, start, base)
    assert size.tolist() == [2]
