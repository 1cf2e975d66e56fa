"""The page of a league as text: the answer on top, every number, and no data becomes markup."""

import html
import re

import pytest

import tiny_league
from sparring.charts.page import estimate
from sparring.formats import share
from sparring.lab import league, page
from sparring.lab.league import wording
from sparring.lab.league.detection import Detected
from sparring.lab.summaries import read

pytestmark = [pytest.mark.oldest, pytest.mark.compiled]  # no kernel is tested here


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tiny_league.played(tmp_path_factory)
    one = league.read(folder)
    return folder, one, league.rank(one), league.advise(one)


@pytest.fixture(scope="module")
def text(found):
    return page.league_page(*found[1:], command="sparring league 'a & b'")


def visible(markup):
    """What a reader sees of some HTML, scripts and styles left out."""
    bare = re.sub(r"<(script|style|title)\b.*?</\1>", "", markup, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", bare)).split())


def test_the_answer_is_on_top(text, found):
    head = visible(text.partition("<main>")[0]).replace("\N{NO-BREAK SPACE}", " ")
    _, one, ranking, advice = found
    for answer in wording.answers(one, ranking, advice):
        assert answer.label in head and answer.why.replace("V_T", "VT") in head
    assert head.index("Which learner to run") < head.index(advice[0].label)


def test_every_learner_has_its_numbers_on_every_world(text, found):
    for meeting in found[1].meetings:
        pattern = rf'<section class="panel" id="world-{meeting.name}".*?</section>'
        section = visible(re.search(pattern, text, re.DOTALL)[0])
        for standing in meeting.standings:
            assert standing.label in section
            assert visible(estimate(standing.regret)) in section
            if standing.to_chance.value > 0:
                assert share(standing.to_chance) in section
    table = re.search(r'<table class="heat">.*?</table>', text, re.DOTALL)[0]
    assert table.count('<th scope="row">') == len(found[1].labels)
    assert table.count(" best") == len(found[1].meetings)


def test_no_data_becomes_markup(text, found):
    assert "<img" not in text and visible(text).count(tiny_league.HOSTILE) > 2
    assert text.count("</script>") == 1
    assert "a &amp; b" in text


def test_who_plays_and_what_it_was_told(text):
    part = visible(text.partition('id="entrants"')[2])
    assert "a yardstick, not ranked" in part and "your own" in part
    assert "dex3s(corrected=True)" in part


def test_alarms_stand_behind_the_worlds(found):
    seen = Detected("walk", "A walk", "RMED1", 600, 2, 3, (10, 20), 1)
    text = page.league_page(*found[1:], command="", alarms=[seen])
    assert text.index('id="worlds"') < text.index('id="alarms"') < text.index('id="speed"')
    assert "2 of 3" in visible(text) and 'id="alarms-figure"' in text


def test_pages_beside_each_other_are_linked(found, tmp_path):
    folder, *rest = found
    alone = page.write_league(tmp_path, *rest, command="").read_text()
    assert 'href="report.html"' not in alone
    summaries = read(folder)[:1]
    assert (
        'href="league.html"' in page.write_report(tmp_path, summaries, [], command="").read_text()
    )
    assert 'href="report.html"' in page.write_league(tmp_path, *rest, command="").read_text()


def test_pages_in_the_folders_they_usually_have_are_linked_too(found, tmp_path):
    folder, *rest = found
    page.write_report(tmp_path / "quick", summaries := read(folder)[:1], [], command="")
    text = page.write_league(tmp_path / "league-quick", *rest, command="").read_text()
    assert 'href="../quick/report.html"' in text
    text = page.write_report(tmp_path / "quick", summaries, [], command="").read_text()
    assert 'href="../league-quick/league.html"' in text


def test_one_run_of_one_world_has_a_page(tmp_path):
    names = tiny_league.play(tmp_path, own=False, runs=1)
    one = league.read(tmp_path, names[1:2])
    text = page.league_page(one, league.rank(one), league.advise(one), command="")
    assert "1 run:" in visible(text) and "Head to head" in visible(text)
    assert "nan" not in visible(text).lower().split()
