"""What changed since a moment: a report says what was known then, and only what is new."""

import re
from dataclasses import replace

import numpy as np
import pytest

import drifting_votes
from sparring.formats import CLOSE, OPEN
from sparring.votes import answer, report, standings

DAY = 86_400.0
BEGIN = 1_735_689_600.0  # 1 January 2025


@pytest.fixture(scope="module")
def found():
    """A year: m1 takes over from m0 after day 240, and m3 joins on day 180."""
    rng = np.random.default_rng(5)
    n = 6_000
    turned = np.arange(n) >= n * 240 // 365
    strengths = np.where(turned[:, None], [0.0, 1.5, 0, 0.2], [1.5, 0.0, 0, 0.2])
    time = BEGIN + np.linspace(0, 364, n) * DAY
    votes = drifting_votes.votes(strengths, rng, time=time)
    early = (np.arange(n) < n * 180 // 365) & ((votes.first == 3) | (votes.second == 3))
    return answer(votes[~early], what_if=False)


@pytest.mark.parametrize(("day", "told"), [(100, True), (200, True), (300, False)])
def test_only_what_is_new_is_told(found, day, told):
    news = report(found, BEGIN + day * DAY)
    lines = news.lines()
    assert lines[0] == found.lines()[0]
    assert any("It has led since" in line for line in lines) == told
    assert any(line.startswith("m1 rose") for line in lines) == told
    assert any(line.startswith("Joined: m3") for line in lines) == (day == 100)
    assert ("Nothing changed for certain." in lines) == (not told)
    assert lines[-1].startswith(f"{len(found.votes) - news.start:,} votes since ")


def test_it_says_what_those_votes_alone_had_told(found):
    news = report(found, BEGIN + 200 * DAY)
    then = standings(found.votes[: news.start])
    assert news.then.leader == then.leader == "m0" and news.then.leads == then.leads
    assert f"On {news.when} m0 led" in str(news) and news.when == "20 July"
    assert "m1" in "".join(news.moved()) and "m2" not in "".join(news.moved())


@pytest.mark.parametrize(
    ("leads", "said"),
    [(0.75, "m0 led (75%)"), (0.6, "m0 was ahead, not clearly (60%)"), (0.4, "nobody clearly led")],
)
def test_who_led_then_is_said_by_the_rule_of_now(found, leads, said):
    news = report(found, BEGIN + 200 * DAY)
    first, *others = news.then.places
    then = replace(news.then, places=(first._replace(leads=leads), *others))
    assert f"On {news.when} {said}" in str(replace(news, then=then))


def test_a_moment_after_the_last_vote_and_one_before_the_first(found):
    news = report(found, BEGIN + 400 * DAY)
    assert news.lines() == [found.lines()[0], "No votes since 5 February 2026."]
    with pytest.raises(
        ValueError, match=r"since must be after the first vote, 1 January 2025; got"
    ):
        report(found, BEGIN)
    with pytest.raises(ValueError, match="time zone"):
        report(found, np.datetime64("2025-01-01").astype(object))


def test_votes_without_times_have_no_report(rng):
    votes = drifting_votes.votes(np.zeros((50, 2)), rng)
    with pytest.raises(ValueError, match="since needs votes with times"):
        report(answer(votes, what_if=False), 1.0)


def test_names_do_not_turn_a_report_round(rng):
    strengths = np.where((np.arange(900) < 500)[:, None], [1.5, 0, 0], [0, 2.0, 0])
    votes = drifting_votes.votes(strengths, rng, time=BEGIN + np.arange(900) * DAY)
    names = ("שלום", "قهوة", "tea")
    told = answer(votes.__class__(names, *(votes.first, votes.second, votes.outcome, votes.time)))
    for line in [*report(told, BEGIN + 300 * DAY).lines(), *told.lines(), told.standing()]:
        assert not re.search("[\u0590-\u06ff]", re.sub(f"{OPEN}[^{CLOSE}]*{CLOSE}", "", line))
