"""Who leads now: memories, standings, since when, problems, and the answer in ten lines."""

import json
from dataclasses import replace

import numpy as np
import pytest

import drifting_votes
from sparring.votes import Votes, answer, fit, memories, read, standings
from sparring.votes.example import CHANGES, MODELS, example
from sparring.votes.leading import lead
from sparring.votes.memories import default_half_lives, tells_sides
from sparring.votes.problems import problems
from sparring.votes.running import RunningStandings
from sparring.votes.saving import saving


@pytest.fixture(scope="module")
def year(tmp_path_factory):
    """The year of votes that one can try."""
    path = tmp_path_factory.mktemp("example") / "year.csv"
    path.write_text(example())
    return read(path)


@pytest.fixture(scope="module")
def told(year):
    pytest.importorskip("polars", reason="simulating what could be saved needs a table")
    return answer(year)


@pytest.mark.core
def test_the_year_is_understood(told, year):
    """What was put into it comes out: the leader, since when, that tastes moved."""
    assert told.now.leader == "fern"
    assert told.now.memories.moved
    low, high = ((at - year.time[0]) / 86_400 for at in told.lead.times[1:])
    assert low <= CHANGES[1] <= high and high - low < 30
    assert told.lead.before == "cedar" and told.lead.clear
    fell = [change for change in told.alarms.changes if change.kind == "leader"]
    assert fell[0].arms == ("aster", "cedar")
    low, high = ((at - year.time[0]) / 86_400 for at in (fell[0].earliest_at, fell[0].latest_at))
    assert low - 3 <= CHANGES[0] <= high + 3
    assert told.saving.saved > 0.3
    assert told.problems == ()


def test_the_answer_is_a_value(told):
    found = json.loads(json.dumps(told.to_json(), allow_nan=False))
    assert found["standings"]["leader"] == "fern"
    assert len(found["standings"]["places"]) == len(MODELS)
    assert str(told).splitlines() == found["lines"]
    assert 6 <= len(found["lines"]) <= 12
    table = told.to_table()
    assert table["name"][0] == "fern" and table.height == len(MODELS)
    assert (table["best_rank"] <= table["worst_rank"]).all()


def test_the_order_of_names_does_not_matter(rng):
    strengths = drifting_votes.path("slow", 800, 4, rng)
    votes = drifting_votes.votes(strengths, rng)
    turned = Votes(votes.names[::-1], 3 - votes.first, 3 - votes.second, votes.outcome)
    # The mixture's beliefs are from strengths that are settled arm by arm, in the order of names.
    for memory, close in ((None, 1e-9), (50.0, 1e-9), ("mixed", 0.01)):
        one, other = standings(votes, memory), standings(turned, memory)
        by_name = {place.name: place for place in other.places}
        for place in one.places:
            assert place.strength == pytest.approx(by_name[place.name].strength, abs=close)


def test_swapping_sides_changes_nothing_where_they_are_even(rng):
    votes = drifting_votes.votes(drifting_votes.path("nil", 600, 4, rng), rng)
    turned = Votes(votes.names, votes.second, votes.first, 1 - votes.outcome)
    np.testing.assert_allclose(
        standings(votes, None).strengths, standings(turned, None).strengths, atol=1e-9
    )


@pytest.mark.core
def test_memory_is_as_long_as_votes_are_alike(rng):
    still = memories(drifting_votes.votes(drifting_votes.path("nil", 3000, 5, rng), rng))
    moving = memories(drifting_votes.votes(drifting_votes.path("sudden", 3000, 5, rng), rng))
    assert not still.moved and still.half_life == np.inf
    assert moving.moved and moving.half_life < 3000
    assert moving.blended < moving.losses[-1]
    assert "no sign of change" in str(still) and "worth half after" in str(moving)


def test_standings_take_the_memory_that_is_asked_for(rng):
    votes = drifting_votes.votes(drifting_votes.path("sudden", 2000, 4, rng), rng)
    found = memories(votes)
    assert standings(votes, found).memories is found
    assert standings(votes, None).drift is None
    assert standings(votes, 50.0).counted < 80
    assert standings(votes, "best").counted == pytest.approx(
        standings(votes, found.half_life).counted
    )
    with pytest.raises(ValueError, match="memory must be 'mixed'"):
        standings(votes, "long")
    with pytest.raises(ValueError, match="at least one"):
        standings(votes[:0])


def test_few_votes_have_one_memory():
    votes = Votes(("a", "b"), [0, 1], [1, 0], [1, 0])
    assert default_half_lives(votes) == [np.inf]
    assert not memories(votes).moved
    assert standings(votes).leader == "a"


def test_votes_at_one_moment_have_one_memory():
    votes = Votes(("a", "b"), [0] * 100, [1] * 100, [1, 0] * 50, time=[5.0] * 100)
    assert not memories(votes).moved


def test_sides_are_told_only_where_orders_are_mixed():
    one_way = Votes(("a", "b"), [0] * 100, [1] * 100, [1, 0] * 50)
    both = Votes(("a", "b"), [0, 1] * 50, [1, 0] * 50, [1, 0] * 50)
    assert not tells_sides(one_way)
    assert tells_sides(both)
    assert not tells_sides(Votes(both.names, both.first, both.second, both.outcome, shuffled=False))


@pytest.mark.core
def test_a_side_that_wins_is_found_and_not_taken_for_strength(rng):
    n = 6000
    first = rng.integers(3, size=n)
    second = (first + rng.integers(1, 3, size=n)) % 3
    lead_of = np.array([0.5, 0.0, -0.5])
    p = 1 / (1 + np.exp(-(lead_of[first] - lead_of[second] + 0.4)))
    votes = Votes(("a", "b", "c"), first, second, rng.random(n) < p)
    found = standings(votes)
    assert abs(found.side - 0.4) < 4 * found.side_error  # once in 16,000 by chance
    (problem,) = problems(votes, found)
    assert problem.kind == "sides" and "first of two equal arms" in problem.text


def test_a_voter_who_votes_the_other_way_is_found(rng):
    n = 4000
    strengths = np.repeat([[0.8, 0.0, -0.8]], n, axis=0)
    votes = drifting_votes.votes(strengths, rng)
    voter = rng.integers(20, size=n)
    outcome = np.where(voter == 7, 1 - votes.outcome, votes.outcome)
    voters = tuple(f"u{k}" for k in range(20))
    told = Votes(votes.names, votes.first, votes.second, outcome, voter=voter, voters=voters)
    (problem,) = problems(told, standings(told))
    assert problem.text == "1 of 20 voters vote unlike the rest: voter u7"


def test_gaps_and_arms_hardly_seen_are_told(rng):
    time = np.sort(rng.random(500)) * 100 * 86_400
    time[250:] += 60 * 86_400
    first, second = np.array([0, 1] * 250), np.array([1, 0] * 250)
    first[17] = 2
    votes = Votes(("a", "b", "c"), first, second, rng.integers(2, size=500), time=time)
    kinds = [problem.kind for problem in problems(votes, standings(votes))]
    assert sorted(kinds) == ["few", "gaps"]


def test_a_leader_from_the_first_vote_on(rng):
    strengths = np.repeat([[1.5, 0.0, -0.5]], 2000, axis=0)
    votes = drifting_votes.votes(strengths, rng)
    found = lead(votes, memories(votes), 0)
    first = int(votes.begun[0]) + 1
    assert found == ("m0", "", first, first, first, True, None, False) and first < 10
    assert str(found) == "It has led for as long as the votes can tell."


@pytest.mark.core
def test_a_newcomer_with_three_wins_is_not_certain(rng):
    """Where all votes on an arm were won, their misses tell nothing of what is not known."""
    old = drifting_votes.votes(np.zeros((3000, 5)), rng)
    votes = Votes(
        (*old.names, "new"),
        np.append(old.first, [5, 5, 5]),
        np.append(old.second, [0, 1, 2]),
        np.append(old.outcome, [1, 1, 1]),
    )
    found = standings(votes)
    assert not found.settled and not found.above[5].any()
    one = standings(Votes(("a", "b"), [0], [1], [1]))
    assert not one.settled and one.leads < 0.9


def test_a_vote_may_have_the_weight_of_thousands(rng):
    votes = drifting_votes.votes(drifting_votes.path("nil", 300, 3, rng), rng)
    heavy = Votes(votes.names, votes.first, votes.second, votes.outcome, weight=[1e4] * 300)
    found = standings(heavy)
    assert np.isfinite(found.strengths).all() and np.isfinite(found.memories.blended)


def test_a_chain_of_sure_winners_has_strengths():
    """As with a judge who always says the same: far apart, and no reason to refuse."""
    n, K = 1000, 20
    first = np.repeat(np.arange(K - 1), n)
    votes = Votes(tuple(f"m{k}" for k in range(K)), first, first + 1, np.ones(len(first)))
    found = standings(votes, None)
    assert [place.name for place in found.places] == list(votes.names)
    with pytest.raises(ValueError, match="ridge"):
        fit(votes, ridge=-1)


def test_the_answer_names_pairs_and_what_is_not_settled(told):
    lines = told.lines()
    (named,) = (line for line in lines if line.startswith("Pairs that changed: "))
    rang = {frozenset(one.arms) for one in told.alarms.changes if one.kind == "pair"}
    shown = named.removeprefix("Pairs that changed: ").rstrip(".").split(", ")
    assert {frozenset(pair.split(" and ")) for pair in shown} == rang and len(shown) == len(rang)
    assert told.plan.delta == pytest.approx(0.05 / 28) and told.plan.ceiling.reached
    assert (
        "fern is ahead of cedar if you compare only these two, but not for certain among all 28 "
        f"pairs. Tastes move too fast to settle it by waiting: ask for {told.plan.alone:,.0f} "
        "votes on just these two now, or collect votes "
        f"{told.plan.ceiling.faster:.1f} times as fast."
    ) in lines


def test_drift_is_blamed_only_where_something_moved(told):
    """A ceiling is reached in both; without a sign of change more votes are the answer."""
    still = replace(told.now, memories=replace(told.now.memories, gain=0.0))
    found = replace(told, now=still)
    (line,) = (line for line in found.lines() if line.startswith("fern is ahead of cedar"))
    assert f"28 pairs. About {told.plan.more:,.0f} (or up to " in line
    assert line.endswith(
        f"more votes would settle it, or {told.plan.alone:,.0f} on just these two."
    )


def test_of_many_pairs_that_changed_the_latest_are_named(told):
    (pair, *_) = (one for one in told.alarms.changes if one.kind == "pair")
    changes = tuple(replace(pair, arms=("x", f"y{k}")) for k in (*range(7), 6))
    found = replace(told, alarms=replace(told.alarms, changes=changes))
    assert (
        "Pairs that changed: x and y6, x and y5, x and y4, x and y3; and 3 more." in found.lines()
    )


def test_an_alarm_that_did_not_ring_is_told_by_whether_tastes_moved(told, rng):
    stricter = "(The stricter alarm, which assumes no model, has not rung.)"
    quiet = replace(told, alarms=replace(told.alarms, changes=()))
    assert quiet.now.memories.moved
    assert stricter in quiet.lines() and stricter not in told.lines()
    still = answer(drifting_votes.votes(np.repeat([[1.0, 0, -1]], 300, axis=0), rng), what_if=False)
    assert not still.now.memories.moved
    assert "The alarm for a leader's fall never rang." in still.lines()


def test_those_who_did_not_say_who_they_are_are_not_one_voter(rng):
    inner = drifting_votes.votes(np.repeat([[1.0, 0, -1]], 400, axis=0), rng)
    odd = np.where(np.arange(400) < 240, 1 - inner.outcome, inner.outcome)
    votes = replace(inner, outcome=odd, voter=np.arange(400) // 240, voters=("", "ann"))
    found = problems(votes, standings(inner, None))
    assert [one.text for one in found if one.kind == "voters"] == [
        "voter ann gave 40% of all votes"
    ]
    named = replace(votes, voters=("bob", "ann"))
    told = [one.text for one in problems(named, standings(inner, None)) if one.kind == "voters"]
    assert told == [
        "voter bob gave 60% of all votes",
        "1 of 2 voters vote unlike the rest: voter bob",
    ]


def test_nobody_who_does_not_lead_has_led():
    first, second = np.nonzero(~np.eye(8, dtype=bool))  # each pair, on both sides
    outcome = np.full(len(first), 0.5)
    found = answer(Votes(tuple("abcdefgh"), first, second, outcome), what_if=False)
    assert found.lines()[0].startswith("No clear leader now")
    assert "It has led" not in str(found)


def test_groups_that_never_met_are_answered_apart(rng):
    inner = drifting_votes.votes(np.repeat([[0.5, 0, -0.5]], 300, axis=0), rng)
    first = np.concatenate([inner.first, [3] * 50])
    second = np.concatenate([inner.second, [4] * 50])
    outcome = np.concatenate([inner.outcome, [1, 0] * 25])
    votes = Votes((*inner.names, "x", "y"), first, second, outcome)
    told = answer(votes, what_if=False)
    assert told.votes.names == inner.names and told.apart == (("x", "y"),)
    assert "never met these arms: x, y" in str(told)


@pytest.mark.core
def test_running_standings_go_on_after_a_snapshot(rng):
    votes = drifting_votes.votes(drifting_votes.path("slow", 400, 4, rng), rng)
    running = RunningStandings(votes.names, 100.0, side=True)
    restored = running
    for t, (one, other, outcome) in enumerate(votes.rows()):
        if t == 200:
            restored = RunningStandings.restore(json.loads(json.dumps(running.snapshot())))
        loss = running.update(one, other, outcome, at=1e9 + 3600.0 * t)
        if t >= 200:
            assert restored.update(one, other, outcome, at=1e9 + 3600.0 * t) == loss
    assert restored.places() == running.places()
    assert running.votes == 400 and restored.leader == running.leader
    assert running.to_table()["name"][0] == running.leader


def test_running_standings_refuse_what_is_no_vote():
    running = RunningStandings(["a", "b"])
    for arguments, why in (
        (("a", "a", 1.0), "another arm"),
        (("a", "c", 1.0), "one of"),
        (("a", "b", 1.5), "outcome"),
        (("a", 2, 1.0), "at most 1"),
    ):
        with pytest.raises(ValueError, match=why):
            running.update(*arguments)
    running.update("a", "b", 1.0, at=5.0)
    with pytest.raises(ValueError, match="given with every vote"):
        running.update("a", "b", 1.0)
    with pytest.raises(ValueError, match="at least 5"):
        running.update("a", "b", 1.0, at=4.0)
    assert running.votes == 1
    with pytest.raises(ValueError, match="two or more"):
        RunningStandings(["a"])
    broken = running.snapshot() | {"half_life": 3.0}
    with pytest.raises(ValueError, match=r"changed|damaged"):
        RunningStandings.restore(broken)


def test_where_all_are_alike_there_is_nothing_to_save():
    pytest.importorskip("polars", reason="simulations give a table")
    votes = Votes(("a", "b"), [0, 1] * 200, [1, 0] * 200, [0.5] * 400)
    assert "nothing to save" in str(saving(votes, memories(votes)))
