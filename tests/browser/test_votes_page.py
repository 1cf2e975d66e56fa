"""The page of votes in a real browser: quiet, safe for any name, readable, as wide as a phone."""

import re

import numpy as np
import pytest

from browser.seen import chart, curves, key
from browser.test_report_page import CONTRASTS
from browser.tiny_results import PHONE
from sparring.votes import Votes, answer
from sparring.votes.page import write_votes

pytestmark = pytest.mark.compiled  # no kernel is tested here

NAMES = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "$\\frac{a}{b}$", "plain")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rng = np.random.default_rng(1)
    n, K = 1500, len(NAMES)
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    strengths = np.array([[1.0, 0.5, 0, -0.5], [-1.0, 0.5, 1.5, -0.5]])[(np.arange(n) > 700) * 1]
    lead = strengths[np.arange(n), first] - strengths[np.arange(n), second]
    outcome = rng.random(n) < 1 / (1 + np.exp(-lead))
    time = 1.7e9 + np.arange(n) * 3600.0
    told = answer(Votes(NAMES, first, second, outcome, time=time), what_if=False)
    notes = ["<b>bold</b> lines"]
    folder = tmp_path_factory.mktemp("votes-page")
    return write_votes(folder / "votes.html", told, source="<i>x</i>.csv", notes=notes)


def test_names_are_shown_as_they_are(page):
    heads = page.locator("table.heat tbody th").all_text_contents()
    assert sorted(heads) == sorted(NAMES)
    assert page.locator("main script, main img, main b:has-text('bold')").count() == 0
    assert "<b>bold</b> lines" in page.locator("#problems").locator("..").text_content()


def test_the_chart_can_be_read_and_arms_switched_off(page):
    section = page.locator("section.panel")
    chart(section).focus()
    page.keyboard.press("End")
    told = section.get_by_role("slider").get_attribute("aria-valuetext")
    assert told.startswith("2024-01-") and "plain" in told
    assert "plain" in curves(section)
    key(section, "plain").click()
    assert "plain" not in curves(section)


def test_both_themes_are_readable(visit, file):
    for theme in ("light", "dark"):
        page = visit(file, color_scheme=theme)
        assert [who for ratio, who in page.evaluate(CONTRASTS) if ratio < 4.5] == []


@pytest.mark.parametrize("width", [PHONE["width"], 390, 700])
def test_all_charts_are_seen_on_a_phone_and_the_page_is_no_wider(visit, file, width):
    page = visit(file, viewport={**PHONE, "width": width})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # The height of a box counts: what is in it may be tall, and cut off.
    heights = page.evaluate("""
        [...document.querySelectorAll("main svg.drawing")].filter(one => one.checkVisibility()).map(
            one => one.closest(".narrow, .scroll").getBoundingClientRect().height)
    """)
    assert len(heights) == 4 and min(heights) > 100


def test_sentences_have_spaces_between_them(page):
    prose = page.locator("main p.prose").all_inner_texts()
    assert any("Point at the chart" in text for text in prose)
    assert [text for text in prose if re.search(r"[a-z][.;:][A-Z]", text)] == []


def test_the_text_of_all_charts_can_be_read_on_a_phone(visit, file):
    page = visit(file, viewport=PHONE)
    sizes = page.evaluate("""
        [...document.querySelectorAll("main svg.drawing text")].map(text =>
            parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a)
    """)
    assert len(sizes) > 20 and min(sizes) >= 8.9  # pixels
