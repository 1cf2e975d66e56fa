"""The page of the report in a real browser: claims, themes, small screens, hostile texts."""

import re

import pytest

from browser.seen import chart, curves, key, panel, readout
from browser.tiny_results import COMMAND, DESKTOP, HOSTILE, PHONE, VERDICTS

pytestmark = pytest.mark.compiled  # no kernel is tested here

SIGNS = {"holds": "✓", "so far": "✓", "does not hold": "✗", "not decidable": "?"}


def test_hostile_labels_stay_texts(page):
    assert page.locator("img").count() == 0
    assert key(panel(page, "second"), HOSTILE).inner_text() == HOSTILE
    assert panel(page, "second").locator("h3").inner_text().startswith(f"Second, {HOSTILE}")
    assert page.locator("#command").text_content() == COMMAND
    key(panel(page, "second"), HOSTILE).click()
    assert HOSTILE not in curves(panel(page, "second"))


def test_the_table_of_claims(page):
    rows = page.locator("tr.verdict")
    assert rows.count() == len(VERDICTS)
    for i, verdict in enumerate(VERDICTS):
        badge = rows.nth(i).locator(".badge").inner_text()
        assert badge.split(maxsplit=1)[1] == verdict.verdict
        assert badge[0] == SIGNS[badge[2:]]
    page.locator("#claim-c a").click()
    assert page.evaluate("location.hash") == "#panel-second"
    top = panel(page, "second").bounding_box()["y"]
    assert -1 <= top < DESKTOP["height"]


def test_the_command_can_be_copied(page):
    page.get_by_role("button", name="Copy").click()
    page.wait_for_function("document.getElementById('copy').textContent !== 'Copy'")
    assert page.evaluate("getSelection().toString()") == COMMAND


def test_a_phone_has_no_sideways_scroll(visit, file):
    page = visit(file, viewport=PHONE, has_touch=True, is_mobile=True)
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    for name, at in (("first", 0.95), ("second", 0.5), ("floor", 0.2)):
        here = chart(panel(page, name))
        here.scroll_into_view_if_needed()
        box = here.bounding_box()
        page.touchscreen.tap(box["x"] + at * box["width"], box["y"] + 100)
        assert readout(panel(page, name))[1]
        inside = here.locator(".readout").bounding_box()
        assert inside["x"] >= 0 and inside["x"] + inside["width"] <= PHONE["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


CONTRASTS = """() => {
  const parts = (colour) => {
    const found = colour.match(/[\\d.]+/g).map(Number);
    return colour.startsWith("color(srgb") ? found.map((c, i) => (i < 3 ? 255 * c : c)) : found;
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {  // what shines through a tint counts, too
    const [r, g, b, alpha = 1] = parts(getComputedStyle(element).backgroundColor);
    if (alpha === 1) return [r, g, b];
    const ground = behind(element.parentElement);
    return [r, g, b].map((c, i) => alpha * c + (1 - alpha) * ground[i]);
  };
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  return [...document.querySelectorAll("body *")].filter(hasText)
    .filter((element) => element.getClientRects().length && !element.closest("script"))
    .map((element) => {
      const style = getComputedStyle(element);
      const ink = element.closest("svg") ? style.fill : style.color;
      const [low, high] = [light(parts(ink)), light(behind(element))].sort((a, b) => a - b);
      return [(high + 0.05) / (low + 0.05), `${element.tagName}.${element.className}`];
    });
}"""


def test_both_themes_are_readable(visit, file):
    grounds = {}
    for scheme in ("light", "dark"):
        page = visit(file, color_scheme=scheme, reduced_motion="reduce")
        page.locator("details").first.evaluate("one => { one.open = true; }")
        page.locator(".chart").first.hover()
        key(panel(page, "second"), "RAND").click()
        grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        contrasts = page.evaluate(CONTRASTS)
        assert len(contrasts) > 300
        assert min(contrasts)[0] >= 4.5, min(contrasts)
    light, dark = (sum(map(int, re.findall(r"\d+", grounds[one])[:3])) for one in grounds)
    assert light > 700 and dark < 100


def test_the_theme_can_be_chosen_and_is_remembered(visit, file):
    page = visit(file, color_scheme="light")
    other = page.context.new_page()
    other.goto(file.as_uri())
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator("#theme").click()
    dark = page.evaluate(ground)
    assert dark != light
    # Chromium stores beside the page: once another page finds the theme, a reload finds it too.
    other.wait_for_function("localStorage.getItem('sparring-theme') === 'dark'")
    page.reload()
    assert page.evaluate(ground) == dark
    page.locator("#theme").click()
    assert page.evaluate(ground) == light


def test_nothing_jumps_while_the_page_opens(page):
    shifts = page.evaluate(
        """() => new Promise((done) => {
        new PerformanceObserver((list) => done(list.getEntries().map((one) => one.value)))
          .observe({ type: "layout-shift", buffered: true });
        setTimeout(() => done([]), 300);
        })"""
    )
    assert sum(shifts) < 0.001  # of the window's area times the way


def test_without_scripts_the_numbers_are_there(visit, file, summaries):
    page = visit(file, java_script_enabled=False)
    assert page.locator(".key:visible, .views:visible, #theme:visible").count() == 0
    assert page.locator(".chart:visible .drawing").count() == len(summaries)
    assert "RAND" in page.locator("#panel-first .spots title").first.text_content()
    page.locator("#panel-first summary").click()
    assert page.locator("#panel-first table:visible").count() == 4
