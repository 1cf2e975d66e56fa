"""The lines of an answer agree with each other, with the truth and with the chart."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import drifting_votes
from sparring.formats import chance, isolated
from sparring.votes import Votes, answer, from_arena, standings
from sparring.votes.charts import View
from sparring.votes.standings import clearly
from sparring.votes.world import Saving

DAY = 86_400.0


def season_games(rng):
    """A football league of five seasons: 20 teams, each against each at home and away, 1,900 games.

    The third season ends with the fall of its champion and the rise of another team.
    """
    strengths = rng.normal(0, 0.5, 20)
    strengths[[0, 1]] = 1.6, 0.6
    rows = []
    for season in range(5):
        if season == 3:
            strengths[[0, 1]] = 0.2, 1.6
        games = [(i, j) for i in range(20) for j in range(20) if i != j]
        for game in rng.permutation(len(games)):
            i, j = games[game]
            p = 1 / (1 + np.exp(strengths[j] - strengths[i] - 0.4))
            u = rng.random()
            rows.append((i, j, 1.0 if u < p - 0.12 else 0.5 if u < p + 0.12 else 0.0))
    first, second, outcome = zip(*rows, strict=True)
    begin = datetime(2019, 8, 1, tzinfo=UTC).timestamp()
    time = (
        begin
        + np.concatenate([season * 365 + np.linspace(0, 280, 380) for season in range(5)]) * DAY
    )
    return Votes(tuple(f"team{k}" for k in range(20)), first, second, outcome, time)


def test_a_league_in_which_another_team_becomes_the_strongest(rng):
    """Once this was the wrong leader, every team "1-20", and no change."""
    votes = season_games(rng)
    found = answer(votes, what_if=False)
    now = found.now
    assert now.leader == "team1" and now.clear and now.since.changed
    assert now.since.before == "team0"
    change = datetime(2022, 8, 1, tzinfo=UTC).timestamp()
    assert now.since.times[1] <= change + 60 * DAY and now.since.times[2] >= change - 60 * DAY
    assert {turn.arm for turn in now.turns} | {*now.rose, *now.fell} >= {"team0", "team1"}
    assert now.places[0].ranks[1] <= 4
    low, high = now.places[-1].ranks
    assert low > 5 and high == 20


@pytest.fixture(scope="module")
def arena():
    """An arena's export: twelve models, of which the best joins at 60% and another leaves."""
    rng = np.random.default_rng(3)
    n, K = 6_000, 12
    strengths = np.append(np.linspace(0.7, -0.7, 11), 1.2)
    there = np.ones((n, K), bool)
    there[:3_600, 11] = there[4_000:, 4] = False
    key = rng.random((n, K)) * there
    two = np.argsort(-key, axis=1)[:, :2]
    lead = strengths[two[:, 0]] - strengths[two[:, 1]]
    outcome = (rng.random(n) < 1 / (1 + np.exp(-lead))).astype(float)
    time = datetime(2024, 5, 1, tzinfo=UTC).timestamp() + np.sort(rng.random(n)) * 100 * DAY
    names = (*(f"model{k}" for k in range(11)), "new-model")
    return Votes(names, two[:, 0], two[:, 1], outcome, time)


def test_a_model_that_joins_has_led_since_it_joined(arena):
    """Once it had "led for as long as the votes can tell", with a curve from before it existed."""
    found = answer(arena, what_if=False)
    now = found.now
    assert now.leader == "new-model" and now.since.joined and now.since.before == "model0"
    assert [one.arm for one in now.joined] == ["new-model"]
    assert now.joined[0].vote == int(np.argmax((arena.first == 11) | (arena.second == 11))) + 1
    assert [one.arm for one in now.gone] == ["model4"]
    assert "model4" not in [place.name for place in now.places]
    begin = now.joined[0].vote
    curve = now.past.strength[11]
    assert np.isnan(curve[now.histories.edges[1:] < begin]).all() and np.isfinite(curve[-1])
    assert any("since it joined" in line for line in found.lines())


def test_who_is_withdrawn_is_for_the_arena_to_say(arena):
    """Its list of arms goes before what pauses suggest."""
    told = replace(arena, present=tuple(name for name in arena.names if name != "model0"))
    now = standings(told)
    assert {one.arm for one in now.gone} == {"model0"}
    assert "model4" in [place.name for place in now.places]
    assert "model0" in [place.name for place in standings(arena).places]


def test_an_arena_says_who_was_withdrawn(tmp_path):
    import sparring

    path = tmp_path / "prompts.db"
    with sparring.Arena(path, arms=["plain", "polite", "brief"]) as arena:
        for _ in range(30):
            arena.tell(arena.ask(), "both bad")
        arena.withdraw("polite")
        arena.add("long")
    votes = from_arena(path)
    assert votes.present == ("plain", "brief", "long") and votes.bad.all()
    assert set(votes.only([0, 1]).present) == {"plain"}


def test_prompts_that_were_withdrawn_long_ago_are_no_candidates(rng):
    """Sixteen weeks, a job a week: once these were "best with probability 0.16", and the file had
    fifteen warnings of gaps."""
    parts = []
    for week in range(16):
        arms = np.array([0, 1, 2, 3] if week < 6 else [1, 3, 4, 5])
        first = rng.choice(arms, 120)
        second = rng.choice(arms, 120)
        kept = first != second
        at = (week * 7 + np.sort(rng.random(120)) / 24)[kept] * DAY
        parts.append((first[kept], second[kept], at))
    first, second, time = (np.concatenate(part) for part in zip(*parts, strict=True))
    strengths = np.where(
        (np.arange(len(first)) < 900)[:, None],
        [0.9, 0, 0.4, -0.4, 0, 0],
        [0.9, 1.1, 0.4, -0.4, 0, 0],
    )
    rows = np.arange(len(first))
    lead = strengths[rows, first] - strengths[rows, second]
    outcome = (rng.random(len(first)) < 1 / (1 + np.exp(-lead))).astype(float)
    votes = Votes(tuple(f"p{k}" for k in range(6)), first, second, outcome, time)
    found = answer(votes, what_if=False)
    assert {one.arm for one in found.now.gone} == {"p0", "p2"}
    assert found.now.leader == "p1" and found.now.leads > 0.9
    assert found.problems == ()
    assert sum(place.leads for place in found.now.places) == pytest.approx(1)


def test_a_survey_that_turns_is_dated(rng):
    """Three arms, one of which takes the lead at 70%, in a file without an order of sides."""
    n = 1_500
    strengths = np.where((np.arange(n) < 1_050)[:, None], [0.4, 0.0, -0.4], [-0.6, 0.7, -0.4])
    time = np.arange(n) * 0.1 * DAY
    votes = drifting_votes.votes(strengths, rng, time=time, shuffled=False)
    now = standings(votes)
    assert now.leader == "m1" and now.since.before == "m0"
    assert now.since.earliest <= 1_051 <= now.since.latest
    assert now.since.latest - now.since.earliest < 200


def test_bad_news_is_not_called_certain_of_arms_not_shown_since():
    """One was not asked about since the lead changed, so nobody knows whether it changed, too."""
    rng = np.random.default_rng(11)
    n = 3_000
    strengths = np.where((np.arange(n) < 2_000)[:, None], [1.0, 0.0, 0.8, -1], [-1.5, 1.5, 0.8, -1])
    votes = drifting_votes.votes(strengths, rng)
    kept = (np.arange(n) < 2_000) | ((votes.first != 2) & (votes.second != 2))
    told = replace(votes[kept], present=votes.names)
    now = standings(told)
    assert now.leader == "m1" and now.since.changed
    assert "m2" in now.unseen and "m2" in now.hardly and not now.settled
    assert any(
        "Hardly asked lately" in line and "m2" in line
        for line in answer(told, what_if=False).lines()
    )


def test_of_two_equal_arms_none_leads():
    first = np.tile([0, 1], 500)
    outcome = np.tile([1.0, 1.0, 0.0, 0.0], 250)
    outcome[0] = 0.0
    found = answer(Votes(("tea", "coffee"), first, 1 - first, outcome), what_if=False)
    assert not clearly(found.now.leads)
    assert found.lines()[0].startswith(f"{found.now.headline}: ")
    assert not any(line.startswith("It has led") for line in found.lines())


def test_who_leads_is_said_by_the_chance_that_is_told():
    """With 74.6%, told as 75%, "nobody clearly leads" contradicted the rule."""
    assert clearly(0.746) and clearly(0.75) and not clearly(0.744)


def test_of_very_many_arms_with_hardly_a_vote_some_are_named(rng):
    """Once the line ended with the colon, as none is the best with 1%."""
    arms = rng.permutation(400)
    votes = Votes(tuple(f"m{k}" for k in range(400)), arms[:-1], arms[1:], np.full(399, 0.5))
    found = answer(votes, what_if=False)
    assert re.fullmatch(r"Nobody clearly leads: m\d+ .*\d%\.", found.lines()[0])
    assert View(found).finding().startswith("Nobody clearly leads")


def test_votes_of_one_voter_that_hang_together_are_said(rng):
    """Forty people, each with a taste of their own; or the same votes by people who have none."""
    n, K = 3_000, 6
    voter, own = rng.integers(40, size=n), rng.normal(size=(40, K))
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    names = tuple(f"m{k}" for k in range(K))
    for apart in (0.0, 1.0):
        lead = apart * (own[voter, first] - own[voter, second])
        outcome = (rng.random(n) < 1 / (1 + np.exp(-lead))).astype(float)
        found = answer(Votes(names, first, second, outcome, voter=voter), what_if=False)
        said = [line for line in found.lines() if "votes of one voter hang together" in line]
        assert len(said) == apart
    worth = int(re.search(r"about as much as ([\d,]+) ind", said[0])[1].replace(",", ""))
    assert worth < n / 2


def test_nothing_saved_is_not_told(arena):
    found = answer(arena, what_if=False)
    assert "(simulated)" in str(replace(found, saving=Saving("tracker", 10, 0.1, 0.099)))
    assert "(simulated)" not in str(replace(found, saving=Saving("tracker", 10, 0.1, 0.0999)))


def test_of_many_groups_that_never_met_some_are_named_and_all_counted(arena):
    apart = (tuple("pqrstuv"), *((f"x{k}", f"y{k}") for k in range(1_000)))
    told = replace(answer(arena, what_if=False), apart=apart).lines()
    assert any(
        "p, q, r, s, t and 2 more; x0, y0; x1, y1; and 998 more groups" in one for one in told
    )


WORLDS = st.tuples(
    st.sampled_from(["nil", "slow", "sudden", "trend", "join"]),
    st.integers(2, 7),
    st.integers(1, 700),
    st.integers(0, 10**6),
    st.sampled_from([None, 3.0, 40.0, 900.0]),
)


def simulated(kind, K, n, seed, days):
    """A file of a world, of arms that votes link."""
    rng = np.random.default_rng(seed)
    strengths = drifting_votes.path("nil" if kind == "join" else kind, n, K, rng)
    time = None if days is None else 1.6e9 + np.sort(rng.random(n)) * days * DAY
    votes = drifting_votes.votes(strengths, rng, time=time)
    if kind == "join":
        late = (np.arange(n) < n // 2) & ((votes.first == 0) | (votes.second == 0))
        gone = (np.arange(n) >= n // 2) & ((votes.first == K - 1) | (votes.second == K - 1))
        votes = votes[~(late | gone)]
    return votes.only(votes.groups()[0])


@pytest.mark.compiled
@settings(max_examples=40, deadline=None, derandomize=True)
@given(WORLDS)
def test_no_line_contradicts_another_or_the_chart(given_world):
    votes = simulated(*given_world)
    if not len(votes):
        return
    found = answer(votes, what_if=False)
    now, lines = found.now, found.lines()
    text, past = "\n".join(lines), now.past
    here = {place.name for place in now.places}
    gone, joined = ({one.arm for one in seen} for seen in (now.gone, now.joined))
    # The verdict, what it says of chances, and who else may lead.
    assert sum(place.leads for place in now.places) == pytest.approx(1)
    assert now.leads == max(place.leads for place in now.places)
    if len(here) > 1:  # one rule for headline, first line and JSON
        said = "leads" if now.leads >= 0.745 else "ahead" if now.leads > 0.505 else "nobody"
        first = {"leads": "{} leads now.", "ahead": "{} is ahead, not clearly:"}
        leader = isolated(now.leader)
        assert lines[0].startswith(first.get(said, "Nobody clearly leads:").format(leader))
        headline = {"leads": "{} leads", "ahead": "{} is ahead, not clearly"}
        assert now.headline == headline.get(said, "Nobody clearly leads").format(leader)
        assert now.to_json()["headline"] == now.headline
    assert ("It has led" in text) == (now.clear and len(here) > 1)
    assert not (here & gone) and here | gone == set(votes.names)
    assert not now.settled or (chance(now.leads) == "over 99%" and now.places[0].ranks == (1, 1))
    # Places hold together: some order of all candidates is within them.
    free = list(range(1, len(here) + 1))
    for low, high in sorted(
        (place.ranks for place in now.places), key=lambda one: (one[1], one[0])
    ):
        free.remove(next(rank for rank in free if low <= rank <= high))
    # Dates are in order and inside the file; who led before was, in the chart, above it then.
    since = now.since
    assert 1 <= since.earliest <= since.since <= since.latest <= len(votes)
    if since.changed and now.clear and since.before:
        assert since.before != now.leader
        reign = [one for one in now.reigns if one.arm == since.before][-1]
        bins = np.flatnonzero((past.vote >= reign.begin) & (past.vote <= reign.end))
        arm, leader = (votes.names.index(name) for name in (since.before, now.leader))
        assert (past.leads[arm, bins] > past.leads[leader, bins]).all()
    if since.changed and not since.joined:
        assert "since the file begins" not in text
    for turn in now.turns:
        assert 1 <= turn.earliest <= turn.latest <= len(votes) and turn.rose == (turn.wins > 0.5)
        assert turn.arm not in now.rose and turn.arm not in now.fell
    assert not set(now.rose) & set(now.fell)
    if now.turns or now.rose or now.fell or joined or gone or since.changed:
        assert "No arm rose" not in text
    # The chart ends where the standings are, and begins where an arm joined.
    for place in now.places:
        arm = votes.names.index(place.name)
        assert past.strength[arm, -1] == pytest.approx(place.strength, abs=1e-4)
        if place.name not in joined:
            assert np.isfinite(past.strength[arm]).all()
    for name in joined:
        arm = votes.names.index(name)
        assert past.leads[arm][np.isnan(past.strength[arm])].sum() == 0
    assert np.nansum(past.leads, axis=0) == pytest.approx(1)
    # Numbers are written in one way.
    assert not re.search(r"\d-\d|\d{4}-\d\d|probability 0\.", text)


def test_weights_that_cannot_be_added_up_are_refused(rng):
    first = rng.integers(2, size=100)
    arms = ("a", "b"), first, 1 - first, rng.integers(2, size=100)
    for weight in (1e300, 9e-7, np.inf, np.nan, 0.0):
        with pytest.raises(ValueError, match="weight must be from 1e-06 to 1,000,000; got"):
            Votes(*arms, weight=np.where(np.arange(100) < 1, weight, 1.0))
    far = Votes(*arms, weight=np.where(np.arange(100) < 50, 1e-6, 1e6))
    assert np.isfinite(answer(far, what_if=False).now.strengths).all()
