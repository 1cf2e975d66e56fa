"""The lines of an answer agree with each other, and say no more than the votes do."""

from dataclasses import replace

import numpy as np
import pytest

import drifting_votes
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
    assert found.lines()[0].startswith("No arm clearly leads now")
    assert not any(line.startswith("It has led") for line in found.lines())


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
    from sparring.votes.charts import evidence_figure

    figure = evidence_figure(late)
    figure.canvas.draw()
    (axes,) = figure.axes
    line = axes.transData.transform((0, late.alarms.evidence.threshold))[1]
    for text in (axes.get_legend(), *axes.texts):
        assert text.get_window_extent().y0 > line


def test_long_names_that_begin_alike_stay_apart_in_a_chart(late):
    pytest.importorskip("matplotlib", reason="charts are drawn with it")
    from sparring.votes.charts import rank_sets_figure

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
    from sparring.votes.charts import strength_curves, strengths_figure

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
    from sparring.votes.page import votes_page

    votes = Votes((f"tea{mark}", "coffee"), [0, 1] * 30, [1, 0] * 30, [1.0, 0.0] * 30)
    assert votes_page(answer(votes, what_if=False), source="votes.csv").count("<svg") > 4


def test_votes_of_one_moment_have_a_page():
    """Warnings are errors here: the axis of dates had no interval to choose."""
    pytest.importorskip("matplotlib", reason="charts are drawn with it")
    pytest.importorskip("jinja2", reason="pages are made with it")
    from sparring.votes.page import votes_page

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
