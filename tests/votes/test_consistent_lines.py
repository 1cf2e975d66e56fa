"""The lines of an answer agree with each other, and say no more than the votes do."""

import re
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import drifting_votes
from sparring.isolation import isolated
from sparring.votes import Votes, answer
from sparring.votes.saving import Saving

STILL = "orgetting does not predict clearly better, so no vote is forgotten"


@pytest.fixture(scope="module")
def late():
    """A leader who falls in the last 180 of 6,000 votes."""
    before, after = [1, -0.2, 0, 0, -0.3, -0.6], [-0.5, 0.9, 0, 0, -0.3, -0.6]
    strengths = np.repeat(np.array([before, after], float), [5_820, 180], axis=0)
    return answer(
        drifting_votes.votes(strengths, np.random.default_rng(1)), every=1e9, what_if=False
    )


def test_intervals_that_are_wide_for_drift_are_explained(late):
    """One memory for all votes does not help yet, but the ranks are as open as they can be."""
    assert not late.now.memories.moved
    assert {place.ranks for place in late.now.places} == {(1, 6)}
    (line,) = (line for line in late.lines() if "moved" in line)
    assert line.startswith("Tastes may have moved: intervals are ")
    assert line.endswith(f" times as wide for it; f{STILL}.")
    assert "No sign of change" not in str(late)


def test_ties_alone_are_no_sign_of_change():
    """Every pace of drift predicts ties equally well, so the votes speak for none."""
    votes = Votes(("a", "b", "c"), [0, 1, 2] * 60, [1, 2, 0] * 60, [0.5] * 180)
    assert "No sign of change: no vote should be forgotten." in answer(votes, what_if=False).lines()


def test_a_fall_is_not_followed_by_no_sign_of_change():
    """The alarm may ring, once in `every` votes even falsely, where forgetting does not help."""
    rng = np.random.default_rng(7)
    first = rng.integers(2, size=2000)
    wins = rng.random(2000) < np.where(np.arange(2000) < 1700, 0.52, 0.3)
    outcome = np.where(first == 0, wins, ~wins)
    found = answer(Votes(("tea", "coffee"), first, 1 - first, outcome), every=20, what_if=False)
    still = replace(found.now, memories=replace(found.now.memories, gain=0.0))
    found = replace(found, now=replace(still, covariance=found.ever.covariance), lead=_ever(found))
    lines = found.lines()
    assert any(" fell: " in line for line in lines)
    assert f"F{STILL}." in lines
    assert not any("No sign of change" in line or "for as long as" in line for line in lines)


def _ever(found):
    """As if no other had been ahead before."""
    return found.lead._replace(before="", since=1, earliest=1, latest=1, times=None)


def test_of_two_equal_arms_none_leads():
    first = np.tile([0, 1], 500)
    outcome = np.tile([1.0, 1.0, 0.0, 0.0], 250)
    outcome[0] = 0.0
    found = answer(Votes(("tea", "coffee"), first, 1 - first, outcome), what_if=False)
    assert found.now.leads < 0.6
    assert found.now.verdict in ("ahead", "open") and not found.leads
    assert not any(line.startswith("It has led") for line in found.lines())


BEGINNINGS = {"leads": "{} leads now", "ahead": "{} is ahead now", "open": "No clear leader now"}
HEADLINES = {"leads": "{} leads", "ahead": "{} is ahead, not clearly", "open": "No clear leader"}


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    K=st.integers(2, 5),
    n=st.integers(20, 150),
    spread=st.floats(0.0, 1.5),
    kind=st.sampled_from(drifting_votes.KINDS),
)
def test_headline_sentence_and_json_say_the_same(seed, K, n, spread, kind):
    """One rule, of the votes alone: leads from 3/4 on, is ahead from 1/2 on, else nobody is."""
    rng = np.random.default_rng(seed)
    strengths = spread * drifting_votes.path(kind, n, K, rng)
    found = answer(drifting_votes.votes(strengths, rng), what_if=False)
    now, told = found.now, found.to_json()
    verdict = (
        "leads" if now.settled or now.leads >= 0.75 else "ahead" if now.leads >= 0.5 else "open"
    )
    assert now.verdict == told["standings"]["verdict"] == verdict
    assert now.headline == told["standings"]["headline"] == HEADLINES[verdict].format(now.leader)
    assert found.lines()[0].startswith(BEGINNINGS[verdict].format(now.leader))
    assert str(now).startswith(now.headline)
    assert found.leads == (verdict == "leads")
    assert any(line.startswith("It has led") for line in found.lines()) <= found.leads


def test_the_word_for_what_was_voted_on_is_the_callers(late):
    lines = replace(late, apart=(("p", "q"),)).lines("item")
    assert "on 6 items" in lines[0] and any("never met these items" in line for line in lines)
    assert not any(" arm" in line for line in lines)


@pytest.fixture(scope="module", params=[False, True], ids=["numbers", "times"])
def newcomer(request):
    """Votes in which the strongest arm joins after 900 of 1,500, and its number."""
    rng = np.random.default_rng(3)
    n, joined = 1500, 900
    first = rng.integers(3, size=n)
    second = (first + 1 + rng.integers(2, size=n)) % 3
    first[joined::2], second[joined::2] = 3, rng.integers(3, size=(n - joined) // 2)
    strengths = np.array([0.8, 0.0, -0.3, 2.0])
    outcome = rng.random(n) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
    time = 1.7e9 + 60.0 * np.arange(n) if request.param else None
    return Votes(("ash", "birch", "cedar", "late"), first, second, outcome, time=time), joined


def test_nobody_leads_before_the_first_vote_on_them(newcomer):
    votes, joined = newcomer
    found = answer(votes, what_if=False)
    assert found.now.leader == "late" and found.leads
    assert joined < found.lead.earliest <= found.lead.since <= found.lead.latest
    told = found.lead.to_json()
    if votes.time is not None:
        since = datetime.fromisoformat(told["since_at"]).timestamp()
        assert since >= votes.time[joined]
    assert found.lead.joined_late
    assert not any("for as long as the votes can tell" in line for line in found.lines())


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32), K=st.integers(2, 6), kind=st.sampled_from(drifting_votes.KINDS))
def test_since_is_never_before_the_first_vote_on_the_leader(seed, K, kind):
    rng = np.random.default_rng(seed)
    n = 120
    votes = drifting_votes.votes(2 * drifting_votes.path(kind, n, K, rng), rng)
    joined = rng.integers(0, n - 5, size=K)  # nobody is shown before
    kept = (joined[votes.first] <= np.arange(n)) & (joined[votes.second] <= np.arange(n))
    if not kept.any():
        return
    found = answer(votes[kept], what_if=False)
    leader = found.votes.names.index(found.now.leader)
    shown = (found.votes.first == leader) | (found.votes.second == leader)
    assert found.lead.earliest > int(np.argmax(shown))
    assert found.lead.earliest <= found.lead.since <= found.lead.latest


def test_no_curve_begins_before_the_first_vote_on_its_arm(newcomer):
    pytest.importorskip("matplotlib", reason="charts are drawn with it")
    from sparring.lab.draw.strengths import moments, strength_curves, strengths_figure
    from sparring.lab.draw.traffic import share_curves

    votes, joined = newcomer
    found = answer(votes, what_if=False)
    curves = {curve.label: curve for curve in strength_curves(found)}
    began = moments(votes, np.array([joined + 1]))[0]
    assert curves["late"].x[0] >= began > curves["ash"].x[0]
    assert len(curves["late"].x) == len(curves["late"].mean) == len(curves["late"].sd) > 10
    (drawn,) = (line for line in _axes(found, strengths_figure).lines if line.get_label() == "late")
    assert min(drawn.get_xdata()) >= began
    shares = {curve.label: curve for curve in share_curves(votes, votes.names)}
    assert shares["late"].mean[0] > 0 and shares["late"].x[0] > shares["ash"].x[0]
    assert shares["late"].x[-1] == shares["ash"].x[-1]


def _axes(found, figure):
    from sparring.lab.draw.strengths import strength_curves

    (axes,) = figure(found, strength_curves(found)).axes
    return axes


def test_an_arm_keeps_its_look_whoever_leads_and_whoever_joins():
    pytest.importorskip("matplotlib", reason="charts are drawn with it")
    from sparring.lab.draw.strengths import strengths_figure

    def looks(strengths, shown):
        rng = np.random.default_rng(1)
        votes = drifting_votes.votes(np.repeat([strengths], 400, axis=0), rng)
        kept = np.isin(votes.first, shown) & np.isin(votes.second, shown)
        lines = _axes(answer(votes[kept], what_if=False), strengths_figure).lines
        return {
            line.get_label(): (line.get_color(), line.get_marker(), line._unscaled_dash_pattern)
            for line in lines
            if line.get_label().startswith("m")
        }

    one = looks([2.0, 1.0, 0.0, -1.0], range(4))
    other = looks([-1.0, 0.0, 1.0, 2.0], range(4))
    assert one == other and len(set(one.values())) == 4
    assert looks([0.0, 0.5, 1.0, 1.5], [0, 2, 3]) == {
        name: one[name] for name in ("m0", "m2", "m3")
    }


RIGHT_TO_LEFT = "\u05ea\u05d4"  # tea, in Hebrew


def test_names_from_right_to_left_leave_the_numbers_beside_them_in_order():
    rng = np.random.default_rng(1)
    votes = drifting_votes.votes(np.repeat([[1.0, 0.0, -1.0]], 300, axis=0), rng)
    names = (RIGHT_TO_LEFT, f"{RIGHT_TO_LEFT} 2", "tea")
    found = answer(replace(votes, names=names), what_if=False)
    lines = str(found)
    assert f"\u2068{names[0]}\u2069 1" in lines and f"\u2068{names[1]}\u2069 " in lines
    for name in names[:2]:
        assert not re.search(f"(?<!\u2068){name}(?! 2|\u2069)", lines)
    assert found.to_json()["standings"]["leader"] == names[0]  # data are as they were given
    assert found.now.headline == f"\u2068{names[0]}\u2069 leads"


def test_a_mark_of_direction_in_a_name_cannot_end_its_isolation():
    assert isolated("tea\u2069\u202e") == "\u2068tea\u2069"
    assert isolated("th\u00e9") == "th\u00e9"


def test_charts_isolate_such_names_too():
    pytest.importorskip("jinja2", reason="pages are made with it")
    from sparring.lab.page.votes import votes_page

    rng = np.random.default_rng(1)
    votes = drifting_votes.votes(np.repeat([[1.0, 0.0]], 60, axis=0), rng)
    page = votes_page(
        answer(replace(votes, names=(f"{RIGHT_TO_LEFT} (2)", "tea")), what_if=False), source="x"
    )
    assert f">\u2068{RIGHT_TO_LEFT} (2)\u2069</text>" in page
    assert f'data-of="{RIGHT_TO_LEFT} (2)"' in page
    assert f"<bdi>{RIGHT_TO_LEFT} (2)</bdi></button>" in page


def test_a_lead_within_its_error_is_called_that():
    pytest.importorskip("polars", reason="plans are simulated")
    first = np.tile([0, 1], 50)
    outcome = np.tile([1.0, 1.0, 0.0, 0.0], 25)
    found = answer(Votes(("tea", "coffee"), first, 1 - first, outcome))
    assert (
        f"The lead of {found.plan.leader} over {found.plan.second} is within its error, so there "
        "is no saying how many votes would tell them apart." in found.lines()
    )


def test_nothing_saved_is_not_told(late):
    assert "(simulated)" in str(replace(late, saving=Saving("tracker", 10, 0.1, 0.099)))
    assert "(simulated)" not in str(replace(late, saving=Saving("tracker", 10, 0.1, 0.0999)))


def test_of_many_groups_that_never_met_some_are_named_and_all_counted(late):
    apart = (tuple("pqrstuv"), *((f"x{k}", f"y{k}") for k in range(1_000)))
    assert (
        "Left out, as they never met these arms: p, q, r, s, t, and 2 more; x0, y0; x1, y1; and "
        "998 more groups." in replace(late, apart=apart).lines()
    )


def test_no_words_are_written_over_the_line_on_which_the_alarm_rings(late):
    pytest.importorskip("matplotlib", reason="charts are drawn with it")
    from sparring.lab.draw.strengths import evidence_figure

    figure = evidence_figure(late)
    figure.canvas.draw()
    (axes,) = figure.axes
    line = axes.transData.transform((0, late.alarms.evidence.threshold))[1]
    for text in (axes.get_legend(), *axes.texts):
        assert text.get_window_extent().y0 > line


def test_long_names_that_begin_alike_stay_apart_in_a_chart(late):
    pytest.importorskip("matplotlib", reason="charts are drawn with it")
    from sparring.lab.draw.strengths import rank_sets_figure

    names = {place.name: f"organisation/a-long-name-of-{place.name}" for place in late.now.places}
    long = [
        replace(one, places=tuple(place._replace(name=names[place.name]) for place in one.places))
        for one in (late.now, late.ever)
    ]
    (axes,) = rank_sets_figure(replace(late, now=long[0], ever=long[1])).axes
    shown = {text.get_text() for text in axes.get_yticklabels()}
    assert len(shown) == 6 and max(map(len, shown)) == 28


def test_no_change_is_marked_where_nobody_leads(late):
    pytest.importorskip("matplotlib", reason="charts are drawn with it")
    from sparring.lab.draw.strengths import strength_curves, strengths_figure

    took = late.lead._replace(before="m1", since=900, earliest=800, latest=1000)
    found = replace(late, lead=took)
    assert not found.leads
    (axes,) = strengths_figure(found, strength_curves(found)).axes
    assert not any(len(line.get_xdata()) == 2 for line in axes.lines)  # of no curve


@pytest.mark.parametrize("mark", ["\x01", "\x1b", "\ufffe", "\uffff"])
def test_a_name_that_xml_forbids_can_be_drawn(mark):
    """An item of an arena may have one; its page once ended in an error of the XML reader."""
    pytest.importorskip("matplotlib", reason="charts are drawn with it")
    pytest.importorskip("jinja2", reason="pages are made with it")
    from sparring.lab.page.votes import votes_page

    votes = Votes((f"tea{mark}", "coffee"), [0, 1] * 30, [1, 0] * 30, [1.0, 0.0] * 30)
    assert votes_page(answer(votes, what_if=False), source="votes.csv").count("<svg") > 4


def test_votes_of_one_moment_have_a_page():
    """Warnings are errors here: the axis of dates had no interval to choose."""
    pytest.importorskip("matplotlib", reason="charts are drawn with it")
    pytest.importorskip("jinja2", reason="pages are made with it")
    from sparring.lab.page.votes import votes_page

    votes = Votes(("a", "b"), [0, 1] * 30, [1, 0] * 30, [1.0, 0.0] * 30, time=[1.7e9] * 60)
    assert "2023" in votes_page(answer(votes, what_if=False), source="votes.csv")


def test_weights_that_cannot_be_added_up_are_refused(rng):
    first = rng.integers(2, size=100)
    arms = ("a", "b"), first, 1 - first, rng.integers(2, size=100)
    for weight in (1e300, 9e-7, np.inf, np.nan, 0.0):
        with pytest.raises(ValueError, match="weight must be from 1e-06 to 1,000,000; got"):
            Votes(*arms, weight=np.where(np.arange(100) < 1, weight, 1.0))
    far = Votes(*arms, weight=np.where(np.arange(100) < 50, 1e-6, 1e6))
    assert np.isfinite(answer(far, what_if=False).now.strengths).all()
