"""Groups of voters: pooling helps the small, and does not spoil the different; bookkeeping."""

import json
import math

import numpy as np
import pytest

from sparring import contexts
from sparring.checks import DuelError, SnapshotError
from sparring.contexts import Grouped


def preferences(K, best, margin=0.3):
    P = np.full((K, K), 0.5)
    P[best], P[:, best] = 0.5 + margin, 0.5 - margin
    np.fill_diagonal(P, 0.5)
    return P


def voted(grouped, tastes, votes, rng):
    """Let groups vote by their tastes; returns the last favourites."""
    names = list(tastes)
    for _ in range(votes):
        group = names[rng.integers(len(names))]
        pair = grouped.ask(group)
        grouped.tell(pair, float(rng.random() < tastes[group][pair.row, pair.col]))
    return {name: grouped.favourite(name) for name in names}


def test_a_group_with_its_own_taste_is_not_spoiled_and_the_others_are_pooled():
    K = 5
    tastes = {name: preferences(K, 0) for name in "abc"} | {"odd": preferences(K, 3)}
    grouped = Grouped(K, seed=1, differ=True)
    found = voted(grouped, tastes, 4_000, np.random.default_rng(1))
    assert found == {"a": 0, "b": 0, "c": 0, "odd": 3}
    assert grouped.groups["odd"] > 0.5


def test_a_new_group_begins_with_what_all_like():
    grouped = Grouped(4, seed=1, differ=True)
    voted(grouped, {"old": preferences(4, 2)}, 500, np.random.default_rng(2))
    assert grouped.favourite("new") == 2
    assert not grouped.ask("new").own


def test_the_weight_is_that_of_its_definition():
    """Chances by counts with half a win and a loss before, fading, and a share: by hand."""
    grouped = Grouped(3, memory=10, seed=1, differ=True)
    own, everybody = np.zeros((3, 3)), np.zeros((3, 3))
    weight, rng = 0.5, np.random.default_rng(3)
    for number in range(60):
        group = "g" if number % 3 else "other"
        pair = grouped.ask(group)
        o = float(rng.random() < 0.7)
        grouped.tell(pair, o)
        chances = []
        for W in (own, everybody):
            chance = (W[pair.row, pair.col] + 0.5) / (
                W[pair.row, pair.col] + W[pair.col, pair.row] + 1
            )
            chances.append(o * chance + (1 - o) * (1 - chance))
        if group == "g":
            weight = weight * chances[0] / (weight * chances[0] + (1 - weight) * chances[1])
            weight = 0.99 * weight + 0.005
            own = 0.9 * own
            own[pair.row, pair.col] += o
            own[pair.col, pair.row] += 1 - o
        everybody = 0.9 * everybody
        everybody[pair.row, pair.col] += o
        everybody[pair.col, pair.row] += 1 - o
    assert grouped.groups["g"] == pytest.approx(weight, rel=1e-12)


@pytest.mark.parametrize("learner", ["tracker", "steady", "double_thompson"])
def test_restored_it_goes_on_bit_for_bit(learner):
    grouped = Grouped(4, learner, seed=1)
    voted(grouped, {"a": preferences(4, 1), "b": preferences(4, 2)}, 100, np.random.default_rng(4))
    late = grouped.ask("a")
    copy = Grouped.from_snapshot(json.loads(json.dumps(grouped.snapshot())))
    for one in (grouped, copy):
        one.tell(late, 1.0)
        voted(one, {"a": preferences(4, 1), "c": preferences(4, 2)}, 50, np.random.default_rng(5))
    assert grouped.groups == copy.groups


def test_damaged_snapshots_are_refused():
    grouped = Grouped(3, seed=1)
    voted(grouped, {"a": preferences(3, 1)}, 20, np.random.default_rng(6))
    saved = grouped.snapshot()
    side = saved["groups"]["a"]
    for damage in ({"own_weight": math.nan}, {"W": [[-1.0] * 3] * 3}, {"own_weight": 0.25}):
        groups = {"a": {**side, **damage}}
        with pytest.raises(SnapshotError):
            Grouped.from_snapshot({**saved, "groups": groups})


def test_late_lost_and_foreign_pairs():
    grouped = Grouped(4, seed=1, differ=True)
    first, second = grouped.ask("a"), grouped.ask("a")
    grouped.tell(second, 0.0)
    grouped.forget(first)
    for pair in (
        first,
        second,
        first._replace(group="b"),
        second._replace(row=9),
        second._replace(duel=None),
        None,
    ):
        with pytest.raises(DuelError):
            grouped.tell(pair, 1.0)
    with pytest.raises(ValueError, match="outcome"):
        grouped.tell(grouped.ask("a"), 7)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="learner must be one of"):
        Grouped(4, "trakcer")
    with pytest.raises(ValueError, match="learns only from the duels it asks"):
        Grouped(4, "btwr")
    with pytest.raises(ValueError, match="memory"):
        Grouped(4, memory=0)
    grouped = Grouped(4, seed=1)
    for group in ("", None, 7, "x" * 1000, ["x"]):
        with pytest.raises(ValueError, match="group must be"):
            grouped.ask(group)
        with pytest.raises(ValueError, match="group must be"):
            grouped.favourite(group)
    assert not grouped.groups
    assert "0 groups" in repr(grouped)


def test_the_luck_of_a_group_is_its_own():
    """What a group's learner asks depends on the seed and its name, not on who came before."""
    alone, crowded = Grouped(5, "rand", seed=3), Grouped(5, "rand", seed=3)
    crowded.ask("first")
    asked = []
    for grouped in (alone, crowded):
        own = grouped._group("late").own.learner
        asked.append([own.ask()[1:3] for _ in range(20)])
    assert asked[0] == asked[1]


def test_too_many_groups_are_refused(monkeypatch):
    monkeypatch.setattr(contexts.groups, "MOST_NUMBERS", 3 * 16)
    grouped = Grouped(4, seed=1)
    for group in "abc":
        grouped.ask(group)
    with pytest.raises(ValueError, match=r"groups must be at most 3 with 4 arms; .*Put rare"):
        grouped.ask("d")
    assert grouped.favourite("d") in range(4)


def test_a_self_duel_is_told_and_counts_for_nothing():
    grouped = Grouped(3, "rand", seed=2)
    for _ in range(30):
        pair = grouped.ask("a")
        before = grouped.groups["a"]
        grouped.tell(pair, 0.5)
        if pair.row == pair.col:
            assert grouped.groups["a"] == before
