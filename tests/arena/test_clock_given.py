"""A clock of one's own, and the open tickets of a judge who works in batches."""

import pytest

import sparring
from sparring.votes import from_arena

DAY = 86_400


def test_answers_are_late_and_dated_by_the_given_clock(tmp_path):
    now = 1_767_571_200.0
    address = tmp_path / "prompts.db"
    with sparring.Arena(address, ["a", "b"], lifetime="2d", clock=lambda: now) as arena:
        one, other = arena.ask("ann"), arena.ask("bob")
        assert one.expires == now + 2 * DAY
        now += DAY
        assert arena.tell(one, "a").learnt
        now += 1.5 * DAY
        late = arena.tell(other, "b")
        assert not late.learnt and late.why
    assert from_arena(address).time.tolist() == [1_767_571_200.0 + DAY]


def test_a_clock_that_goes_back_stops_no_arena(tmp_path):
    now = 2_000_000_000.0
    with sparring.Arena(tmp_path / "a.db", ["a", "b"], clock=lambda: now) as arena:
        arena.ask("ann")
        now -= 5 * DAY
        assert arena.tell(arena.ask("bob"), "a").learnt
        now = float("nan")
        with pytest.raises(ValueError, match="clock must be"):
            arena.ask("eve")


def test_a_judge_goes_on_after_a_restart_where_it_was(tmp_path):
    now = 1_767_571_200.0
    address, arms = tmp_path / "prompts.db", ["a", "b", "c"]
    with sparring.Arena(address, arms, lifetime="7d", clock=lambda: now) as arena:
        asked = arena.ask_many("judge", 5)
        arena.ask("somebody else")
        arena.tell(asked[0], "tie")
    with sparring.Arena(address, arms, clock=lambda: now) as arena:
        assert arena.open_tickets("judge") == asked[1:]
        assert arena.open_tickets("nobody") == []
        events = arena.standing().votes, len(list(arena.records()))
        now += 4 * DAY
        for ticket in arena.open_tickets("judge"):
            assert arena.tell(ticket, "tie").learnt
        assert arena.open_tickets("judge") == [] and events[1] == 1
        arena.ask("judge")
        now += 8 * DAY
        assert arena.open_tickets("judge") == []  # too late for an answer that counts
