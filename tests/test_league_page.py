"""The page of a league as text: the answer on top, every number, and no data becomes markup."""

import html
import re

import pytest

import tiny_league
from sparring.lab import league, report
from sparring.lab.league import wording
from sparring.lab.report import league as pages
from sparring.lab.report.wording import estimate
from sparring.lab.summaries import read

pytestmark = pytest.mark.compiled  # no kernel is tested here


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tiny_league.played(tmp_path_factory)
    one = league.read(folder)
    return folder, one, league.rank(one), league.advise(one)


@pytest.fixture(scope="module")
def text(found):
    return pages.page(*found[1:], command="sparring league 'a & b'")


def visible(markup):
    """What a reader sees of some HTML, scripts and styles left out."""
    bare = re.sub(r"<(script|style)\b.*?</\1>", "", markup, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", bare)).split())


def test_the_answer_is_on_top(text, found):
    head = visible(text.partition("<main>")[0])
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
                assert visible(estimate(standing.to_chance)) in section
    table = re.search(r'<table class="heat">.*?</table>', text, re.DOTALL)[0]
    assert table.count("<tr id=") == len(found[1].labels)
    assert table.count(" best") == len(found[1].meetings)


def test_no_data_becomes_markup(text, found):
    assert "<img" not in text and visible(text).count(tiny_league.HOSTILE) > 2
    assert text.count("</script>") == len(found[1].meetings) + 2
    assert "a &amp; b" in text


def test_who_plays_and_what_it_was_told(text):
    part = visible(text.partition('id="entrants"')[2])
    assert "a yardstick, not ranked" in part and "your own" in part
    assert "dex3s(corrected=True)" in part


def test_further_sections_have_a_place(found):
    text = pages.page(*found[1:], command="", further=['<section id="more">More</section>'])
    assert text.index('id="worlds"') < text.index('id="more"') < text.index('id="speed"')


def test_pages_beside_each_other_are_linked(found, tmp_path):
    folder, *rest = found
    alone = pages.write(tmp_path, *rest, command="").read_text()
    assert 'href="report.html"' not in alone
    summaries = read(folder)[:1]
    assert 'href="league.html"' in report.write(tmp_path, summaries, [], command="").read_text()
    assert 'href="report.html"' in pages.write(tmp_path, *rest, command="").read_text()


def test_pages_in_the_folders_they_usually_have_are_linked_too(found, tmp_path):
    folder, *rest = found
    report.write(tmp_path / "quick", summaries := read(folder)[:1], [], command="")
    text = pages.write(tmp_path / "league-quick", *rest, command="").read_text()
    assert 'href="../quick/report.html"' in text
    text = report.write(tmp_path / "quick", summaries, [], command="").read_text()
    assert 'href="../league-quick/league.html"' in text


def test_one_run_of_one_world_has_a_page(tmp_path):
    names = tiny_league.play(tmp_path, own=False, runs=1)
    one = league.read(tmp_path, names[1:2])
    text = pages.page(one, league.rank(one), league.advise(one), command="")
    assert "1 run:" in visible(text) and "Head to head" in visible(text)
    assert "nan" not in visible(text).lower().split()
