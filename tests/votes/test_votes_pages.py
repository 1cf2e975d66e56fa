"""What a page tells of votes: nothing but what the answer says, and no two things that differ."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import drifting_votes
from sparring.formats import CLOSE, OPEN
from sparring.votes import Votes, answer
from sparring.votes.charts import View, rate
from sparring.votes.page import votes_page

pytestmark = pytest.mark.compiled  # no kernel is tested here

DAY = 86_400.0
WORLDS = st.tuples(
    st.sampled_from(["nil", "slow", "sudden", "trend", "join"]),
    st.integers(2, 7),
    st.integers(20, 700),
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


def bare(text):
    return text.replace(OPEN, "").replace(CLOSE, "")


@pytest.fixture(scope="module")
def year():
    """The second arm takes over from the first after six of ten weeks; a third joins."""
    rng = np.random.default_rng(3)
    n, when = 4000, np.arange(4000)
    strengths = np.where(when[:, None] < 0.6 * n, [1.2, 0.0, 0.2, 0.0], [0.0, 1.2, 0.2, 0.0])
    there = np.where(when < 0.7 * n, 3, 4)
    first = rng.integers(there)
    second = (first + rng.integers(1, there)) % there
    lead = strengths[when, first] - strengths[when, second]
    outcome = rng.random(n) < 1 / (1 + np.exp(-lead))
    time = 1.7e9 + when * 70 * DAY / n
    names = ("ash", "birch", "cedar", "late")
    return View(answer(Votes(names, first, second, outcome, time=time), what_if=False))


def test_the_finding_the_figures_and_the_chart_are_one(year):
    (one,) = year.takeovers
    assert (one.key, one.old) == (1, 0)
    truth = 1.7e9 + 0.6 * 70 * DAY
    assert one.low <= one.at <= one.high and abs(one.at - truth) < 4 * DAY
    when = year.moments.on(one.at)
    assert bare(year.finding()) == f"birch has led since {when}"
    who, sure, since = year.figures()
    assert bare(who.value) == "birch" and sure.value == "over 99%" and since.value == when
    assert "birch took over from ash" in bare(year.story()) and when in year.story()


def test_who_joined_has_no_curve_before(year):
    curves = {line.name: line for line in year.lines()}
    assert curves["late"].joined and not curves["ash"].joined
    first = year.votes.time[(year.votes.first == 3) | (year.votes.second == 3)][0]
    assert curves["late"].x[0] == pytest.approx(first)
    assert any(
        one.way == "in" and (one.who, one.text) == ("late", "joined") for one in year.events()
    )


def test_a_rise_says_by_how_much_and_when(year):
    (rise,) = (one for one in year.events() if one.way == "up")
    before, after = map(int, re.match(r"from (\d+)% to (\d+)%", rise.detail).groups())
    assert before < 55 and after > 65 and "took the lead from ash" in bare(rise.text)


def test_windows_count_the_votes_since_the_change_and_all(year):
    latest, ever = year.windows()
    for window, votes in ((latest, len(year.votes) - year.latest), (ever, len(year.votes))):
        assert counted(window) == 2 * votes
    assert "the latest change" in latest.label


def counted(window):
    return sum(
        int(cell.votes.replace(",", "")) for row in window.table for cell in row if cell.votes
    )


@settings(max_examples=40, deadline=None, derandomize=True)
@given(WORLDS)
def test_no_part_of_a_page_contradicts_another(world):
    votes = simulated(*world)
    if not len(votes):
        return
    found = answer(votes, what_if=False)
    told, now = View(found), found.now
    here, gone = {place.name for place in now.places}, {one.arm for one in now.gone}
    finding, figures, lines = bare(told.finding()), told.figures(), told.lines()
    assert ("Nobody" in finding) == (not now.clear and not now.ahead and len(here) > 1)
    assert ("is ahead, not clearly" in finding) == now.ahead
    assert (figures[0].label == "Leader") == now.clear and bare(figures[0].value) == now.leader
    # The page says what the ten lines say: how sure, since when, what else may be.
    text = "\n".join(map(bare, found.lines()))
    if len(here) > 1:
        assert figures[1].value in text.splitlines()[0]
        since = re.search(
            "It has led since (.*?)[ (;.,]*(?: \\(|; before|, as far|\\.$)", text, re.MULTILINE
        )
        assert (since is not None) == now.clear
        if since is not None:
            when = since[1].removeprefix("about ").removesuffix(" at the latest")
            of_page = figures[2].value
            assert when in (of_page, "it joined") or (when, of_page) == (
                "the file begins",
                "the beginning",
            )
        for event in told.events():
            assert event.who in text or event.way == "up"  # the line on the lead names it "it"
    pages = [finding, told.story(), told.standing(), *told.settle(), *told.notes()]
    pages += [f"{one.value} {one.detail}" for one in figures]
    pages += [f"{one.when} {one.text} {one.detail}" for one in told.events()]
    for one in map(bare, pages):
        assert not re.search(r"\d-\d|\d{4}-\d\d|\d %|\b0\.\d", one), one
    # Curves: one for each arm, within its life, inside its band, ending where the table says.
    assert {line.name for line in lines} == here | gone
    ends = {line.name: line.y[-1] for line in lines}
    for place in now.places:
        assert ends[place.name] == pytest.approx(place.share[0], abs=1e-4)
    begin, end = told.when(1), told.when(len(votes))
    for line in lines:
        assert (np.diff(line.x) > 0).all() and begin <= line.x[0] and line.x[-1] <= end
        assert (line.low <= line.y + 1e-9).all() and (line.y <= line.high + 1e-9).all()
        first, last = (told.when(one + 1) for one in at_all(votes, line.key))
        assert line.x[0] >= first or not line.joined
        assert line.x[-1] <= last or not line.left
    # Takeovers are in order, inside the file, and the last one is the leader's, if one leads.
    at = [one.at for one in told.takeovers]
    assert at == sorted(at)
    assert all(begin <= one.low <= one.at <= one.high <= end for one in told.takeovers)
    if told.since is not None:
        assert told.takeovers[-1].key == told.leader and now.since.changed
    assert {votes.names[arm] for arm in told.coloured} >= {now.leader}
    # Each place in the table is that of the answer, and the axis holds each interval.
    table = told.standings()
    assert [(row.name, row.places) for row in table.rows] == [
        (place.name, place.ranks) for place in now.places
    ]
    assert all(0 <= row.low <= row.at <= row.high <= 1 for row in table.rows)
    named = {event.who for event in told.events()}
    assert named >= {turn.arm for turn in now.turns} | {one.arm for one in now.joined} | gone
    assert votes_page(found, source="votes.csv").count("<svg") > 3


def at_all(votes, arm):
    """The first and the last vote on an arm."""
    found = np.flatnonzero((votes.first == arm) | (votes.second == arm))
    return int(found[0]), int(found[-1])


@pytest.mark.parametrize("mark", ["\x01", "\x1b", "\ufffe", "\uffff", "\u202e", "\u2069"])
def test_a_name_that_xml_forbids_can_be_drawn(mark):
    votes = Votes((f"tea{mark}", "coffee"), [0, 1] * 30, [1, 0] * 30, [1.0, 0.0] * 30)
    assert votes_page(answer(votes, what_if=False), source="votes.csv").count("<svg") > 3


@pytest.mark.parametrize("n", [1, 2, 60])
@pytest.mark.parametrize("time", [None, 1.7e9])
def test_votes_of_one_moment_or_hardly_any_have_a_page(n, time):
    when = None if time is None else [time] * n
    votes = Votes(("a", "b"), [0, 1] * n, [1, 0] * n, [1, 0] * n, time=when and when * 2)
    page = votes_page(answer(votes[:n], what_if=False), source="votes.csv")
    assert ("2023" in page) == (time is not None)


def test_names_that_begin_alike_stay_apart_in_a_chart():
    names = tuple(f"organisation/a-long-name-of-a-model-{k}" for k in range(4))
    rng = np.random.default_rng(1)
    first = rng.integers(4, size=400)
    second = (first + rng.integers(1, 4, size=400)) % 4
    page = votes_page(answer(Votes(names, first, second, rng.random(400) < 0.5)), source="x")
    shown = re.findall('<tspan class="who">(.*?)</tspan>', page)
    assert len(shown) == 12 and len(set(shown[:4])) == len(set(shown[8:])) == 4


def test_votes_are_counted_per_hour_or_minute():
    edges, rates, unit = rate(1e9 + np.arange(0, 7200.0, 10))
    assert unit == "hour" or unit == "minute"
    assert (rates * np.diff(edges)).sum() == pytest.approx(720 * (60 if unit == "minute" else 3600))
