"""The page of a league in a real browser: quiet, readable, sortable, and no wider than a phone."""

import pytest

import tiny_league
from browser.seen import chart, curves, key, readout
from browser.test_report_page import CONTRASTS
from browser.tiny_results import PHONE
from sparring.lab import league
from sparring.lab.page import write_league

pytestmark = pytest.mark.compiled  # no kernel is tested here


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return league.read(tiny_league.played(tmp_path_factory))


@pytest.fixture(scope="module")
def file(found, tmp_path_factory):
    folder = tmp_path_factory.mktemp("league-page")
    ranking, advice = league.rank(found), league.advise(found)
    return write_league(folder, found, ranking, advice, command="sparring league")


def column(page, place):
    cells = page.locator(f"table.heat tbody tr td:nth-child({place})")
    return cells.evaluate_all("all => all.map((one) => one.dataset.sort)")


def test_a_click_on_a_heading_sorts(page, found):
    names = page.locator("table.heat tbody th").all_text_contents()
    assert names[:-1] == list(league.rank(found).labels)
    head = page.locator("table.heat thead th").nth(3)  # the first world
    for order in ("ascending", "descending"):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == order
        values = [float(value) for value in column(page, 5) if value]
        assert values == sorted(values, reverse=order == "descending")
        assert column(page, 5)[-1] == ""  # the yardstick, which cannot play there, stays last


def test_charts_can_be_read_and_curves_switched_off(page, found):
    section = page.locator("#world-stationary")
    chart(section).scroll_into_view_if_needed()
    chart(section).focus()
    page.keyboard.press("End")
    assert "RAND" in section.get_by_role("slider").get_attribute("aria-valuetext")
    (meeting,) = (one for one in found.meetings if one.name == "stationary")
    _, numbers = readout(section)
    assert numbers["RAND"][0] == pytest.approx(meeting.values("RAND").mean(), abs=0.06)
    assert tiny_league.OWN in curves(section)
    key(section, tiny_league.OWN).click()
    assert tiny_league.OWN not in curves(section)


def test_both_themes_are_readable(visit, file):
    for theme in ("light", "dark"):
        page = visit(file, color_scheme=theme)
        page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
        assert [who for ratio, who in page.evaluate(CONTRASTS) if ratio < 4.5] == []


def test_a_phone_has_no_sideways_scroll(visit, file):
    page = visit(file, viewport=PHONE, has_touch=True, is_mobile=True)
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator(".answers .who").first.is_visible()
