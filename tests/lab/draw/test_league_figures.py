"""Figures of a league show its numbers, and are files that are the same each time."""

import math

import numpy as np
import pytest
from matplotlib.text import Text

import tiny_league
from sparring.formats import Estimate, percent
from sparring.lab import draw, league
from sparring.lab.draw.league import curves_figure, highlighted, ranks_figure, speed_figure
from sparring.lab.draw.standings import cell, depth, table_figure
from sparring.lab.league.contenders import ORACLE
from sparring.lab.league.standings import Standing
from sparring.lab.measures import UNKNOWN

pytestmark = [pytest.mark.oldest, pytest.mark.compiled]  # no kernel is tested here


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return league.read(tiny_league.played(tmp_path_factory))


@pytest.fixture(scope="module")
def ranking(found):
    return league.rank(found)


def words(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def test_the_table_has_every_ratio_and_frames_the_best(found, ranking):
    figure = table_figure(found, ranking)
    seen = words(figure)
    for meeting in found.meetings:
        assert meeting.title in seen
        for standing in meeting.standings:
            if standing.regret.value > 0 and standing.to_chance.value > 0:
                assert percent(standing.to_chance.value) in seen
    frames = [patch for patch in figure.axes[0].patches if not patch.get_fill()]
    assert len(frames) == len(found.meetings)
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == [*ranking.labels, ORACLE]  # by mean rank, the yardstick last
    rows = [round(frame.get_y()) for frame in frames]
    assert rows == [labels.index(meeting.best) for meeting in found.meetings]


def test_cells_without_a_ratio_say_so():
    some = Estimate(-3.0, -4.0, -2.0)
    assert cell(None) == ("white", "")
    assert cell(Standing("a", some, UNKNOWN, UNKNOWN, 2, True))[1] == "≤ 0"
    assert cell(Standing("a", Estimate(3, 2, 4), UNKNOWN, UNKNOWN, 2, True))[1] == "?"
    assert depth(0.5) != depth(2.0) and depth(1.0) == "#ffffff"


def test_ranks_have_everybody_and_a_bar_for_each_group(found, ranking):
    figure = ranks_figure(ranking)
    seen = " ".join(words(figure))
    for label, rank in ranking.mean_rank.items():
        assert label in seen and f"{rank:.1f}" in seen
    assert f"critical difference {ranking.distance:.2f}" in seen
    bars = [line for line in figure.axes[0].get_lines() if line.get_linewidth() == 3]
    assert len(bars) == len(ranking.groups)


def test_curves_are_the_means_and_the_others_are_grey(found):
    figure = curves_figure(found, columns=3)
    assert len(figure.axes) == len(found.meetings)
    for axes, meeting in zip(figure.axes, found.meetings, strict=True):
        assert axes.get_title(loc="left") == meeting.title
        assert len(axes.get_lines()) == len(meeting.labels)
        named = highlighted(meeting, found.own)
        assert {"RAND", "DEX3.S corrected"} <= set(named) and ORACLE not in named
        drawn = [line.get_ydata() for line in axes.get_lines() if line.get_zorder() == 3]
        assert len(drawn) == len(named)
        for label, heights in zip(named, drawn, strict=True):
            assert np.array_equal(heights, meeting.curves[label].mean)


def test_speed_stands_beside_the_mean_rank(found, ranking):
    (axes,) = speed_figure(found, ranking).axes
    spots = [line for line in axes.get_lines() if line.get_marker() not in ("", "None")]
    assert [line.get_xdata()[0] for line in spots] == list(map(found.nanoseconds, ranking.labels))
    assert [line.get_ydata()[0] for line in spots] == list(range(len(ranking.labels)))
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == [f"{label}  {rank:.1f}" for label, rank in ranking.mean_rank.items()]


def test_files_are_whole_and_the_same_each_time(found, ranking, tmp_path):
    first = draw.league_figures(found, ranking)
    assert set(first) == {"league-table", "league-ranks", "league-curves", "league-speed"}
    second = draw.league_figures(found, ranking)
    for name, figure in first.items():
        (a,) = draw.save(figure, tmp_path / "a", name, formats="svg")
        (b,) = draw.save(second[name], tmp_path / "b", name, formats="svg")
        assert a.read_bytes() == b.read_bytes() and a.stat().st_size > 5000


def test_one_run_and_one_learner_can_be_drawn(tmp_path):
    names = tiny_league.play(tmp_path, own=False, runs=1)
    found = league.read(tmp_path, names[:1])
    made = draw.league_figures(found, league.rank(found))
    assert {"league-table", "league-curves"} <= set(made)
    assert not any(math.isnan(x) for x in made["league-table"].get_size_inches())
