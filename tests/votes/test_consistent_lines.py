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
    from sparring.lab.draw.strengths import evidence_figure

    figure = evidence_figure(late)
    figure.canvas.draw()
    (axes,) = figure.axes
    line = axes.transData.transform((0, late.alarms.evidence.threshold))[1]
    for text in (axes.get_legend(), *axes.texts):
        assert text.get_window_extent().y0 > line
