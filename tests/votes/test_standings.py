"""Who leads now: standings, since when, what changed, problems, memories, running standings."""

import json
from dataclasses import replace

import numpy as np
import pytest

import drifting_votes
from sparring.votes import Votes, answer, fit, memories, read, standings
from sparring.votes.data import CHANGES, MODELS, example
from sparring.votes.problems import problems
from sparring.votes.stream import RunningStandings
from sparring.votes.strengths import default_half_lives
from sparring.votes.world import saving


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
    """What was put into it comes out: the leader, since when, who led before, what moved."""
    now = told.now
    assert now.leader == "fern" and now.settled and now.since.before == "cedar"
    low, high = ((at - year.time[0]) / 86_400 for at in now.since.times[1:])
    assert low <= CHANGES[1] <= high and high - low < 10
    assert {(turn.arm, turn.rose) for turn in now.turns} >= {("fern", True), ("aster", False)}
    fell = next(turn for turn in now.turns if turn.arm == "aster")
    low, high = ((at - year.time[0]) / 86_400 for at in fell.times[1:])
    assert low <= CHANGES[0] <= high
    assert [reign.arm for reign in now.reigns] == ["aster", "cedar", "fern"]
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


@pytest.mark.core
def test_the_same_votes_and_seed_give_the_same_standings(rng):
    votes = drifting_votes.votes(drifting_votes.path("sudden", 800, 4, rng), rng)
    one, other = standings(votes), standings(votes)
    assert one.places == other.places and one.since == other.since
    assert standings(votes, seed=1).strengths.tolist() != one.strengths.tolist()


def test_the_order_of_names_does_not_matter(rng):
    """Up to the draws: 700 of them, so that no mean is off by a fifth of its deviation."""
    strengths = drifting_votes.path("slow", 800, 4, rng)
    votes = drifting_votes.votes(strengths, rng)
    turned = Votes(votes.names[::-1], 3 - votes.first, 3 - votes.second, votes.outcome)
    one, other = standings(votes), standings(turned)
    by_name = {place.name: place for place in other.places}
    for place in one.places:
        error = (place.high - place.low) / 4
        assert place.strength == pytest.approx(by_name[place.name].strength, abs=error / 3)
        assert place.leads == pytest.approx(by_name[place.name].leads, abs=0.1)


def test_swapping_sides_changes_nothing_where_they_are_not_estimated(rng):
    votes = drifting_votes.votes(drifting_votes.path("nil", 600, 4, rng), rng)
    turned = Votes(votes.names, votes.second, votes.first, 1 - votes.outcome)
    one, other = (standings(file, side=False) for file in (votes, turned))
    assert one.strengths.tolist() == other.strengths.tolist()


def test_ties_say_more_than_coins():
    """Of a hundred ties both are equal, nearly for certain; of as many wins and losses less so."""
    first = np.tile([0, 1], 50)
    tied = standings(Votes(("a", "b"), first, 1 - first, np.full(100, 0.5)))
    split = standings(Votes(("a", "b"), first, 1 - first, np.tile([1.0, 1.0, 0.0, 0.0], 25)))
    widths = [found.places[0].high - found.places[0].low for found in (tied, split)]
    assert widths[0] < 0.8 * widths[1]


@pytest.mark.parametrize("K", [2, 3, 60, 300])
def test_few_arms_and_many(rng, K):
    strengths = np.linspace(1.5, -1.5, K)
    votes = drifting_votes.votes(np.repeat(strengths[None], 30 * K, axis=0), rng)
    found = standings(votes)
    assert len(found.places) == K and found.past.strength.shape[0] == K
    assert np.corrcoef(found.strengths, strengths)[0, 1] > 0.8
    assert sum(place.leads for place in found.places) == pytest.approx(1)


def test_too_many_arms_are_refused():
    """Before any of it is drawn."""
    at = np.arange(2_500)
    votes = Votes(tuple(map(str, range(2_501))), at, at + 1, np.ones(2_500))
    with pytest.raises(ValueError, match=r"at most 2,000 arms.*most=100"):
        standings(votes)


def test_no_vote_is_refused_and_one_is_enough():
    one = Votes(("a", "b"), [0], [1], [1])
    found = standings(one)
    assert found.leader == "a" and not found.settled and 0.5 < found.leads < 0.9
    assert answer(one, what_if=False).lines()[-1] == "From 1 vote on 2 arms."
    with pytest.raises(ValueError, match="at least one"):
        standings(one[:0])


@pytest.mark.core
def test_memory_is_as_long_as_votes_are_alike(rng):
    still = memories(drifting_votes.votes(drifting_votes.path("nil", 3000, 5, rng), rng))
    moving = memories(drifting_votes.votes(drifting_votes.path("sudden", 3000, 5, rng), rng))
    assert not still.moved and still.half_life == np.inf
    assert moving.moved and moving.half_life < 3000
    assert moving.blended < moving.losses[-1]
    assert "no sign of change" in str(still) and "worth half after" in str(moving)


def test_few_votes_have_one_memory():
    votes = Votes(("a", "b"), [0, 1], [1, 0], [1, 0])
    assert default_half_lives(votes) == [np.inf]
    assert not memories(votes).moved


def test_votes_at_one_moment_count_by_their_order():
    rng = np.random.default_rng(3)
    first = rng.integers(2, size=1_000)
    won = rng.random(1_000) < np.where(np.arange(1_000) < 700, 0.8, 0.2)
    votes = Votes(("a", "b"), first, 1 - first, np.where(first == 0, won, ~won), [5.0] * 1_000)
    assert not memories(votes).moved
    found = standings(votes)
    assert found.leader == "b" and found.since.earliest <= 701 <= found.since.latest


def test_sides_are_told_only_where_orders_are_mixed():
    one_way = Votes(("a", "b"), [0] * 100, [1] * 100, [1, 0] * 50)
    both = Votes(("a", "b"), [0, 1] * 50, [1, 0] * 50, [1, 0] * 50)
    many = Votes(tuple(map(str, range(90))), [0, 1] * 50, [1, 0] * 50, [1, 0] * 50)
    assert not one_way.sided
    assert both.sided and many.sided
    assert not replace(both, shuffled=False).sided


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


def test_a_weekly_job_has_no_gaps_but_a_month_without_one_is_a_gap(rng):
    """A file of weekly jobs once had a warning for each week."""
    at = np.repeat(np.arange(16) * 7.0, 100) + np.tile(np.arange(100) / 2_400, 16)
    first = rng.integers(2, size=1_600)
    arms = ("a", "b"), first, 1 - first, rng.integers(2, size=1_600)
    weekly = Votes(*arms, time=at * 86_400)
    assert not [one for one in problems(weekly, standings(weekly)) if one.kind == "gaps"]
    stopped = Votes(*arms, time=np.where(at < 60, at, at + 30) * 86_400)
    (gap,) = (one for one in problems(stopped, standings(stopped)) if one.kind == "gaps")
    assert "between 26 February and 4 April" in gap.text


def test_ties_of_two_bad_answers_are_told(rng):
    first = rng.integers(2, size=200)
    votes = Votes(("a", "b"), first, 1 - first, np.full(200, 0.5), bad=np.arange(200) < 24)
    (told,) = (one for one in problems(votes, standings(votes)) if one.kind == "bad")
    assert "12% of the votes" in told.text
    seldom = replace(votes, bad=np.arange(200) < 1)
    assert not problems(seldom, standings(seldom))
    assert votes[:30].bad.sum() == 24
    with pytest.raises(ValueError, match="bad must be of length 200"):
        replace(votes, bad=[True])


def test_a_leader_from_the_first_vote_on(rng):
    strengths = np.repeat([[1.5, 0.0, -0.5]], 2000, axis=0)
    votes = drifting_votes.votes(strengths, rng)
    since = standings(votes).since
    assert since.arm == "m0" and since.before == "" and since.always > 0.98 and not since.changed


@pytest.mark.core
def test_a_newcomer_with_three_wins_is_not_certain(rng):
    """Three wins against anybody say little, though nothing speaks against it."""
    old = drifting_votes.votes(np.zeros((3000, 5)), rng)
    votes = Votes(
        (*old.names, "new"),
        np.append(old.first, [5, 5, 5]),
        np.append(old.second, [0, 1, 2]),
        np.append(old.outcome, [1, 1, 1]),
    )
    found = standings(votes)
    new = next(place for place in found.places if place.name == "new")
    assert not found.settled and new.ranks[1] == 6


def test_a_vote_may_have_the_weight_of_thousands(rng):
    votes = drifting_votes.votes(drifting_votes.path("nil", 300, 3, rng), rng)
    for weight in (np.full(300, 1e4), np.full(300, 1e-6), np.where(np.arange(300) < 9, 1e6, 1e-6)):
        found = standings(replace(votes, weight=weight))
        assert np.isfinite(found.strengths).all() and np.isfinite(found.covariance).all()


def test_a_chain_of_sure_winners_has_strengths():
    """As with a judge who always says the same: far apart, and no reason to refuse."""
    n, K = 100, 8
    first = np.repeat(np.arange(K - 1), n)
    order = np.random.default_rng(1).permutation(len(first))
    votes = Votes(
        tuple(f"m{k}" for k in range(K)), first[order], first[order] + 1, np.ones(len(first))
    )
    found = standings(votes)
    assert [place.name for place in found.places] == list(votes.names)
    with pytest.raises(ValueError, match="ridge"):
        fit(votes, ridge=-1)


def test_those_who_did_not_say_who_they_are_are_not_one_voter(rng):
    inner = drifting_votes.votes(np.repeat([[1.0, 0, -1]], 400, axis=0), rng)
    odd = np.where(np.arange(400) < 240, 1 - inner.outcome, inner.outcome)
    votes = replace(inner, outcome=odd, voter=np.arange(400) // 240, voters=("", "ann"))
    found = problems(votes, standings(inner))
    assert [one.text for one in found if one.kind == "voters"] == [
        "voter ann gave 40% of all votes"
    ]
    named = replace(votes, voters=("bob", "ann"))
    told = [one.text for one in problems(named, standings(inner)) if one.kind == "voters"]
    assert told == [
        "voter bob gave 60% of all votes",
        "1 of 2 voters vote unlike the rest: voter bob",
    ]


def test_arms_that_never_met_are_refused():
    votes = Votes(("a", "b", "c", "d"), [0, 2], [1, 3], [1, 0])
    with pytest.raises(ValueError, match=r"2 groups that never met: a, b; c, d"):
        standings(votes)


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
    assert "nothing to save" in str(saving(votes, standings(votes)))
