"""Votes as values."""

import numpy as np
import pytest

from sparring.votes import Votes

NAMES = ("tea", "coffee", "cocoa", "milk")


@pytest.fixture
def votes(rng):
    first = rng.integers(4, size=60)
    second = (first + rng.integers(1, 4, size=60)) % 4
    return Votes(NAMES, first=first, second=second, outcome=rng.integers(2, size=60).astype(float))


def test_votes_on_some_arms_are_taken_by_name_or_place(votes):
    chosen = votes.only(["milk", "tea"])
    assert list(chosen.rows()) == [row for row in votes.rows() if {*row[:2]} == {"milk", "tea"}]
    assert chosen.names == ("milk", "tea")
    for same in ([3, 0], ["milk", 0], np.array([3, 0])):
        assert list(votes.only(same).rows()) == list(chosen.rows())


@pytest.mark.parametrize(
    ("arms", "value"),
    [
        (["tea", "mlik"], "'milk'"),
        ([0, 4], "4"),
        ([0, -1], "-1"),
        (["tea", 0], "0"),
        ("tea", "tea"),
        (None, "None"),
    ],
)
def test_arms_that_are_not_there_or_twice_are_refused(votes, arms, value):
    with pytest.raises(ValueError, match="arms must be") as refused:
        votes.only(arms)
    assert value in str(refused.value)
